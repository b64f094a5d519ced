#pragma once
/// The small systems of the literature that `rhumb-dae -problem NAME` solves, one file each.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <memory>

namespace rhumb::problems {

std::unique_ptr<dae::Problem> robertson(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> pendulum(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> sieber1(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> sieber2(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> hessenberg2(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> moving_geometry(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> jump(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> trajectory(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> circuit(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> bounce(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> foodweb(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> linear(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> drag(MPI_Comm comm, const core::Options& options);
std::unique_ptr<dae::Problem> mechanism(MPI_Comm comm, const core::Options& options);

/// The names that -problem knows.
std::vector<std::string> names();

/// The problem that -problem names; throws core::BadInput, with the nearest name, where there is none.
std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options);

} // namespace rhumb::problems
