#pragma once
/// A box of grid points cut into simplices: each cell of a plane into two triangles, each cell of space into six
/// tetrahedra around one of its diagonals (Kuhn's cut). The neighbours of a point do not change when points move.
///
/// A rank computes all rows of its own points, from all cells that touch them; cells along the cut between two ranks
/// are looked at by both, and nothing but the points' values is exchanged.

#include <rhumb/core/handle.hpp>
#include <rhumb/pde/moving_box/pde.hpp>
#include <span>

namespace rhumb::moving_box {

class Simplices {
public:
  /// `unknowns` at each point.
  Simplices(MPI_Comm comm, grid::BoxShape shape, int unknowns, Diagonal diagonal);

  const grid::BoxShape& shape() const { return shape_; }
  MPI_Comm comm() const { return comm_; }
  DM dm() const { return dm_; }
  int dimension() const { return shape_.dimension(); }
  int unknowns() const { return unknowns_; }
  int vertices() const { return dimension() + 1; }

  PetscInt nodes() const { return static_cast<PetscInt>(sides_.size()); } ///< points here, with those of neighbours
  PetscInt owned_nodes() const { return static_cast<PetscInt>(own_.size()); }
  PetscInt owned(PetscInt i) const { return own_[i]; } ///< local index of the i-th own point
  bool is_own(PetscInt node) const { return is_own_[node]; }
  PetscInt global(PetscInt node) const { return global_[node]; } ///< PETSc's index
  PetscInt natural(PetscInt node) const;
  std::array<PetscInt, 3> point(PetscInt node) const;
  double reference(PetscInt node, int direction) const; ///< coordinate in the uniform mesh
  unsigned sides(PetscInt node) const { return sides_[node]; }
  /// The neighbour in a direction, `step` is -1 or 1; -1 beyond the box.
  PetscInt neighbour(PetscInt node, int direction, int step) const;
  /// How many simplices have the own point as a corner.
  int touching(PetscInt node) const { return touching_[node]; }

  PetscInt count() const { return static_cast<PetscInt>(corners_.size()) / vertices(); }
  const PetscInt* corners(PetscInt element) const { return corners_.data() + element * vertices(); }
  /// Every simplex of the box is counted on exactly one rank.
  bool is_counted(PetscInt element) const { return counted_[element]; }
  std::uint64_t total() const; ///< simplices of the whole box
  std::uint64_t index(PetscInt element) const { return index_[element]; }

  /// A face of a simplex on a side of the box: all its corners but one.
  struct Facet {
    PetscInt element;
    int opposite;
    grid::Side side;
  };
  std::span<const Facet> facets() const { return facets_; }

  double cell_volume() const;
  /// The side of a cube or square of the box's volume.
  double length() const;

private:
  void make_nodes();
  void make_cells(Diagonal diagonal);
  void add_cell(const std::array<PetscInt, 3>& cell, unsigned mirror);
  void find_facets();
  PetscInt local(const std::array<PetscInt, 3>& point) const;

  grid::BoxShape shape_;
  MPI_Comm comm_;
  int unknowns_;
  core::DmHandle dm_;
  std::array<PetscInt, 3> first_{}, count_{1, 1, 1}; ///< own points
  std::array<PetscInt, 3> low_{}, size_{1, 1, 1};    ///< points here
  std::vector<PetscInt> own_, global_;
  std::vector<unsigned> sides_;
  std::vector<bool> is_own_, counted_;
  std::vector<int> touching_;
  std::vector<PetscInt> corners_;
  std::vector<std::uint64_t> index_;
  std::vector<Facet> facets_;
};

} // namespace rhumb::moving_box
