#pragma once
/// The nodes of a line, distributed over the ranks in order, with `entries` numbers per node and ghosts on both sides.

#include <rhumb/core/handle.hpp>
#include <rhumb/dae/system.hpp>
#include <petscdmda.h>
#include <span>
#include <vector>

namespace rhumb::moving {

class Line {
public:
  /// Throws core::BadInput when a rank would have fewer nodes than `width`.
  Line(MPI_Comm comm, PetscInt nodes, int entries, int width);

  MPI_Comm comm() const { return comm_; }
  PetscInt nodes() const { return nodes_; }
  PetscInt first() const { return first_; } ///< first own node
  PetscInt count() const { return count_; } ///< own nodes
  int entries() const { return entries_; }
  int width() const { return width_; }

  core::VecHandle create_vector() const;
  /// `reach[f]` is how many nodes on each side row f of a node looks at.
  core::MatHandle create_matrix(std::span<const int> reach) const;

  /// All nodes' numbers, node by node, on all ranks.
  std::vector<double> gather(Vec y) const;

  /// A vector's own and ghost entries, readable as long as the object lives. Entry f of global node i is at
  /// data()[i * entries + f].
  class Ghosted {
  public:
    Ghosted(const Line& line, Vec vector, Vec buffer);
    ~Ghosted();
    Ghosted(const Ghosted&) = delete;
    Ghosted& operator=(const Ghosted&) = delete;
    const double* data() const { return data_; }

  private:
    Vec local_;
    const PetscScalar* raw_ = nullptr;
    const double* data_ = nullptr;
  };
  /// Room for the ghosts of one vector; null on one rank, which needs none.
  core::VecHandle ghost_buffer() const;

private:
  MPI_Comm comm_;
  PetscInt nodes_;
  int entries_, width_;
  int ranks_ = 1;
  PetscInt first_ = 0, count_ = 0;
  core::DmHandle dm_;
};

} // namespace rhumb::moving
