#pragma once
/// The preconditioner of a box. Geometric multigrid (PCMG) on halved boxes where halving every direction leads to a
/// small grid and the spacings are alike: interpolation is the DMDA's, coarse matrices are Galerkin's, smoothing is one
/// step of damped Jacobi each way, by points. Variables that are algebraic (Dirichlet points) stay out of the
/// interpolation: the coarse grids see their corrections as zero. Where a whole field is algebraic, incomplete factors.
/// Elsewhere BoomerAMG, and LU for systems small enough.

#include <rhumb/dae/system.hpp>
#include <rhumb/grid/box.hpp>

namespace rhumb::box {

using namespace grid;

/// How many grids the box gives on its ranks; 1 means that it cannot be halved, or need not be.
int multigrid_levels(const Box& box);

/// `kinds` are those of the rank's own entries.
void configure_multigrid(PC preconditioner, Mat matrix, const Box& box, std::span<const dae::Kind> kinds);

} // namespace rhumb::box
