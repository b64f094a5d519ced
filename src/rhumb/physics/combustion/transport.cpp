#include <rhumb/physics/combustion/transport.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/combustion/collision_integrals.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numbers>

namespace rhumb::combustion {

namespace {

constexpr double boltzmann = 1.380649e-23;                 // J/K
constexpr double avogadro = 6.02214076e23;                 // 1/mol
constexpr double vacuum_permittivity = 8.8541878128e-12;   // F/m
constexpr double lowest_fit = 200.0, highest_fit = 4000.0; // K
constexpr int fit_points = 60;
constexpr double lightest_heavy = 5e-3; // kg/mol: H, H2 and He are lighter
using std::numbers::pi;

/// mu^2/(4 pi eps0 eps sigma^3): the square of the reduced dipole moment, as in c.g.s. units.
double reduced_dipole_square(const Molecule& m) {
  return m.dipole * m.dipole / (4.0 * pi * vacuum_permittivity * m.well_depth * boltzmann * std::pow(m.diameter, 3));
}

double viscosity(const Species& s, double T) {
  const Molecule& m = *s.transport;
  const double mass = s.weight / avogadro, delta = 0.5 * reduced_dipole_square(m);
  return 5.0 / 16.0 * std::sqrt(pi * mass * boltzmann * T) /
         (pi * m.diameter * m.diameter * omega22(T / m.well_depth, delta));
}

/// The potential between two molecules. A polar and a nonpolar one attract each other more than the mean of both.
struct PairPotential {
  double well, diameter, delta;
};

PairPotential potential_between(const Molecule& m, const Molecule& n) {
  PairPotential pair{std::sqrt(m.well_depth * n.well_depth), 0.5 * (m.diameter + n.diameter), 0.0};
  if ((m.dipole > 0.0) != (n.dipole > 0.0)) {
    const Molecule &polar = m.dipole > 0.0 ? m : n, &other = m.dipole > 0.0 ? n : m;
    const double xi = 1.0 + 0.25 * other.polarizability / std::pow(other.diameter, 3) * reduced_dipole_square(polar) *
                                std::sqrt(polar.well_depth / other.well_depth);
    pair.well *= xi * xi;
    pair.diameter *= std::pow(xi, -1.0 / 6.0);
  } else if (m.dipole > 0.0) {
    pair.delta = 0.5 * std::sqrt(reduced_dipole_square(m) * reduced_dipole_square(n));
  }
  return pair;
}

/// p D_jk.
double binary_diffusion(const Species& a, const Species& b, double T) {
  const PairPotential pair = potential_between(*a.transport, *b.transport);
  const double reduced = a.weight * b.weight / (a.weight + b.weight) / avogadro;
  return 3.0 / 16.0 * std::sqrt(2.0 * pi * std::pow(boltzmann * T, 3) / reduced) /
         (pi * pair.diameter * pair.diameter * omega11(T / pair.well, pair.delta));
}

/// Over X_k X_j: the thermal diffusion ratio of a pair without the factor of its weights.
double pair_thermal_diffusion(const Species& a, const Species& b, double T) {
  const PairPotential pair = potential_between(*a.transport, *b.transport);
  return thermal_diffusion_factor(collision_ratios(T / pair.well, pair.delta));
}

/// How the relaxation of rotation depends on temperature (Parker 1959), up to a factor.
double parker(double well_over_T) {
  const double root = std::sqrt(well_over_T), p32 = std::pow(pi, 1.5);
  return 1.0 + 0.5 * p32 * root + (pi * pi / 4.0 + 2.0) * well_over_T + p32 * well_over_T * root;
}

/// Translation, rotation and vibration conduct heat with factors of their own (Warnatz 1982).
double conductivity_of_species(const Species& s, double T) {
  const Molecule& m = *s.transport;
  const double eta = viscosity(s, T);
  const double rotation = m.shape == Molecule::Shape::atom ? 0.0 : m.shape == Molecule::Shape::linear ? 1.0 : 1.5;
  const double cv = heat_capacity(s.thermo, T) - 1.0; // over R, as all here
  const double vibration = m.shape == Molecule::Shape::atom ? 0.0 : cv - 1.5 - rotation;
  const double density_diffusion = binary_diffusion(s, s, T) * s.weight / (gas_constant * T); // rho D_kk
  const double ratio = density_diffusion / eta;
  const double relaxation =
      std::max(m.rotational_relaxation, 1.0) * parker(m.well_depth / 298.0) / parker(m.well_depth / T);
  const double A = 2.5 - ratio, B = relaxation + 2.0 / pi * (5.0 / 3.0 * rotation + ratio);
  const double translation_factor = 2.5 * (1.0 - 2.0 / pi * rotation / 1.5 * A / B);
  const double rotation_factor = ratio * (1.0 + 2.0 / pi * A / B);
  return eta / s.weight * gas_constant * (translation_factor * 1.5 + rotation_factor * rotation + ratio * vibration);
}

/// Solves the normal equations of a small least-squares problem by elimination.
std::array<double, Fit::terms> solve(std::array<std::array<double, Fit::terms + 1>, Fit::terms> A) {
  for (std::size_t k = 0; k < Fit::terms; ++k)
    for (std::size_t i = k + 1; i < Fit::terms; ++i) {
      const double factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j <= Fit::terms; ++j) A[i][j] -= factor * A[k][j];
    }
  std::array<double, Fit::terms> x{};
  for (std::size_t k = Fit::terms; k-- > 0;) {
    x[k] = A[k][Fit::terms];
    for (std::size_t j = k + 1; j < Fit::terms; ++j) x[k] -= A[k][j] * x[j];
    x[k] /= A[k][k];
  }
  return x;
}

/// The polynomial nearest to f in relative terms at Chebyshev's points in ln T; `error` grows to the largest deviation.
Fit fit(const std::function<double(double)>& f, double middle, double half, double& error) {
  std::array<std::array<double, Fit::terms + 1>, Fit::terms> A{};
  const auto point = [](int i) { return -std::cos(pi * (i + 0.5) / fit_points); };
  for (int i = 0; i < fit_points; ++i) {
    const double x = point(i), value = f(std::exp(middle + half * x));
    std::array<double, Fit::terms> power{};
    for (std::size_t k = 0; k < Fit::terms; ++k) power[k] = std::pow(x, static_cast<double>(k)) / value;
    for (std::size_t k = 0; k < Fit::terms; ++k) {
      for (std::size_t j = 0; j < Fit::terms; ++j) A[k][j] += power[k] * power[j];
      A[k][Fit::terms] += power[k];
    }
  }
  const Fit found{solve(A)};
  for (int i = 0; i < fit_points; ++i)
    error = std::max(error, std::abs(found.at(point(i)) / f(std::exp(middle + half * point(i))) - 1.0));
  return found;
}

} // namespace

