#pragma once
/// Continuous Lagrange elements on a mesh: for each component of the solution an order of its own (2, 2, 1 is
/// Taylor-Hood in the plane). Three numberings of the unknowns occur: `local` (this rank's cells and all their
/// unknowns), `own` (this rank's entries of a Vec), natural (independent of the ranks).

#include <rhumb/pde/fem/lagrange.hpp>
#include <memory>

namespace rhumb::fem {

using Position = std::array<double, 3>;

/// The map from the reference cell to each cell of this rank: x = sum_b X_b phi_b, with the mesh's own order.
class CellMaps {
public:
  explicit CellMaps(const grid::Unstructured& mesh);

  /// Functions phi_b at points, [point, function, component] and [point, function, component, direction].
  struct Table {
    PetscInt points = 0;
    std::vector<double> values, gradients;
  };
  Table at(const std::vector<double>& points) const;

  Position position(PetscInt cell, const Table& table, PetscInt point) const;
  /// dx_i/dxi_k at [i * d + k].
  std::array<double, 9> jacobian(PetscInt cell, const Table& table, PetscInt point) const;

  /// The box around a cell's own nodes; a curved cell may bulge a little beyond it.
  struct Bounds {
    Position lower, upper;
  };
  Bounds bounds(PetscInt cell) const;

private:
  std::vector<double> in_file_order(const std::vector<double>& points) const;

  std::size_t dimension_;
  bool turned_ = false; ///< curved tetrahedra; see `in_file_order`
  FeHandle fe_;
  std::size_t functions_ = 0;
  std::vector<double> coordinates_; ///< [cell, function]
};

class Space {
public:
  Space(const grid::Unstructured& mesh, const std::vector<int>& orders);

  const grid::Unstructured& mesh() const { return *mesh_; }
  const CellMaps& maps() const { return maps_; }
  DM dm() const { return dm_; }
  ReferenceCell cell() const { return {mesh_->dimension(), mesh_->simplex()}; }
  int components() const { return static_cast<int>(elements_.size()); }
  const Lagrange& element(int component) const { return *elements_[component]; }

  PetscInt owned_count() const { return static_cast<PetscInt>(local_of_owned_.size()); }
  PetscInt local_count() const { return static_cast<PetscInt>(owned_of_local_.size()); }
  /// Own number of a local one; -1: another rank's.
  PetscInt owned(PetscInt local) const { return owned_of_local_[local]; }
  PetscInt local(PetscInt owned) const { return local_of_owned_[owned]; }
  int component_of(PetscInt local) const { return component_of_[local]; }
  const Position& position(PetscInt local) const { return positions_[local]; }
  PetscInt natural(PetscInt local) const { return natural_[local]; }
  /// Of the own entries.
  std::vector<PetscInt> natural_indices() const;

  /// A cell's unknowns: local numbers, component after component; those of a component begin at `offset`.
  PetscInt per_cell() const { return per_cell_; }
  PetscInt offset(int component) const { return offsets_[component]; }
  const PetscInt* closure(PetscInt cell) const { return closures_.data() + cell * per_cell_; }

  /// Whether each local unknown lies on that boundary.
  std::vector<char> on_boundary(int boundary) const;

  core::VecHandle create_vector() const;
  core::VecHandle create_local() const;
  void to_local(Vec y, Vec local) const;
  /// Sums what the ranks have into their owners' entries.
  void sum_up(Vec local, Vec y) const;

private:
  void create_elements(const std::vector<int>& orders);
  void index_unknowns();
  void assign_natural_indices(PetscInt point, PetscInt offset);
  void find_closures();
  void find_positions();

  const grid::Unstructured* mesh_;
  CellMaps maps_;
  core::DmHandle dm_;
  std::vector<std::shared_ptr<const Lagrange>> elements_; ///< by component; one object per order
  PetscInt per_cell_ = 0;
  std::vector<PetscInt> offsets_, closures_, owned_of_local_, local_of_owned_, natural_;
  std::vector<int> component_of_;
  std::vector<Position> positions_;
};

} // namespace rhumb::fem
