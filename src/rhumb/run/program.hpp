#pragma once
/// One run of a driver from the first word of its command line to its exit code.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/run/agreement.hpp>
#include <rhumb/run/command_line.hpp>
#include <rhumb/run/loop.hpp>
#include <rhumb/run/run.hpp>
#include <rhumb/run/settings.hpp>
#include <rhumb/run/summary.hpp>

namespace rhumb::run {

class Program {
public:
  /// PETSc runs already.
  Program(CommandLine& line, const Make& make, Loop::Clock::time_point started);

  core::ExitCode execute();

private:
  void build();
  void build_problem();
  bool only_help();
  void print_help() const;
  core::ExitCode integrate();
  std::vector<std::unique_ptr<Observer>> observers();
  io::About about() const;
  void announce() const;
  Summary summarize(const Loop& loop, const Ending& ending);
  void check_output();
  void warn_of_output();
  dae::Figures report(const Loop& loop, Ending& ending);
  void conclude(Summary& summary);
  void complain(const std::string& message) const;

  CommandLine& line_;
  const Make& make_;
  Loop::Clock::time_point started_;
  Agreement agreement_;
  core::Options options_;
  std::unique_ptr<dae::Problem> problem_;
  Settings settings_;
  std::vector<core::Declared> problem_options_; ///< that make the problem what it is
  bdf::Options integrator_options_;
  std::optional<bdf::Integrator> integrator_;
};

} // namespace rhumb::run
