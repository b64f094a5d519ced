/// Trajectory prescribed path control, BCP section 6.3: a lifting vehicle re-enters along a prescribed flight path
/// angle and azimuth, and the bank angle beta and the angle of attack alpha that do it are sought. Equations of motion
/// in relative coordinates (6.3.4), over a turning spherical earth, with, by -form:
///   index2:  0 = gamma + 1 + 9 (t/300)^2,   0 = A - 45 - 90 (t/300)^2     (6.3.5), in degrees
///   index1:  the same differentiated once, gamma' and A' replaced from (6.3.4)
/// from t = 0 to t = 300 s. Lengths are in feet, angles in degrees. In the second line of (6.3.4) the book prints
/// sin(lambda) where the geometry has sin(A).
///
/// The book does not print the vehicle's data. These give its initial controls and its truth at t = 300 s (V =
/// 1433.29213, H = 14200.8114, alpha = 7.15558457, beta = 26.3775452) to seven digits.

#include "problems.hpp"
#include "small_problem.hpp"
#include <rhumb/core/dual.hpp>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace rhumb::problems {
namespace {

using dae::Kind;

constexpr double earth_radius = 20902900.0;                    // ft
constexpr double earth_attraction = 0.14076539e17;             // ft3/s2
constexpr double earth_rotation = 0.72921159e-4;               // rad/s
constexpr double sea_level_density = 0.002378;                 // slug/ft3
constexpr double scale_height = 23800.0;                       // ft
constexpr double mass_per_area = 2.890532728;                  // slug/ft2
constexpr double lift_slope = 0.01;                            // C_L = 0.01 alpha
constexpr double drag_at_zero_lift = 0.04, drag_by_lift = 0.1; // C_D = 0.04 + 0.1 C_L^2
constexpr double degree = std::numbers::pi / 180.0;
constexpr double duration = 300.0;

enum : std::size_t { H, xi, latitude, V, gamma, A, beta, alpha, unknowns };
constexpr std::size_t states = 6;

/// (6.3.5) and its derivative.
double path_angle(double t) {
  return -1.0 - 9.0 * std::pow(t / duration, 2);
}
double path_angle_rate(double t) {
  return -18.0 * t / (duration * duration);
}
double azimuth(double t) {
  return 45.0 + 90.0 * std::pow(t / duration, 2);
}
double azimuth_rate(double t) {
  return 180.0 * t / (duration * duration);
}

/// L/m or D/m per unit of its coefficient: 0.5 rho S V^2 / m.
template <class Scalar>
Scalar dynamic_pressure(const Scalar& height, const Scalar& speed) {
  using std::exp;
  return (0.5 * sea_level_density / mass_per_area) * exp(height * (-1.0 / scale_height)) * speed * speed;
}

/// The right side of (6.3.4), in feet, degrees and seconds.
template <class Scalar>
std::array<Scalar, states> motion(const std::array<Scalar, unknowns>& y) {
  using std::cos, std::sin, std::tan;
  const Scalar r = y[H] + earth_radius, speed = y[V];
  const Scalar sin_lat = sin(y[latitude] * degree), cos_lat = cos(y[latitude] * degree);
  const Scalar sin_g = sin(y[gamma] * degree), cos_g = cos(y[gamma] * degree), tan_g = tan(y[gamma] * degree);
  const Scalar sin_a = sin(y[A] * degree), cos_a = cos(y[A] * degree);
  const Scalar weight = earth_attraction / (r * r), spin = earth_rotation * earth_rotation * r * cos_lat;
  const Scalar lift_coefficient = lift_slope * y[alpha], pressure = dynamic_pressure(y[H], speed);
  const Scalar lift = pressure * lift_coefficient;
  const Scalar drag = pressure * (drag_at_zero_lift + drag_by_lift * lift_coefficient * lift_coefficient);

  std::array<Scalar, states> rate;
  rate[H] = speed * sin_g;
  rate[xi] = speed * cos_g * sin_a / (r * cos_lat) / degree;
  rate[latitude] = speed / r * cos_g * cos_a / degree;
  rate[V] = -drag - weight * sin_g - spin * (sin_lat * cos_a * cos_g - cos_lat * sin_g);
  rate[gamma] = (lift * cos(y[beta] * degree) / speed + cos_g / speed * (speed * speed / r - weight) +
                 2.0 * earth_rotation * cos_lat * sin_a + spin / speed * (sin_lat * cos_a * sin_g + cos_lat * cos_g)) /
                degree;
  rate[A] = (lift * sin(y[beta] * degree) / (speed * cos_g) + speed / r * cos_g * sin_a * sin_lat / cos_lat -
             2.0 * earth_rotation * (cos_lat * cos_a * tan_g - sin_lat) + spin * sin_lat * sin_a / (speed * cos_g)) /
            degree;
  return rate;
}

/// The controls that turn gamma and A as prescribed at t, from the two hidden constraints; the motion without lift has
/// the rest of the rates.
void steer(double t, std::array<double, unknowns>& y) {
  y[gamma] = path_angle(t);
  y[A] = azimuth(t);
  y[alpha] = y[beta] = 0.0;
  const auto gliding = motion(y);
  const double up = (path_angle_rate(t) - gliding[gamma]) * degree * y[V];
  const double side = (azimuth_rate(t) - gliding[A]) * degree * y[V] * std::cos(y[gamma] * degree);
  y[beta] = std::atan2(side, up) / degree;
  y[alpha] = std::hypot(up, side) / (dynamic_pressure(y[H], y[V]) * lift_slope);
}

std::array<double, unknowns> start_state() {
  std::array<double, unknowns> y{};
  y[H] = 100000.0;
  y[V] = 12000.0;
  steer(0.0, y);
  return y;
}

/// The exact motion: with gamma and A prescribed and the controls eliminated by `steer`, H, xi, latitude and V obey a
/// smooth ordinary differential equation, solved here by the classical Runge-Kutta method with steps of 0.05 s
/// (relative error about 1e-12).
std::array<double, unknowns> flight(double end) {
  auto y = start_state();
  const auto steps = std::max(1L, std::lround(std::ceil(std::abs(end) / 0.05)));
  const double h = end / static_cast<double>(steps);
  const auto slope = [](double t, std::array<double, unknowns> at) {
    steer(t, at);
    return motion(at);
  };
  const auto moved = [](std::array<double, unknowns> from, const std::array<double, states>& by, double length) {
    for (const std::size_t i : {H, xi, latitude, V}) from[i] += length * by[i];
    return from;
  };
  for (long n = 0; n < steps; ++n) {
    const double t = h * static_cast<double>(n);
    const auto k1 = slope(t, y);
    const auto k2 = slope(t + 0.5 * h, moved(y, k1, 0.5 * h));
    const auto k3 = slope(t + 0.5 * h, moved(y, k2, 0.5 * h));
    const auto k4 = slope(t + h, moved(y, k3, h));
    for (const std::size_t i : {H, xi, latitude, V}) y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
  }
  steer(end, y);
  return y;
}

std::vector<dae::Field> fields_of(Kind controls) {
  return {{.name = "H", .unit = "ft", .long_name = "altitude"},
          {.name = "xi", .unit = "deg", .long_name = "longitude"},
          {.name = "latitude", .unit = "deg", .long_name = "geocentric latitude"},
          {.name = "V", .unit = "ft/s", .long_name = "relative speed"},
          {.name = "gamma", .unit = "deg", .long_name = "flight path angle"},
          {.name = "A", .unit = "deg", .long_name = "azimuth"},
          {.name = "beta", .unit = "deg", .long_name = "bank angle", .kind = controls},
          {.name = "alpha", .unit = "deg", .long_name = "angle of attack", .kind = controls}};
}

class Trajectory final : public SmallProblem {
public:
  Trajectory(MPI_Comm comm, Kind controls, const core::Options& options)
      : SmallProblem(comm, "trajectory", fields_of(controls), options), index2_(controls == Kind::index2) {}

