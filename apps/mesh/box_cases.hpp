#pragma once
/// The cases of rhumb-mesh in two and three dimensions.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <memory>

namespace rhumb::mesh_cases {

/// The case that -problem names, for -dim 2 or 3.
std::unique_ptr<dae::Problem> make_on_box(MPI_Comm comm, const core::Options& options, int dimension);

std::unique_ptr<dae::Problem> box_burgers(MPI_Comm comm, const core::Options& options, int dimension);
std::unique_ptr<dae::Problem> box_curved(MPI_Comm comm, const core::Options& options, int dimension);
std::unique_ptr<dae::Problem> box_turning(MPI_Comm comm, const core::Options& options, int dimension);
std::unique_ptr<dae::Problem> box_reaction(MPI_Comm comm, const core::Options& options, int dimension);
std::unique_ptr<dae::Problem> box_porous(MPI_Comm comm, const core::Options& options, int dimension);
std::unique_ptr<dae::Problem> box_blowup(MPI_Comm comm, const core::Options& options, int dimension);
std::unique_ptr<dae::Problem> box_flame(MPI_Comm comm, const core::Options& options, int dimension);
std::unique_ptr<dae::Problem> box_formulas(MPI_Comm comm, const core::Options& options, int dimension);

} // namespace rhumb::mesh_cases
