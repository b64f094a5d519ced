#pragma once
/// The integrator's options from the option database: -dae_rtol and so on.

#include <rhumb/bdf/options.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <optional>

namespace rhumb::run {

/// Reads (and so declares) them all; where the user says nothing the problem's own tolerances hold. A tolerance that
/// the user gives wins over everything the problem had at that level and below: -dae_atol over the problem's per-field
/// ones. `rtol` is for callers from code, and does what -dae_rtol does: absolute tolerances that follow it do.
bdf::IntegratorOptions read_integrator_options(const core::Options& options, const dae::Problem& problem,
                                               std::optional<double> rtol = std::nullopt);

} // namespace rhumb::run
