#pragma once
/// Fields of any order for programs that draw linear cells: the mesh's cells are split at the nodes of the highest
/// order into as many linear ones, and every component is given at these nodes.

#include <rhumb/dae/system.hpp>
#include <rhumb/pde/fem/space.hpp>

namespace rhumb::fem {

class RefinedOutput {
public:
  explicit RefinedOutput(const Space& space);

  grid::Mesh mesh() const;
  /// One component of a solution, given as a local array.
  grid::FieldBlock field(const dae::Field& about, int component, const double* local) const;
  /// Numbers at the nodes, given cell by cell in the order of the element's nodes; where cells meet, their mean
  /// weighted by `weights` (one per cell). Called on all ranks.
  grid::FieldBlock mean_field(const dae::Field& about, const std::vector<double>& at_nodes,
                              const std::vector<double>& weights) const;
  const Lagrange& element() const { return nodes_.element(0); }
  const Space& nodes() const { return nodes_; }

private:
  grid::Block<double> owned_rows(const double* local) const;

  const Space& space_;
  Space nodes_;                                 ///< one component of the highest order
  std::vector<std::vector<PetscInt>> subcells_; ///< in numbers of the element's nodes
};

/// A reference cell of that order split into linear cells: numbers of its nodes, in VTK's order.
std::vector<std::vector<PetscInt>> split_cell(const ReferenceCell& cell, const Lagrange& element);

} // namespace rhumb::fem
