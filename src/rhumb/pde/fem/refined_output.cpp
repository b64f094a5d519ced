#include <rhumb/pde/fem/refined_output.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace rhumb::fem {

namespace {

using Lattice = std::array<int, 3>;

/// The number of the element's node at a place of the lattice, steps of 2 / order from the corner (-1, -1, -1).
class NodeAt {
public:
  NodeAt(const ReferenceCell& cell, const Lagrange& element) : dimension_(static_cast<std::size_t>(cell.dimension)) {
    const double order = element.order();
    for (PetscInt node = 0; node < element.size(); ++node) {
      Lattice lattice_point{};
      for (std::size_t i = 0; i < dimension_; ++i)
        lattice_point[i] = static_cast<int>(std::lround((element.nodes()[node * dimension_ + i] + 1.0) * 0.5 * order));
      lattice_points_.push_back(lattice_point);
    }
  }
  PetscInt operator()(const Lattice& lattice_point) const {
    const auto found = std::find(lattice_points_.begin(), lattice_points_.end(), lattice_point);
    if (found == lattice_points_.end()) throw std::logic_error("an element without a node where its lattice has one");
    return static_cast<PetscInt>(found - lattice_points_.begin());
  }

private:
  std::size_t dimension_;
  std::vector<Lattice> lattice_points_;
};

/// Boxes between neighbouring places.
std::vector<std::vector<PetscInt>> split_box(int d, int n, const NodeAt& node) {
  std::vector<std::vector<PetscInt>> out;
  const int layers = d == 3 ? n : 1;
  for (int k = 0; k < layers; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        std::vector<PetscInt> corners;
        for (int up = 0; up < (d == 3 ? 2 : 1); ++up)
          for (const auto& [a, b] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}})
            corners.push_back(node({i + a, j + b, k + up}));
        out.push_back(std::move(corners));
      }
  return out;
}

double orientation(int d, const std::vector<Lattice>& c) {
  const auto edge = [&](std::size_t to, std::size_t i) { return static_cast<double>(c[to][i] - c[0][i]); };
  if (d == 2) return edge(1, 0) * edge(2, 1) - edge(1, 1) * edge(2, 0);
  return edge(1, 0) * (edge(2, 1) * edge(3, 2) - edge(2, 2) * edge(3, 1)) -
         edge(1, 1) * (edge(2, 0) * edge(3, 2) - edge(2, 2) * edge(3, 0)) +
         edge(1, 2) * (edge(2, 0) * edge(3, 1) - edge(2, 1) * edge(3, 0));
}

/// With sums s_i = x_i + ... + x_d the simplex becomes n >= s_1 >= ... >= s_d >= 0, which Kuhn's simplices fill: paths
/// through a unit box, one step in each direction.
std::vector<std::vector<PetscInt>> split_simplex(int d, int n, const NodeAt& node) {
  const auto inside = [&](const Lattice& s) { return s[0] <= n && s[1] <= s[0] && (d == 2 || s[2] <= s[1]); };
  const auto lattice_point = [&](const Lattice& s) {
    return d == 2 ? Lattice{s[0] - s[1], s[1], 0} : Lattice{s[0] - s[1], s[1] - s[2], s[2]};
  };
  std::vector<std::vector<PetscInt>> out;
  for (int s2 = 0; s2 < (d == 3 ? n : 1); ++s2)
    for (int s1 = 0; s1 < n; ++s1)
      for (int s0 = 0; s0 < n; ++s0) {
        std::array<int, 3> path{0, 1, 2};
        do {
          Lattice s{s0, s1, s2};
          std::vector<Lattice> corners{s};
          for (int step = 0; step < d; ++step) {
            ++s[path[step]];
            corners.push_back(s);
          }
          if (!std::all_of(corners.begin(), corners.end(), inside)) continue;
          for (auto& corner : corners) corner = lattice_point(corner);
          if (orientation(d, corners) < 0.0) std::swap(corners[0], corners[1]);
          std::vector<PetscInt> corner_nodes;
          for (const auto& corner : corners) corner_nodes.push_back(node(corner));
          out.push_back(std::move(corner_nodes));
        } while (std::next_permutation(path.begin(), path.begin() + d));
      }
  return out;
}

} // namespace

std::vector<std::vector<PetscInt>> split_cell(const ReferenceCell& cell, const Lagrange& element) {
  const NodeAt node(cell, element);
  return cell.simplex ? split_simplex(cell.dimension, element.order(), node)
                      : split_box(cell.dimension, element.order(), node);
}

