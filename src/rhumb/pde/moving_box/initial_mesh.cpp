#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving_box/box_problem.hpp>
#include <rhumb/pde/moving_box/solver.hpp>
#include <algorithm>
#include <cmath>

/// The mesh that suits the initial values: the same equations with u = initial(x) in place of the PDE, by implicit Euler
/// steps in a time of their own until the mesh stands still. Most of the way is gone with the monitor held in each step
/// (relaxation.cpp), the rest by Newton's method for all at once.

namespace rhumb::moving_box {

using core::check;

namespace {
// Steps in units of tau.
constexpr double first_step = 1e-4, smallest_step = 1e-8, largest_step = 100.0, growth = 4.0, reduction = 0.4;
constexpr int most_steps = 400;
constexpr int most_last_steps = 20; ///< of a mesh that is close to rest
constexpr int most_iterations = 6;
constexpr double newton_tolerance = 1e-3; ///< relative to the largest unknown
constexpr double at_rest = 1e-4;          ///< of the box's size, in a step of at least tau
} // namespace

struct BoxProblem::Start {
  core::MatHandle matrix;
  core::KspHandle solver;
  core::VecHandle residual, correction, trial, rate;
};

/// Newton's method for one step; y is changed where it converges.
bool BoxProblem::pseudo_step(double t, double dt, Vec y, Vec /*ydot*/) {
  auto& s = *start_;
  check(VecCopy(y, s.trial));
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    check(VecWAXPY(s.rate, -1.0, y, s.trial));
    check(VecScale(s.rate, 1.0 / dt));
    int failed = 0, anywhere = 0;
    try {
      residual(t, s.trial, s.rate, s.residual);
    } catch (const core::Recoverable&) {
      failed = 1;
    }
    core::check_mpi(MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, simplices_.comm()));
    if (anywhere != 0) return false;
    jacobian(t, s.trial, s.rate, 1.0 / dt, s.matrix);
    check(KSPSetOperators(s.solver, s.matrix, s.matrix));
    check(KSPSolve(s.solver, s.residual, s.correction));
    check(VecAXPY(s.trial, -1.0, s.correction));
    PetscReal change = 0.0, size = 0.0;
    check(VecNorm(s.correction, NORM_INFINITY, &change));
    check(VecNorm(s.trial, NORM_INFINITY, &size));
    if (!std::isfinite(change)) return false;
    if (change > newton_tolerance * size) continue;
    check(VecWAXPY(s.rate, -1.0, y, s.trial));
    check(VecCopy(s.trial, y));
    return true;
  }
  return false;
}

void BoxProblem::find_initial_mesh(double t, Vec y, Vec ydot) {
  Start start;
  start.matrix = create_matrix();
  start.solver = create_solver(simplices_.comm(), start.matrix, *this);
  for (auto* v : {&start.residual, &start.correction, &start.trial, &start.rate}) *v = core::same_layout(y);
  start_ = &start;
  starting_ = true;
  const bool is_close = relax(t, y);
  double dt = (is_close ? 1.0 : first_step) * settings_.tau;
  bool rests = false;
  for (int step = 0; step < (is_close ? most_last_steps : most_steps) && !rests && dt > smallest_step * settings_.tau;
       ++step) {
    if (!pseudo_step(t, dt, y, ydot)) {
      dt *= reduction;
      continue;
    }
    PetscReal moved = 0.0;
    for (int d = 0; d < dimension(); ++d) {
      PetscReal along = 0.0;
      check(VecStrideNorm(start.rate, coordinate(d), NORM_INFINITY, &along));
      moved = std::max(moved, along);
    }
    rests = dt >= settings_.tau && moved < at_rest * simplices_.length();
    dt = std::min(growth * dt, largest_step * settings_.tau);
  }
  starting_ = false;
  start_ = nullptr;
  check(VecSet(ydot, 0.0));
  if (has_contents()) set_contents(y);
  if (!rests && !is_close)
    throw core::BadInput("no mesh was found that suits the initial values: try a smaller -monitor_alpha, a larger "
                         "-monitor_smoothing or more cells (-n)");
}

} // namespace rhumb::moving_box
