#pragma once
/// What a continued run has otherwise than the run that wrote its checkpoint.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <utility>

namespace rhumb::run {

/// The options that make the problem what it is: those that it declared, without those that a continued run may have
/// otherwise (the run's and the integrator's own, which a problem may have read too, and what the problem frees).
std::vector<core::Declared> options_of_problem(const std::vector<core::Declared>& declared,
                                               const dae::Problem& problem);

/// One text each: "-k was 1, is 5". `before` are the effective options of the checkpoint's run. Of an option that this
/// run does not have nothing is said: the option that took it away differs too.
std::vector<std::string> changed_options(const std::vector<core::Declared>& now,
                                         const std::vector<std::pair<std::string, std::string>>& before);

} // namespace rhumb::run
