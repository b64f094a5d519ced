/// The mesh of a closed vessel: where the nodes are laid at the start and when they are laid anew.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving/initial_mesh.hpp>
#include <rhumb/physics/combustion/vessel_problem.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::combustion {

namespace {
constexpr double least_temperature_range = 300.0; // K: smaller differences do not draw nodes
constexpr double least_fraction_range = 1e-3;
constexpr double axis_share = 0.045; // of the even part of a fixed mesh, to the power g + 1
constexpr int most_iterations = 60;
constexpr double energy_tolerance = 1e-12; // of T; one more step of Newton's is at rounding
constexpr double settled = 1e-9;           // of R
constexpr double hardly_worse = 1.3;
constexpr int buffer = 3; // cells on each side of a steep one that are kept as fine, for what moves

/// The monitor of each cell over its length, for profiles on r that count by their ranges:
///   M^2 = (floor/R)^2 + mean_k (du_k/dr / range_k)^2.
std::vector<double> monitor(const moving::Profile& on, std::span<const double> ranges, double floor) {
  const std::size_t cells = on.x.size() - 1;
  std::vector<double> M(cells);
  for (std::size_t c = 0; c < cells; ++c) {
    const double dr = on.x[c + 1] - on.x[c];
    double sum = 0.0;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const double derivative = (on.u[k][c + 1] - on.u[k][c]) / (dr * ranges[k]);
      sum += derivative * derivative;
    }
    const double least = floor / on.x.back();
    M[c] = std::sqrt(least * least + sum / static_cast<double>(ranges.size()));
  }
  return M;
}

/// Steep cells spread over the buffer, and neighbours made alike.
std::vector<double> smoothed(const std::vector<double>& M, double kappa) {
  std::vector<double> wide(M.size());
  const auto last = static_cast<int>(M.size()) - 1;
  for (int c = 0; c <= last; ++c)
    for (int j = std::max(c - buffer, 0); j <= std::min(c + buffer, last); ++j) wide[c] = std::max(wide[c], M[j]);
  return moving::smooth_concentration(std::move(wide), kappa);
}

/// Radii that give all cells the same share (de Boor's iteration).
std::vector<double> equal_radii(const moving::Profile& from, std::span<const double> ranges, std::size_t cells,
                                const Adaptation& how) {
  moving::Profile on = from;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const auto M = smoothed(monitor(on, ranges, how.floor), how.smooth);
    const auto x = moving::equal_shares(on.x, M, cells);
    double farthest = 0.0;
    for (std::size_t i = 0; i < x.size() && x.size() == on.x.size(); ++i)
      farthest = std::max(farthest, std::abs(x[i] - on.x[i]));
    on = from.on(x);
    if (iteration > 0 && farthest <= settled * x.back()) break;
  }
  return on.x;
}

double range_of(const std::vector<double>& u, double least) {
  const auto [low, high] = std::ranges::minmax_element(u);
  return std::max(*high - *low, least);
}
} // namespace

/// What draws nodes: T, the fractions, and the source as long as it is on.
moving::Profile VesselProblem::drawing(const State& now) const {
  auto all = profile(now);
  if (source_on_) {
    all.u.emplace_back();
    for (const double r : now.r) all.u.back().push_back(std::exp(-std::pow(r / settings_.source.sigma, 2)));
  }
  return all;
}

std::vector<double> VesselProblem::ranges(const moving::Profile& of) const {
  std::vector<double> out{range_of(of.u[0], least_temperature_range)};
  for (std::size_t k = 1; k < of.u.size(); ++k) out.push_back(range_of(of.u[k], least_fraction_range));
  return out;
}

