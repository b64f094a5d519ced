/// The index-3 problem of BCP section 6.3: a vehicle with fixed angle of attack flies so that its drag follows a profile,
///   0 = D/m - (C0 + C1 (V - V0) + C2 (V - V0)^2 + C3 (V - V0)^3)          (6.3.7)
/// with the motion (6.3.4), and the bank angle beta that does it is sought. By -form:
///   index3:  (6.3.7) as it is, for -fixed_step with -fixed_order (the book: implicit Euler)
///   index2:  its first derivative, in which the rates are replaced from (6.3.4)
///   index1:  its second derivative, the book's truth model
/// from t = 332.868734542 s to 419.868734542 s. Lengths are in feet, angles in degrees. The start is on all three
/// constraints: H from (6.3.7), gamma from its first derivative and beta from its second.

#include "dual_linearisation.hpp"
#include "flight.hpp"
#include "problems.hpp"
#include <rhumb/core/jet.hpp>
#include <numeric>

namespace rhumb::problems {
namespace {

using dae::Kind;
using namespace flight;

constexpr double earth_attraction = 0.1407653916e17; // ft3/s2
constexpr double angle_of_attack = 40.0;             // degrees
constexpr double lift_coefficient = 0.84 - 0.48 * (38.0 - angle_of_attack) / 26.0;
constexpr double drag_coefficient = 0.78 - 0.58 * (38.0 - angle_of_attack) / 26.0;
constexpr double usual_mass = 5964.496499824 / 2690.0; // slug/ft2, over the area
constexpr double start_speed = 24317.0798;             // ft/s
constexpr std::array profile{3.974960446019, -0.01448947694635, -0.2156171551995e-4, -0.1089609507291e-7};
constexpr double begin = 332.868734542, end = 419.868734542;

enum : std::size_t { beta = states, unknowns };
using Flight = std::array<double, unknowns>;

/// `mass` is that over the area everywhere below.
template <class Scalar>
Scalar drag_of(const Scalar& height, const Scalar& speed, double mass) {
  return drag_coefficient * dynamic_pressure(height, speed, mass);
}

/// (6.3.7).
template <class Scalar>
Scalar off_profile(const Scalar& height, const Scalar& speed, double mass) {
  const Scalar over = speed - start_speed;
  return drag_of(height, speed, mass) - (profile[0] + over * (profile[1] + over * (profile[2] + over * profile[3])));
}

template <class Scalar>
std::array<Scalar, states> motion(const std::array<Scalar, unknowns>& y, double mass) {
  const Scalar pressure = dynamic_pressure(y[H], y[V], mass);
  return flight::motion(y, {pressure * lift_coefficient, pressure * drag_coefficient, y[beta]}, earth_attraction);
}

/// (6.3.7) with its first and second derivative along the motion.
template <class Scalar>
core::Jet<Scalar> constraint(const std::array<Scalar, unknowns>& y, double mass) {
  const auto rate = motion(y, mass);
  std::array<core::Jet<Scalar>, unknowns> moving;
  for (std::size_t i = 0; i < states; ++i) moving[i] = {y[i], rate[i]};
  moving[beta] = {y[beta], Scalar(0.0)}; // H'' and V'' do not hold beta'
  const auto onward = motion(moving, mass);
  return off_profile<core::Jet<Scalar>>({y[H], rate[H], onward[H].rate}, {y[V], rate[V], onward[V].rate}, mass);
}

/// Newton for the entry that makes a part of the constraint zero.
template <class Part>
void make_zero(const Part& part, std::size_t entry, Flight& y, double mass) {
  using Derivative = core::Dual<1>;
  for (int iteration = 0; iteration < 50; ++iteration) {
    std::array<Derivative, unknowns> at;
    std::ranges::copy(y, at.begin());
    at[entry].derivatives[0] = 1.0;
    const Derivative f = part(constraint(at, mass));
    const double change = -f.value / f.derivatives[0];
    y[entry] += change;
    if (std::abs(change) <= 1e-14 * std::abs(y[entry])) return;
  }
}
void steer(Flight& y, double mass) {
  make_zero([](const auto& c) { return c.second; }, beta, y, mass);
}

Flight start_state(double mass) {
  Flight y{264039.328, 177.718047, 32.0417885, start_speed, -0.749986488, 62.7883367, 41.0999892};
  make_zero([](const auto& c) { return c.value; }, H, y, mass);
  make_zero([](const auto& c) { return c.rate; }, gamma, y, mass);
  steer(y, mass);
  return y;
}

/// The exact motion: beta is found from the second derivative, near its value of before.
Flight exact_flight(double t, double mass) {
  Flight y = start_state(mass);
  double bank = y[beta];
  y = fly(y, begin, t, [&bank, mass](double, Flight state) {
    state[beta] = bank;
    steer(state, mass);
    bank = state[beta];
    return motion(state, mass);
  });
  y[beta] = bank;
  steer(y, mass);
  return y;
}

std::vector<dae::Field> fields_of(Kind control) {
  return {{.name = "H", .unit = "ft", .long_name = "altitude"},
          {.name = "xi", .unit = "deg", .long_name = "longitude"},
          {.name = "latitude", .unit = "deg", .long_name = "geocentric latitude"},
          {.name = "V", .unit = "ft/s", .long_name = "relative speed"},
          {.name = "gamma", .unit = "deg", .long_name = "flight path angle"},
          {.name = "A", .unit = "deg", .long_name = "azimuth"},
          {.name = "beta", .unit = "deg", .long_name = "bank angle", .kind = control}};
}

/// The equations of a form, for a generic scalar.
auto equations(Kind control, double mass) {
  return [control, mass](const auto& y, const auto& ydot, auto& f) {
    const auto rate = motion(y, mass);
    for (std::size_t i = 0; i < states; ++i) f[i] = ydot[i] - rate[i];
    const auto c = constraint(y, mass);
    f[beta] = control == Kind::index3 ? c.value : control == Kind::index2 ? c.rate : c.second;
  };
}

class Drag final : public SmallProblem {
public:
  Drag(MPI_Comm comm, Kind control, const core::Options& options)
      : SmallProblem(comm, "drag", fields_of(control), options), control_(control) {
    parameters_.bind(options, "mass_per_area", mass_, {"mass of the vehicle over its area", "slug/ft2"},
                     core::Range::between(1.0, 5.0));
  }

