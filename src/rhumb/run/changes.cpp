#include <rhumb/run/changes.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
/// Where a run ends, what it writes and when it stops is another matter than what it solves.
constexpr std::array of_the_run{"t_end",
                                "events",
                                "out",
                                "out_dt",
                                "out_times",
                                "series_dt",
                                "checkpoint_dt",
                                "restart",
                                "restart_with_changes",
                                "wall_limit",
                                "progress_dt",
                                "quiet",
                                "check",
                                "help",
                                "sensitivity",
                                "sensitivity_scale",
                                "gradient",
                                "with"};
/// Tolerances, step sizes, error test, linear solver.
constexpr const char* integrator_prefix = "dae_";
/// The user's events.
constexpr const char* event_prefix = "event_";

/// A file may be named in two ways.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code none;
  return !one.empty() && !other.empty() && std::filesystem::equivalent(one, other, none);
}
} // namespace

std::vector<core::Declared> options_of_problem(const std::vector<core::Declared>& declared,
                                               const dae::Problem& problem) {
  const auto free = problem.options_free_to_change();
  std::vector<core::Declared> out;
  for (const auto& option : declared) {
    const bool may_change = option.name.starts_with(integrator_prefix) || option.name.starts_with(event_prefix) ||
                            std::ranges::find(of_the_run, option.name) != of_the_run.end() ||
                            std::ranges::find(free, option.name) != free.end();
    if (!may_change) out.push_back(option);
  }
  return out;
}

std::vector<std::string> changed_options(const std::vector<core::Declared>& now,
                                         const std::vector<std::pair<std::string, std::string>>& before) {
  std::vector<std::string> changes;
  for (const auto& option : now) {
    const auto found = std::ranges::find(before, option.name, &std::pair<std::string, std::string>::first);
    if (found == before.end()) {
      if (option.given) changes.push_back(fmt::format("-{} was not known, is {}", option.name, option.value));
    } else if (found->second != option.value && !same_file(found->second, option.value)) {
      changes.push_back(fmt::format("-{} was {}, is {}", option.name, found->second, option.value));
    }
  }
  return changes;
}

} // namespace rhumb::run