/// With adaptation as the source asks. Else V/V_R = a xi + (1 - a) xi^q (1 + q/2 (1 - xi)) with xi uniform, q = 3 (g +
/// 1): near the axis at equal steps in volume, fine in the middle where the source is, and not too coarse at the wall.
std::vector<double> VesselProblem::first_radii() const {
  if (!settings_.adaptation.active() || settings_.source.energy == 0.0) {
    auto x = moving::uniform_mesh(0.0, 1.0, settings_.cells);
    const double q = 3.0 * (exponent(settings_.shell) + 1), a = std::pow(axis_share, q / 3.0);
    for (double& xi : x) {
      const double share = a * xi + (1.0 - a) * std::pow(xi, q) * (1.0 + 0.5 * q * (1.0 - xi));
      xi = settings_.radius * lowered(settings_.shell, share);
    }
    return x;
  }
  moving::Profile bell;
  bell.x = moving::uniform_mesh(0.0, settings_.radius, 4000); // as good as the function
  bell.u.resize(1);
  for (const double r : bell.x) bell.u[0].push_back(std::exp(-std::pow(r / settings_.source.sigma, 2)));
  return equal_radii(bell, std::vector<double>{1.0}, static_cast<std::size_t>(settings_.cells), settings_.adaptation);
}

double VesselProblem::unevenness(const State& now) const {
  const auto all = drawing(now);
  const auto M = smoothed(monitor(all, ranges(all), settings_.adaptation.floor), settings_.adaptation.smooth);
  double sum = 0.0, largest = 0.0;
  for (std::size_t c = 0; c < M.size(); ++c) {
    const double share = M[c] * (all.x[c + 1] - all.x[c]);
    sum += share;
    largest = std::max(largest, share);
  }
  return largest * static_cast<double>(M.size()) / sum;
}

/// The mean of a quantity over the new nodes' masses, from that over the old ones': its integral over psi is carried
/// over by a monotone curve, so that it is conserved and a quantity that is nowhere negative stays so.
std::vector<double> VesselProblem::carried_over(const std::vector<double>& means, const std::vector<double>& old_psi,
                                                const std::vector<double>& new_psi) const {
  const auto faces = [](const std::vector<double>& psi) {
    std::vector<double> out{psi.front()};
    for (std::size_t i = 1; i < psi.size(); ++i) out.push_back(0.5 * (psi[i - 1] + psi[i]));
    out.push_back(psi.back());
    return out;
  };
  moving::Profile integral;
  integral.x = faces(old_psi);
  integral.u.assign(1, {0.0});
  for (std::size_t i = 0; i < means.size(); ++i)
    integral.u[0].push_back(integral.u[0].back() + means[i] * (integral.x[i + 1] - integral.x[i]));
  const auto to = faces(new_psi);
  std::vector<double> out;
  for (std::size_t i = 0; i + 1 < to.size(); ++i)
    out.push_back((integral.value(0, to[i + 1]) - integral.value(0, to[i])) / (to[i + 1] - to[i]));
  return out;
}

/// New nodes where the profiles ask for them. Mass fractions and internal energy are carried over with their integrals;
/// the most abundant species takes what the others leave, which conserves it too. T, p and r follow. At the wall T is
/// given: what its node would hold beyond that goes to the node beside it.
void VesselProblem::regrid(const State& old, Vec y, Vec ydot) {
  const auto all = drawing(old);
  const auto radii = equal_radii(all, ranges(all), static_cast<std::size_t>(settings_.cells), settings_.adaptation);
  moving::Profile volumes; // psi over the volume inside is smooth at the axis
  for (const double r : old.r) volumes.x.push_back(volume(settings_.shell, r));
  volumes.u = {psi_};
  const auto old_psi = psi_;
  std::vector<double> new_psi;
  for (const double r : radii) new_psi.push_back(volumes.value(0, volume(settings_.shell, r)));
  new_psi.front() = 0.0;
  new_psi.back() = old_psi.back();
  State now;
  now.Y.resize(species());
  std::vector<double> energy;
  for (std::size_t i = 0; i < old.T.size(); ++i) energy.push_back(internal_energy(old.T[i], fractions(old, i)));
  const double shift = *std::ranges::min_element(energy) - 1.0;
  for (double& e : energy) e -= shift;
  energy = carried_over(energy, old_psi, new_psi);
  for (std::size_t k = 0; k < species(); ++k) now.Y[k] = carried_over(old.Y[k], old_psi, new_psi);
  fill_up(now);
  psi_ = new_psi;
  const std::size_t wall = new_psi.size() - 1;
  const double beyond = energy[wall] + shift - internal_energy(settings_.wall_T, fractions(now, wall));
  energy[wall - 1] += beyond * mass_in(psi_, wall) / mass_in(psi_, wall - 1);
  for (std::size_t i = 0; i < wall; ++i)
    now.T.push_back(temperature_of_energy(energy[i] + shift, fractions(now, i), all.value(0, radii[i])));
  now.T.push_back(settings_.wall_T);
  equilibrate(now);
  put(now, y, ydot);
  seen_.regrids += 1.0;
  // A mesh that could not be made even must not keep the event from ever rising again.
  limit_ = std::max(settings_.adaptation.ratio, hardly_worse * unevenness(now));
}