  double t_start() const override { return begin; }
  double t_end() const override { return end; }
  /// Index 3 is for fixed steps, where the tolerance only says how far Newton goes; its rest comes back divided by h^2.
  dae::Tolerances default_tolerances() const override {
    const double tolerance = control_ == Kind::index3 ? 1e-8 : 1e-9;
    return {.rtol = tolerance, .atol = tolerance};
  }
  dae::Offers offers() const override {
    return {.jacobian = true, .mass_product = true, .hidden_constraint = control_ == Kind::index2, .exact = true};
  }

  /// Relative errors as in BCP tables 6.3.3 and 6.3.4, in the order of the fields.
  dae::Figures report(double t, Vec y, Vec) override {
    const auto value = everywhere(y);
    const auto truth = exact_flight(t, mass_);
    std::vector<double> relative;
    for (std::size_t i = 0; i < unknowns; ++i) relative.push_back(std::abs(value[i] / truth[i] - 1.0));
    Flight at{};
    std::ranges::copy(value, at.begin());
    const auto off = constraint(at, mass_);
    return {{"altitude", value[H]},
            {"speed", value[V]},
            {"bank_angle", value[beta]},
            {"state_error", *std::max_element(relative.begin(), relative.begin() + states)},
            {"control_error", relative[beta]},
            {"g1", off.value},
            {"g2", off.rate},
            {"g3", off.second},
            {"relative_errors", relative},
            {"values", value}};
  }

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override {
    const auto values = exact_flight(t, mass_);
    std::ranges::copy(values, y.begin());
    std::ranges::copy(motion(values, mass_), ydot.begin());
  }
  void evaluate(double, Values y, Values ydot, std::span<double> f) const override {
    evaluate_generic<unknowns>(equations(control_, mass_), y, ydot, f);
  }
  void linearise(double, Values y, Values ydot, Linearisation& at) const override {
    linearise_by_duals<unknowns>(equations(control_, mass_), y, ydot, at);
  }
  /// d/dt of the first derivative, which holds the states only, with the rates given.
  void hidden(double, Values y, Values ydot, std::span<double> f) const override {
    std::array<core::Jet<double>, unknowns> moving;
    for (std::size_t i = 0; i < unknowns; ++i) moving[i] = {y[i], ydot[i]};
    f[beta] = constraint(moving, mass_).rate.rate;
  }
  void solution(double t, std::span<double> y) const override { std::ranges::copy(exact_flight(t, mass_), y.begin()); }

private:
  Kind control_;
  double mass_ = usual_mass;
};

} // namespace

std::unique_ptr<dae::Problem> drag(MPI_Comm comm, const core::Options& options) {
  const std::string form = options.choice("form", "index1", {"index1", "index2", "index3"},
                                          {"the drag profile as it is (index3), differentiated once, or twice"});
  const Kind control = form == "index1" ? Kind::index1 : form == "index2" ? Kind::index2 : Kind::index3;
  return std::make_unique<Drag>(comm, control, options);
}

} // namespace rhumb::problems
