#include <rhumb/bdf/tangent.hpp>

#include <rhumb/bdf/timer.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rhumb::bdf {

using core::check;

namespace {
/// Delta of (7.5.27) for central differences: the cube root of the unit roundoff.
const double part_of_digits = std::cbrt(std::numeric_limits<double>::epsilon());
} // namespace

Tangent::Tangent(dae::GuardedSystem& system, Phases& phases, Vec model) : system_(system), phases_(phases) {
  for (auto* v : {&work_, &moved_y_, &moved_ydot_, &parameter_part_}) *v = core::same_layout(model);
}

double Tangent::increment(double norm_of_y, double norm_of_z) {
  const double part = norm_of_z > 1.0 + norm_of_y ? (1.0 + norm_of_y) / norm_of_z : 1.0;
  // In steps of 16, so that what a system makes for a moved parameter can be kept.
  return part_of_digits * std::exp2(4.0 * std::floor(0.25 * std::log2(part)));
}

void Tangent::residual(const Point& at, const TangentParameter& parameter, Vec z, Vec zdot, double increment, Vec out) {
  const Timer timer(phases_.sensitivities);
  ++count_;
  const bool products = system_.offers().product;
  const double shift = increment * parameter.scale;
  const bool inside = parameter.value - shift >= parameter.lower && parameter.value + shift <= parameter.upper;
  if (!products && inside) {
    by_differences(at, z, zdot, increment, out, &parameter);
    return;
  }
  if (products)
    by_products(at, z, zdot, out);
  else
    by_differences(at, z, zdot, increment, out, nullptr);
  const dae::GuardedSystem::Moved moved{parameter.index, parameter.value, part_of_digits * parameter.scale,
                                        parameter.lower, parameter.upper};
  system_.parameter_derivative(at.t, at.y, at.ydot, moved, work_, parameter_part_);
  check(VecAXPY(out, parameter.scale, parameter_part_));
}

void Tangent::by_products(const Point& at, Vec z, Vec zdot, Vec out) {
  system_.product(at.t, at.y, at.ydot, 0.0, z, out);
  if (system_.offers().mass_product) {
    system_.mass_product(at.t, at.y, at.ydot, zdot, work_);
    check(VecAXPY(out, 1.0, work_));
    return;
  }
  // (alpha F_y' + F_y) z' with alpha = 1 and 0.
  system_.product(at.t, at.y, at.ydot, 1.0, zdot, work_);
  check(VecAXPY(out, 1.0, work_));
  system_.product(at.t, at.y, at.ydot, 0.0, zdot, work_);
  check(VecAXPY(out, -1.0, work_));
}

void Tangent::evaluate(const Point& at, Vec z, Vec zdot, double part, Vec out) {
  check(VecWAXPY(moved_y_, part, z, at.y));
  check(VecWAXPY(moved_ydot_, part, zdot, at.ydot));
  const long others = system_.counts.residual;
  system_.residual(at.t, moved_y_, moved_ydot_, out);
  system_.counts.residual = others;
  ++system_.counts.sensitivity;
}

void Tangent::by_differences(const Point& at, Vec z, Vec zdot, double increment, Vec out,
                             const TangentParameter* with) {
  if (with) system_.set_parameter(with->index, with->value + increment * with->scale);
  evaluate(at, z, zdot, increment, out);
  if (with) system_.set_parameter(with->index, with->value - increment * with->scale);
  evaluate(at, z, zdot, -increment, work_);
  if (with) system_.set_parameter(with->index, with->value);
  check(VecAXPY(out, -1.0, work_));
  check(VecScale(out, 0.5 / increment));
}

} // namespace rhumb::bdf
