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
void validate(const Options& o) {
  const auto refuse = [](const std::string& what) { throw core::BadInput(what); };
  if (!(o.tolerances.rtol >= 0.0)) refuse(fmt::format("rtol = {:g}: must not be negative", o.tolerances.rtol));
  if (!(o.tolerances.atol >= 0.0)) refuse(fmt::format("atol = {:g}: must not be negative", o.tolerances.atol));
  if (o.max_order < 1 || o.max_order > highest_order)
    refuse(fmt::format("max_order = {}: must be 1 to {}", o.max_order, highest_order));
  if (!(o.h_max > 0.0)) refuse(fmt::format("h_max = {:g}: must be positive", o.h_max));
  if (!(o.h0 >= 0.0)) refuse(fmt::format("h0 = {:g}: must not be negative", o.h0));
  if (!(o.sign_slack >= 0.0)) refuse(fmt::format("sign_slack = {:g}: must not be negative", o.sign_slack));
  if (!(o.kappa >= 0.0)) refuse(fmt::format("kappa = {:g}: must not be negative", o.kappa));
  if (o.fixed_step < 0.0) refuse(fmt::format("fixed_step = {:g}: must be positive", o.fixed_step));
  if (o.fixed_order < 0 || o.fixed_order > highest_order)
    refuse(fmt::format("fixed_order = {}: must be 1 to {}", o.fixed_order, highest_order));
}
void require_start(const Integrator::Implementation& own, const char* what) {
  if (!own.started) throw core::BadInput(fmt::format("{}: call start (or resume) first", what));
}
} // namespace

Integrator::Integrator(dae::System& system, Options options) {
  validate(options);
  own_ = std::make_unique<Implementation>(system, std::move(options));
}
Integrator::~Integrator() = default;
Integrator::Integrator(Integrator&&) noexcept = default;

void Integrator::watch(Watch watch) {
  own_->add_watch(std::move(watch));
}
void Integrator::start(double t0, double t_end) {
  own_->start(t0, t_end);
}
void Integrator::set_end(double t_end) {
  own_->t_end = t_end;
}
void Integrator::stop_at(std::optional<double> t) {
  own_->limit = t;
}
Progress Integrator::step() {
  require_start(*own_, "step");
  return own_->step();
}
Progress Integrator::advance(double t) {
  require_start(*own_, "advance");
  if (!(t >= time()))
    throw core::BadInput(
        fmt::format("advance({:.10g}): the integration is at t = {:.10g} and goes forwards", t, time()));
  Progress all;
  while (time() < t || (pending_event() && time() <= t)) {
    Progress one = step();
    if (one.events.empty()) all.step = one.step;
    std::move(one.events.begin(), one.events.end(), std::back_inserter(all.events));
    all.stopped = one.stopped;
    if (one.stopped) break;
  }
  return all;
}
const std::optional<LocatedEvent>& Integrator::pending_event() const {
  return own_->pending;
}
double Integrator::time() const {
  return own_->time();
}
double Integrator::previous_time() const {
  return own_->dense_output().first;
}
double Integrator::step_size() const {
  return own_->h;
}
int Integrator::order() const {
  return own_->order;
}
Vec Integrator::state() const {
  return own_->pending ? own_->at_event->y.get() : own_->y;
}
Vec Integrator::derivative() const {
  return own_->pending ? own_->at_event->ydot.get() : own_->ydot;
}
namespace {
void require_covered(const Integrator::Implementation& own, double t) {
  const auto [from, to] = own.dense_output();
  const double rounding = smallest_step(std::max(std::abs(from), std::abs(to)), 0.0);
  if (!(t >= from - rounding && t <= to + rounding))
    throw core::BadInput(
        fmt::format("interpolate({:.10g}): dense output covers the last step, {:.10g} to {:.10g}", t, from, to));
}
} // namespace

void Integrator::interpolate(double t, Vec y, Vec ydot) const {
  require_start(*own_, "interpolate");
  require_covered(*own_, t);
  own_->history.interpolate(t, own_->order_used, y, ydot);
}
std::size_t Integrator::sensitivities() const {
  return own_->sensitivity ? own_->sensitivity->count() : 0;
}
void Integrator::interpolate_sensitivity(std::size_t which, double t, Vec s, Vec sdot) const {
  require_start(*own_, "interpolate_sensitivity");
  require_covered(*own_, t);
  own_->sensitivity->interpolate(which, t, own_->order_used, s, sdot);
  const double scale = own_->sensitivity->scale(which);
  core::check(VecScale(s, 1.0 / scale));
  if (sdot) core::check(VecScale(sdot, 1.0 / scale));
}
double Integrator::event_time_derivative(std::size_t which) const {
  return own_->sensitivity->event_time(which) / own_->sensitivity->scale(which);
}
void Integrator::beside(std::size_t which, Side side, const std::function<void(double shift)>& body) {
  const double scale = own_->sensitivity->scale(which);
  own_->sensitivity->on_side(which, side, [&](double offset) { body(offset * scale); });
}
void Integrator::restart() {
  require_start(*own_, "restart");
  if (pending_event()) throw std::logic_error("restart: an event is pending; step() handles it");
  ++own_->statistics.restarts;
  if (own_->sensitivity) own_->sensitivity->carry_to(time(), own_->order_used);
  own_->begin_here(time(), Implementation::Columns::carried);
}

Statistics Integrator::statistics() const {
  Statistics s = own_->statistics;
  const auto& counts = own_->guarded.counts;
  s.residual_evals = counts.residual;
  s.residual_evals_krylov = counts.residual_krylov;
  s.residual_evals_jacobian = counts.residual_matrix;
  s.jacobian_evals = own_->linear.counts().jacobian_evals;
  s.pc_setups = own_->linear.counts().pc_setups;
  s.filter_solves = own_->error.solves();
  s.filter_iterations = own_->error.iterations();
  s.linear_iterations += s.filter_iterations;
  s.reductions = counts.reductions;
  if (own_->sensitivity) {
    s.sensitivity_residuals = own_->sensitivity->residuals();
    s.sensitivity_evals = counts.sensitivity;
    s.sensitivity_matrices = own_->sensitivity->matrices();
    s.sensitivity_iterations = own_->sensitivity->counts().iterations;
    s.sensitivity_krylov = own_->sensitivity->counts().krylov;
  }
  return s;
}
const Phases& Integrator::phases() const {
  return own_->phases;
}
std::string Integrator::describe() const {
  return fmt::format("error test {}; linear solver {}", own_->error.describe(), own_->linear.describe());
}
std::vector<std::string> Integrator::uncontrolled_fields() const {
  return own_->error.uncontrolled_fields();
}
core::VecHandle Integrator::new_vector() const {
  return core::same_layout(own_->y);
}

} // namespace rhumb::bdf
