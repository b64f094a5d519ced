#include <rhumb/core/check.hpp>
#include <rhumb/pde/moving_box/simplices.hpp>
#include <algorithm>
#include <petscdmda.h>

/// A box cut into simplices.

namespace rhumb::moving_box {

using core::check;

namespace {
core::DmHandle create_dm(MPI_Comm comm, const grid::BoxShape& shape, int unknowns) {
  core::DmHandle dm;
  const int neighbours = shape.dimension() == 2 ? 9 : 27;
  shape.check_memory_demand(comm, unknowns, neighbours * unknowns);
  constexpr auto none = DM_BOUNDARY_NONE;
  if (shape.dimension() == 2)
    check(DMDACreate2d(comm, none, none, DMDA_STENCIL_BOX, shape.nodes(0), shape.nodes(1), PETSC_DECIDE, PETSC_DECIDE,
                       unknowns, 1, nullptr, nullptr, dm.out()));
  else
    check(DMDACreate3d(comm, none, none, none, DMDA_STENCIL_BOX, shape.nodes(0), shape.nodes(1), shape.nodes(2),
                       PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, unknowns, 1, nullptr, nullptr, nullptr, dm.out()));
  shape.set_up(dm);
  return dm;
}
} // namespace

/// What this rank has of the box, and where.
struct Simplices::BoxPart {
  const grid::BoxShape& shape;
  core::DmHandle dm;
  std::array<PetscInt, 3> first{}, count{1, 1, 1}; ///< owned points
  std::array<PetscInt, 3> low{}, size{1, 1, 1};    ///< with the ghost points around them

  BoxPart(MPI_Comm comm, const grid::BoxShape& box, int unknowns) : shape(box), dm(create_dm(comm, box, unknowns)) {
    check(DMDAGetCorners(dm, &first[0], &first[1], &first[2], &count[0], &count[1], &count[2]));
    check(DMDAGetGhostCorners(dm, &low[0], &low[1], &low[2], &size[0], &size[1], &size[2]));
  }
  PetscInt local(const std::array<PetscInt, 3>& p) const {
    return ((p[2] - low[2]) * size[1] + p[1] - low[1]) * size[0] + p[0] - low[0];
  }
  std::array<PetscInt, 3> point(PetscInt node) const {
    return {low[0] + node % size[0], low[1] + node / size[0] % size[1], low[2] + node / (size[0] * size[1])};
  }
  bool is_own(const std::array<PetscInt, 3>& p) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (p[d] < first[d] || p[d] >= first[d] + count[d]) return false;
    return true;
  }
  /// The neighbour in a direction, `step` is -1 or 1; -1 beyond the box.
  PetscInt neighbour(PetscInt node, int direction, int step) const {
    auto p = point(node);
    auto& i = p[direction];
    i += step;
    return i < 0 || i >= shape.nodes(direction) ? -1 : local(p);
  }
  double coordinate(PetscInt i, int direction) const {
    const auto d = static_cast<std::size_t>(direction);
    // The last point is exactly on the side.
    if (i == shape.cells[d]) return shape.upper[d];
    return shape.lower[d] + static_cast<double>(i) * shape.spacing(direction);
  }
};

Simplices::Simplices(MPI_Comm comm, const grid::BoxShape& shape, int unknowns, Diagonal diagonal)
    : comm_(comm), dimension_(shape.dimension()), unknowns_(unknowns),
      description_(shape.describe() + " cut into simplices"), lower_(shape.lower), upper_(shape.upper) {
  const BoxPart part(comm, shape, unknowns);
  total_nodes_ = 1;
  total_ = dimension_ == 2 ? 2 : 6;
  cell_volume_ = volume_ = 1.0;
  for (int d = 0; d < dimension_; ++d) {
    const auto i = static_cast<std::size_t>(d);
    total_nodes_ *= static_cast<std::uint64_t>(shape.nodes(d));
    total_ *= static_cast<std::uint64_t>(shape.cells[i]);
    cell_volume_ *= shape.spacing(d);
    volume_ *= shape.upper[i] - shape.lower[i];
    for (std::size_t side = 2 * i; side < 2 * i + 2; ++side) side_names_.emplace_back(grid::side_names[side]);
  }
  add_box_nodes(part);
  add_box_cells(part, diagonal);
  find_box_facets();
  link_box(part);
  find_faces();
  create_exchange();
}

