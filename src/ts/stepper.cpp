#include "ts/stepper.hpp"

#include "core/check.hpp"
#include "core/failure.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <petsc/private/tsimpl.h>

namespace rhumb::ts {

using core::check;

namespace {

/// Times that differ by less are the same time.
double resolution(double t) {
  return 64.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::numeric_limits<double>::min());
}

/// The integrator takes its first step, and the artificial steps of its search for consistent values, as a thousandth
/// of the interval that it is told. Times of programs that look for a steady state (1e12) say nothing; -ts_dt does.
double interval_of(TS ts, double dt) {
  return std::min(ts->max_time - ts->ptime, 1e3 * dt);
}

/// Whether it holds on any rank.
bool anywhere(TS ts, bool here) {
  int any = here ? 1 : 0;
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(ts))));
  return any != 0;
}

bool locating_event(TS ts) {
  return ts->event && ts->event->status == TSEVENT_PROCESSING;
}
bool event_was_handled(TS ts) {
  return ts->event && ts->event->status == TSEVENT_RESET_NEXTSTEP;
}

void refuse_what_is_not_offered(TS ts) {
  TSIFunction implicit = nullptr;
  TSRHSFunction explicit_part = nullptr;
  TSI2Function second_order = nullptr;
  check(DMTSGetIFunction(ts->dm, &implicit, nullptr));
  check(DMTSGetRHSFunction(ts->dm, &explicit_part, nullptr));
  check(DMTSGetI2Function(ts->dm, &second_order, nullptr));
  if (second_order || ts->vec_dot)
    throw core::BadInput("TS type rhumb solves equations of first order: TSSetI2Function and TS2SetSolution are not "
                         "offered. Write u' = v as equations of their own, with TSSetIFunction");
  if (!implicit && !explicit_part)
    throw core::BadInput(
        "the program has set neither TSSetIFunction nor TSSetRHSFunction for TS type rhumb. If it sets "
        "them by the name of the TS type, it must be taught this one");
}

} // namespace

void Stepper::set_up() {
  refuse_what_is_not_offered(ts_);
  previous_ = core::same_layout(ts_->vec_sol);
  known_ = core::same_layout(ts_->vec_sol);
}

void Stepper::reset() {
  integrator_.reset();
  system_.reset();
  previous_.reset();
  known_.reset();
  cost_before_.reset();
  cost_state_.reset();
}

Stepper::Built Stepper::wanted() const {
  return {ts_->rtol, ts_->atol, ts_->vrtol, ts_->vatol};
}

/// The values count, not PETSc's counter: many monitors ask for write access and only read.
bool Stepper::solution_was_changed() {
  if (!anywhere(ts_, core::contents_of(ts_->vec_sol) != known_contents_)) return false;
  PetscBool equal = PETSC_FALSE;
  check(VecEqual(ts_->vec_sol, known_, &equal));
  return !equal;
}

bool Stepper::must_begin() {
  // A post-event function may have changed the equations without touching the solution.
  const bool elsewhere = std::abs(ts_->ptime - known_time_) > resolution(ts_->ptime); // TSSetTime
  return !integrator_ || ts_->steprestart || elsewhere || event_was_handled(ts_) || solution_was_changed();
}

void Stepper::build() {
  integrator_ = std::make_unique<bdf::Integrator>(*system_, integrator_options(ts_, settings));
  built_ = wanted();
}

void Stepper::begin() {
  if (!system_) {
    system_ = std::make_unique<TsSystem>(ts_);
    first_dt_ = ts_->time_step;
  }
  Kinds kinds = find_kinds(ts_, *system_, settings);
  const bool changed = !(kinds == system_->kinds());
  system_->set_kinds(std::move(kinds));
  if (!integrator_ || changed || !(built_ == wanted())) build();
  integrator_->stop_at(std::nullopt); // a limit would be measured from where the last run ended
  integrator_->start(ts_->ptime, ts_->ptime + interval_of(ts_, std::max(first_dt_, ts_->time_step)));
  if (ts_->exact_final_time == TS_EXACTFINALTIME_MATCHSTEP) integrator_->stop_at(ts_->max_time);
}

void Stepper::advance() {
  const bdf::StepReport report = integrator_->step().step;
  ts_->snes_its += report.newton;
  ts_->ksp_its += report.krylov;
  ts_->reject += report.error_failures + report.convergence_failures;
  ts_->num_snes_failures += report.convergence_failures;
}

/// TSEvent takes a function that is still within its tolerance for one that has a root there. A run that begins on a
/// root (a ball that has just bounced) must leave it in its first step, which may take several of the integrator.
void Stepper::advance_off_events() {
  if (!ts_->event) return;
  const auto at_start = events_near_zero(ts_->ptime, ts_->vec_sol);
  const double enough = ts_->ptime + ts_->time_step;
  while (integrator_->time() < enough) {
    if (integrator_->time() > ts_->ptime) {
      auto still = events_near_zero(integrator_->time(), integrator_->state());
      for (std::size_t i = 0; i < still.size(); ++i) still[i] = still[i] && at_start[i];
      if (!anywhere(ts_, std::ranges::find(still, true) != still.end())) return;
    }
    advance();
  }
}

std::vector<bool> Stepper::events_near_zero(double t, Vec u) const {
  const auto* event = ts_->event;
  std::vector<PetscScalar> values(static_cast<std::size_t>(event->nevents));
  check(event->eventhandler(ts_, t, u, values.data(), event->ctx));
  std::vector<bool> near(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) near[i] = std::abs(values[i]) < event->vtol[i];
  return near;
}

