#include <rhumb/physics/combustion/collision_integrals.hpp>

#include <array>
#include <cmath>

namespace rhumb::combustion {

namespace {

/// Omega11 = power T^-exponent + sum factor e^(-rate T) + dipoles delta^2/T.
constexpr double power = 1.06036, exponent = 0.15610, dipoles = 0.19;
struct Term {
  double factor, rate;
};
constexpr std::array terms{Term{0.19300, 0.47635}, Term{1.03587, 1.52996}, Term{1.76474, 3.89411}};

/// Omega11 with T dOmega/dT and T^2 d2Omega/dT2.
struct Derivatives {
  double value, first, second;
};

Derivatives omega11_derivatives(double T, double delta) {
  const double hyperbola = power * std::pow(T, -exponent), polar = dipoles * delta * delta / T;
  Derivatives all{hyperbola + polar, -exponent * hyperbola - polar,
                  exponent * (exponent + 1.0) * hyperbola + 2.0 * polar};
  for (const Term& term : terms) {
    const double part = term.factor * std::exp(-term.rate * T), x = term.rate * T;
    all.value += part;
    all.first -= x * part;
    all.second += x * x * part;
  }
  return all;
}

} // namespace

double omega11(double T, double delta) {
  return omega11_derivatives(T, delta).value;
}

double omega22(double T, double delta) {
  return 1.16145 * std::pow(T, -0.14874) + 0.52487 * std::exp(-0.77320 * T) + 2.16178 * std::exp(-2.43787 * T) +
         0.2 * delta * delta / T;
}

CollisionRatios collision_ratios(double T, double delta) {
  const auto [value, first, second] = omega11_derivatives(T, delta);
  const double omega12 = value + first / 3.0;
  const double omega13 = omega12 + (first + (first + second) / 3.0) / 4.0;
  return {omega22(T, delta) / value, (5.0 * omega12 - 4.0 * omega13) / value, omega12 / value};
}

double thermal_diffusion_factor(const CollisionRatios& ratios) {
  const auto& [A, B, C] = ratios;
  return 7.5 * (2.0 * A + 5.0) * (6.0 * C - 5.0) / (A * (16.0 * A - 12.0 * B + 55.0));
}

} // namespace rhumb::combustion
