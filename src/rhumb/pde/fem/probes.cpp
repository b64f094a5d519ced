#include <rhumb/pde/fem/probes.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/fem/small_matrix.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::fem {

namespace {

/// How far beyond the reference cell (of width 2) a place may lie and still count as in it: places on edges and on
/// boundaries are given with the digits of a case file.
constexpr double edge_tolerance = 1e-6;
/// Newton's method on the cell's map is exact at once on straight simplices, quadratic elsewhere.
constexpr int most_iterations = 30;
constexpr double converged = 1e-13, good_enough = 1e-9;
/// By how much of its width a curved cell may bulge beyond its nodes.
constexpr double bulge = 0.5;

/// How far a point lies outside the reference cell; not positive inside.
double excess_of(const std::vector<double>& xi, const ReferenceCell& cell) {
  double most = -1.0, sum = 0.0;
  for (const double component : xi) {
    most = std::max(most, cell.simplex ? -1.0 - component : std::abs(component) - 1.0);
    sum += component + 1.0;
  }
  return cell.simplex ? std::max(most, sum - 2.0) : most;
}

} // namespace

Probes::Probes(const Space& space, const std::vector<Position>& positions, const std::string& option) : space_(space) {
  const MPI_Comm comm = space.mesh().comm();
  const int here = core::rank_of(comm), nowhere = core::size_of(comm);
  std::vector<int> owner;
  for (const auto& position : positions) {
    hits_.push_back(find(position));
    owner.push_back(hits_.back().cell >= 0 ? here : nowhere);
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, owner.data(), static_cast<int>(owner.size()), MPI_INT, MPI_MIN, comm));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto& x = positions[i];
    if (owner[i] == nowhere)
      throw core::BadInput(fmt::format("-{}: point {}, ({:g}, {:g}{}), is outside the mesh {}", option, i + 1, x[0],
                                       x[1], space.mesh().dimension() == 3 ? fmt::format(", {:g}", x[2]) : "",
                                       space.mesh().file()));
    ProbeHit& held = hits_[i];
    if (owner[i] != here) held.cell = -1;
    if (held.cell >= 0) find_weights(held);
  }
}

void Probes::find_weights(ProbeHit& hit) const {
  const auto d = static_cast<std::size_t>(space_.mesh().dimension());
  const auto J = space_.maps().jacobian(hit.cell, space_.maps().at(hit.reference), 0);
  const auto back = inverse(J, d, determinant(J, d));
  for (int c = 0; c < space_.components(); ++c) {
    const Tabulation table = space_.element(c).at(hit.reference);
    const auto functions = static_cast<std::size_t>(table.functions);
    auto& slopes = hit.slopes.emplace_back(d * functions);
    for (std::size_t b = 0; b < functions; ++b)
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t k = 0; k < d; ++k) slopes[i * functions + b] += table.gradients[b * d + k] * back[k * d + i];
    hit.weights.push_back(table.values);
  }
}

double Probes::at(std::size_t probe, int component, int a, const double* local) const {
  const ProbeHit& hit = hits_[probe];
  const PetscInt* unknowns = space_.closure(hit.cell) + space_.offset(component);
  const std::size_t functions = hit.weights[component].size();
  const double* weights = a == 0 ? hit.weights[component].data()
                                 : hit.slopes[component].data() + static_cast<std::size_t>(a - 1) * functions;
  double sum = 0.0;
  for (std::size_t b = 0; b < functions; ++b) sum += weights[b] * local[unknowns[b]];
  return sum;
}

/// Among the rank's cells that claim the place, the one that it lies deepest in.
Probes::ProbeHit Probes::find(const Position& position) const {
  const auto d = static_cast<std::size_t>(space_.mesh().dimension());
  ProbeHit best;
  for (PetscInt cell = 0; cell < space_.mesh().cells(); ++cell) {
    const auto [lower, upper] = space_.maps().bounds(cell);
    bool near = true;
    double width = 0.0;
    for (std::size_t i = 0; i < d; ++i) width = std::max(width, upper[i] - lower[i]);
    const double margin = width * (space_.mesh().order() > 1 ? bulge : edge_tolerance);
    for (std::size_t i = 0; i < d; ++i)
      near = near && position[i] >= lower[i] - margin && position[i] <= upper[i] + margin;
    if (!near) continue;
    ProbeHit found = inside(cell, position);
    if (found.cell >= 0 && (best.cell < 0 || found.excess < best.excess)) best = std::move(found);
  }
  return best;
}

Probes::ProbeHit Probes::inside(PetscInt cell, const Position& position) const {
  const ReferenceCell reference = space_.cell();
  const auto d = static_cast<std::size_t>(reference.dimension);
  std::vector<double> xi(d, reference.simplex ? -1.0 + 2.0 / static_cast<double>(d + 1) : 0.0);
  double step = 0.0;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const auto map = space_.maps().at(xi);
    const Position x = space_.maps().position(cell, map, 0);
    const auto J = space_.maps().jacobian(cell, map, 0);
    const double det = determinant(J, d);
    if (!(std::abs(det) > 0.0)) return {};
    const auto back = inverse(J, d, det);
    step = 0.0;
    for (std::size_t k = 0; k < d; ++k) {
      double change = 0.0;
      for (std::size_t i = 0; i < d; ++i) change += back[k * d + i] * (position[i] - x[i]);
      xi[k] += change;
      step = std::max(step, std::abs(change));
    }
    if (step < converged || !std::isfinite(step)) break;
  }
  const double excess = excess_of(xi, reference);
  if (!(step < good_enough) || excess > edge_tolerance) return {};
  return {.cell = cell, .reference = std::move(xi), .excess = excess};
}

std::vector<double> Probes::values(int component, const double* local) const {
  std::vector<double> out(hits_.size(), 0.0);
  for (std::size_t i = 0; i < hits_.size(); ++i) {
    if (hits_[i].cell < 0) continue;
    const PetscInt* unknowns = space_.closure(hits_[i].cell) + space_.offset(component);
    const auto& weights = hits_[i].weights[component];
    for (std::size_t b = 0; b < weights.size(); ++b) out[i] += weights[b] * local[unknowns[b]];
  }
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, out.data(), static_cast<int>(out.size()), MPI_DOUBLE, MPI_SUM, space_.mesh().comm()));
  return out;
}

} // namespace rhumb::fem
