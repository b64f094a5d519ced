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

/// A neighbour along a line of the grid and what its difference is multiplied with.
struct Link {
  PetscInt node;
  double factor;
};

/// body(Link) for the neighbours that pull at a point: along the sides only where it lies on one.
template <class Body>
void for_each_pull(const Simplices& s, PetscInt node, double tau, Body&& body) {
  const double size = s.length();
  for (int d = 0; d < s.dimension(); ++d) {
    if ((s.sides(node) >> (2 * d) & 3U) != 0) continue;
    const double h = s.shape().spacing(d), factor = size * size / (tau * h * h);
    for (const int step : {-1, 1}) body(Link{s.neighbour(node, d, step), factor});
  }
}

/// The same for the smoothing of the monitor; beyond a side stands the mirrored point.
template <class Body>
void for_each_smoothed(const Simplices& s, PetscInt node, double smoothing, Body&& body) {
  for (int d = 0; d < s.dimension(); ++d)
    for (const int step : {-1, 1}) {
      const PetscInt beyond = s.neighbour(node, d, step);
      body(Link{beyond >= 0 ? beyond : s.neighbour(node, d, -step), smoothing});
    }
}
} // namespace

void BoxProblem::add_mesh_rows(std::vector<double>& sums) const {
  const int w = monitor_index();
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
    const PetscInt node = simplices_.owned(i);
    const double owned = values_[entry(node, w)];
    for (int d = 0; d < dimension(); ++d) {
      const std::size_t row = entry(node, coordinate(d));
      if ((simplices_.sides(node) >> (2 * d) & 3U) != 0) {
        sums[row] = values_[row] - simplices_.reference(node, d);
        continue;
      }
      sums[row] = rates_[row];
      for_each_pull(simplices_, node, settings_.tau, [&](const Link& l) {
        const double mean = 0.5 * (1.0 + values_[entry(l.node, w)] / owned);
        sums[row] -= l.factor * mean * (values_[entry(l.node, coordinate(d))] - values_[row]);
      });
    }
    sums[entry(node, w)] += owned;
    for_each_smoothed(simplices_, node, settings_.monitor.smoothing,
                      [&](const Link& l) { sums[entry(node, w)] += l.factor * (owned - values_[entry(l.node, w)]); });
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
      const bool fixed = (simplices_.sides(node) >> (2 * d) & 3U) != 0;
      add(node, x, node, x, fixed ? 1.0 : alpha);
      if (fixed) continue;
      for_each_pull(simplices_, node, settings_.tau, [&](const Link& l) {
        const double other = values_[entry(l.node, w)], mean = 0.5 * (1.0 + other / owned);
        const double difference = values_[entry(l.node, x)] - values_[entry(node, x)];
        add(node, x, node, x, l.factor * mean);
        add(node, x, l.node, x, -l.factor * mean);
        add(node, x, l.node, w, -0.5 * l.factor * difference / owned);
        add(node, x, node, w, 0.5 * l.factor * difference * other / (owned * owned));
      });
    }
    add(node, w, node, w, 1.0);
    for_each_smoothed(simplices_, node, settings_.monitor.smoothing, [&](const Link& l) {
      add(node, w, node, w, l.factor);
      add(node, w, l.node, w, -l.factor);
    });
  }
}

Corners BoxProblem::positions(PetscInt element) const {
  Corners x{};
  for (int a = 0; a < simplices_.vertices(); ++a)
    for (int d = 0; d < dimension(); ++d) x[a][d] = position(simplices_.corners(element)[a], d);
  return x;
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
