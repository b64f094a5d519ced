#pragma once
/// The cases of rhumb-mesh.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <memory>

namespace rhumb::mesh_cases {

/// The case that -problem names.
std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options);

std::unique_ptr<dae::Problem> reaction(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> burgers(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> dwyer_sanders(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> fisher(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> pdepe(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> wave(MPI_Comm comm, const core::Options& options);

} // namespace rhumb::mesh_cases
