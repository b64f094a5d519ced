#pragma once
/// The cells of a grid in blocks, one per rank, in one of many partitions: a rank's block may be empty, so that coarse
/// grids live on few ranks. Arrays hold a rank's block with one layer of cells around it in each direction.

#include <rhumb/core/handle.hpp>
#include <rhumb/physics/flow/staggered.hpp>
#include <array>
#include <petscsf.h>
#include <vector>

namespace rhumb::flow {

using StarForestHandle = core::Handle<PetscSF, PetscSFDestroy>;

/// Which rank has which cells: the grid of ranks, and where the cells of each begin in each direction.
struct Partition {
  int dimension = 3;
  std::array<std::vector<PetscInt>, 3> starts; ///< ranks of the direction + 1 entries, not decreasing

  PetscInt cells(int direction) const { return starts[direction].back(); }
  PetscInt ranks(int direction) const { return static_cast<PetscInt>(starts[direction].size()) - 1; }
  /// Position of a rank in the grid of ranks, x fastest, and back.
  Index process(int rank) const;
  int rank(const Index& process) const;
};

/// The partition of the staggered grid.
Partition partition_of(const Staggered& grid);

/// A rank's block of a partition and the layout of its arrays.
class CellBlock {
public:
  CellBlock(const Partition& partition, int rank);

  const Index& first() const { return first_; }
  const Index& count() const { return count_; }
  PetscInt stride(int direction) const { return stride_[direction]; }
  std::size_t array_size() const { return size_; }
  bool empty() const { return count_[0] == 0 || count_[1] == 0 || count_[2] == 0; }
  /// Index in the array of the cell with that position in the block; -1 and count are the layer around it.
  PetscInt index(PetscInt i, PetscInt j, PetscInt k) const { return origin_ + i + j * stride_[1] + k * stride_[2]; }

  /// Calls body(index in the array, cell of the grid) for the cells of the block.
  template <class Body>
  void for_each(Body&& body) const {
    for (PetscInt k = 0; k < count_[2]; ++k)
      for (PetscInt j = 0; j < count_[1]; ++j)
        for (PetscInt i = 0; i < count_[0]; ++i)
          body(static_cast<std::size_t>(index(i, j, k)), Index{first_[0] + i, first_[1] + j, first_[2] + k});
  }

private:
  Index first_{}, count_{1, 1, 1}, stride_{1, 0, 0};
  PetscInt origin_ = 0;
  std::size_t size_ = 0;
};

/// Copies cells of the grid from the arrays of the ranks that have them to arrays of ranks that want them, or adds
/// them up the other way.
class CellExchange {
public:
  /// `wanted`: cells, each inside the grid, and their index in the receiving array.
  struct Wanted {
    Index cell;
    PetscInt index;
  };
  CellExchange(MPI_Comm comm, const Partition& partition, const std::vector<Wanted>& wanted);

  void copy(const std::vector<double>& from, std::vector<double>& to) const;
  void add(const std::vector<double>& from, std::vector<double>& to) const;

private:
  StarForestHandle forest_;
  bool any_ = false; ///< whether some rank wants some cell
};

/// The layer around a block: cells of other ranks, and of the other end where a direction is periodic.
CellExchange layer_exchange(MPI_Comm comm, const Partition& partition, const CellBlock& block,
                            const std::array<bool, 3>& periodic);

} // namespace rhumb::flow
