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

Tangent::Tangent(dae::GuardedSystem& system, Matrices matrices, Phases& phases, Vec model)
    : system_(system), phases_(phases), by_(By::differences) {
  if (system.offers().product)
    by_ = By::products;
  else if (system.offers().jacobian && matrices == Matrices::cheap)
    by_ = By::matrices;
  if (by_ == By::matrices) matrix_ = system.system().create_matrix();
  if (by_ == By::matrices && !system.offers().mass_product) without_mass_ = system.system().create_matrix();
  for (auto* v : {&work_, &moved_y_, &moved_ydot_, &parameter_part_}) *v = core::same_layout(model);
}

double Tangent::increment(double norm_of_y, double norm_of_z) {
  const double part = norm_of_z > 1.0 + norm_of_y ? (1.0 + norm_of_y) / norm_of_z : 1.0;
  // In steps of 16, so that what a system makes for a moved parameter can be kept.
  return part_of_digits * std::exp2(4.0 * std::floor(0.25 * std::log2(part)));
}

void Tangent::residual(const LinearizationPoint& at, const TangentParameter& parameter, Vec z, Vec zdot,
                       double increment, Vec out) {
  const Timer timer(phases_.sensitivities);
  ++count_;
  const double shift = increment * parameter.scale;
  const bool inside = parameter.value - shift >= parameter.lower && parameter.value + shift <= parameter.upper;
  if (!has_products() && inside) {
    by_differences(at, z, zdot, increment, out, &parameter);
    return;
  }
  if (has_products())
    along_solution(at, z, zdot, out);
  else
    by_differences(at, z, zdot, increment, out, nullptr);
  system_.parameter_derivative(at.t, at.y, at.ydot, parameter.moved(part_of_digits), {work_.get(), moved_y_.get()},
                               parameter_part_);
  check(VecAXPY(out, parameter.scale, parameter_part_));
}

void Tangent::linearize(const LinearizationPoint& at, double alpha) {
  alpha_ = alpha;
  if (by_ != By::matrices) return;
  const Timer timer(phases_.sensitivities);
  system_.jacobian(at.t, at.y, at.ydot, alpha, matrix_);
  ++matrices_;
  if (!without_mass_) return;
  system_.jacobian(at.t, at.y, at.ydot, 0.0, without_mass_);
  ++matrices_;
}

void Tangent::product(const LinearizationPoint& at, Vec v, Vec out) {
  const Timer timer(phases_.sensitivities);
  if (by_ == By::matrices)
    check(MatMult(matrix_, v, out));
  else
    system_.product(at.t, at.y, at.ydot, alpha_, v, out);
}

/// F_y z + F_y' z' = (alpha F_y' + F_y) z + F_y' (z' - alpha z).
void Tangent::along_solution(const LinearizationPoint& at, Vec z, Vec zdot, Vec out) {
  if (by_ == By::matrices)
    check(MatMult(matrix_, z, out));
  else
    system_.product(at.t, at.y, at.ydot, alpha_, z, out);
  check(VecWAXPY(moved_ydot_, -alpha_, z, zdot));
  mass_product(at, moved_ydot_, work_);
  check(VecAXPY(out, 1.0, work_));
}

/// Without the system's: (alpha F_y' + F_y) v - F_y v, over alpha.
void Tangent::mass_product(const LinearizationPoint& at, Vec v, Vec out) {
  if (system_.offers().mass_product) {
    system_.mass_product(at.t, at.y, at.ydot, v, out);
    return;
  }
  if (by_ == By::matrices) {
    check(MatMult(matrix_, v, out));
    check(MatMult(without_mass_, v, moved_y_));
  } else {
    system_.product(at.t, at.y, at.ydot, alpha_, v, out);
    system_.product(at.t, at.y, at.ydot, 0.0, v, moved_y_);
  }
  check(VecAXPY(out, -1.0, moved_y_));
  check(VecScale(out, 1.0 / alpha_));
}

void Tangent::evaluate(const LinearizationPoint& at, Vec z, Vec zdot, double part, Vec out) {
  check(VecWAXPY(moved_y_, part, z, at.y));
  check(VecWAXPY(moved_ydot_, part, zdot, at.ydot));
  const long others = system_.counts.residual;
  system_.residual(at.t, moved_y_, moved_ydot_, out);
  system_.counts.residual = others;
  ++system_.counts.sensitivity;
}

void Tangent::by_differences(const LinearizationPoint& at, Vec z, Vec zdot, double increment, Vec out,
                             const TangentParameter* with) {
  const auto move = [&](double part) {
    if (!with) return;
    const double value = with->value + part * with->scale;
    system_.set_parameter(with->index, value, with->moved(part).memory_at(value));
  };
  move(increment);
  evaluate(at, z, zdot, increment, out);
  move(-increment);
  evaluate(at, z, zdot, -increment, work_);
  move(0.0);
  check(VecAXPY(out, -1.0, work_));
  check(VecScale(out, 0.5 / increment));
}

} // namespace rhumb::bdf
