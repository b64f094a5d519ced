#include "study_plan.hpp"

#include "cases.hpp"
#include "trial.hpp"
#include <rhumb/core/check.hpp>
#include <rhumb/io/seal.hpp>
#include <rhumb/run/command_line.hpp>
#include <rhumb/run/integrator_options.hpp>
#include <rhumb/run/summary.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <petscsys.h>

namespace rhumb::ignite_cases {

namespace {

/// Those that a study sets for its runs, and those that change no result.
constexpr std::array not_of_the_runs{"study",         "study_width", "energy",      "out",   "restart", "stop_at_fate",
                                     "checkpoint_dt", "wall_limit",  "progress_dt", "quiet", "check",   "help"};

const core::Declared* find(const std::vector<core::Declared>& options, const std::string& name) {
  const auto found = std::ranges::find(options, name, &core::Declared::name);
  return found == options.end() ? nullptr : &*found;
}

StudyPlan plan_of(const core::Options& options, const dae::Problem& problem) {
  StudyPlan plan;
  plan.problem = problem.name();
  plan.settings = run::read_settings(options, problem);
  plan.options = options.declared();
  std::ranges::find(plan.options, "study", &core::Declared::name)->value = "mie";
  for (const auto& option : options.undeclared()) plan.petsc_options.emplace_back(option.name, option.value);
  for (const char* name : {"restart", "stop_at_fate"})
    if (options.given(name)) throw core::BadInput(fmt::format("option -{}: a study chooses it itself", name));
  if (plan.settings.out.empty()) throw core::BadInput("option -out: a study needs a folder");
  const auto* energy = find(plan.options, "energy");
  if (!energy) throw core::BadInput(fmt::format("option -study mie: {} has no source of energy", plan.problem));
  plan.first_energy = core::parse_real(energy->value).value_or(0.0);
  if (!(plan.first_energy > 0.0))
    throw core::BadInput(fmt::format("option -energy {}: a study starts from more than 0", energy->value));
  plan.width = core::parse_real(find(plan.options, "study_width")->value).value_or(0.0);
  return plan;
}

/// The words without -study mie.
std::vector<std::string> words_of_runs(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = 0; i < argc; ++i) {
    if (std::string(argv[i]) == "-study")
      ++i;
    else
      words.emplace_back(argv[i]);
  }
  return words;
}

bool has_word(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

} // namespace

PlanReading read_plan(int argc, char** argv) {
  const auto words = words_of_runs(argc, argv);
  const bool only_check = has_word(words, "-check");
  auto checked = words;
  if (!only_check) checked.insert(checked.end(), {"-check", "-quiet"});
  PlanReading out;
  out.code = run_driver(checked, [&](MPI_Comm comm, const core::Options& options) {
    auto problem = make(comm, options);
    out.plan = plan_of(options, *problem);
    return problem;
  });
  const run::CommandLine line(argc, argv);
  if (out.code != core::ExitCode::done || line.wants_help() || !out.plan || only_check) return {std::nullopt, out.code};
  out.plan->settings.quiet = has_word(words, "-quiet");
  out.plan->words = words;
  out.plan->app = line.app();
  return out;
}

std::string identity_of(const StudyPlan& plan) {
  std::string text;
  for (const auto& option : plan.options)
    if (std::ranges::find(not_of_the_runs, option.name) == not_of_the_runs.end())
      text += fmt::format("{} {}\n", option.name, option.value);
  for (const auto& [name, value] : plan.petsc_options) text += fmt::format("{} {}\n", name, value);
  if (const auto* mechanism = find(plan.options, "mechanism")) {
    const std::string contents = text_of(mechanism->value);
    text += fmt::format("checksum of the mechanism {:016x}\n",
                        io::checksum_part(0, std::as_bytes(std::span<const char>(contents))));
  }
  return text;
}

} // namespace rhumb::ignite_cases