void Simplices::add_box_nodes(const BoxPart& part) {
  const PetscInt total = part.size[0] * part.size[1] * part.size[2];
  ISLocalToGlobalMapping mapping = nullptr;
  const PetscInt* numbers = nullptr;
  check(DMGetLocalToGlobalMapping(part.dm, &mapping));
  check(ISLocalToGlobalMappingGetBlockIndices(mapping, &numbers));
  global_.assign(numbers, numbers + total);
  check(ISLocalToGlobalMappingRestoreBlockIndices(mapping, &numbers));
  for (PetscInt node = 0; node < total; ++node) {
    const auto p = part.point(node);
    unsigned bits = 0;
    for (int d = 0; d < dimension_; ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (p[i] == 0) bits |= 1U << (2 * i);
      if (p[i] == part.shape.cells[i]) bits |= 1U << (2 * i + 1);
      reference_.push_back(part.coordinate(p[i], d));
    }
    sides_.push_back(bits);
    natural_.push_back((p[2] * (dimension_ > 1 ? part.shape.nodes(1) : 1) + p[1]) * part.shape.nodes(0) + p[0]);
    is_own_.push_back(part.is_own(p));
    if (is_own_.back()) own_.push_back(node);
  }
}

void Simplices::add_box_cells(const BoxPart& part, Diagonal diagonal) {
  touching_.assign(sides_.size(), 0);
  const PetscInt depth = dimension_ == 3 ? part.size[2] - 1 : 1;
  for (PetscInt k = 0; k < depth; ++k)
    for (PetscInt j = 0; j + 1 < part.size[1]; ++j)
      for (PetscInt i = 0; i + 1 < part.size[0]; ++i) {
        const std::array<PetscInt, 3> cell{part.low[0] + i, part.low[1] + j, part.low[2] + k};
        unsigned mirror = 0; // bits of the directions in which the cut is mirrored
        if (diagonal == Diagonal::falling) mirror = 1;
        if (diagonal == Diagonal::alternating)
          for (int d = 0; d < dimension_; ++d) mirror |= static_cast<unsigned>(cell[d] % 2) << d;
        add_box_cell(part, cell, mirror);
      }
}

/// Kuhn's cut: one simplex for each order of the directions, along a path of edges from one corner to the opposite one.
/// It is counted by the rank that owns the lower corner.
void Simplices::add_box_cell(const BoxPart& part, const std::array<PetscInt, 3>& cell, unsigned mirror) {
  std::array<int, 3> order{0, 1, 2};
  const auto D = static_cast<std::size_t>(dimension_);
  const auto& cells = part.shape.cells;
  std::uint64_t number = static_cast<std::uint64_t>((cell[2] * cells[1] + cell[1]) * cells[0] + cell[0]);
  number *= D == 2 ? 2 : 6;
  do {
    unsigned corner = 0;
    bool odd = false;
    for (std::size_t a = 0; a < D; ++a)
      for (std::size_t b = 0; b < a; ++b) odd = odd != (order[b] > order[a]);
    for (std::size_t d = 0; d < D; ++d) odd = odd != ((mirror >> d & 1U) != 0);
    std::array<PetscInt, 4> nodes{};
    for (std::size_t a = 0; a <= D; ++a) {
      auto p = cell;
      for (std::size_t d = 0; d < D; ++d) p[d] += ((corner ^ mirror) >> d) & 1U;
      nodes[a] = part.local(p);
      if (a < D) corner |= 1U << static_cast<unsigned>(order[a]);
    }
    if (odd) std::swap(nodes[D - 1], nodes[D]); // volumes are positive
    corners_.insert(corners_.end(), nodes.begin(), nodes.begin() + dimension_ + 1);
    for (std::size_t a = 0; a <= D; ++a) ++touching_[nodes[a]];
    counted_.push_back(part.is_own(cell));
    index_.push_back(number++);
  } while (std::next_permutation(order.begin(), order.begin() + dimension_));
}

void Simplices::find_box_facets() {
  for (PetscInt e = 0; e < count(); ++e)
    for (int opposite = 0; opposite < vertices(); ++opposite) {
      unsigned common = ~0U;
      for (int a = 0; a < vertices(); ++a)
        if (a != opposite) common &= sides(corners(e)[a]);
      for (std::size_t s = 0; s < side_names_.size(); ++s)
        if ((common >> s & 1U) != 0) facets_.push_back({e, opposite, s});
    }
}

/// Differences along the grid's lines; for the monitor the point beyond a side is the mirrored one.
void Simplices::link_box(const BoxPart& part) {
  for (const PetscInt node : own_) {
    std::vector<Link> pulls, smoothed;
    unsigned bound = 0;
    for (int d = 0; d < dimension_; ++d) {
      const bool on_side = (sides_[node] >> (2 * d) & 3U) != 0;
      if (on_side) bound |= 1U << d;
      const double h = part.shape.spacing(d);
      for (const int step : {-1, 1}) {
        const PetscInt beyond = part.neighbour(node, d, step);
        if (!on_side) pulls.push_back({beyond, 1.0 / (h * h)});
        smoothed.push_back({beyond >= 0 ? beyond : part.neighbour(node, d, -step), 1.0});
      }
    }
    pulls_.add(pulls);
    smoothed_.add(smoothed);
    bound_.push_back(bound);
  }
  slant_.assign(own_.size() * static_cast<std::size_t>(dimension_), 0.0);
}

} // namespace rhumb::moving_box
