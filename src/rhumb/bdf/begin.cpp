#include <rhumb/bdf/consistent_start.hpp>
#include <rhumb/bdf/implementation.hpp>
#include <rhumb/bdf/velocity_check.hpp>

#include <rhumb/bdf/step_size.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace rhumb::bdf {

using core::check;

namespace {
constexpr double artificial_step = 1e-3; // of the interval, where no first step is known
} // namespace

void Integrator::Implementation::start(double t0, double t_final) {
  if (!(std::abs(t_final - t0) > 0.0))
    throw core::BadInput(fmt::format("the run must not end where it starts: t = {:g} to {:g}", t0, t_final));
  sense = core::Sense::of(t0, t_final);
  if (tape && !sense.forwards())
    throw core::BadInput(
        "the steps of a run backwards in time cannot be swept back over: gradients need a run forwards");
  t_start = t0;
  t_end = t_final;
  kinds_to_check_ = true;
  weights.set_time_scale(std::abs(t_final - t0));
  if (tape) tape.emplace(y, options.adjoint.memory, options.spelling(NamedOption::adjoint_memory));
  guarded.system().initial_values(t0, y, ydot);
  begin_here(t0, Columns::initial_values);
  started = true;
}

void Integrator::Implementation::begin_here(double t, Columns columns, std::span<const int> handled) {
  pending.reset();
  if (tape && columns == Columns::carried) tape->meet(t, {}, 0.0, y, ydot, guarded.system().saved_state());
  weights.refresh_kinds(); // an event may have changed them, and with them the index
  newton.choose_strictness();
  error.choose_test();
  weights.update(y);
  if (!guarded.all_well())
    throw core::BadInput("an error weight is zero or not a number: give an atol > 0 for fields that can be zero, and "
                         "check the initial values");
  if (fixed()) {
    begin_fixed(t, columns);
    return;
  }
  if (weights.count(dae::Kind::index3) > 0 && error.test() != ErrorTest::projected)
    throw core::SolverGaveUp(reject_index_three(field_of_kind(dae::Kind::index3), options.spelling));
  const double interval = interval_ahead(t);
  try {
    make_consistent(t, columns);
  } catch (const core::BadInput&) {
    check_kinds(t, artificial_step * interval);
    throw;
  }
  if (options.check_jacobian) {
    const auto residual = core::same_layout(y);
    guarded.residual(t, y, ydot, residual);
    linear.check_jacobian({t, y, ydot}, residual, 1.0 / interval);
  }
  newton.forget_matrix();
  h = options.h0 > 0.0 ? options.h0 : first_step(interval, weights.norm(ydot, dae::only_differential));
  if (options.h0 == 0.0 && weights.count(dae::Kind::index3) > 0)
    h = std::max(h, least_first_step(weights.norm(y, dae::only_differential), newton.tolerance()));
  h = std::min(h, options.h_max);
  if (std::exchange(kinds_to_check_, false)) check_kinds(t, h);
  h *= sense.sign;
  order = order_used = 1;
  starting = true;
  steps_at_order = constant_steps = 0;
  last_failed = {};
  history.begin(t, y, ydot, h);
  if (sensitivity) sensitivity->begin(t, h);
  if (tape) tape->begin(t, y, ydot, guarded.system(), false);
  find_next_break();
  if (!events.any()) return;
  if (handled.empty())
    events.begin(t, root_functions());
  else
    events.begin_again(t, t + h, handled, root_functions());
}

double Integrator::Implementation::interval_ahead(double t) const {
  // The longest step of an earlier run says nothing about a new one.
  const double left = sense.sign * (t_end - t);
  return t == t_start ? left : std::max(left, statistics.h_max);
}

void Integrator::Implementation::make_consistent(double t, Columns columns) {
  core::VecHandle given_y, given_ydot;
  if (sensitivity) {
    given_y = core::same_layout(y);
    given_ydot = core::same_layout(y);
    check(VecCopy(y, given_y));
    check(VecCopy(ydot, given_ydot));
  }
  search_consistent(t, y, ydot);
  weights.update(y);
  if (options.start == Start::find && weights.count(dae::Kind::index3) > 0) check_velocities(t);
  if (sensitivity) begin_columns(t, columns, given_y, given_ydot);
  if (auto* krylov = linear.krylov()) krylov->release();
}