void VesselProblem::fill_up(State& now) const {
  if (species() < 2) return;
  std::size_t most = 0;
  double largest = -1.0;
  for (std::size_t k = 0; k < species(); ++k)
    if (const double least = *std::ranges::min_element(now.Y[k]); least > largest) {
      largest = least;
      most = k;
    }
  for (std::size_t i = 0; i < now.Y[most].size(); ++i) {
    now.Y[most][i] = 1.0;
    for (std::size_t k = 0; k < species(); ++k)
      if (k != most) now.Y[most][i] -= now.Y[k][i];
  }
}

/// Newton's iteration from a near T: polynomials of high degree know other solutions far away.
double VesselProblem::temperature_of_energy(double energy, const std::vector<double>& Y, double near) const {
  double T = near;
  for (int i = 0; i < most_iterations; ++i) {
    const double h = 1e-4 * T, derivative = (internal_energy(T + h, Y) - internal_energy(T - h, Y)) / (2.0 * h);
    const double step = std::clamp((energy - internal_energy(T, Y)) / derivative, -0.3 * T, 0.3 * T);
    T += step;
    if (std::abs(step) <= energy_tolerance * T) return T;
  }
  throw core::SolverGaveUp(
      fmt::format("a new mesh gives a node {:g} J/kg, which no temperature near {:g} K has; more cells (-n) may help",
                  energy, near));
}

/// p and r that belong to T and the fractions, by the quadrature of the scheme: what a start needs.
void VesselProblem::equilibrate(State& now) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < now.T.size(); ++i)
    sum += mass(static_cast<PetscInt>(i)) * specific_volume(now.T[i], fractions(now, i), 1.0);
  now.p = sum / volume(settings_.shell, settings_.radius);
  now.r = radii_of(now);
}

/// r of all nodes by the quadrature of the scheme.
std::vector<double> VesselProblem::radii_of(const State& now) const {
  std::vector<double> r{0.0};
  double inside = 0.0;
  for (std::size_t i = 1; i < now.T.size(); ++i) {
    const double v = 0.5 * (specific_volume(now.T[i - 1], fractions(now, i - 1), now.p) +
                            specific_volume(now.T[i], fractions(now, i), now.p));
    inside += v * (psi_[i] - psi_[i - 1]);
    r.push_back(lowered(settings_.shell, inside * (exponent(settings_.shell) + 1)));
  }
  r.back() = settings_.radius;
  return r;
}

void VesselProblem::put(const State& now, Vec y, Vec ydot) const {
  const core::Writable values(y), rates(ydot);
  const auto first = static_cast<std::size_t>(line_.first());
  for (std::size_t i = 0; i * entries() < values.size(); ++i) {
    double* node = values.begin() + i * entries();
    node[0] = now.T[first + i];
    for (std::size_t k = 0; k < species(); ++k) node[1 + k] = now.Y[k][first + i];
    node[index_of_r()] = now.r[first + i];
    node[index_of_p()] = now.p;
  }
  std::fill(rates.begin(), rates.end(), 0.0);
}

} // namespace rhumb::combustion
