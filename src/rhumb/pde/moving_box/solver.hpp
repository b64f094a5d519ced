#pragma once
/// The linear solver of the search for the initial mesh: what `configure` chooses, inside a KSP.

#include <rhumb/dae/system.hpp>

namespace rhumb::moving_box {

/// For matrices with the coupling of neighbouring points, without `configure`.
core::KspHandle create_points_solver(MPI_Comm comm, Mat matrix);

core::KspHandle create_solver(MPI_Comm comm, Mat matrix, const dae::System& system);

} // namespace rhumb::moving_box
