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

StudyPlan plan_of(core::Options& options, const dae::Problem& problem) {
  StudyPlan plan;
  plan.problem = problem.name();
  plan.settings = run::read_settings(options, problem);
  run::read_integrator_options(options, problem);
  plan.options = options.declared();
  std::ranges::find(plan.options, "study", &core::Declared::name)->value = "mie";
  plan.petsc_options = run::petsc_options(options);
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

void set_option(const char* name) {
  core::check(PetscOptionsSetValue(nullptr, name, "true"));
}

} // namespace

PlanReading read_plan(int argc, char** argv) {
  const auto words = words_of_runs(argc, argv);
  PlanReading out;
  out.code = run_driver(words, [&](core::Options& options) {
    auto problem = make(options);
    out.plan = plan_of(options, *problem);
    if (!out.plan->settings.check) {
      set_option("-check");
      set_option("-quiet");
    }
    return problem;
  });
  const run::CommandLine line(argc, argv);
  if (out.code != core::ExitCode::done || line.wants_help() || !out.plan || out.plan->settings.check ||
      out.plan->settings.help)
    return {std::nullopt, out.code};
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
