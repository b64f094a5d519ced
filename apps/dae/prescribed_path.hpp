#pragma once
/// The path that BCP (6.3.5) prescribes and the vehicle that flies it, for both coordinate systems of `trajectory`.
///
/// The book does not print the vehicle's data. These give its initial controls and its truth at t = 300 s (V =
/// 1433.29213, H = 14200.8114, alpha = 7.15558457, beta = 26.3775452) to seven digits.

#include "flight.hpp"

namespace rhumb::problems::path {

inline constexpr double earth_attraction = 0.14076539e17; // ft3/s2
inline constexpr double usual_mass = 2.890532728;         // slug/ft2, over the area
inline constexpr double duration = 300.0;                 // s

enum : std::size_t { beta = flight::states, alpha, unknowns };
using Flight = std::array<double, unknowns>; ///< state, bank angle, angle of attack

/// gamma = -1 - 9 (t/300)^2 and A = 45 + 90 (t/300)^2, in degrees; Time may be a jet.
template <class Time>
Time path_angle(const Time& t) {
  return -1.0 - (9.0 / (duration * duration)) * t * t;
}
template <class Time>
Time azimuth(const Time& t) {
  return 45.0 + (90.0 / (duration * duration)) * t * t;
}
inline double path_angle_rate(double t) {
  return -18.0 * t / (duration * duration);
}
inline double azimuth_rate(double t) {
  return 180.0 * t / (duration * duration);
}

/// C_L = 0.01 alpha, C_D = 0.04 + 0.1 C_L^2.
inline constexpr double lift_derivative = 0.01;
template <class Scalar>
flight::Forces<Scalar> forces(const Scalar& height, const Scalar& speed, const Scalar& attack, const Scalar& bank,
                              double mass) {
  const Scalar lift_coefficient = lift_derivative * attack;
  const Scalar pressure = flight::dynamic_pressure(height, speed, mass);
  return {pressure * lift_coefficient, pressure * (0.04 + 0.1 * lift_coefficient * lift_coefficient), bank};
}

/// (6.3.4) for this vehicle; `mass` is that over its area.
template <class Scalar>
std::array<Scalar, flight::states> motion(const std::array<Scalar, unknowns>& y, double mass) {
  return flight::motion(y, forces(y[flight::H], y[flight::V], y[alpha], y[beta], mass), earth_attraction);
}

/// The exact motion, from the state of the book at t = 0.
Flight exact_flight(double t, double mass);

} // namespace rhumb::problems::path
