#include <rhumb/ts/stepper.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/petsc_private.hpp>
#include <rhumb/ts/refusals.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

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
  const core::Sense sense = core::Sense::of(0.0, dt);
  const double left = ts->max_time - ts->ptime;
  return sense.before(0.0, left) ? sense.earlier(left, 1e3 * dt) : 1e3 * dt; // a run backwards may have no end
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

} // namespace

void Stepper::set_up() {
  reject_what_is_not_offered(ts_);
  report_unused_options(ts_);
  previous_ = core::same_layout(ts_->vec_sol);
  known_ = core::same_layout(ts_->vec_sol);
}

void Stepper::reset() {
  integrator_.reset();
  system_.reset();
  known_step_.reset();
  discarded_ = {};
  probes_ = 0;
  previous_.reset();
  known_.reset();
  cost_before_.reset();
  cost_state_.reset();
  begin_state_.reset();
  work_.reset();
}

Stepper::Plan Stepper::plan() const {
  auto options = integrator_options(ts_, settings, dt_);
  options.resumable = options.adjoint.record = ts_->trajectory != nullptr;
  PetscInt parameters = 0;
  if (ts_->forward_solve) check(MatGetSize(ts_->mat_sensip, nullptr, &parameters));
  for (PetscInt i = 0; i < parameters; ++i)
    options.sensitivities.parameters.push_back({.index = static_cast<std::size_t>(i), .scale = 1.0});
  return {.settings = settings,
          .options = std::move(options),
          .equations = equations_of(ts_),
          .rtol_vector = ts_->vrtol ? core::contents_of(ts_->vrtol) : core::VecVersion{},
          .atol_vector = ts_->vatol ? core::contents_of(ts_->vatol) : core::VecVersion{}};
}

/// TS has one number for the step that the program wants and for the one that comes next: what differs from what we
/// left there is the program's wish, unless TSEvent is at work.
void Stepper::note_time_step() {
  const bool by_event = ts_->event && ts_->event->status != TSEVENT_NONE;
  if (!ts_->steprollback && !by_event && known_step_ != ts_->time_step) dt_ = ts_->time_step;
}

bool Stepper::must_begin() {
  // A post-event function may have changed the equations without touching the solution.
  const bool elsewhere = std::abs(ts_->ptime - known_time_) > resolution(ts_->ptime); // TSSetTime
  if (!integrator_ || ts_->steprestart || elsewhere || event_was_handled(ts_)) return true;
  std::array<int, 2> changed{plan() != built_, core::contents_of(ts_->vec_sol) != known_contents_};
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, changed.data(), 2, MPI_INT, MPI_MAX,
                                PetscObjectComm(reinterpret_cast<PetscObject>(ts_))));
  if (changed[0]) return true;
  if (!changed[1]) return false;
  PetscBool equal = PETSC_FALSE; // the values count: many monitors ask for write access and only read
  check(VecEqual(ts_->vec_sol, known_, &equal));
  return !equal;
}

void Stepper::begin() {
  Plan requested = plan();
  if (anywhere(ts_, !integrator_ || requested != built_)) renew_system();
  const long before = system_->residual_evals();
  Kinds kinds = find_kinds(ts_, *system_, settings, system_->kinds());
  probes_ += system_->residual_evals() - before;
  reject_index_three(ts_, settings, kinds);
  if (anywhere(ts_, !integrator_ || kinds != system_->kinds())) {
    renew_system();
    system_->set_kinds(std::move(kinds));
    integrator_ = std::make_unique<bdf::Integrator>(*system_, requested.options);
    built_ = std::move(requested);
  }
  integrator_->stop_at(std::nullopt); // a limit would be measured from where the last run ended
  begin_step_ = ts_->steps;
  sense_ = core::Sense::of(0.0, dt_);
  integrator_->start(ts_->ptime, ts_->ptime + interval_of(ts_, sense_.later(dt_, ts_->time_step)));
  if (!ts_->event) return;
  if (!begin_state_)
    for (auto* v : {&begin_state_, &work_}) *v = core::same_layout(ts_->vec_sol);
  begin_time_ = ts_->ptime;
  check(VecCopy(integrator_->state(), begin_state_));
}