  double t_end() const override { return duration; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-6}; }
  dae::Offers offers() const override {
    return {.jacobian = true, .mass_product = true, .hidden_constraint = index2_, .exact = true};
  }

  /// Relative errors at the end, as in BCP table 6.3.1, in the order of the fields.
  dae::Figures report(double t, Vec y, Vec) override {
    const auto value = everywhere(y);
    const auto truth = flight(t);
    std::vector<double> relative;
    for (std::size_t i = 0; i < unknowns; ++i)
      relative.push_back(std::abs(value[i] - truth[i]) / std::max(std::abs(truth[i]), 1e-3));
    return {{"state_error", *std::max_element(relative.begin(), relative.begin() + states)},
            {"control_error", std::max(relative[beta], relative[alpha])},
            {"relative_errors", relative},
            {"values", value}};
  }

protected:
  void start(double, std::span<double> y, std::span<double> ydot) const override {
    const auto values = start_state();
    std::ranges::copy(values, y.begin());
    std::ranges::copy(motion(values), ydot.begin());
  }

  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override {
    std::array<double, unknowns> at{};
    std::copy_n(y.begin(), unknowns, at.begin());
    const auto rate = motion(at);
    for (std::size_t i = 0; i < states; ++i) f[i] = ydot[i] - rate[i];
    f[6] = index2_ ? y[gamma] - path_angle(t) : rate[gamma] - path_angle_rate(t);
    f[7] = index2_ ? y[A] - azimuth(t) : rate[A] - azimuth_rate(t);
  }

  void linearise(double, Values y, Values, Linearisation& at) const override {
    using Slope = core::Dual<static_cast<int>(unknowns)>;
    std::array<Slope, unknowns> point;
    for (std::size_t i = 0; i < unknowns; ++i) point[i] = Slope::variable(y[i], static_cast<int>(i));
    const auto rate = motion(point);
    for (std::size_t i = 0; i < states; ++i) {
      at.dydot(i, i) = 1.0;
      for (std::size_t j = 0; j < unknowns; ++j) at.dy(i, j) = -rate[i].slope[j];
    }
    if (index2_) {
      at.dy(6, gamma) = at.dy(7, A) = 1.0;
      return;
    }
    for (std::size_t j = 0; j < unknowns; ++j) {
      at.dy(6, j) = rate[gamma].slope[j];
      at.dy(7, j) = rate[A].slope[j];
    }
  }

  void hidden(double t, Values, Values ydot, std::span<double> f) const override {
    f[6] = ydot[gamma] - path_angle_rate(t);
    f[7] = ydot[A] - azimuth_rate(t);
  }

  void solution(double t, std::span<double> y) const override { std::ranges::copy(flight(t), y.begin()); }

private:
  bool index2_;
};

} // namespace

std::unique_ptr<dae::Problem> trajectory(MPI_Comm comm, const core::Options& options) {
  const std::string form =
      options.choice("form", "index2", {"index1", "index2"}, {"path constraints as they are, or differentiated once"});
  return std::make_unique<Trajectory>(comm, form == "index2" ? Kind::index2 : Kind::index1, options);
}

} // namespace rhumb::problems
