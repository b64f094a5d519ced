#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving_box/box_problem.hpp>
#include <rhumb/pde/moving_box/solver.hpp>
#include <algorithm>
#include <cmath>

/// The way to the initial mesh. With the monitor of the mesh as it is, the mesh equations are linear in the positions, and
/// the mesh they ask for does not fold in a convex domain; the monitor is found anew after each implicit Euler step. A
/// kink of the initial values does not disturb this, while Newton's method, which sees slopes that jump, needs very small
/// steps there. Long steps overshoot: one that turns back makes the next one shorter.

namespace rhumb::moving_box {

using core::check;

namespace {
// Steps in units of tau.
constexpr double first_step = 1e-2, smallest_step = 1e-6, largest_step = 1e3, growth = 1.4, reduction = 0.4;
constexpr int most_steps = 200;
constexpr double at_rest = 1e-3; ///< of the domain's size, in a step of tau or in proportion

/// A matrix with some rows for each own point, coupled to those of its neighbours, and its solver.
struct PointsSystem {
  core::MatHandle matrix;
  core::KspHandle solver;
  core::VecHandle right, solution;

  PointsSystem(const Simplices& simplices, int rows, PetscInt entries) {
    const PetscInt size = simplices.owned_nodes() * rows;
    check(MatCreateAIJ(simplices.comm(), size, size, PETSC_DETERMINE, PETSC_DETERMINE, entries, nullptr, entries,
                       nullptr, matrix.out()));
    check(MatCreateVecs(matrix, solution.out(), right.out()));
    solver = create_points_solver(simplices.comm(), matrix);
  }
  void add(PetscInt row, PetscInt column, double value) {
    check(MatSetValues(matrix, 1, &row, 1, &column, &value, ADD_VALUES));
  }
  void assemble() {
    check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    check(KSPSetOperators(solver, matrix, matrix));
  }
};

/// Between the entries first ... first + count - 1 of each of y's points and a vector that has nothing else.
void gather(Vec y, int unknowns, int first, int count, Vec part) {
  const core::Readable from(y);
  const core::Writable to(part);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i / count * unknowns + first + i % count];
}
void subtract(Vec part, int unknowns, int first, int count, Vec y) {
  const core::Readable from(part);
  const core::Writable to(y);
  for (std::size_t i = 0; i < from.size(); ++i) to[i / count * unknowns + first + i % count] -= from[i];
}
} // namespace

struct BoxProblem::Relaxation {
  PointsSystem pulls, smoothing;
  core::VecHandle zero{}, rows{}, trial{};
  core::VecHandle last{}; ///< change of the positions
};

/// The rows of y without rates. False where a cell is folded.
bool BoxProblem::rows_at_rest(Relaxation& r, double t, Vec y) {
  int failed = 0, anywhere = 0;
  try {
    residual(t, y, r.zero, r.rows);
  } catch (const core::Recoverable&) {
    failed = 1;
  }
  core::check_mpi(MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, simplices_.comm()));
  return anywhere == 0;
}

/// The fields where the points are, then their monitor: rows that are linear in what they are for.
bool BoxProblem::follow(Relaxation& r, double t, Vec y) {
  if (!rows_at_rest(r, t, y)) return false;
  {
    const core::Readable rows(r.rows);
    const core::Writable values(y);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (static_cast<int>(i) % unknowns() < components()) values[i] -= rows[i];
  }
  if (!rows_at_rest(r, t, y)) return false;
  auto& s = r.smoothing;
  gather(r.rows, unknowns(), monitor_index(), 1, s.right);
  check(KSPSolve(s.solver, s.right, s.solution));
  subtract(s.solution, unknowns(), monitor_index(), 1, y);
  return rows_at_rest(r, t, y);
}

void BoxProblem::fill_smoothing(Relaxation& r) const {
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
    const PetscInt row = simplices_.global(simplices_.owned(i));
    r.smoothing.add(row, row, 1.0);
    for (const auto& l : simplices_.smoothed(i)) {
      r.smoothing.add(row, row, settings_.monitor.smoothing * l.factor);
      r.smoothing.add(row, simplices_.global(l.node), -settings_.monitor.smoothing * l.factor);
    }
  }
  r.smoothing.assemble();
}

/// Of what `load` has loaded.
void BoxProblem::fill_pulls(Relaxation& r, double dt) const {
  const int w = monitor_index(), D = dimension();
  check(MatZeroEntries(r.pulls.matrix));
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
    const PetscInt node = simplices_.owned(i), first = simplices_.global(node) * D;
    for (int d = 0; d < D; ++d) {
      if (simplices_.is_bound(i, d)) {
        for (int by = 0; by < D; ++by) r.pulls.add(first + d, first + by, simplices_.binding(i, d, by));
        continue;
      }
      r.pulls.add(first + d, first + d, 1.0 / dt);
      for (const auto& l : simplices_.pulls(i)) {
        const double mean = 0.5 * (1.0 + values_[entry(l.node, w)] / values_[entry(node, w)]);
        r.pulls.add(first + d, first + d, pull() * l.factor * mean);
        r.pulls.add(first + d, simplices_.global(l.node) * D + d, -pull() * l.factor * mean);
      }
    }
  }
  r.pulls.assemble();
}

bool BoxProblem::relax(double t, Vec y) {
  std::size_t links = 0;
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i)
    links = std::max({links, simplices_.pulls(i).size(), simplices_.smoothed(i).size()});
  const auto entries = static_cast<PetscInt>(links) + dimension();
  Relaxation r{{simplices_, dimension(), entries}, {simplices_, 1, entries}};
  for (auto* v : {&r.zero, &r.rows, &r.trial}) *v = core::same_layout(y);
  r.last = core::same_layout(r.pulls.solution);
  check(VecSet(r.zero, 0.0));
  check(VecSet(r.last, 0.0));
  fill_smoothing(r);
  double dt = first_step;
  bool good = follow(r, t, y);
  for (int step = 0; step < most_steps && good && dt > smallest_step; ++step) {
    fill_pulls(r, dt * settings_.tau);
    gather(r.rows, unknowns(), coordinate(0), dimension(), r.pulls.right);
    check(KSPSolve(r.pulls.solver, r.pulls.right, r.pulls.solution));
    check(VecCopy(y, r.trial));
    subtract(r.pulls.solution, unknowns(), coordinate(0), dimension(), r.trial);
    if (!follow(r, t, r.trial)) {
      dt *= reduction;
      good = rows_at_rest(r, t, y);
      continue;
    }
    double move = 0.0, onwards = 0.0;
    check(VecNorm(r.pulls.solution, NORM_INFINITY, &move));
    check(VecDot(r.pulls.solution, r.last, &onwards));
    check(VecCopy(r.pulls.solution, r.last));
    check(VecCopy(r.trial, y));
    if (move < at_rest * simplices_.length() * std::min(dt, 1.0)) return true;
    dt = onwards < 0.0 ? reduction * dt : std::min(growth * dt, largest_step);
  }
  return false;
}

} // namespace rhumb::moving_box