void Stepper::advance() {
  // The program may have moved the end since the last step.
  const bool ends =
      ts_->exact_final_time == TS_EXACTFINALTIME_MATCHSTEP && sense_.before(integrator_->time(), ts_->max_time);
  integrator_->stop_at(ends ? std::optional<double>(ts_->max_time) : std::nullopt);
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
  while (sense_.before(integrator_->time(), enough)) {
    if (sense_.before(ts_->ptime, integrator_->time())) {
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
  while (sense_.before(integrator_->time(), t)) advance();
}

/// The integrator's, which covers its last step. A step of the TS that leaves an event may hold several, very short
/// ones: before the last of them, the parabola from where they began to there, with the slope there.
void Stepper::dense_output(double t, Vec u) const {
  const double last = integrator_->previous_time();
  if (!ts_->event || ts_->ptime_prev != begin_time_ || !sense_.before(t, last))
    return integrator_->interpolate(t, u, nullptr);
  integrator_->interpolate(last, u, work_);
  const double before = t - last, part = before / (begin_time_ - last);
  check(VecAXPBYPCZ(u, part * part, (1.0 - part) * before, 1.0 - part * part, begin_state_, work_));
}

/// Where this step of the TS ends: with the integrator's step, or before it where the TS wants to look inside.
double Stepper::next_time() const {
  double t = integrator_->time();
  if (ts_->steprollback || locating_event(ts_)) t = sense_.earlier(t, ts_->ptime + ts_->time_step);
  if (ts_->tspan) {
    const auto* span = ts_->tspan;
    if (span->spanctr < span->num_span_times && span->span_times[span->spanctr] > ts_->ptime + resolution(ts_->ptime))
      t = std::min(t, span->span_times[span->spanctr]);
  }
  const bool at_end = std::abs(t - ts_->max_time) <= resolution(t);
  const bool passed = ts_->exact_final_time == TS_EXACTFINALTIME_MATCHSTEP && sense_.before(ts_->max_time, t) &&
                      (sense_.forwards() || ts_->max_time < ts_->ptime);
  return at_end || passed ? ts_->max_time : t;
}

/// What TS is told of the step after this one.
double Stepper::next_step() const {
  const double left = integrator_->time() - ts_->ptime, until_end = ts_->max_time - ts_->ptime;
  if (sense_.forwards() && until_end <= 0.0) return integrator_->step_size();
  const double step = sense_.before(0.0, left) ? left : integrator_->step_size();
  const bool ends = ts_->exact_final_time == TS_EXACTFINALTIME_MATCHSTEP && sense_.before(0.0, until_end);
  return ends ? sense_.earlier(step, until_end) : step;
}

void Stepper::step() {
  diagnosis_.clear();
  note_time_step();
  check(VecCopy(ts_->vec_sol, previous_));
  try {
    if (must_begin()) {
      begin();
      advance_off_events();
    }
    if (!sense_.before(ts_->ptime, integrator_->time())) advance();
    if (sense_.before(next_time(), integrator_->previous_time())) repeat_until(next_time());
  } catch (const core::SolverGaveUp& failure) {
    diagnosis_ = failure.what();
    ts_->reason = TS_DIVERGED_STEP_REJECTED;
    return;
  }
  const double t = next_time();
  if (std::abs(t - integrator_->time()) <= resolution(t))
    check(VecCopy(integrator_->state(), ts_->vec_sol));
  else
    dense_output(t, ts_->vec_sol);
  ts_->ptime = t;
  ts_->time_step = next_step();
  known_step_ = ts_->time_step;
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
  dense_output(t, u);
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
  for (const auto& [node, weight] : rule) {
    const double t = ts_->ptime_prev + node * h;
    dense_output(t, cost_state_);
    check(TSComputeRHSFunction(cost, t, cost_state_, ts_->vec_costintegrand));
    check(VecAXPY(cost->vec_sol, weight * h, ts_->vec_costintegrand));
  }
}

/// Without an integrator until one is made for it.
void Stepper::renew_system() {
  discarded_ = counts();
  integrator_.reset();
  system_ = std::make_unique<TsSystem>(ts_);
}

Stepper::Counts Stepper::counts() const {
  Counts sum = discarded_;
  if (!integrator_) return sum;
  const bdf::Statistics s = integrator_->statistics();
  sum.steps += s.steps;
  sum.residuals += s.residual_evals;
  sum.jacobians += s.jacobian_evals;
  sum.setups += s.pc_setups;
  sum.error_failures += s.error_test_failures;
  sum.convergence_failures += s.convergence_failures;
  sum.products += system_->product_evals();
  return sum;
}

void Stepper::view(PetscViewer viewer) const {
  PetscBool text = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &text));
  if (!text) return;
  const auto print = [&](const std::string& line) { check(PetscViewerASCIIPrintf(viewer, "  %s\n", line.c_str())); };
  print(fmt::format("BDF of variable order, at most {}", settings.max_order));
  if (!integrator_) return;
  print(integrator_->describe());
  if (const auto& type = system_->preconditioner_type(); !type.empty())
    print(fmt::format("preconditioner of the program: {}", type));
  print(fmt::format("kinds of variables: {}, by {} residual evaluations", system_->kinds().source, probes_));
  const Counts c = counts();
  print(fmt::format("steps {}, residual evaluations {}, Jacobians {}, set-ups {}", c.steps, c.residuals, c.jacobians,
                    c.setups));
  if (c.products > 0) print(fmt::format("Jacobians for products with Amat {}", c.products));
  print(fmt::format("error test failures {}, convergence failures {}", c.error_failures, c.convergence_failures));
}

} // namespace rhumb::ts