namespace {
int highest_order(const Space& space) {
  int order = 1;
  for (int c = 0; c < space.components(); ++c) order = std::max(order, space.element(c).order());
  return order;
}
} // namespace

RefinedOutput::RefinedOutput(const Space& space)
    : space_(space), nodes_(space.mesh(), {highest_order(space)}), subcells_(split_cell(space.cell(), element())) {}

/// Each own node is a row of the whole.
grid::Block<double> RefinedOutput::owned_rows(const double* local) const {
  grid::Block<double> out;
  const core::VecHandle all = nodes_.create_vector();
  PetscInt global = 0;
  core::check(VecGetSize(all, &global));
  out.global = {static_cast<std::uint64_t>(global)};
  for (PetscInt owned = 0; owned < nodes_.owned_count(); ++owned) {
    out.rows.push_back(static_cast<std::uint64_t>(nodes_.natural(nodes_.local(owned))));
    if (local) out.values.push_back(local[nodes_.local(owned)]);
  }
  return out;
}

grid::Mesh RefinedOutput::mesh() const {
  const auto d = static_cast<std::size_t>(space_.mesh().dimension());
  grid::Mesh out;
  out.kind = grid::Mesh::Kind::unstructured;
  out.point_unit = std::string("m"); // as of a box
  out.points = owned_rows(nullptr);
  out.points.global.push_back(d);
  for (PetscInt owned = 0; owned < nodes_.owned_count(); ++owned)
    for (std::size_t i = 0; i < d; ++i) out.points.values.push_back(nodes_.position(nodes_.local(owned))[i]);
  const auto parts = static_cast<std::uint64_t>(subcells_.size());
  const auto& whole = space_.mesh().stratum(space_.mesh().dimension());
  grid::CellBlock cells{space_.mesh().shape(), {}};
  cells.nodes.global = {static_cast<std::uint64_t>(whole.count) * parts, subcells_.front().size()};
  for (PetscInt cell = 0; cell < space_.mesh().cells(); ++cell) {
    const auto first = static_cast<std::uint64_t>(space_.mesh().original(cell) - whole.first) * parts;
    for (std::uint64_t part = 0; part < parts; ++part) {
      cells.nodes.rows.push_back(first + part);
      for (const PetscInt node : subcells_[part])
        cells.nodes.values.push_back(nodes_.natural(nodes_.closure(cell)[node]));
    }
  }
  out.cells.push_back(std::move(cells));
  return out;
}

grid::FieldBlock RefinedOutput::field(const dae::Field& about, int component, const double* local) const {
  const Tabulation table = space_.element(component).at(element().nodes());
  const auto functions = table.functions;
  std::vector<double> at_nodes(nodes_.local_count());
  for (PetscInt cell = 0; cell < space_.mesh().cells(); ++cell) {
    const PetscInt* unknowns = space_.closure(cell) + space_.offset(component);
    for (PetscInt node = 0; node < element().size(); ++node) {
      double sum = 0.0;
      for (PetscInt b = 0; b < functions; ++b) sum += table.values[node * functions + b] * local[unknowns[b]];
      at_nodes[nodes_.closure(cell)[node]] = sum;
    }
  }
  return {about.name, about.unit, about.long_name, grid::Location::point, 1, owned_rows(at_nodes.data())};
}

grid::FieldBlock RefinedOutput::mean_field(const dae::Field& about, const std::vector<double>& at_nodes,
                                           const std::vector<double>& weights) const {
  const core::VecHandle sums = nodes_.create_local(), shares = nodes_.create_local(), all = nodes_.create_vector();
  {
    const core::Writable sum(sums), share(shares);
    for (PetscInt cell = 0; cell < space_.mesh().cells(); ++cell)
      for (PetscInt node = 0; node < element().size(); ++node) {
        const std::size_t lattice_point = nodes_.closure(cell)[node];
        sum[lattice_point] += weights[cell] * at_nodes[cell * element().size() + node];
        share[lattice_point] += weights[cell];
      }
  }
  for (const auto& local : {sums.get(), shares.get()}) {
    nodes_.sum_up(local, all);
    nodes_.to_local(all, local);
  }
  const core::Writable sum(sums);
  const core::Readable share(shares);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] /= share[i];
  return {about.name, about.unit, about.long_name, grid::Location::point, 1, owned_rows(sum.begin())};
}

} // namespace rhumb::fem
