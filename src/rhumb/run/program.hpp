#pragma once
/// A driver from its command line to its exit code: parse, build the problem, integrate.

#include <rhumb/run/agreement.hpp>
#include <rhumb/run/command_line.hpp>
#include <rhumb/run/execution.hpp>
#include <rhumb/run/run.hpp>

namespace rhumb::run {

class Program {
public:
  /// PETSc runs already.
  Program(MPI_Comm comm, CommandLine& line, const Make& make, Settings::Clock::time_point started,
          bool optimised = compiled_with_optimisation);

  core::ExitCode execute();

private:
  void build();
  bool only_help();
  void print_help() const;
  core::ExitCode check();
  core::ExitCode integrate();
  void complain(const std::string& message) const;

  MPI_Comm comm_;
  CommandLine& line_;
  const Make& make_;
  Settings::Clock::time_point started_;
  bool optimised_;
  Agreement agreement_;
  core::Options options_;
  std::unique_ptr<dae::Problem> problem_;
  Settings settings_;
  bool only_check_ = false;
  bool wants_help_ = false;
};

} // namespace rhumb::run
