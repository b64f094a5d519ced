#include <rhumb/physics/flow/stream_nodes.hpp>

#include <rhumb/core/check.hpp>
#include <algorithm>
#include <numeric>
#include <petscdmstag.h>

namespace rhumb::flow {

using core::check;

namespace {

bool is_open(const Case& flow_case, int direction, int upper) {
  return flow_case.side(direction, upper).type == Side::Type::outflow;
}

/// Solid cells of the whole plane, on every rank.
class SolidCells {
public:
  explicit SolidCells(const Equations& equations) : grid_(equations.grid()) {
    const auto& solid = equations.flow_case().solid;
    if (!solid) return;
    const Index end{grid_.line(0).cells(), grid_.line(1).cells(), 1};
    Staggered::visit({0, 0, 0}, end, [&](const Index& cell) {
      marks_.push_back((*solid)({.x = grid_.position(grid_.dimension(), cell)}) != 0.0 ? 1 : 0);
    });
  }
  bool operator()(Index cell) const {
    if (marks_.empty()) return false;
    for (int d = 0; d < 2; ++d) {
      const PetscInt n = grid_.line(d).cells();
      if (grid_.line(d).periodic()) cell[d] = (cell[d] + n) % n;
      if (cell[d] < 0 || cell[d] >= n) return false;
    }
    return marks_[cell[1] * grid_.line(0).cells() + cell[0]] != 0;
  }

private:
  const Staggered& grid_;
  std::vector<char> marks_;
};

/// Disjoint groups of nodes, each known by its smallest member.
class Groups {
public:
  explicit Groups(PetscInt nodes) : parent_(nodes) { std::iota(parent_.begin(), parent_.end(), PetscInt{0}); }
  PetscInt find(PetscInt node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void unite(PetscInt a, PetscInt b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

private:
  std::vector<PetscInt> parent_;
};

} // namespace

bool StreamNodes::fits(const Equations& equations) {
  const Staggered& grid = equations.grid();
  if (grid.dimension() != 2) return false;
  for (const int d : {0, 1}) {
    if (!grid.line(d).periodic()) continue;
    const bool through = is_open(equations.flow_case(), 1 - d, 0) && is_open(equations.flow_case(), 1 - d, 1);
    if (grid.line(1 - d).periodic() || through) return false;
  }
  return true;
}

StreamNodes::StreamNodes(const Equations& equations, PetscInt more) {
  const Staggered& grid = equations.grid();
  for (const int d : {0, 1}) size_[d] = grid.line(d).cells() + (grid.line(d).periodic() ? 0 : 1);
  const std::vector<PetscInt> group = group_nodes(equations);
  const std::vector<int> owner = owners(grid);
  int rank = 0, ranks = 1;
  core::check_mpi(MPI_Comm_rank(grid.comm(), &rank));
  core::check_mpi(MPI_Comm_size(grid.comm(), &ranks));
  std::vector<PetscInt> others(ranks), count(ranks, 0), first(ranks, 0);
  core::check_mpi(MPI_Allgather(&more, 1, MPIU_INT, others.data(), 1, MPIU_INT, grid.comm()));

  const auto leads = [&](std::size_t node) { return node != 0 && group[node] == static_cast<PetscInt>(node); };
  for (std::size_t node = 0; node < group.size(); ++node)
    if (leads(node)) ++count[owner[node]];
  for (std::size_t r = 1; r < first.size(); ++r) first[r] = first[r - 1] + count[r - 1] + others[r - 1];
  owned_count_ = count[rank] + more;
  first_of_more_ = first[rank] + count[rank];

  number_.assign(group.size(), -1);
  std::vector<PetscInt> next = first;
  for (std::size_t node = 0; node < group.size(); ++node)
    if (leads(node)) number_[node] = next[owner[node]]++;
  for (std::size_t node = 0; node < group.size(); ++node) number_[node] = number_[group[node]];
}

PetscInt StreamNodes::index(PetscInt i, PetscInt j) const {
  return number_[node(i, j)];
}

/// By node: the smallest node of its group.
std::vector<PetscInt> StreamNodes::group_nodes(const Equations& equations) const {
  const Staggered& grid = equations.grid();
  const SolidCells solid(equations);
  Groups groups(size_[0] * size_[1]);
  for (const int c : {0, 1}) {
    const PetscInt n = grid.line(c).cells();
    Index end{grid.line(0).cells(), grid.line(1).cells(), 1};
    if (!grid.line(c).periodic()) end[c] += 1;
    Staggered::visit({0, 0, 0}, end, [&](const Index& face) {
      Index below = face, other = face;
      below[c] -= 1;
      other[1 - c] += 1;
      const PetscInt i = face[c];
      const bool side = !grid.line(c).periodic() && (i == 0 || i == n);
      const bool given = side && !is_open(equations.flow_case(), c, i == 0 ? 0 : 1);
      if (given || solid(face) || solid(below)) groups.unite(node(face[0], face[1]), node(other[0], other[1]));
    });
  }
  std::vector<PetscInt> group(size_[0] * size_[1]);
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = groups.find(static_cast<PetscInt>(i));
  return group;
}

/// By node: the rank that has the cell above and to the right of it, or the last one before.
std::vector<int> StreamNodes::owners(const Staggered& grid) const {
  std::array<PetscInt, 2> ranks{};
  std::array<const PetscInt*, 2> cells{};
  check(DMStagGetNumRanks(grid.dm(), &ranks[0], &ranks[1], nullptr));
  check(DMStagGetOwnershipRanges(grid.dm(), &cells[0], &cells[1], nullptr));
  std::array<std::vector<PetscInt>, 2> part;
  for (const std::size_t d : {0U, 1U}) {
    for (PetscInt r = 0; r < ranks[d]; ++r) part[d].insert(part[d].end(), cells[d][r], r);
    part[d].push_back(ranks[d] - 1);
  }
  std::vector<int> owner;
  for (PetscInt j = 0; j < size_[1]; ++j)
    for (PetscInt i = 0; i < size_[0]; ++i) owner.push_back(static_cast<int>(part[1][j] * ranks[0] + part[0][i]));
  return owner;
}

} // namespace rhumb::flow
