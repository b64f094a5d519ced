#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving_box/box_problem.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

/// The mesh equation, the smoothing of the monitor, and what a folded mesh is.

namespace rhumb::moving_box {

using core::check;

namespace {
/// A simplex with less than this part of its volume in the uniform mesh counts as folded.
constexpr double least_volume = 1e-12;
} // namespace

double BoxProblem::pull() const {
  return simplices_.length() * simplices_.length() / settings_.tau;
}

void BoxProblem::add_mesh_rows(std::vector<double>& sums) const {
  const int w = monitor_index();
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
    const PetscInt node = simplices_.owned(i);
    const double owned = values_[entry(node, w)];
    for (int d = 0; d < dimension(); ++d) {
      const std::size_t row = entry(node, coordinate(d));
      if (simplices_.is_bound(i, d)) {
        for (int by = 0; by < dimension(); ++by)
          sums[row] += simplices_.binding(i, d, by) * (position(node, by) - simplices_.reference(node, by));
        continue;
      }
      sums[row] = rates_[row];
      for (const auto& l : simplices_.pulls(i)) {
        const double mean = 0.5 * (1.0 + values_[entry(l.node, w)] / owned);
        sums[row] -= pull() * l.factor * mean * (values_[entry(l.node, coordinate(d))] - values_[row]);
      }
    }
    sums[entry(node, w)] += owned;
    for (const auto& l : simplices_.smoothed(i))
      sums[entry(node, w)] += settings_.monitor.smoothing * l.factor * (owned - values_[entry(l.node, w)]);
  }
}

void BoxProblem::add_mesh_jacobian(double alpha, Mat jacobian) const {
  const int w = monitor_index();
  const auto add = [&](PetscInt node, int unknown, PetscInt of, int by, double derivative) {
    const PetscInt row = simplices_.global(node) * unknowns() + unknown,
                   column = simplices_.global(of) * unknowns() + by;
    check(MatSetValues(jacobian, 1, &row, 1, &column, &derivative, ADD_VALUES));
  };
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
    const PetscInt node = simplices_.owned(i);
    const double owned = values_[entry(node, w)];
    for (int d = 0; d < dimension(); ++d) {
      const int x = coordinate(d);
      if (simplices_.is_bound(i, d)) {
        for (int by = 0; by < dimension(); ++by) add(node, x, node, coordinate(by), simplices_.binding(i, d, by));
        continue;
      }
      add(node, x, node, x, alpha);
      for (const auto& l : simplices_.pulls(i)) {
        const double other = values_[entry(l.node, w)], factor = pull() * l.factor, mean = 0.5 * (1.0 + other / owned);
        const double difference = values_[entry(l.node, x)] - values_[entry(node, x)];
        add(node, x, node, x, factor * mean);
        add(node, x, l.node, x, -factor * mean);
        add(node, x, l.node, w, -0.5 * factor * difference / owned);
        add(node, x, node, w, 0.5 * factor * difference * other / (owned * owned));
      }
    }
    add(node, w, node, w, 1.0);
    for (const auto& l : simplices_.smoothed(i)) {
      add(node, w, node, w, settings_.monitor.smoothing * l.factor);
      add(node, w, l.node, w, -settings_.monitor.smoothing * l.factor);
    }
  }
}

Corners BoxProblem::positions(PetscInt element) const {
  Corners x{};
  for (int a = 0; a < simplices_.vertices(); ++a)
    for (int d = 0; d < dimension(); ++d) x[a][d] = position(simplices_.corners(element)[a], d);
  return x;
}

Corners BoxProblem::reference_positions(PetscInt element) const {
  Corners x{};
  for (int a = 0; a < simplices_.vertices(); ++a)
    for (int d = 0; d < dimension(); ++d) x[a][d] = simplices_.reference(simplices_.corners(element)[a], d);
  return x;
}

std::vector<double> BoxProblem::relative_volumes() const {
  std::vector<double> volumes(static_cast<std::size_t>(simplices_.nodes()), 0.0);
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    const double part = volume_of(positions(e), dimension()) / (simplices_.vertices() * simplices_.cell_volume());
    for (int a = 0; a < simplices_.vertices(); ++a) volumes[simplices_.corners(e)[a]] += part;
  }
  return volumes;
}

void BoxProblem::set_contents(Vec y) {
  load(y, nullptr);
  const auto volumes = relative_volumes();
  const core::Writable out(y);
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
    const PetscInt node = simplices_.owned(i);
    for (int c = 0; c < components(); ++c) out[i * unknowns() + content(c)] = volumes[node] * values_[entry(node, c)];
  }
}

void BoxProblem::reject_folded(double t) const {
  if (!moves()) return;
  const double whole = simplices_.cell_volume() / (dimension() == 2 ? 2.0 : 6.0);
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    const Corners x = positions(e);
    const double volume = volume_of(x, dimension());
    if (volume > least_volume * whole) continue;
    const auto& at = x[0];
    throw core::Recoverable(fmt::format("the mesh folds: a cell at ({:.4g}) has the volume {:.3g} at t = {:g}",
                                        fmt::join(at.begin(), at.begin() + dimension(), ", "), volume, t));
  }
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i)
    if (const PetscInt node = simplices_.owned(i); !(values_[entry(node, monitor_index())] > 0.0))
      throw core::Recoverable(fmt::format("the mesh's monitor is not positive at ({:.4g}, {:.4g}) at t = {:g}",
                                          position(node, 0), position(node, 1), t));
}

} // namespace rhumb::moving_box