Transport::Transport(const Mechanism& gas) : size_(gas.size()) {
  for (const auto& s : gas.species)
    if (!s.transport)
      throw core::BadInput(fmt::format("{}: species {} has no transport data (`transport`)", gas.file, s.name));
  middle_ = 0.5 * (std::log(highest_fit) + std::log(lowest_fit));
  half_ = 0.5 * (std::log(highest_fit) - std::log(lowest_fit));
  for (std::size_t k = 0; k < size_; ++k) {
    conductivity_.push_back(fit([&](double T) { return conductivity_of_species(gas.species[k], T) / std::sqrt(T); },
                                middle_, half_, fit_error_));
    for (std::size_t j = 0; j < size_; ++j)
      diffusion_.push_back(
          fit([&](double T) { return binary_diffusion(gas.species[k], gas.species[j], T) / std::pow(T, 1.5); }, middle_,
              half_, fit_error_));
  }
}

/// The factor passes through zero, so 1 more of it is fitted.
void Transport::add_thermal_diffusion(const Mechanism& gas) {
  for (std::size_t k = 0; k < size_; ++k) {
    if (gas.species[k].weight > lightest_heavy) continue;
    LightSpecies light{k, {}};
    for (const Species& other : gas.species) {
      const Species& species = gas.species[k];
      Fit pair =
          fit([&](double T) { return 1.0 + pair_thermal_diffusion(species, other, T); }, middle_, half_, fit_error_);
      pair.c[0] -= 1.0;
      for (double& c : pair.c) c *= (species.weight - other.weight) / (species.weight + other.weight);
      light.with.push_back(pair);
    }
    light_.push_back(std::move(light));
  }
}

double Transport::conductivity_of(std::size_t k, double T) const {
  return conductivity_[k].at(variable(T)) * std::sqrt(T);
}

double Transport::diffusion_of(std::size_t j, std::size_t k, double T) const {
  return pair(j, k).at(variable(T)) * std::pow(T, 1.5);
}

} // namespace rhumb::combustion
