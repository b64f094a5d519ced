#include <rhumb/bdf/implementation.hpp>

#include <rhumb/bdf/step_size.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace rhumb::bdf {

using core::check;

namespace {
/// Beyond this the predictor has little to do with the solution and Newton may find another one: SIE (6.1), as a part
/// of the size of y in the weighted norm.
constexpr double longest_correction = 0.5;
/// The targets of the controller are for the errors of differential variables; (5.12) also sees what becomes of them in
/// algebraic ones, and only this part of it is aimed at the target.
constexpr double strong_slack = 0.6;
/// Where algebraic variables amplify errors, so they do with those that add up over the run: targets are halved.
constexpr double amplified_caution = 2.0;
/// An error of x comes back divided by h in a variable of index 2 (LP2 section 5): with them the targets are missed by
/// less.
constexpr double index2_caution = 4.0;
/// Failures with fewer smooth steps than this between them are one story for the diagnosis, of at most so many
/// failures.
constexpr int steps_between_incidents = 3;
constexpr std::size_t max_recorded_failures = 200;
/// Every so many failed error tests the declared kinds are looked at again.
constexpr long failed_tests_between_looks = 100;
/// Steps whose end is evaluated after F had no value: the border of its domain is near.
constexpr int checked_after_failure = 20;
/// A fixed step that would leave less than this part of itself before a limit ends there.
constexpr double fixed_step_slack = 1.0 + 1e-6;
/// Of the tolerance: an error estimate below it may be rounding.
constexpr double negligible_error = 3e-4;
} // namespace

StepOutcome Integrator::Implementation::step() {
  if (pending) return handle_event();
  if (statistics.steps >= options.max_steps) give_up({.outcome = Outcome::accepted}, {}, h);
  const auto barrier = reach_limit();
  if (limit && !sense.before(history.time(), *limit))
    throw core::BadInput(fmt::format("t = {:.17g} has been reached, beyond which stop_at allows no step", *limit));
  StepOutcome progress;
  if (at_limit_but_for_rounding()) {
    progress.step = {.t = *barrier, .h = *barrier - history.time(), .order = order_used};
    history.set_time(*barrier);
    if (sensitivity) sensitivity->set_time(*barrier);
    events_handled_to = *barrier;
    locate_event();
    return progress;
  }
  FailureCounts failures;
  if (smooth_steps_++ >= steps_between_incidents) tests_.clear();
  first_h_ = h;
  guarded.forget_complaint();
  weights.update(history.difference(1));
  const auto control = std::tuple(h, order, starting, steps_at_order, constant_steps);
  try {
    attempt_until_accepted(progress, failures);
  } catch (...) {
    // The trial is no state, and what the failures made of step and order is no way to go on.
    history.interpolate(history.time(), order_used, y, ydot);
    std::tie(h, order, starting, steps_at_order, constant_steps) = control;
    newton.forget_matrix();
    throw;
  }
  progress.step.t = history.time();
  progress.step.h = history.steps()[0];
  progress.step.order = order_used;
  progress.step.error_failures = failures.error_test;
  progress.step.convergence_failures = failures.convergence;
  if (events.any() || break_time) {
    events_handled_to = history.time() - history.steps()[0];
    locate_event();
  }
  return progress;
}

void Integrator::Implementation::attempt_until_accepted(StepOutcome& progress, FailureCounts& failures) {
  for (;;) {
    const auto [tried, t] = within_limits(h);
    if (std::abs(tried) < smallest_step(history.time(), statistics.h_max)) give_up({}, failures, tried);
    if (history.committed() == 0 && tried != history.steps()[0]) {
      history.rescale_first_step(tried);
      if (sensitivity) sensitivity->rescale_first_step(tried);
    }
    const Coefficients c = coefficients(history.steps(), tried, order);
    AttemptResult result = attempt.run(history, c, t, higher_term());
    progress.step.newton += result.newton;
    progress.step.krylov += result.krylov;
    statistics.newton_iterations += result.newton;
    statistics.linear_iterations += result.krylov;
    if (fixed() && result.outcome == Outcome::error_too_large) result.outcome = Outcome::accepted;
    if (result.outcome == Outcome::accepted && steps_to_check > 0 && !attempt.trial_has_value(t))
      result.outcome = Outcome::residual_failed;
    if (result.outcome == Outcome::accepted && error.is_look_due(statistics.steps, result.estimate, failures) &&
        error.look_for_amplification(attempt.trial(), statistics.steps))
      result = attempt.test_error(history, c, result, higher_term());
    if (result.outcome == Outcome::accepted && sensitivity) complete_sensitivities(c, t, result);
    if (result.outcome == Outcome::accepted) {
      progress.step.error = result.estimate.error;
      accept(c, t, result);
      return;
    }
    recover(result, failures, tried);
  }
}

