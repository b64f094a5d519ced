#pragma once
/// The words of the command line: which go to PETSc, which is the case file, and which belong to nobody.

#include <rhumb/core/options.hpp>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::run {

class CommandLine {
public:
  CommandLine(int argc, char** argv);

  /// The program's name without its folder; it stands before every message.
  const std::string& app() const { return app_; }
  /// The first word, when it has no dash; else the one word NAME.yaml that belongs to no option.
  const std::string& case_file() const { return case_file_; }
  /// -help, -h or --help was among the words. They are kept from PETSc, which would print the help of all of PETSc.
  bool wants_help() const { return wants_help_; }
  /// The word behind -help: what is looked for.
  const std::string& help_word() const { return help_word_; }
  /// Words that are neither an option nor the value of one.
  const std::vector<std::string>& stray() const { return stray_; }

  /// Looks at PETSC_OPTIONS, and keeps it from PETSc where it names a file of options. Before PETSc starts.
  void take_environment();

  /// Throws core::BadInput where a file of PETSc's options is named, or a word belongs to nothing.
  void reject_bad_arguments() const;
  /// Names without their dash, and values; a flag has an empty one. All of -vary are one, with ';' between them.
  std::vector<std::pair<std::string, std::string>> options() const;
  /// A sentence for each option that is given more than once with different values: the last one counts.
  std::vector<std::string> repeated_options() const;

  /// The program's name and the options, for MPI and PETSc, which read some while they start. They live as long as this
  /// object.
  int& argc() { return argc_; }
  char**& argv() { return argv_; }

private:
  std::string app_;
  std::string case_file_;
  std::vector<std::string> arguments_; ///< the program, then options and values
  std::vector<std::string> stray_;
  std::string rejected_; ///< the first word that would make PETSc read a file
  std::vector<char*> pointers_;
  bool wants_help_ = false;
  std::string help_word_;
  int argc_ = 0;
  char** argv_ = nullptr;
};

/// Fills `options`: the command line, below it PETSC_OPTIONS, below that the case file. Throws core::BadInput, naming
/// the file, on all ranks.
void load_options(MPI_Comm comm, const CommandLine& line, core::Options& options);

} // namespace rhumb::run
