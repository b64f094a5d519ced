#include <rhumb/bdf/backward_sweep.hpp>
#include <rhumb/bdf/implementation.hpp>

#include <rhumb/bdf/step_size.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace rhumb::bdf {

namespace {
void validate(const IntegratorOptions& o) {
  const auto reject = [](const std::string& what) { throw core::BadInput(what); };
  if (!(o.tolerances.rtol >= 0.0)) reject(fmt::format("rtol = {:g}: must not be negative", o.tolerances.rtol));
  if (!(o.tolerances.atol >= 0.0)) reject(fmt::format("atol = {:g}: must not be negative", o.tolerances.atol));
  if (o.max_order < 1 || o.max_order > highest_order)
    reject(fmt::format("max_order = {}: must be 1 to {}", o.max_order, highest_order));
  if (!(o.h_max > 0.0)) reject(fmt::format("h_max = {:g}: must be positive", o.h_max));
  if (!(o.h0 >= 0.0)) reject(fmt::format("h0 = {:g}: must not be negative", o.h0));
  if (!(o.sign_slack >= 0.0)) reject(fmt::format("sign_slack = {:g}: must not be negative", o.sign_slack));
  if (!(o.kappa >= 0.0)) reject(fmt::format("kappa = {:g}: must not be negative", o.kappa));
  if (o.fixed_step < 0.0) reject(fmt::format("fixed_step = {:g}: must be positive", o.fixed_step));
  if (o.fixed_order < 0 || o.fixed_order > highest_order)
    reject(fmt::format("fixed_order = {}: must be 1 to {}", o.fixed_order, highest_order));
}
void require_start(const Integrator::Implementation& implementation, const char* what) {
  if (!implementation.started) throw core::BadInput(fmt::format("{}: call start (or resume) first", what));
}
} // namespace

Integrator::Integrator(dae::System& system, IntegratorOptions options) {
  validate(options);
  implementation_ = std::make_unique<Implementation>(system, std::move(options));
}
Integrator::~Integrator() = default;
Integrator::Integrator(Integrator&&) noexcept = default;

void Integrator::watch(Watch watch) {
  implementation_->add_watch(std::move(watch));
}
void Integrator::start(double t0, double t_end) {
  implementation_->start(t0, t_end);
}
void Integrator::set_end(double t_end) {
  implementation_->t_end = t_end;
}
void Integrator::stop_at(std::optional<double> t) {
  implementation_->limit = t;
}
StepOutcome Integrator::step() {
  require_start(*implementation_, "step");
  auto& tape = implementation_->tape;
  if (tape && !pending_event() && tape->wants_checkpoint())
    tape->keep(checkpoint_state(), implementation_->guarded.system().saved_state(), implementation_->limit);
  return implementation_->step();
}
StepOutcome Integrator::advance(double t) {
  require_start(*implementation_, "advance");
  const core::Sense sense = implementation_->sense;
  if (std::isnan(t) || sense.before(t, time()))
    throw core::BadInput(fmt::format("advance({:.10g}): the integration is at t = {:.10g} and goes {}", t, time(),
                                     sense.forwards() ? "forwards" : "backwards"));
  StepOutcome all;
  while (sense.before(time(), t) || (pending_event() && !sense.before(t, time()))) {
    StepOutcome one = step();
    if (one.events.empty()) all.step = one.step;
    std::move(one.events.begin(), one.events.end(), std::back_inserter(all.events));
    all.stopped = one.stopped;
    if (one.stopped) break;
  }
  return all;
}
const std::optional<LocatedEvent>& Integrator::pending_event() const {
  return implementation_->pending;
}
double Integrator::time() const {
  return implementation_->time();
}
double Integrator::previous_time() const {
  return implementation_->dense_output().first;
}
double Integrator::step_size() const {
  return implementation_->h;
}
int Integrator::order() const {
  return implementation_->order;
}
Vec Integrator::state() const {
  return implementation_->pending ? implementation_->at_event->y.get() : implementation_->y;
}
Vec Integrator::derivative() const {
  return implementation_->pending ? implementation_->at_event->ydot.get() : implementation_->ydot;
}
namespace {
void require_covered(const Integrator::Implementation& implementation, double t) {
  const auto [from, to] = implementation.dense_output();
  const double rounding = smallest_step(std::max(std::abs(from), std::abs(to)), 0.0);
  if (!(t >= std::min(from, to) - rounding && t <= std::max(from, to) + rounding))
    throw core::BadInput(
        fmt::format("interpolate({:.10g}): dense output covers the last step, {:.10g} to {:.10g}", t, from, to));
}
} // namespace

