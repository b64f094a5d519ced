/// The command line, one argument a line. What is accepted goes into options, those of PETSc too, and is read again.

#include "target.hpp"
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/run/command_line.hpp>
#include <petscsys.h>
#include <sstream>

namespace rhumb::fuzz {

void test(std::string_view input) {
  start_petsc();
  std::vector<std::string> words;
  std::istringstream lines{std::string(input.substr(0, input.find('\0')))}; // no argument holds a NUL
  for (std::string line; std::getline(lines, line);) words.push_back(line);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  run::CommandLine line(static_cast<int>(words.size()), arguments.data());
  line.reject_bad_arguments();
  core::Options options;
  run::load_options(PETSC_COMM_SELF, line, options);
  const core::PetscOptionsScope scope(options);
  options.real("t_end", 1.0, {"a number"}, core::Range::positive());
  options.reals("out_times", {}, {"numbers"});
  options.integers("n", {8, 8}, {"counts"}, core::Range::at_least(1.0));
  options.flag("quiet", false, {"a flag"});
  options.choice("scheme", "upwind", {"upwind", "central"}, {"a choice"});
  options.string("initial", "0", {"a word"});
}

} // namespace rhumb::fuzz
