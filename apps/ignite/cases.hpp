#pragma once
/// The cases of rhumb-ignite.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <memory>

namespace rhumb::ignite_cases {

/// The case that -problem names.
std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options);

std::unique_ptr<dae::Problem> vessel(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> onestep(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> hydrogen(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> ozone(MPI_Comm comm, const core::Options& options);

} // namespace rhumb::ignite_cases