void Integrator::interpolate(double t, Vec y, Vec ydot) const {
  require_start(*implementation_, "interpolate");
  require_covered(*implementation_, t);
  implementation_->history.interpolate(t, implementation_->order_used, y, ydot);
}
std::size_t Integrator::sensitivities() const {
  return implementation_->sensitivity ? implementation_->sensitivity->count() : 0;
}
void Integrator::interpolate_sensitivity(std::size_t which, double t, Vec s, Vec sdot) const {
  require_start(*implementation_, "interpolate_sensitivity");
  require_covered(*implementation_, t);
  implementation_->sensitivity->interpolate(which, t, implementation_->order_used, s, sdot);
  const double scale = implementation_->sensitivity->scale(which);
  core::check(VecScale(s, 1.0 / scale));
  if (sdot) core::check(VecScale(sdot, 1.0 / scale));
}
double Integrator::event_time_derivative(std::size_t which) const {
  return implementation_->sensitivity->event_time(which) / implementation_->sensitivity->scale(which);
}
void Integrator::beside(std::size_t which, Side side, const std::function<void(double shift)>& body) {
  const double scale = implementation_->sensitivity->scale(which);
  implementation_->sensitivity->on_side(which, side, [&](double offset) { body(offset * scale); });
}
std::vector<Gradient> Integrator::gradients(std::vector<Functional> functionals, std::vector<std::size_t> parameters) {
  require_start(*implementation_, "gradients");
  if (!implementation_->tape) throw std::logic_error("gradients: options.adjoint.record was false");
  BackwardSweep sweep(*this, *implementation_, std::move(functionals), std::move(parameters));
  auto out = sweep.run();
  implementation_->adjoint_counts = sweep.counts();
  return out;
}
StepRecord Integrator::step_record() const {
  if (!implementation_->tape) throw std::logic_error("step_record: options.adjoint.record was false");
  return implementation_->tape->record(checkpoint_state());
}
void Integrator::restore_step_record(const StepRecord& record) {
  auto& in = *implementation_;
  if (!in.tape) throw std::logic_error("restore_step_record: options.adjoint.record was false");
  in.tape.emplace(in.y, in.options.adjoint.memory, in.options.spelling(NamedOption::adjoint_memory));
  in.tape->restore(record, checkpoint_state());
  in.t_start = in.tape->stretches().front().t;
}
AdjointCounts Integrator::adjoint_counts() const {
  return implementation_->adjoint_counts;
}
void Integrator::restart() {
  require_start(*implementation_, "restart");
  if (pending_event()) throw std::logic_error("restart: an event is pending; step() handles it");
  ++implementation_->statistics.restarts;
  if (implementation_->sensitivity) implementation_->sensitivity->carry_to(time(), implementation_->order_used);
  implementation_->begin_here(time(), Implementation::Columns::carried);
}

Statistics Integrator::statistics() const {
  Statistics s = implementation_->statistics;
  const auto& counts = implementation_->guarded.counts;
  s.residual_evals = counts.residual;
  s.residual_evals_krylov = counts.residual_krylov;
  s.residual_evals_jacobian = counts.residual_matrix;
  s.jacobian_evals = implementation_->linear.counts().jacobian_evals;
  s.pc_setups = implementation_->linear.counts().pc_setups;
  s.filter_solves = implementation_->error.solves();
  s.filter_iterations = implementation_->error.iterations();
  s.linear_iterations += s.filter_iterations;
  s.reductions = counts.reductions;
  if (implementation_->sensitivity) {
    s.sensitivity_residuals = implementation_->sensitivity->residuals();
    s.sensitivity_evals = counts.sensitivity;
    s.sensitivity_matrices = implementation_->sensitivity->matrices();
    s.sensitivity_iterations = implementation_->sensitivity->counts().iterations;
    s.sensitivity_krylov = implementation_->sensitivity->counts().krylov;
  }
  return s;
}
const Phases& Integrator::phases() const {
  return implementation_->phases;
}
std::string Integrator::describe() const {
  const dae::Norm norm = implementation_->weights.norm_in_use();
  const char* measured = norm == dae::Norm::max      ? ", each by itself"
                         : norm == dae::Norm::volume ? ", averaged over volumes"
                                                     : "";
  return fmt::format("error test {}{}; linear solver {}", implementation_->error.describe(), measured,
                     implementation_->linear.describe());
}
std::vector<std::string> Integrator::uncontrolled_fields() const {
  return implementation_->error.uncontrolled_fields();
}
core::VecHandle Integrator::new_vector() const {
  return core::same_layout(implementation_->y);
}

} // namespace rhumb::bdf
