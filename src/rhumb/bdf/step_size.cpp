#include <rhumb/bdf/step_size.hpp>

#include <rhumb/bdf/coefficients.hpp>
#include <rhumb/bdf/events.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rhumb::bdf {

namespace {
constexpr double error_fraction = 2.0;  // BCP (5.2.23): aim at half the tolerance
constexpr double estimate_floor = 1e-4; // keeps the ratio finite when the estimate vanishes (DASSL)
constexpr double largest_growth = 2.0;
constexpr double least_cut = 0.9;
constexpr double largest_cut = 0.5;
constexpr double interval_fraction = 1e-3;
constexpr double first_change = 0.5;   // the first step may change y by half a tolerance
constexpr double rounding_share = 0.1; // of what Newton may leave
constexpr double roundoff_steps = 4.0;

// The smooth controller, measured on the problems of rhumb-dae (docs/reference/integrator.md).
constexpr double dead_band = 1.4;              // a smaller growth is not worth a changed alpha
constexpr double max_error_of_kept_step = 3.5; // in targets: with a larger expected error the step is cut
constexpr double largest_starting_growth = 8.0;
constexpr double starting_caution = 0.02; // of the target: an error at the start stays for the whole run
/// Errors to aim at, by order. A high order pays little for a small error, and steps at high order are many: the
/// targets fall so that the global error stays in proportion to the tolerance.
constexpr std::array<double, highest_order + 1> target{0.0, 0.6, 0.5, 0.35, 0.25, 0.1};

/// The factor in [low, high] whose expected error is the target; an end of the interval where the target lies outside.
/// The error is nearly a power of the factor: in logarithms a few secants find it.
double factor_for_target(std::span<const double> steps, int order, double difference_norm, double aim, double low,
                         double high) {
  const auto excess = [&](double log_factor) {
    return std::log(expected_error(steps, order, difference_norm, std::exp(log_factor)) / aim);
  };
  const double a = std::log(low), b = std::log(high), above = excess(b);
  if (above <= 0.0) return high;
  const double below = excess(a);
  if (!(below < 0.0)) return low;
  return std::exp(illinois(a, below, b, above, excess));
}
} // namespace

double wanted_ratio(double estimate, int order) {
  return std::pow(error_fraction * estimate + estimate_floor, -1.0 / (order + 1));
}

double dassl_factor(double ratio) {
  if (ratio <= 1.0) return std::clamp(ratio, largest_cut, least_cut);
  return ratio >= largest_growth ? largest_growth : 1.0;
}

double expected_error(std::span<const double> steps, int order, double difference_norm, double factor) {
  const Coefficients c = coefficients(steps, factor * steps[0], order);
  return c.error_constant() * c.beta[static_cast<std::size_t>(order) + 2] * difference_norm;
}

double smooth_factor(std::span<const double> steps, int order, double difference_norm) {
  const double aim = target[order];
  const double as_it_is = expected_error(steps, order, difference_norm, 1.0);
  if (as_it_is > max_error_of_kept_step * aim)
    return std::clamp(std::pow(aim / as_it_is, 1.0 / (order + 1)), largest_cut, least_cut);
  if (expected_error(steps, order, difference_norm, dead_band) > aim) return 1.0;
  return factor_for_target(steps, order, difference_norm, aim, dead_band, largest_growth);
}

double starting_factor(Beginning beginning, std::span<const double> steps, int order, double difference_norm) {
  if (beginning == Beginning::again) return largest_growth;
  const double aim = starting_caution * target[order];
  return factor_for_target(steps, order, difference_norm, aim, largest_growth, largest_starting_growth);
}

double first_step(double interval, double norm_ydot) {
  const double h = interval_fraction * interval;
  return norm_ydot * h > first_change ? first_change / norm_ydot : h;
}

double least_first_step(double norm_y, double newton_tolerance) {
  return std::numeric_limits<double>::epsilon() * norm_y / (rounding_share * newton_tolerance);
}

double smallest_step(double t, double longest) {
  return roundoff_steps * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), longest);
}

double just_before(double t) {
  return std::nextafter(t, -std::numeric_limits<double>::infinity());
}

double ratio_for_correction(double correction_norm, double limit, int order) {
  if (correction_norm <= 0.0) return std::numeric_limits<double>::infinity();
  return std::pow(limit / correction_norm, 1.0 / (order + 1));
}

} // namespace rhumb::bdf