/// The dense output covers the integrator's last step only: an earlier time is reached again from the TS's state.
void Stepper::repeat_until(double t) {
  begin();
  while (integrator_->time() < t) advance();
}

/// Where this step of the TS ends: with the integrator's step, or before it where the TS wants to look inside.
double Stepper::next_time() const {
  double t = integrator_->time();
  if (ts_->steprollback || locating_event(ts_)) t = std::min(t, ts_->ptime + ts_->time_step);
  if (ts_->tspan) {
    const auto* span = ts_->tspan;
    if (span->spanctr < span->num_span_times && span->span_times[span->spanctr] > ts_->ptime + resolution(ts_->ptime))
      t = std::min(t, span->span_times[span->spanctr]);
  }
  const bool at_end = std::abs(t - ts_->max_time) <= resolution(t);
  const bool passed = ts_->exact_final_time == TS_EXACTFINALTIME_MATCHSTEP && t > ts_->max_time;
  return at_end || passed ? ts_->max_time : t;
}

void Stepper::step() {
  diagnosis_.clear();
  check(VecCopy(ts_->vec_sol, previous_));
  try {
    if (must_begin()) {
      begin();
      advance_off_events();
    }
    if (integrator_->time() <= ts_->ptime) advance();
    if (next_time() < integrator_->previous_time()) repeat_until(next_time());
  } catch (const core::SolverGaveUp& failure) {
    diagnosis_ = failure.what();
    ts_->reason = TS_DIVERGED_STEP_REJECTED;
    return;
  }
  const double t = next_time();
  if (std::abs(t - integrator_->time()) <= resolution(t))
    check(VecCopy(integrator_->state(), ts_->vec_sol));
  else
    integrator_->interpolate(t, ts_->vec_sol, nullptr);
  ts_->ptime = t;
  const double left = integrator_->time() - t;
  ts_->time_step = left > 0.0 ? left : integrator_->step_size();
  if (ts_->exact_final_time == TS_EXACTFINALTIME_MATCHSTEP && t < ts_->max_time)
    ts_->time_step = std::min(ts_->time_step, ts_->max_time - t);
  remember_solution(t);
}

void Stepper::remember_solution(double t) {
  check(VecCopy(ts_->vec_sol, known_));
  known_time_ = t;
  known_contents_ = core::contents_of(ts_->vec_sol);
}

void Stepper::roll_back() {
  check(VecCopy(previous_, ts_->vec_sol));
  remember_solution(ts_->ptime_prev);
  if (cost_before_) check(VecCopy(cost_before_, ts_->quadraturets->vec_sol));
}

void Stepper::interpolate(double t, Vec u) const {
  if (std::abs(t - ts_->ptime) <= resolution(t)) {
    if (u != ts_->vec_sol) check(VecCopy(ts_->vec_sol, u));
    return;
  }
  if (!integrator_) throw core::BadInput("there is no solution to interpolate before the first step");
  integrator_->interpolate(t, u, nullptr);
}

/// By Gauss' rule with three points on the dense output: of order six, one more than the method.
void Stepper::integrate_cost() {
  constexpr std::array<std::pair<double, double>, 3> rule{
      {{0.1127016653792583, 5.0 / 18.0}, {0.5, 4.0 / 9.0}, {0.8872983346207417, 5.0 / 18.0}}};
  TS cost = ts_->quadraturets;
  if (!cost_before_) {
    cost_before_ = core::same_layout(cost->vec_sol);
    cost_state_ = core::same_layout(ts_->vec_sol);
  }
  check(VecCopy(cost->vec_sol, cost_before_));
  const double h = ts_->ptime - ts_->ptime_prev;
  for (const auto& [place, weight] : rule) {
    const double t = ts_->ptime_prev + place * h;
    integrator_->interpolate(t, cost_state_, nullptr);
    check(TSComputeRHSFunction(cost, t, cost_state_, ts_->vec_costintegrand));
    check(VecAXPY(cost->vec_sol, weight * h, ts_->vec_costintegrand));
  }
}

void Stepper::view(PetscViewer viewer) const {
  PetscBool text = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &text));
  if (!text) return;
  check(PetscViewerASCIIPrintf(viewer, "  BDF of variable order, at most %d\n", settings.max_order));
  if (!integrator_) return;
  const bdf::Statistics s = integrator_->statistics();
  check(PetscViewerASCIIPrintf(viewer, "  %s\n", integrator_->describe().c_str()));
  if (const auto& type = system_->preconditioner_type(); !type.empty())
    check(PetscViewerASCIIPrintf(viewer, "  preconditioner of the program: %s\n", type.c_str()));
  check(PetscViewerASCIIPrintf(viewer, "  kinds of variables: %s\n", system_->kinds().source.c_str()));
  check(PetscViewerASCIIPrintf(viewer, "  steps %ld, residual evaluations %ld, Jacobians %ld, set-ups %ld\n", s.steps,
                               s.residual_evals, s.jacobian_evals, s.pc_setups));
  if (const long products = system_->product_evals(); products > 0)
    check(PetscViewerASCIIPrintf(viewer, "  Jacobians for products with Amat %ld\n", products));
  check(PetscViewerASCIIPrintf(viewer, "  error test failures %ld, convergence failures %ld\n", s.error_test_failures,
                               s.convergence_failures));
}

} // namespace rhumb::ts
