#include "bdf/step_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rhumb::bdf {

namespace {
constexpr double error_fraction = 2.0;  // BCP (5.2.23): aim at half the tolerance
constexpr double estimate_floor = 1e-4; // keeps the ratio finite when the estimate vanishes (DASSL)
constexpr double largest_growth = 2.0;
constexpr double dead_band = 1.25; // smooth: a smaller growth is not worth a changed alpha
constexpr double least_cut = 0.9;
constexpr double largest_cut = 0.5;
constexpr double interval_fraction = 1e-3;
constexpr double first_change = 0.5; // the first step may change y by half a tolerance
constexpr double roundoff_steps = 4.0;
} // namespace

double wanted_ratio(double estimate, int order) {
  return std::pow(error_fraction * estimate + estimate_floor, -1.0 / (order + 1));
}

double factor_after_success(Controller controller, double ratio) {
  if (ratio <= 1.0) return std::clamp(ratio, largest_cut, least_cut);
  if (ratio >= largest_growth) return largest_growth;
  return controller == Controller::smooth && ratio >= dead_band ? ratio : 1.0;
}

double first_step(double t0, double t_end, double norm_ydot) {
  const double span = t_end - t0;
  double h = interval_fraction * std::abs(span);
  if (norm_ydot * h > first_change) h = first_change / norm_ydot;
  return std::copysign(h, span);
}

double smallest_step(double t) {
  return roundoff_steps * std::numeric_limits<double>::epsilon() * std::abs(t);
}

double ratio_for_correction(double correction_norm, double limit, int order) {
  if (correction_norm <= 0.0) return std::numeric_limits<double>::infinity();
  return std::pow(limit / correction_norm, 1.0 / (order + 1));
}

} // namespace rhumb::bdf
