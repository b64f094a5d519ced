#pragma once
/// A driver from its command line to its exit code: parse, build the problem, integrate; or make a study.

#include <rhumb/run/agreement.hpp>
#include <rhumb/run/command_line.hpp>
#include <rhumb/run/execution.hpp>
#include <rhumb/run/fit_result.hpp>
#include <rhumb/run/preparation.hpp>

namespace rhumb::run {

class Program {
public:
  /// PETSc runs already.
  Program(MPI_Comm comm, CommandLine& line, const Make& make, Caller caller);

  core::ExitCode execute();

private:
  void build();
  bool only_help();
  void print_help();
  core::ExitCode check();
  core::ExitCode integrate();
  void find_parameters();
  void add_error_bars(Solution& solution);
  void print_error(const std::string& message) const;

  MPI_Comm comm_;
  CommandLine& line_;
  const Make& make_;
  Caller caller_;
  Agreement agreement_;
  core::Options given_;   ///< read by nobody
  core::Options options_; ///< the same, and what was read of them
  Prepared run_;
  FitResult fit_; ///< of -fit
};

} // namespace rhumb::run
