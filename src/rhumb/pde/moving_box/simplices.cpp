#include <rhumb/pde/moving_box/simplices.hpp>

#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>
#include <petscdmda.h>

namespace rhumb::moving_box {

using core::check;

namespace {
constexpr std::size_t at(PetscInt i) {
  return static_cast<std::size_t>(i);
}

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

Simplices::Simplices(MPI_Comm comm, grid::BoxShape shape, int unknowns, Diagonal diagonal)
    : shape_(std::move(shape)), comm_(comm), unknowns_(unknowns), dm_(create_dm(comm, shape_, unknowns)) {
  check(DMDAGetCorners(dm_, &first_[0], &first_[1], &first_[2], &count_[0], &count_[1], &count_[2]));
  check(DMDAGetGhostCorners(dm_, &low_[0], &low_[1], &low_[2], &size_[0], &size_[1], &size_[2]));
  make_nodes();
  make_cells(diagonal);
  find_facets();
}

PetscInt Simplices::local(const std::array<PetscInt, 3>& p) const {
  return ((p[2] - low_[2]) * size_[1] + p[1] - low_[1]) * size_[0] + p[0] - low_[0];
}

std::array<PetscInt, 3> Simplices::point(PetscInt node) const {
  return {low_[0] + node % size_[0], low_[1] + node / size_[0] % size_[1], low_[2] + node / (size_[0] * size_[1])};
}

PetscInt Simplices::natural(PetscInt node) const {
  const auto p = point(node);
  const PetscInt ny = shape_.nodes(1);
  return (p[2] * ny + p[1]) * shape_.nodes(0) + p[0];
}

double Simplices::reference(PetscInt node, int direction) const {
  const auto d = static_cast<std::size_t>(direction);
  const auto i = point(node)[d];
  // The last point is exactly on the side.
  if (i == shape_.cells[d]) return shape_.upper[d];
  return shape_.lower[d] + static_cast<double>(i) * shape_.spacing(direction);
}

PetscInt Simplices::neighbour(PetscInt node, int direction, int step) const {
  auto p = point(node);
  auto& i = p[direction];
  i += step;
  if (i < 0 || i >= shape_.nodes(direction)) return -1;
  return local(p);
}

void Simplices::make_nodes() {
  const PetscInt total = size_[0] * size_[1] * size_[2];
  ISLocalToGlobalMapping mapping = nullptr;
  const PetscInt* numbers = nullptr;
  check(DMGetLocalToGlobalMapping(dm_, &mapping));
  check(ISLocalToGlobalMappingGetBlockIndices(mapping, &numbers));
  global_.assign(numbers, numbers + total);
  check(ISLocalToGlobalMappingRestoreBlockIndices(mapping, &numbers));
  for (PetscInt node = 0; node < total; ++node) {
    const auto p = point(node);
    unsigned bits = 0;
    bool owned = true;
    for (int d = 0; d < dimension(); ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (p[i] == 0) bits |= 1U << (2 * i);
      if (p[i] == shape_.cells[i]) bits |= 1U << (2 * i + 1);
      owned = owned && p[i] >= first_[i] && p[i] < first_[i] + count_[i];
    }
    sides_.push_back(bits);
    is_own_.push_back(owned);
    if (owned) own_.push_back(node);
  }
}

void Simplices::make_cells(Diagonal diagonal) {
  touching_.assign(sides_.size(), 0);
  const PetscInt depth = dimension() == 3 ? size_[2] - 1 : 1;
  for (PetscInt k = 0; k < depth; ++k)
    for (PetscInt j = 0; j + 1 < size_[1]; ++j)
      for (PetscInt i = 0; i + 1 < size_[0]; ++i) {
        const std::array<PetscInt, 3> cell{low_[0] + i, low_[1] + j, low_[2] + k};
        unsigned mirror = 0; // bits of the directions in which the cut is mirrored
        if (diagonal == Diagonal::falling) mirror = 1;
        if (diagonal == Diagonal::alternating)
          for (std::size_t d = 0; d < at(dimension()); ++d) mirror |= static_cast<unsigned>(cell[d] % 2) << d;
        add_cell(cell, mirror);
      }
}

/// Kuhn's cut: one simplex for each order of the directions, along a path of edges from one corner to the opposite one.
void Simplices::add_cell(const std::array<PetscInt, 3>& cell, unsigned mirror) {
  std::array<int, 3> order{0, 1, 2};
  const auto D = static_cast<std::size_t>(dimension());
  const auto in_order = order.begin() + dimension();
  std::uint64_t number = static_cast<std::uint64_t>((cell[2] * shape_.cells[1] + cell[1]) * shape_.cells[0] + cell[0]);
  number *= D == 2 ? 2 : 6;
  bool counted = true; // by the rank that owns the lower corner, or the last one
  for (std::size_t d = 0; d < D; ++d) counted = counted && cell[d] >= first_[d] && cell[d] < first_[d] + count_[d];
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
      nodes[a] = local(p);
      if (a < D) corner |= 1U << static_cast<unsigned>(order[a]);
    }
    if (odd) std::swap(nodes[D - 1], nodes[D]); // volumes are positive
    corners_.insert(corners_.end(), nodes.begin(), nodes.begin() + dimension() + 1);
    for (std::size_t a = 0; a <= D; ++a) ++touching_[nodes[a]];
    counted_.push_back(counted);
    index_.push_back(number++);
  } while (std::next_permutation(order.begin(), in_order));
}

void Simplices::find_facets() {
  for (PetscInt e = 0; e < count(); ++e)
    for (int opposite = 0; opposite < vertices(); ++opposite) {
      unsigned common = ~0U;
      for (int a = 0; a < vertices(); ++a)
        if (a != opposite) common &= sides(corners(e)[a]);
      for (unsigned s = 0; s < 2 * static_cast<unsigned>(dimension()); ++s)
        if ((common >> s & 1U) != 0) facets_.push_back({e, opposite, static_cast<grid::Side>(s)});
    }
}

std::uint64_t Simplices::total() const {
  std::uint64_t cells = dimension() == 2 ? 2 : 6;
  for (const PetscInt n : shape_.cells) cells *= static_cast<std::uint64_t>(n);
  return cells;
}

double Simplices::cell_volume() const {
  double volume = 1.0;
  for (int d = 0; d < dimension(); ++d) volume *= shape_.spacing(d);
  return volume;
}

double Simplices::length() const {
  double volume = 1.0;
  for (std::size_t d = 0; d < at(dimension()); ++d) volume *= shape_.upper[d] - shape_.lower[d];
  return std::pow(volume, 1.0 / dimension());
}

} // namespace rhumb::moving_box
