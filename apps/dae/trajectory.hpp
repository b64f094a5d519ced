#pragma once
/// What the coordinate systems of `trajectory` share beside the path.

#include "prescribed_path.hpp"
#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <memory>

namespace rhumb::problems {

/// Some values of a flight and its relative errors in relative coordinates, as BCP table 6.3.1 has them.
dae::Figures trajectory_figures(double t, const path::Flight& value, double mass);

std::unique_ptr<dae::Problem> trajectory_inertial(MPI_Comm comm, const core::Options& options);

} // namespace rhumb::problems
