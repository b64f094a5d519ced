#include "prescribed_path.hpp"

namespace rhumb::problems::path {

using namespace flight;

namespace {

/// The controls that turn gamma and A as prescribed at t, from the two hidden constraints; the motion without lift has
/// the rest of the rates.
void steer(double t, Flight& y, double mass) {
  y[gamma] = path_angle(t);
  y[A] = azimuth(t);
  y[alpha] = y[beta] = 0.0;
  const auto gliding = motion(y, mass);
  const double up = (path_angle_rate(t) - gliding[gamma]) * degree * y[V];
  const double side = (azimuth_rate(t) - gliding[A]) * degree * y[V] * std::cos(y[gamma] * degree);
  y[beta] = std::atan2(side, up) / degree;
  y[alpha] = std::hypot(up, side) / (dynamic_pressure(y[H], y[V], mass) * lift_derivative);
}

} // namespace

/// With gamma and A prescribed and the controls eliminated by `steer`, H, xi, latitude and V obey a smooth ordinary
/// differential equation.
Flight exact_flight(double t, double mass) {
  Flight y{};
  y[H] = 100000.0;
  y[V] = 12000.0;
  y = fly(y, 0.0, t, [mass](double at, Flight state) {
    steer(at, state, mass);
    return motion(state, mass);
  });
  steer(t, y, mass);
  return y;
}

} // namespace rhumb::problems::path
