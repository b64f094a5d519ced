#pragma once
/// What a study is told: the words of its command line, read as each of its runs will read them.

#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/run/settings.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::ignite_cases {

struct StudyPlan {
  std::vector<std::string> words; ///< program, case file, options: every run gets them
  std::string app;
  std::string problem;
  run::Settings settings;
  double first_energy = 0.0;
  double width = 0.0; ///< of the bracket, over its upper end
  std::vector<core::Declared> options;
  std::vector<std::pair<std::string, std::string>> petsc_options;
};

/// A plan, or none and the exit code: what was asked for is done (-help, -check), or the input is bad.
struct PlanReading {
  std::optional<StudyPlan> plan;
  core::ExitCode code = core::ExitCode::done;
};

/// Reads command line and case file, and builds the problem once to see that they are good. Collective.
PlanReading read_plan(int argc, char** argv);

/// All that decides how a run with a given energy ends: the effective options, and a checksum of the mechanism's file.
/// Studies with the same text may share runs. Collective.
std::string identity_of(const StudyPlan& plan);

} // namespace rhumb::ignite_cases
