#include <rhumb/physics/flow/cell_blocks.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <petscdmstag.h>

namespace rhumb::flow {

using core::check;

Index Partition::process(int rank) const {
  const PetscInt x = ranks(0), y = ranks(1);
  return {rank % x, rank / x % y, rank / (x * y)};
}

int Partition::rank(const Index& process) const {
  return static_cast<int>((process[2] * ranks(1) + process[1]) * ranks(0) + process[0]);
}

Partition partition_of(const Staggered& grid) {
  Partition out{.dimension = grid.dimension(), .starts = {}};
  std::array<PetscInt, 3> ranks{1, 1, 1};
  std::array<const PetscInt*, 3> counts{};
  check(DMStagGetNumRanks(grid.dm(), &ranks[0], &ranks[1], &ranks[2]));
  check(DMStagGetOwnershipRanges(grid.dm(), &counts[0], &counts[1], &counts[2]));
  for (int d = 0; d < 3; ++d) {
    auto& starts = out.starts[d] = {0};
    if (d >= grid.dimension()) {
      starts.push_back(1);
      continue;
    }
    for (PetscInt r = 0; r < ranks[d]; ++r) starts.push_back(starts.back() + counts[d][r]);
  }
  return out;
}

CellBlock::CellBlock(const Partition& partition, int rank) {
  const Index process = partition.process(rank);
  PetscInt size = 1;
  for (int d = 0; d < 3; ++d) {
    const auto& starts = partition.starts[d];
    first_[d] = starts[process[d]];
    count_[d] = starts[process[d] + 1] - first_[d];
    const PetscInt layer = d < partition.dimension ? 1 : 0;
    stride_[d] = size;
    origin_ += layer * size;
    size *= count_[d] + 2 * layer;
  }
  size_ = size;
}

CellExchange::CellExchange(MPI_Comm comm, const Partition& partition, const std::vector<Wanted>& wanted) {
  std::vector<PetscInt> leaves;
  std::vector<PetscSFNode> roots;
  for (const auto& [cell, index] : wanted) {
    Index process{};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto& starts = partition.starts[d];
      const auto after = std::upper_bound(starts.begin(), starts.end(), cell[d]);
      process[d] = static_cast<PetscInt>(after - starts.begin()) - 1;
    }
    const int owner = partition.rank(process);
    const CellBlock block(partition, owner);
    const Index& first = block.first();
    leaves.push_back(index);
    roots.push_back({.rank = owner, .index = block.index(cell[0] - first[0], cell[1] - first[1], cell[2] - first[2])});
  }
  int any = leaves.empty() ? 0 : 1;
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm));
  any_ = any != 0;
  check(PetscSFCreate(comm, forest_.out()));
  check(PetscSFSetGraph(forest_, static_cast<PetscInt>(CellBlock(partition, core::rank_of(comm)).array_size()),
                        static_cast<PetscInt>(leaves.size()), leaves.data(), PETSC_COPY_VALUES, roots.data(),
                        PETSC_COPY_VALUES));
  check(PetscSFSetUp(forest_));
}

void CellExchange::copy(const std::vector<double>& from, std::vector<double>& to) const {
  if (!any_) return;
  check(PetscSFBcastBegin(forest_, MPIU_REAL, from.data(), to.data(), MPI_REPLACE));
  check(PetscSFBcastEnd(forest_, MPIU_REAL, from.data(), to.data(), MPI_REPLACE));
}

void CellExchange::add(const std::vector<double>& from, std::vector<double>& to) const {
  if (!any_) return;
  check(PetscSFReduceBegin(forest_, MPIU_REAL, from.data(), to.data(), MPIU_SUM));
  check(PetscSFReduceEnd(forest_, MPIU_REAL, from.data(), to.data(), MPIU_SUM));
}

CellExchange layer_exchange(MPI_Comm comm, const Partition& partition, const CellBlock& block,
                            const std::array<bool, 3>& periodic) {
  std::vector<CellExchange::Wanted> wanted;
  for (int d = 0; d < partition.dimension && !block.empty(); ++d)
    for (const PetscInt beyond : {PetscInt{-1}, block.count()[d]}) {
      const PetscInt n = partition.cells(d), outside = block.first()[d] + beyond;
      if ((outside < 0 || outside >= n) && !periodic[d]) continue;
      Index count = block.count();
      count[d] = 1;
      Staggered::visit({0, 0, 0}, count, [&](Index position) {
        position[d] = beyond;
        Index cell = position;
        for (std::size_t e = 0; e < 3; ++e) cell[e] += block.first()[e];
        cell[d] = (outside + n) % n;
        wanted.push_back({cell, block.index(position[0], position[1], position[2])});
      });
    }
  return {comm, partition, wanted};
}

} // namespace rhumb::flow
