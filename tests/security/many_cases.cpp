/// many-cases LIST: checks or runs every case file that LIST names (one to a line, behind the problem to take it for),
/// in one process, as a driver would; prints "number code" for each. hostile_cases.py watches what it does.

#include <rhumb/core/check.hpp>
#include <rhumb/core/session.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <rhumb/physics/heat/heat.hpp>
#include <rhumb/run/program.hpp>
#include <fstream>
#include <iostream>
#include <petscsys.h>

using namespace rhumb;

namespace {
run::Make make_of(const std::string& problem) {
  if (problem == "heat") return heat::make_heat;
  return flow::make_flow;
}

int run_case(const std::string& problem, const std::string& file, const std::string& last_word) {
  std::vector<std::string> words{problem, file,     "-quiet", "-out",           "none", "-n",
                                 "6,6",   "-t_end", "1e-3",   "-dae_max_steps", "3",    last_word};
  if (problem == "heat") words.insert(words.end(), {"-k", "1"});
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  run::CommandLine line(static_cast<int>(pointers.size()), pointers.data());
  return static_cast<int>(run::Program(PETSC_COMM_WORLD, line, make_of(problem), run::Caller{line.app()}).execute());
}
} // namespace

int main(int argc, char** argv) {
  const core::Session session(argc, argv);
  std::ifstream list(argv[1]);
  std::string problem, file, last_word;
  for (int number = 0; list >> problem >> last_word >> file; ++number) {
    const int code = run_case(problem, file, last_word);
    std::cout << '\n' << number << ' ' << code << std::endl;
  }
  std::ifstream(std::string(argv[1]) + ".end"); // a mark for who watches: from here on MPI and PETSc tidy up
  return 0;
}
