/// Trajectory prescribed path control, BCP section 6.3: a lifting vehicle re-enters along a prescribed flight path
/// angle and azimuth, and the bank angle beta and the angle of attack alpha that do it are sought. Equations of motion
/// in relative coordinates (6.3.4), over a turning spherical earth, with, by -form:
///   index2:    0 = gamma + 1 + 9 (t/300)^2,   0 = A - 45 - 90 (t/300)^2     (6.3.5), in degrees
///   index1:    the same differentiated once, gamma' and A' replaced from (6.3.4)
///   inertial:  position and velocity in a frame that does not turn (6.3.3), with (6.3.5); see trajectory_inertial.cpp
/// from t = 0 to t = 300 s. Lengths are in feet, angles in degrees.

#include "trajectory.hpp"
#include "dual_linearisation.hpp"
#include "prescribed_path.hpp"
#include "problems.hpp"

namespace rhumb::problems {

using dae::Kind;
using namespace flight;
using namespace path;

dae::Figures trajectory_figures(double t, const Flight& value, double mass) {
  const auto truth = exact_flight(t, mass);
  std::vector<double> relative;
  for (std::size_t i = 0; i < unknowns; ++i)
    relative.push_back(std::abs(value[i] - truth[i]) / std::max(std::abs(truth[i]), 1e-3));
  return {{"altitude", value[H]},
          {"speed", value[V]},
          {"bank_angle", value[beta]},
          {"state_error", *std::max_element(relative.begin(), relative.begin() + states)},
          {"control_error", std::max(relative[beta], relative[alpha])},
          {"relative_errors", relative},
          {"values", std::vector<double>(value.begin(), value.end())}};
}

namespace {

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

/// The equations of a form at t, for a generic scalar.
auto equations(bool index2, double t, double mass) {
  return [index2, t, mass](const auto& y, const auto& ydot, auto& f) {
    const auto rate = motion(y, mass);
    for (std::size_t i = 0; i < states; ++i) f[i] = ydot[i] - rate[i];
    f[6] = index2 ? y[gamma] - path_angle(t) : rate[gamma] - path_angle_rate(t);
    f[7] = index2 ? y[A] - azimuth(t) : rate[A] - azimuth_rate(t);
  };
}

class Trajectory final : public SmallProblem {
public:
  Trajectory(MPI_Comm comm, Kind controls, const core::Options& options)
      : SmallProblem(comm, "trajectory", fields_of(controls), options), index2_(controls == Kind::index2) {
    parameters_.bind(options, "mass_per_area", mass_, {"mass of the vehicle over its area", "slug/ft2"},
                     core::Range::between(1.0, 10.0));
  }

  double t_end() const override { return duration; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-6}; }
  dae::Offers offers() const override {
    return {.jacobian = true, .mass_product = true, .hidden_constraint = index2_, .exact = true};
  }

  /// Relative errors at the end, as in BCP table 6.3.1, in the order of the fields.
  dae::Figures report(double t, Vec y, Vec) override {
    Flight value{};
    std::ranges::copy(everywhere(y), value.begin());
    return trajectory_figures(t, value, mass_);
  }

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override {
    const auto values = exact_flight(t, mass_);
    std::ranges::copy(values, y.begin());
    std::ranges::copy(motion(values, mass_), ydot.begin());
  }

  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override {
    evaluate_generic<unknowns>(equations(index2_, t, mass_), y, ydot, f);
  }
  void linearise(double t, Values y, Values ydot, Linearisation& at) const override {
    linearise_by_duals<unknowns>(equations(index2_, t, mass_), y, ydot, at);
  }

  void hidden(double t, Values, Values ydot, std::span<double> f) const override {
    f[6] = ydot[gamma] - path_angle_rate(t);
    f[7] = ydot[A] - azimuth_rate(t);
  }

  void solution(double t, std::span<double> y) const override { std::ranges::copy(exact_flight(t, mass_), y.begin()); }

private:
  bool index2_;
  double mass_ = usual_mass;
};

} // namespace

std::unique_ptr<dae::Problem> trajectory(MPI_Comm comm, const core::Options& options) {
  const std::string form = options.choice("form", "index2", {"index1", "index2", "inertial"},
                                          {"path constraints as they are, differentiated once, or as they are with the "
                                           "motion in inertial coordinates"});
  if (form == "inertial") return trajectory_inertial(comm, options);
  return std::make_unique<Trajectory>(comm, form == "index2" ? Kind::index2 : Kind::index1, options);
}

} // namespace rhumb::problems
