/// Mechanisms by -case: squeezer, crank, damped_crank, pendulum, chain (-links), or a YAML file of bodies and joints in the plane; in
/// the forms of rhumb/physics/mechanics by -form.

#include "mechanism/crank.hpp"
#include "mechanism/damped_crank.hpp"
#include "mechanism/pendulum.hpp"
#include "mechanism/plane_case.hpp"
#include "mechanism/squeezer.hpp"
#include "problems.hpp"
#include <rhumb/physics/mechanics/mechanism.hpp>
#include <cmath>
#include <numbers>

namespace rhumb::problems {
namespace {

using mechanics::Assembly;
using mechanics::part;

/// Numbers of a kernel that are parameters, kept alive by the functions that set them.
class Numbers {
public:
  explicit Numbers(std::size_t count) : values_(std::make_shared<std::vector<double>>(count)) {}

  const double* add(Assembly& to, const std::string& name, const std::string& unit, double value) {
    double& kept = (*values_)[next_++];
    kept = value;
    to.parameters.emplace_back(dae::Parameter{.name = name, .unit = unit, .value = value},
                               [keep = values_, &kept](double changed) { kept = changed; });
    return &kept;
  }

private:
  std::shared_ptr<std::vector<double>> values_;
  std::size_t next_ = 0;
};

Assembly squeezer() {
  Assembly out;
  out.name = "squeezer";
  Numbers numbers(3);
  const double* torque = numbers.add(out, "torque", "N m", 33e-3);
  const double* stiffness = numbers.add(out, "stiffness", "N/m", 4530.0);
  out.parts.push_back(
      part(SqueezerKernel{torque, stiffness, numbers.add(out, "spring_length", "m", 7785e-5)}, {0, 1, 2, 3, 4, 5, 6}));
  out.coordinates = {{"beta", "rad"},  {"Theta", "rad"}, {"gamma", "rad"},  {"Phi", "rad"},
                     {"delta", "rad"}, {"Omega", "rad"}, {"epsilon", "rad"}};
  out.q = {-0.0617138900142764496, 0.0,
           0.455279819163070380,   0.222668390165885885,
           0.487364979543842550,   -0.222668390165885885,
           1.23054744454982119};
  out.v.assign(7, 0.0);
  out.t_end = 0.03;
  out.tolerances = {.rtol = 1e-8, .atol = 1e-8};
  out.reference = {0.03,
                   {{"beta", 15.81077119629904},
                    {"Theta", -15.75637105984298},
                    {"gamma", 0.04082224013073101},
                    {"Phi", -0.5347301163226948},
                    {"delta", 0.5244099658805304},
                    {"Omega", 0.5347301163226948},
                    {"epsilon", 1.048080741042263}}};
  return out;
}

Assembly crank() {
  Assembly out;
  out.name = "crank";
  Numbers numbers(1);
  out.parts.push_back(part(CrankKernel{numbers.add(out, "turning_rate", "rad/s", 150.0)}, {0, 1, 2, 3, 4, 5, 6}));
  out.coordinates = {{"phi1", "rad"}, {"phi2", "rad"}, {"x3", "m"}, {"q1", "m"}, {"q2", "m"}, {"q3", "m"}, {"q4", "m"}};
  out.q = {0.0, 0.0, 0.450016933, 0.0, 0.0, 0.103339863e-4, 0.169327969e-4};
  out.v = {150.0, -74.9957670, -0.268938672e-5, 0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5};
  out.t_end = 0.1;
  out.tolerances = {.rtol = 1e-8, .atol = 1e-8};
  out.reference = {0.1,
                   {{"q1", 1.893192899613509e-4},
                    {"lambda_1", -62.32935833287916},
                    {"lambda_2", -163.7920993367306},
                    {"lambda_3", 25.29857947066878}}};
  return out;
}

Assembly damped_crank() {
  Assembly out;
  out.name = "damped_crank";
  Numbers numbers(2);
  const double* stiffness = numbers.add(out, "stiffness", "N/m", 1.0);
  out.parts.push_back(part(DampedCrankKernel{stiffness, numbers.add(out, "damping", "N s/m", 1.0)}, {0, 1, 2}));
  out.coordinates = {{"crank", "rad"}, {"slider", "m"}, {"rod", "rad"}};
  const double rod = std::asin(-DampedCrankKernel::a); // the crank stands upright
  out.q = {std::numbers::pi / 2.0, std::cos(rod), rod};
  out.v.assign(3, 0.0);
  out.t_end = 10.0;
  out.tolerances = {.rtol = 1e-6, .atol = 1e-7};
  return out;
}

Assembly pendulum_case() {
  Assembly out;
  out.name = "pendulum";
  Numbers numbers(1);
  out.parts.push_back(part(PendulumKernel{numbers.add(out, "gravity", "", -1.0)}, {0, 1}));
  out.coordinates = {{"z1"}, {"z2"}};
  out.q = {1.0, 0.0};
  out.v = {0.0, 1.0};
  out.reference = {
      1.0, {{"z1", 0.1349949261277573779}, {"z2", 0.99084628975424908155}, {"lambda_1", 3.9725388692627472446}}};
  return out;
}

Assembly chosen(const core::Options& options) {
  const std::string name = options.string(
      "case", "squeezer", {"squeezer, crank, damped_crank, pendulum, chain, or a YAML file of bodies and joints"});
  if (name == "squeezer") return squeezer();
  if (name == "crank") return crank();
  if (name == "damped_crank") return damped_crank();
  if (name == "pendulum") return pendulum_case();
  if (name == "chain")
    return plane::chain(static_cast<std::size_t>(
        options.integer("links", 20, {"links of the chain"}, core::Range::between(1, 100000))));
  return plane::read_plane_mechanism(name);
}

} // namespace

std::unique_ptr<dae::Problem> mechanism(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<mechanics::Mechanism>(comm, chosen(options), options);
}

} // namespace rhumb::problems
