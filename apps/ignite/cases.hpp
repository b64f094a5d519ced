#pragma once
/// The cases of rhumb-ignite.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <memory>

namespace rhumb::ignite_cases {

/// The case that -problem names.
std::unique_ptr<dae::Problem> make(core::Options& options);

std::unique_ptr<dae::Problem> vessel(core::Options& options);
std::unique_ptr<dae::Problem> onestep(core::Options& options);
std::unique_ptr<dae::Problem> hydrogen(core::Options& options);
std::unique_ptr<dae::Problem> ozone(core::Options& options);

} // namespace rhumb::ignite_cases
