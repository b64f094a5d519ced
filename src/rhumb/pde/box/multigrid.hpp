#pragma once
/// The preconditioner of a box: geometric multigrid (PCMG) on grids with half as many cells in each direction, or in
/// those whose cells are narrow (coarsening.hpp). Interpolation is linear, coarse matrices are Galerkin's, smoothing is
/// one step of damped Jacobi each way, by points. Variables that are algebraic (Dirichlet points) stay out of the
/// interpolation: the coarse grids see their corrections as zero. Where a whole field is algebraic, incomplete factors.
/// LU for systems small enough; BoomerAMG where there are more ranks in a direction than the grids can be made coarser
/// for.

#include <rhumb/dae/system.hpp>
#include <rhumb/grid/box.hpp>

namespace rhumb::box {

using namespace grid;

/// `kinds` are those of the rank's own entries.
void configure_multigrid(PC preconditioner, Mat matrix, const Box& box, std::span<const dae::Kind> kinds);

} // namespace rhumb::box