void Integrator::Implementation::complete_sensitivities(const Coefficients& c, double t, AttemptResult& result) {
  const Trial& trial = attempt.trial();
  const Sensitivity::Result own = sensitivity->complete(c, {t, trial.y, trial.ydot, nullptr}, higher_term());
  result.outcome = own.outcome;
  if (options.sensitivities.in_error_test && own.estimate.error > result.estimate.error) result.estimate = own.estimate;
  if (fixed() && result.outcome == Outcome::error_too_large) result.outcome = Outcome::accepted;
}

Integrator::Implementation::Reach Integrator::Implementation::within_limits(double requested) const {
  const double t = history.time();
  const double longest = fixed() ? std::abs(requested) : std::min(std::abs(requested), options.h_max);
  double bounded = std::copysign(longest, requested);
  if (const auto barrier = reach_limit()) {
    const double left = *barrier - t, remaining = sense.sign * left;
    if ((fixed() ? fixed_step_slack : 1.0) * longest >= remaining) return {left, *barrier};
    if (!fixed() && 2.0 * longest > remaining) bounded = 0.5 * left; // two equal steps instead of a whole and a sliver
  }
  return {bounded, t + bounded};
}

/// An event may lie so near the limit that no step leads there.
bool Integrator::Implementation::at_limit_but_for_rounding() const {
  const auto barrier = reach_limit();
  return barrier && std::abs(*barrier - history.time()) < smallest_step(history.time(), statistics.h_max);
}

std::optional<double> Integrator::Implementation::reach_limit() const {
  if (!break_time) return limit;
  return limit ? sense.earlier(*limit, end_before_break()) : end_before_break();
}

/// The term for order k+1 needs k+2 past points at order k or above; DASSL also wants them equidistant.
ErrorEstimate::Higher Integrator::Implementation::higher_term() const {
  const int wanted = options.controller == Controller::dassl ? order + 1 : std::min(order + 1, 3);
  const long have = options.controller == Controller::dassl ? constant_steps : steps_at_order;
  return !fixed() && !starting && order < options.max_order && have + 1 > wanted ? ErrorEstimate::Higher::include
                                                                                 : ErrorEstimate::Higher::leave;
}

void Integrator::Implementation::accept(const Coefficients& c, double t, const AttemptResult& result) {
  const bool same = c.h == history.steps()[0] && c.order == order_used && history.committed() > 0;
  steps_at_order = c.order == order_used ? steps_at_order + 1 : 1;
  constant_steps = same ? constant_steps + 1 : 1;
  history.commit(c, t, attempt.trial().correction);
  if (sensitivity) sensitivity->commit(c, t);
  if (tape) tape->add(c, history.steps(), t, y, ydot);
  order_used = c.order;
  steps_to_check = std::max(0, steps_to_check - 1);
  ++last_failed.steps_since;
  auto& s = statistics;
  ++s.steps;
  ++s.order_histogram[c.order];
  const double size = std::abs(c.h);
  s.h_min = s.h_min == 0.0 ? size : std::min(s.h_min, size);
  s.h_max = std::max(s.h_max, size);
  choose_next(c, result);
}

void Integrator::Implementation::choose_next(const Coefficients& c, const AttemptResult& result) {
  if (fixed()) {
    order = std::min(fixed_order(), order + (history.committed() >= order ? 1 : 0));
    return;
  }
  const bool smooth = options.controller == Controller::smooth;
  const bool sensitive = events.any() || weights.count(dae::Kind::index2) > 0;
  const Beginning beginning = sensitive ? Beginning::again : Beginning::first;
  const double seen = error.test() == ErrorTest::strong      ? strong_slack
                      : error.amplifies()                    ? amplified_caution
                      : weights.count(dae::Kind::index2) > 0 ? index2_caution
                                                             : 1.0;
  // ||phi_{k+2}|| of an order, from EST = sigma_{k+1} ||phi_{k+2}||.
  const auto difference_norm = [&](const OrderChoice& o) {
    return o.estimate / c.sigma[static_cast<std::size_t>(o.order) + 1];
  };
  OrderChoice choice = lower_keep_or_raise(c.order, options.max_order, result.estimate.terms);
  if (choice.order < c.order && smooth && !higher_index() && !last_failed.allows(choice.order))
    choice = kept(c.order, result.estimate.terms);
  // A first step can be so short that its differences are rounding; they say nothing about the order then.
  const bool says_nothing = smooth && weights.count(dae::Kind::index2) == 0 && result.estimate.error < negligible_error;
  if ((choice.order < c.order && !says_nothing) || c.order == options.max_order) starting = false;
  if (starting) {
    if (history.committed() == 1) return;
    h = c.h * (smooth ? starting_factor(beginning, history.steps(), c.order,
                                        difference_norm(kept(c.order, result.estimate.terms)))
                      : 2.0);
    if (choice.order == c.order) order = c.order + 1;
    return;
  }
  order = choice.order;
  double factor = smooth ? smooth_factor(history.steps(), choice.order, seen * difference_norm(choice))
                         : dassl_factor(wanted_ratio(choice.estimate, choice.order));
  if (smooth && last_failed.is_recent(order_used)) factor = std::min(factor, 1.0);
  h = c.h * std::min(factor, correction_limit(c, result));
}

