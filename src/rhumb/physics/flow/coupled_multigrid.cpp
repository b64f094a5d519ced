#include <rhumb/physics/flow/coupled_multigrid.hpp>

#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rhumb::flow {

using core::check;

namespace {

/// As in pressure_multigrid.cpp.
constexpr double merging_factor = 1.5;
/// A level of no more cells is factored.
constexpr PetscInt most_coarsest_cells = 150;
constexpr int sweeps = 2;
/// A coarse problem whose residual has fallen to this part is solved well enough.
constexpr double sufficient_reduction = 0.1;

double dot(const SplitVec& a, const SplitVec& b) {
  PetscScalar u = 0.0, p = 0.0;
  check(VecDot(a.u, b.u, &u));
  check(VecDot(a.p, b.p, &p));
  return u + p;
}

void add(double factor, const SplitVec& from, const SplitVec& to) {
  check(VecAXPY(to.u, factor, from.u));
  check(VecAXPY(to.p, factor, from.p));
}

void scaled_copy(double factor, const SplitVec& from, const SplitVec& to) {
  check(VecAXPBY(to.u, factor, 0.0, from.u));
  check(VecAXPBY(to.p, factor, 0.0, from.p));
}

} // namespace

CoupledMultigrid::CoupledMultigrid(const Equations& equations)
    : finest_(std::make_unique<CoupledLevel>(equations.flow_case(), equations.grid())) {
  create_levels(equations.flow_case());
  for (std::size_t l = 0; l < levels(); ++l) {
    Workspace& work = work_.emplace_back();
    work.rest = level(l).create();
    if (l == 0) continue;
    for (SplitVec* v : {&work.r, &work.x, &work.direction, &work.image, &work.second_direction, &work.second_image})
      *v = level(l).create();
  }
}

void CoupledMultigrid::create_levels(const Case& flow_case) {
  const Staggered& grid = finest_->grid();
  double limit = std::numeric_limits<double>::max(), longest = 0.0;
  for (int d = 0; d < grid.dimension(); ++d)
    for (PetscInt i = 0; i < grid.line(d).cells(); ++i) {
      limit = std::min(limit, merging_factor * grid.line(d).width(i));
      longest = std::max(longest, grid.line(d).face(grid.line(d).cells()) - grid.line(d).face(0));
    }
  for (limit *= 2.0; limit < 2.0 * longest && level(levels() - 1).cells() > most_coarsest_cells; limit *= 2.0)
    if (CoupledTransfer::merges(level(levels() - 1), limit))
      transfers_.push_back(std::make_unique<CoupledTransfer>(flow_case, level(levels() - 1), limit));
}

void CoupledMultigrid::set_up(double t, Vec y, double alpha) {
  check(VecCopy(y, finest_->state()));
  for (std::size_t l = 0; l < levels(); ++l) {
    if (l > 0) transfers_[l - 1]->restrict_state();
    level(l).set_up(t, alpha);
  }
  level(levels() - 1).factor();
}

void CoupledMultigrid::descend(std::size_t number, const SplitVec& r, const SplitVec& x) {
  CoupledLevel& here = level(number);
  if (number + 1 == levels()) {
    here.solve(r, x);
    return;
  }
  here.smooth(r, x, sweeps, CoupledLevel::Initial::zero);
  here.residual(r, x, work_[number].rest);
  transfers_[number]->restrict_residual(work_[number].rest, work_[number + 1].r);
  level(number + 1).centre(work_[number + 1].r.p);
  minimize(number + 1);
  transfers_[number]->prolongate(work_[number + 1].x, x);
  here.smooth(r, x, sweeps, CoupledLevel::Initial::given);
}

/// x of the level from its r: two steps of the generalized conjugate residual method.
void CoupledMultigrid::minimize(std::size_t number) {
  Workspace& work = work_[number];
  if (number + 1 == levels()) {
    descend(number, work.r, work.x);
    return;
  }
  CoupledLevel& here = level(number);
  const double before = dot(work.r, work.r);
  descend(number, work.r, work.direction);
  here.product(work.direction, work.image);
  const double square = dot(work.image, work.image);
  const double step = square > 0.0 ? dot(work.image, work.r) / square : 0.0;
  scaled_copy(step, work.direction, work.x);
  add(-step, work.image, work.r);
  if (dot(work.r, work.r) <= sufficient_reduction * sufficient_reduction * before) return;
  descend(number, work.r, work.second_direction);
  here.product(work.second_direction, work.second_image);
  const double along = square > 0.0 ? dot(work.second_image, work.image) / square : 0.0;
  add(-along, work.direction, work.second_direction);
  add(-along, work.image, work.second_image);
  const double second_square = dot(work.second_image, work.second_image);
  if (second_square > 0.0) add(dot(work.second_image, work.r) / second_square, work.second_direction, work.x);
}

} // namespace rhumb::flow
