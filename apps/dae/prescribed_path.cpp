#include "prescribed_path.hpp"

namespace rhumb::problems::path {

using namespace flight;

namespace {

/// The controls that turn gamma and A as prescribed at t, from the two hidden constraints; the motion without lift has
/// the rest of the rates.
void steer(double t, Flight& y) {
  y[gamma] = path_angle(t);
  y[A] = azimuth(t);
  y[alpha] = y[beta] = 0.0;
  const auto gliding = motion(y);
  const double up = (path_angle_rate(t) - gliding[gamma]) * degree * y[V];
  const double side = (azimuth_rate(t) - gliding[A]) * degree * y[V] * std::cos(y[gamma] * degree);
  y[beta] = std::atan2(side, up) / degree;
  y[alpha] = std::hypot(up, side) / (dynamic_pressure(y[H], y[V], mass_per_area) * lift_derivative);
}

} // namespace

/// With gamma and A prescribed and the controls eliminated by `steer`, H, xi, latitude and V obey a smooth ordinary
/// differential equation.
Flight exact_flight(double t) {
  Flight y{};
  y[H] = 100000.0;
  y[V] = 12000.0;
  y = fly(y, 0.0, t, [](double at, Flight state) {
    steer(at, state);
    return motion(state);
  });
  steer(t, y);
  return y;
}

} // namespace rhumb::problems::path
