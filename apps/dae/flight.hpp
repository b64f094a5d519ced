#pragma once
/// Flight over a turning spherical earth, BCP (6.3.4), for the trajectory problems: lengths in feet, angles in degrees.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace rhumb::problems::flight {

inline constexpr double earth_radius = 20902900.0;         // ft
inline constexpr double earth_rotation = 0.72921159e-4;    // rad/s
inline constexpr double sea_level_density = 0.002378;      // slug/ft3
inline constexpr double scale_height = 23800.0;            // ft
inline constexpr double degree = std::numbers::pi / 180.0; // rad

/// Indices of the state; what controls it comes behind.
enum : std::size_t { H, xi, latitude, V, gamma, A, states };

template <class Scalar>
struct Forces {
  Scalar lift, drag; ///< accelerations, ft/s2
  Scalar bank;       ///< degrees
};

/// L/m or D/m per unit of its coefficient: 0.5 rho S V^2 / m.
template <class Scalar>
Scalar dynamic_pressure(const Scalar& height, const Scalar& speed, double mass_per_area) {
  using std::exp;
  return (0.5 * sea_level_density / mass_per_area) * exp(height * (-1.0 / scale_height)) * speed * speed;
}

/// The right side of (6.3.4), in feet, degrees and seconds. In its second line the book prints sin(lambda) where the
/// geometry has sin(A). `y` begins with the state; `attraction` is mu of the earth, ft3/s2.
template <class Scalar, std::size_t size>
std::array<Scalar, states> motion(const std::array<Scalar, size>& y, const Forces<Scalar>& by, double attraction) {
  using std::cos, std::sin, std::tan;
  const Scalar r = y[H] + earth_radius, speed = y[V];
  const Scalar sin_lat = sin(y[latitude] * degree), cos_lat = cos(y[latitude] * degree);
  const Scalar sin_g = sin(y[gamma] * degree), cos_g = cos(y[gamma] * degree), tan_g = tan(y[gamma] * degree);
  const Scalar sin_a = sin(y[A] * degree), cos_a = cos(y[A] * degree);
  const Scalar weight = attraction / (r * r), spin = earth_rotation * earth_rotation * r * cos_lat;

  std::array<Scalar, states> rate;
  rate[H] = speed * sin_g;
  rate[xi] = speed * cos_g * sin_a / (r * cos_lat) / degree;
  rate[latitude] = speed / r * cos_g * cos_a / degree;
  rate[V] = -by.drag - weight * sin_g - spin * (sin_lat * cos_a * cos_g - cos_lat * sin_g);
  rate[gamma] = (by.lift * cos(by.bank * degree) / speed + cos_g / speed * (speed * speed / r - weight) +
                 2.0 * earth_rotation * cos_lat * sin_a + spin / speed * (sin_lat * cos_a * sin_g + cos_lat * cos_g)) /
                degree;
  rate[A] = (by.lift * sin(by.bank * degree) / (speed * cos_g) + speed / r * cos_g * sin_a * sin_lat / cos_lat -
             2.0 * earth_rotation * (cos_lat * cos_a * tan_g - sin_lat) + spin * sin_lat * sin_a / (speed * cos_g)) /
            degree;
  return rate;
}

/// y' = rate(t, y) from `begin` to `end` by the classical Runge-Kutta method, in steps of at most 0.05 s (relative error
/// about 1e-12): the truth, once the controls have been eliminated.
template <class State, class Rate>
State fly(State y, double begin, double end, const Rate& rate) {
  const auto steps = std::max(1L, std::lround(std::ceil(std::abs(end - begin) / 0.05)));
  const double h = (end - begin) / static_cast<double>(steps);
  const auto moved = [](State from, const std::array<double, states>& by, double length) {
    for (std::size_t i = 0; i < states; ++i) from[i] += length * by[i];
    return from;
  };
  for (long n = 0; n < steps; ++n) {
    const double t = begin + h * static_cast<double>(n);
    const auto k1 = rate(t, y);
    const auto k2 = rate(t + 0.5 * h, moved(y, k1, 0.5 * h));
    const auto k3 = rate(t + 0.5 * h, moved(y, k2, 0.5 * h));
    const auto k4 = rate(t + h, moved(y, k3, h));
    for (std::size_t i = 0; i < states; ++i) y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
  }
  return y;
}

} // namespace rhumb::problems::flight