void Integrator::Implementation::search_consistent(double t, Vec start_y, Vec start_ydot) {
  if (options.start == Start::given) return;
  const auto precision = sensitivity || tape ? ConsistentStart::Precision::full : ConsistentStart::Precision::of_steps;
  ConsistentStart search(guarded, weights, linear, precision);
  if (t == t_start) search.give_slopes(options.given_slopes); // restarts keep values
  if (options.start == Start::find)
    search.find(t, sense.sign * interval_ahead(t), start_y, start_ydot);
  else
    search.find_steady(t, start_y, start_ydot);
  statistics.start_iterations += search.krylov_iterations();
}

/// The derivatives of consistent values are differences of consistent values.
void Integrator::Implementation::begin_columns(double t, Columns columns, Vec given_y, Vec given_ydot) {
  const auto search = [&](double at, Vec side_y, Vec side_ydot) { search_consistent(at, side_y, side_ydot); };
  if (columns == Columns::at_event) sensitivity->pass_event(ydot);
  if (columns == Columns::initial_values)
    sensitivity->take_initial_values(t, search);
  else
    sensitivity->make_consistent(t, given_y, given_ydot, search);
}

void Integrator::Implementation::check_velocities(double t) {
  const auto wrong = find_velocity_error(guarded, weights, linear, {t, y, ydot}, sense.sign * interval_ahead(t));
  if (!wrong) return;
  throw core::BadInput(fmt::format(
      "the start at t = {:g} violates the derivative of the constraints: field '{}' would have to change by {:.3g} "
      "tolerances to satisfy it, and an integration in the index-3 form would give wrong answers (LP2 section 2). Try: "
      "initial velocities along the constraints; the stabilized form of index 2, whose start corrects them; {} to "
      "start "
      "with these all the same",
      t, wrong->field, wrong->size, options.spelling(NamedOption::given_start)));
}

std::optional<KindContradiction> Integrator::Implementation::look_at_kinds(double t, double step) {
  if (!linear.direct()) return std::nullopt;
  const dae::EvaluationCounts counts = guarded.counts;
  KindCheck kinds(guarded, weights, options, phases);
  auto contradiction = kinds.find({t, y, ydot}, step);
  statistics.kind_check_residuals += guarded.counts.residual - counts.residual;
  statistics.kind_check_matrices += kinds.matrices();
  guarded.counts = counts;
  return contradiction;
}

void Integrator::Implementation::check_kinds(double t, double step) {
  PetscInt size = 0;
  check(VecGetSize(y, &size));
  if (!options.check_kinds || size > dae::small_system) return;
  const auto wrong = look_at_kinds(t, step);
  if (!wrong) return;
  const std::string unchecked = options.spelling(NamedOption::no_kind_check);
  throw core::BadInput(
      fmt::format("the declared kinds contradict the equations at t = {:g}: {}. The error test and the start rely on "
                  "them. Try: {}{}",
                  t, wrong->in_words(), wrong->advice(options.spelling),
                  unchecked.empty() ? "" : fmt::format("; {} to run all the same", unchecked)));
}

std::string Integrator::Implementation::field_of_kind(dae::Kind kind) const {
  for (const auto& field : guarded.system().fields())
    if (field.kind == kind) return field.name;
  return "?";
}

/// Fixed step and order: past values from the exact solution where there is one, else the order grows step by step.
void Integrator::Implementation::begin_fixed(double t, Columns columns) {
  h = sense.sign * options.fixed_step;
  order = order_used = fixed_order();
  starting = false;
  if (guarded.offers().exact) {
    std::vector<core::VecHandle> past(static_cast<std::size_t>(order) + 1);
    for (std::size_t i = 0; i < past.size(); ++i) {
      past[i] = core::same_layout(y);
      guarded.system().exact(t - static_cast<double>(i) * h, past[i]);
    }
    history.begin(t, past, h);
    if (sensitivity) sensitivity->begin_exact(t, h, past.size());
    check(VecCopy(past[0], y));
  } else {
    make_consistent(t, columns);
    order = order_used = 1;
    history.begin(t, y, ydot, h);
    if (sensitivity) sensitivity->begin(t, h);
  }
  newton.forget_matrix();
  if (tape) tape->begin(t, y, ydot, guarded.system(), guarded.offers().exact);
  find_next_break();
  if (events.any()) events.begin(t, root_functions());
}

} // namespace rhumb::bdf
