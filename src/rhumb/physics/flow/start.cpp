/// The start of a flow: initial values, and what had to be changed in them.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::flow {

using core::check;

namespace {
/// A smaller change of the initial velocity, of the flow's speed, is not worth a word.
constexpr double notable = 1e-6;

} // namespace

void Flow::initial_values(double t, Vec y, Vec ydot) {
  check(VecSet(y, 0.0));
  check(VecSet(ydot, 0.0));
  for (int f = 0; f < grid_.field_count(); ++f) {
    const auto& formula = case_.initial[f];
    if (!formula) continue;
    const core::Writable values(y);
    grid_.for_each_unknown(f, [&](PetscInt owned, const Index& cell) {
      values[owned] = (*formula)({.x = grid_.position(f, cell), .t = t});
    });
  }
  add_turbulence(y);
  requested_initial_velocity_ = core::same_layout(y);
  check(VecCopy(y, requested_initial_velocity_));
  equations_.set_given(t, y, ydot);
  start_divergence_ = largest_divergence(equations_, y);
  // With the constraint as it stands, the integrator's consistent start projects.
  if (case_.formulation == Formulation::index1) make_divergence_free(t, y);
}

void Flow::add_turbulence(Vec y) const {
  if (case_.turbulence.intensity == 0.0) return;
  const RandomVelocity random(case_.turbulence, case_.shape);
  const core::Writable values(y);
  for (int c = 0; c < grid_.dimension(); ++c)
    grid_.for_each_unknown(
        c, [&](PetscInt owned, const Index& face) { values[owned] += random(c, grid_.position(c, face)); });
}

/// The nearest velocity without divergence: y - C L^-1 C^T y, which is what the preconditioner makes of (0, -C^T y).
void Flow::make_divergence_free(double t, Vec y) {
  Equations free(case_, grid_, Level::mean);
  Linearization start;
  start.t = t;
  start.y = grid_.create_vector();
  check(VecCopy(y, start.y));
  const core::MatHandle matrix = free.create_matrix();
  free.jacobian(t, y, start.alpha, matrix);
  core::PcHandle pc;
  check(PCCreate(grid_.comm(), pc.out()));
  check(PCSetOptionsPrefix(pc, "dae_"));
  BlockPreconditioner blocks(pc, matrix, free, start);
  blocks.setup();
  const core::VecHandle rhs = grid_.create_vector(), correction = grid_.create_vector();
  // Twice, so that rounding in the first correction is mended too.
  for (int pass = 0; pass < 2; ++pass) {
    check(VecSet(rhs, 0.0));
    free.divergence(y, rhs);
    check(VecScale(rhs, -free.constraint_scale(start.alpha)));
    blocks.apply(rhs, correction);
    const core::Readable step(correction);
    const core::Writable values(y);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (field_of_[i] < grid_.dimension()) values[i] += step[i];
  }
}

/// Tells, after the consistent start, how far the velocity is from the one that the case asked for.
void Flow::compare_start(Vec y) {
  struct {
    double value;
    int rank;
  } worst{0.0, 0};
  core::check_mpi(MPI_Comm_rank(grid_.comm(), &worst.rank));
  int field = 0;
  Position worst_position{};
  {
    const core::Readable wanted(requested_initial_velocity_), taken(y);
    for (int c = 0; c < grid_.dimension(); ++c)
      grid_.for_each_unknown(c, [&](PetscInt owned, const Index& cell) {
        const double change = std::abs(taken[owned] - wanted[owned]);
        if (change <= worst.value || equations_.boundary().row(owned) == RowKind::mirrored) return;
        worst.value = change, field = c, worst_position = grid_.position(c, cell);
      });
  }
  requested_initial_velocity_.reset();
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, grid_.comm()));
  start_change_ = worst.value;
  if (worst.value <= notable * case_.speed) return;
  std::array<double, 4> where{static_cast<double>(field), worst_position[0], worst_position[1], worst_position[2]};
  core::check_mpi(MPI_Bcast(where.data(), 4, MPI_DOUBLE, worst.rank, grid_.comm()));
  remarks_.push_back(fmt::format("the initial velocity does not fit the sides and obstacles, or has a divergence (up "
                                 "to {:.3g} with these set): the "
                                 "nearest one that fits is taken; it differs by up to {:.3g} ({} at {:.4g})",
                                 start_divergence_, worst.value, "uvw"[static_cast<int>(where[0])],
                                 fmt::join(where.begin() + 1, where.begin() + 1 + grid_.dimension(), ", ")));
}

} // namespace rhumb::flow