/// High orders with uneven steps lose accuracy in variables of higher index (BCP 5.4); there a lower one is always
/// welcome.
bool Integrator::Implementation::higher_index() const {
  return weights.count(dae::Kind::index2) + weights.count(dae::Kind::index3) > 0;
}

/// SIE (6.1), where the test does not see the whole correction: the next one stays below a part of y.
double Integrator::Implementation::correction_limit(const Coefficients& c, const AttemptResult& result) const {
  if (!error.filters()) return std::numeric_limits<double>::infinity();
  const double longest = longest_correction / std::max(options.tolerances.rtol, std::numeric_limits<double>::epsilon());
  return std::max(0.5, ratio_for_correction(result.estimate.correction, longest, c.order));
}

void Integrator::Implementation::recover(const AttemptResult& result, FailureCounts& failures, double tried) {
  starting = false;
  Recovery action;
  if (result.outcome == Outcome::error_too_large) {
    ++failures.error_test;
    ++statistics.error_test_failures;
    smooth_steps_ = 0;
    last_failed = {.order = order, .steps_since = 0};
    if (options.controller == Controller::smooth) newton.doubt_rate();
    if (tests_.size() < max_recorded_failures) tests_.push_back({std::abs(tried), result.estimate.error});
    if (statistics.error_test_failures % failed_tests_between_looks == 0) look_again(result, failures, tried);
    const OrderChoice choice = lower_or_keep(order, result.estimate.terms);
    action = history.committed() == 0 ? after_first_error_test(failures, choice.estimate)
                                      : after_error_test(failures, choice.order, choice.estimate);
  } else {
    if (result.outcome == Outcome::residual_failed) steps_to_check = checked_after_failure;
    ++failures.convergence;
    ++(result.outcome == Outcome::constraint_violated ? statistics.constraint_failures
                                                      : statistics.convergence_failures);
    action = after_convergence(result.outcome, failures, order, result.sign_ratio);
  }
  if (action.give_up || fixed()) give_up(result, failures, tried);
  if (result.outcome == Outcome::residual_failed && failures.convergence == untrusted_after &&
      history.committed() > 0) {
    try {
      begin_inside_domain();
    } catch (const core::BadInput&) {
      give_up(result, failures, tried); // the failure to explain is the step's
    }
    return;
  }
  if (action.order != order) steps_at_order = constant_steps = 0;
  order = action.order;
  h = tried * action.factor;
  if (std::abs(h) < smallest_step(history.time(), statistics.h_max)) give_up(result, failures, h);
}

/// Where tests fail again and again, is a kind wrong that was right at the start or could not be seen there?
void Integrator::Implementation::look_again(const AttemptResult& result, const FailureCounts& failures, double tried) {
  if (!options.check_kinds || fixed()) return;
  history.interpolate(history.time(), order_used, y, ydot); // the next attempt predicts anew
  if (auto wrong = look_at_kinds(history.time(), std::abs(tried))) give_up(result, failures, tried, std::move(wrong));
}

/// Near the border of F's domain the predictor, which carries the errors of the past, may leave it with any step: y' is
/// sought anew. Where the last accepted state itself lies outside, which no step before had touched, no step leads on
/// from there: the integration begins again where the last step began.
void Integrator::Implementation::begin_inside_domain() {
  double t = history.time();
  history.interpolate(t, order_used, y, ydot);
  if (!attempt.trial_has_value(t)) {
    t -= history.steps()[0];
    history.interpolate(t, order_used, y, ydot);
  }
  if (sensitivity) sensitivity->carry_to(t, order_used);
  begin_here(t, Columns::carried);
}

} // namespace rhumb::bdf
