#pragma once
/// The mesh that a run starts with: the monitor of the initial values, equidistributed.

#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving/mesh_equation.hpp>
#include <rhumb/pde/moving/profile.hpp>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace rhumb::moving {

/// de Boor's iteration ends when no node moves by more than this part of the domain.
inline constexpr double mesh_settled = 1e-12;
inline constexpr int most_mesh_iterations = 200;

/// Integral of x^m over the volume of node i, which ends half way to its neighbours.
inline double volume_at(const std::vector<double>& x, std::size_t i, int m) {
  const double from = i == 0 ? x[i] : 0.5 * (x[i - 1] + x[i]), to = i + 1 == x.size() ? x[i] : 0.5 * (x[i] + x[i + 1]);
  return volume(from, to, m);
}

/// y for a solution u(x) on the nodes x: u, and with the mesh x, and with a floor its integral, or contents.
template <class Pde, class Solution>
std::vector<double> values_on(const Pde& pde, const Solution& u, const std::vector<double>& x, Unknowns unknowns,
                              const MeshRule& rule, double t) {
  constexpr int n = Pde::components;
  const auto F = static_cast<std::size_t>(entries(n, unknowns));
  std::vector<double> y(x.size() * F, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto values = u(x[i]);
    std::copy(values.begin(), values.end(), y.begin() + static_cast<std::ptrdiff_t>(i * F));
    if (unknowns != Unknowns::solution) y[i * F + n] = x[i];
    if (unknowns == Unknowns::with_contents)
      for (std::size_t k = 0; k < values.size(); ++k)
        y[i * F + n + 1 + k] = volume_at(x, i, rule.symmetry) / rule.mean_volume() * values[k];
  }
  if (unknowns != Unknowns::with_floor) return y;
  const std::vector<double> zero(y.size(), 0.0);
  const WindowPatch patch{y.data(), zero.data(), x.data(), static_cast<PetscInt>(x.size()) - 1};
  const auto make = [&](PetscInt index, int) { return std::pair(patch.y[index], 0.0); };
  for (std::size_t i = 1; i < x.size(); ++i) {
    const auto w = load<double, n, 2, Unknowns::with_floor>(patch, static_cast<PetscInt>(i), make);
    y[i * F + n + 1] = y[(i - 1) * F + n + 1] + density(pde, w, -1, t, rule.monitor) * (x[i] - x[i - 1]);
  }
  const double whole = y[(x.size() - 1) * F + n + 1];
  for (std::size_t i = 0; i < x.size(); ++i) y[i * F + n + 2] = whole;
  return y;
}

template <class Pde>
std::vector<double> initial_node_values(const Pde& pde, const std::vector<double>& x, Unknowns unknowns,
                                        const MeshRule& rule) {
  return values_on(
      pde, [&](double x_of_node) { return pde.initial(x_of_node); }, x, unknowns, rule, 0.0);
}

/// Solves (1 - kappa (kappa + 1) d^2) n = M with n_{-1} = n_0 and n_N = n_{N-1}: the concentrations that dorfi wants.
std::vector<double> smooth_concentration(std::vector<double> M, double kappa);

/// The monitor of each cell for a solution on x, smoothed as the mesh equation sees it.
template <class Pde, class Solution>
std::vector<double> monitor_on(const Pde& pde, const Solution& u, const std::vector<double>& x, const MeshRule& rule,
                               double t) {
  constexpr int n = Pde::components, W = widest_window;
  const auto y = values_on(pde, u, x, Unknowns::with_floor, rule, t);
  const std::vector<double> zero(y.size(), 0.0);
  const WindowPatch patch{y.data(), zero.data(), x.data(), static_cast<PetscInt>(x.size()) - 1};
  const auto make = [&](PetscInt index, int) { return std::pair(patch.y[index], 0.0); };
  std::vector<double> M;
  for (PetscInt i = 1; i <= patch.last; ++i) {
    const auto w = load<double, n, W, Unknowns::with_floor>(patch, i, make);
    M.push_back(rule.equation == Equation::dorfi ? cell_monitor(pde, w, -1, t, rule.monitor, rule.length)
                                                 : smooth_monitors(pde, w, t, rule.monitor, rule.length)[0]);
    if (!(M.back() > 0.0) || !std::isfinite(M.back()))
      throw core::BadInput(fmt::format("the monitor is {:g} at x = {:g}: it must be positive", M.back(),
                                       0.5 * (x[static_cast<std::size_t>(i) - 1] + x[i])));
  }
  return rule.equation == Equation::dorfi ? smooth_concentration(std::move(M), rule.kappa) : M;
}

/// Nodes that equidistribute the monitor of u(x) between `lower` and `upper`.
template <class Pde, class Solution>
std::vector<double> equidistributed(const Pde& pde, const Solution& u, std::vector<double> x, const MeshRule& rule,
                                    double t) {
  for (int iteration = 0; iteration < most_mesh_iterations; ++iteration) {
    const auto moved = equal_shares(x, monitor_on(pde, u, x, rule, t), x.size() - 1);
    double farthest = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) farthest = std::max(farthest, std::abs(moved[i] - x[i]));
    x = moved;
    if (farthest <= mesh_settled * rule.length) break;
  }
  return x;
}

std::vector<double> uniform_mesh(double lower, double upper, PetscInt cells);

/// How much each component varies at the start; where it does not, how large it is, or one.
template <class Pde>
std::vector<double> sizes_at_start(const Pde& pde, const Description& about) {
  constexpr PetscInt looks = 1000;
  constexpr double flat = 1e-6;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> lowest(Pde::components, infinity), highest(Pde::components, -infinity), sizes;
  for (const double x : uniform_mesh(about.lower, about.upper, looks)) {
    const auto u = pde.initial(x);
    for (std::size_t k = 0; k < u.size(); ++k) {
      lowest[k] = std::min(lowest[k], u[k]);
      highest[k] = std::max(highest[k], u[k]);
    }
  }
  for (std::size_t k = 0; k < lowest.size(); ++k) {
    const double largest = std::max(std::abs(lowest[k]), std::abs(highest[k])), range = highest[k] - lowest[k];
    const double size = range > flat * largest ? range : largest;
    sizes.push_back(size > 0.0 && std::isfinite(size) ? size : 1.0);
  }
  return sizes;
}

template <class Pde>
std::vector<double> initial_mesh(const Pde& pde, const Description& about, const MeshRule& rule) {
  auto x = uniform_mesh(about.lower, about.upper, rule.cells);
  if (rule.equation == Equation::fixed) return x;
  try {
    return equidistributed(
        pde, [&](double x_of_node) { return pde.initial(x_of_node); }, std::move(x), rule, 0.0);
  } catch (const core::Recoverable& failure) {
    throw core::BadInput(fmt::format("{}: no mesh for the initial values: {}", about.name, failure.what()));
  }
}

} // namespace rhumb::moving
