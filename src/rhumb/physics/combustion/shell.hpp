#pragma once
/// Planar, cylindrical and spherical shells, g = 0, 1, 2, and the source in them, generic in the scalar.
///
/// A face between two nodes has the radius r_m that halves the volume between them, r_m^(g+1) = (r_l^(g+1) +
/// r_r^(g+1))/2. A smooth profile is even in r, so slopes are taken in r^2: r^g T_r at the face is
///   2 r_m^(g+1) (T_r - T_l) / (r_r^2 - r_l^2),
/// which is of order two up to the axis; differences in r are not.

#include <rhumb/core/dual.hpp>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

namespace rhumb::combustion {

inline double error_function(double x) {
  return std::erf(x);
}
template <int N>
core::Dual<N> error_function(const core::Dual<N>& x) {
  return x.chain(std::erf(x.value), 2.0 * std::numbers::inv_sqrtpi * std::exp(-x.value * x.value));
}

enum class Shell : std::uint8_t { planar, cylinder, sphere };

constexpr int exponent(Shell shell) {
  return static_cast<int>(shell);
}

/// Area of the wall over R^g: what multiplies integrals of r^g dr. Planar: per area of the wall.
constexpr double solid_angle(Shell shell) {
  constexpr std::array areas{1.0, 2.0 * std::numbers::pi, 4.0 * std::numbers::pi};
  return areas[static_cast<std::size_t>(shell)];
}

/// r^(g+1).
template <class S>
S raised(Shell shell, const S& r) {
  switch (shell) {
  case Shell::planar:
    return r;
  case Shell::cylinder:
    return r * r;
  case Shell::sphere:
    break;
  }
  return r * r * r;
}

/// Volume inside r, over the solid angle: r^(g+1)/(g+1).
template <class S>
S volume(Shell shell, const S& r) {
  return raised(shell, r) * (1.0 / (exponent(shell) + 1));
}

/// The radius whose r^(g+1) is given.
template <class S>
S lowered(Shell shell, const S& power) {
  using std::cbrt;
  using std::sqrt;
  switch (shell) {
  case Shell::planar:
    return power;
  case Shell::cylinder:
    return sqrt(power);
  case Shell::sphere:
    break;
  }
  return cbrt(power);
}

/// What multiplies the difference of a profile over a cell to give r^g times its slope in r at the face.
template <class S>
S conductance(Shell shell, const S& left, const S& right) {
  return (raised(shell, left) + raised(shell, right)) / ((right - left) * (right + left));
}

/// The part of the source e^(-r^2/sigma^2) that lies inside the face between two nodes; the whole is 1.
template <class S>
S source_inside_face(Shell shell, const S& left, const S& right, double sigma) {
  using std::exp;
  const S power = 0.5 * (raised(shell, left) + raised(shell, right));
  if (shell == Shell::cylinder) return 1.0 - exp(power * (-1.0 / (sigma * sigma)));
  const S x = lowered(shell, power) * (1.0 / sigma);
  if (shell == Shell::planar) return error_function(x);
  return error_function(x) - 2.0 * std::numbers::inv_sqrtpi * x * exp(-x * x);
}

} // namespace rhumb::combustion
