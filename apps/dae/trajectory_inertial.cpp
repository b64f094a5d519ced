/// The prescribed path in inertial coordinates, BCP (6.3.3): r' = v, v' = g(r) + F_A(r, v, alpha, beta)/m, with the path
/// (6.3.5) of the relative flight path angle and azimuth, which are functions of r and v:
///   v_rel = v - Omega x r,   sin(gamma) = v_rel.r / |v_rel||r|,   tan(A) = v_rel.east / v_rel.north.
/// Lift acts along cos(beta) n_gamma + sin(beta) n_A, the directions in which gamma and A grow. Index 2.

#include "dual_linearisation.hpp"
#include "problems.hpp"
#include "trajectory.hpp"
#include <rhumb/core/jet.hpp>

namespace rhumb::problems {
namespace {

using dae::Kind;
using flight::degree;
using path::duration;

enum : std::size_t { x, v = 3, bank = 6, attack, unknowns };

template <class Scalar>
using Three = std::array<Scalar, 3>;

template <class Scalar>
Scalar dot(const Three<Scalar>& a, const Three<Scalar>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class Scalar>
Three<Scalar> cross(const Three<Scalar>& a, const Three<Scalar>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class Scalar>
Three<Scalar> scaled(const Three<Scalar>& a, const Scalar& factor) {
  return {a[0] * factor, a[1] * factor, a[2] * factor};
}

/// What the relative coordinates of a point in inertial ones are made of.
template <class Scalar>
struct Local {
  Scalar r, speed;
  Three<Scalar> up, ahead, velocity; ///< unit vectors along r and v_rel; v_rel
  Scalar north, east;                ///< components of v_rel
};

template <class Scalar>
Local<Scalar> local_frame(const std::array<Scalar, unknowns>& y) {
  using std::sqrt;
  const Three<Scalar> r{y[x], y[x + 1], y[x + 2]};
  const double turn = flight::earth_rotation;
  Local<Scalar> at;
  at.velocity = {y[v] + turn * r[1], y[v + 1] - turn * r[0], y[v + 2]};
  at.r = sqrt(dot(r, r));
  at.speed = sqrt(dot(at.velocity, at.velocity));
  at.up = scaled<Scalar>(r, 1.0 / at.r);
  at.ahead = scaled<Scalar>(at.velocity, 1.0 / at.speed);
  const Scalar from_axis = sqrt(r[0] * r[0] + r[1] * r[1]);
  at.east = (at.velocity[1] * r[0] - at.velocity[0] * r[1]) / from_axis;
  at.north = (at.velocity[2] - at.up[2] * dot(at.velocity, at.up)) * at.r / from_axis;
  return at;
}

/// Flight path angle, in degrees. atan2 where the book's asin would do: it keeps its digits everywhere.
template <class Scalar>
Scalar path_angle_of(const Local<Scalar>& at) {
  using std::atan2, std::sqrt;
  return atan2(dot(at.velocity, at.up), sqrt(at.north * at.north + at.east * at.east)) / degree;
}
template <class Scalar>
Scalar azimuth_of(const Local<Scalar>& at) {
  using std::atan2;
  return atan2(at.east, at.north) / degree;
}

/// v' of (6.3.3).
template <class Scalar>
Three<Scalar> acceleration(const std::array<Scalar, unknowns>& y, const Local<Scalar>& at, double mass) {
  using std::cos, std::sin, std::sqrt;
  const Scalar height = at.r - flight::earth_radius, angle = y[bank] * degree;
  const auto by = path::forces<Scalar>(height, at.speed, y[attack], y[bank], mass);
  const auto sideways = cross(at.ahead, at.up);
  const auto n_azimuth = scaled<Scalar>(sideways, 1.0 / sqrt(dot(sideways, sideways)));
  const auto n_path_angle = cross(n_azimuth, at.ahead);
  const Scalar weight = path::earth_attraction / (at.r * at.r);
  Three<Scalar> out;
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = by.lift * (cos(angle) * n_path_angle[i] + sin(angle) * n_azimuth[i]) - by.drag * at.ahead[i] -
             weight * at.up[i];
  return out;
}

/// The relative coordinates at t; at t = 0 the two frames agree.
path::Flight to_relative(double t, const std::array<double, unknowns>& y) {
  const auto at = local_frame(y);
  path::Flight out{};
  out[flight::H] = at.r - flight::earth_radius;
  out[flight::xi] = std::remainder((std::atan2(y[x + 1], y[x]) - flight::earth_rotation * t) / degree, 360.0);
  out[flight::latitude] = std::asin(at.up[2]) / degree;
  out[flight::V] = at.speed;
  out[flight::gamma] = path_angle_of(at);
  out[flight::A] = azimuth_of(at);
  out[path::beta] = y[bank];
  out[path::alpha] = y[attack];
  return out;
}

std::array<double, unknowns> to_inertial(double t, const path::Flight& from) {
  const double longitude = from[flight::xi] * degree + flight::earth_rotation * t;
  const double north = from[flight::latitude] * degree, climb = from[flight::gamma] * degree;
  const double heading = from[flight::A] * degree, r = from[flight::H] + flight::earth_radius;
  const Three<double> up{std::cos(north) * std::cos(longitude), std::cos(north) * std::sin(longitude), std::sin(north)};
  const Three<double> to_east{-std::sin(longitude), std::cos(longitude), 0.0}, to_north = cross(up, to_east);
  std::array<double, unknowns> y{};
  for (std::size_t i = 0; i < 3; ++i) {
    y[x + i] = r * up[i];
    y[v + i] = from[flight::V] * (std::sin(climb) * up[i] +
                                  std::cos(climb) * (std::cos(heading) * to_north[i] + std::sin(heading) * to_east[i]));
  }
  y[v] -= flight::earth_rotation * y[x + 1];
  y[v + 1] += flight::earth_rotation * y[x];
  y[bank] = from[path::beta];
  y[attack] = from[path::alpha];
  return y;
}

std::vector<dae::Field> inertial_fields() {
  std::vector<dae::Field> all;
  for (const std::string axis : {"x", "y", "z"})
    all.push_back({.name = axis, .unit = "ft", .long_name = "inertial position"});
  for (const std::string axis : {"x", "y", "z"})
    all.push_back({.name = "v" + axis, .unit = "ft/s", .long_name = "inertial velocity"});
  all.push_back({.name = "beta", .unit = "deg", .long_name = "bank angle", .kind = Kind::index2});
  all.push_back({.name = "alpha", .unit = "deg", .long_name = "angle of attack", .kind = Kind::index2});
  return all;
}

/// (6.3.3) and (6.3.5) at t, for a generic scalar.
auto equations(double t, double mass) {
  return [t, mass](const auto& y, const auto& ydot, auto& f) {
    const auto at = local_frame(y);
    const auto pull = acceleration(y, at, mass);
    for (std::size_t i = 0; i < 3; ++i) {
      f[x + i] = ydot[x + i] - y[v + i];
      f[v + i] = ydot[v + i] - pull[i];
    }
    f[6] = path_angle_of(at) - path::path_angle(t);
    f[7] = azimuth_of(at) - path::azimuth(t);
  };
}

class InertialTrajectory final : public SmallProblem {
public:
  InertialTrajectory(MPI_Comm comm, const core::Options& options)
      : SmallProblem(comm, "trajectory", inertial_fields(), options) {
    parameters_.bind(options, "mass_per_area", mass_, {"mass of the vehicle over its area", "slug/ft2"},
                     core::Range::between(1.0, 10.0));
  }

  double t_end() const override { return duration; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-6}; }
  dae::Offers offers() const override {
    return {.jacobian = true, .mass_product = true, .hidden_constraint = true, .exact = true};
  }
  dae::Figures report(double t, Vec y, Vec) override {
    std::array<double, unknowns> value{};
    std::ranges::copy(everywhere(y), value.begin());
    return trajectory_figures(t, to_relative(t, value), mass_);
  }

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override {
    const auto values = to_inertial(t, path::exact_flight(t, mass_));
    std::ranges::copy(values, y.begin());
    std::copy_n(values.begin() + v, 3, ydot.begin());
    std::ranges::copy(acceleration(values, local_frame(values), mass_), ydot.begin() + v);
  }
  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override {
    evaluate_generic<unknowns>(equations(t, mass_), y, ydot, f);
  }
  void linearise(double t, Values y, Values ydot, Linearisation& at) const override {
    linearise_by_duals<unknowns>(equations(t, mass_), y, ydot, at);
  }
  void hidden(double t, Values y, Values ydot, std::span<double> f) const override {
    std::array<core::Jet<double>, unknowns> moving;
    for (std::size_t i = 0; i < unknowns; ++i) moving[i] = {y[i], ydot[i]};
    const auto at = local_frame(moving);
    f[6] = path_angle_of(at).rate - path::path_angle_rate(t);
    f[7] = azimuth_of(at).rate - path::azimuth_rate(t);
  }
  void solution(double t, std::span<double> y) const override {
    std::ranges::copy(to_inertial(t, path::exact_flight(t, mass_)), y.begin());
  }

private:
  double mass_ = path::usual_mass;
};

} // namespace

std::unique_ptr<dae::Problem> trajectory_inertial(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<InertialTrajectory>(comm, options);
}

} // namespace rhumb::problems
