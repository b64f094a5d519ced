#pragma once
/// What every weak form on a mesh has, whoever writes its terms: the unknowns, values given on boundaries, sums over the
/// ranks, the matrix. A class that derives from it integrates the terms: WeakSystem from a kernel in C++,
/// text::MeshSystem from equations as text.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/pde/fem/essential.hpp>
#include <rhumb/pde/fem/patches.hpp>
#include <rhumb/pde/fem/refined_output.hpp>
#include <functional>
#include <list>

namespace rhumb::fem {

/// Degree of the rules for elements of that order: on straight simplices exact for two functions and a slope, as in
/// (u.grad u, v).
constexpr int default_degree(int order) {
  return 3 * order - 1 > 2 * order ? 3 * order - 1 : 2 * order;
}

class WeakForm : public dae::Problem, public grid::Geometry {
public:
  /// One order per component.
  WeakForm(grid::Unstructured mesh, std::vector<dae::Field> fields, const std::vector<int>& orders);

  const grid::Unstructured& grid_mesh() const { return mesh_; }
  const Space& space() const { return space_; }

  std::vector<dae::Field> fields() const override { return fields_; }
  core::VecHandle create_vector() const override { return space_.create_vector(); }
  core::MatHandle create_matrix() const override;
  dae::Offers offers() const override { return {.jacobian = true, .mass_product = true, .algebraic_rates = true}; }
  int field_of(PetscInt owned) const override { return space_.component_of(space_.local(owned)); }
  std::string location(PetscInt owned) const override {
    return grid::position_text(std::span(space_.position(space_.local(owned))).first(space_.cell().dimension));
  }
  /// Each cell is shared out among its unknowns of a component.
  core::VecHandle volumes() const override;
  dae::Kind variable_kind(PetscInt owned) const override;
  /// Small systems are factored; large ones have multigrid, those of several fields `precondition_by_field` unless a
  /// field is algebraic.
  void configure(PC preconditioner, Mat matrix) const override;

  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) override;

  std::string signature() const override;
  grid::Mesh mesh(double /*t*/, Vec /*y*/) override { return output_.mesh(); }
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;
  std::vector<PetscInt> natural_indices() const override { return space_.natural_indices(); }

protected:
  /// The integrals against all test functions, from `values` and `rates`, added to the local array.
  virtual void assemble(double t, double* out) = 0;
  /// Their derivatives by the rates, along `along`.
  virtual void assemble_mass(double t, double* out) = 0;
  /// Calls `add_element` for each patch with the derivatives by values and alpha times those by rates.
  virtual void assemble_matrix(double t, double alpha, Mat jacobian) = 0;
  /// At the start, of a local unknown.
  virtual double initial_value(PetscInt local) const = 0;

  /// Holds a component on the boundary of that name at a formula in x, y, z, t.
  void hold(const std::string& boundary, int component, const std::string& formula);
  Essential& essential() { return essential_; }
  const Essential& essential() const { return essential_; }
  const Patches& cells() const { return cells_; }
  const Patches& facets() const { return facets_; }
  const RefinedOutput& output() const { return output_; }

  /// Block Gauss-Seidel over the fields in their order, each block by algebraic multigrid. What a block is solved by
  /// can be changed: -dae_fieldsplit_<field>_pc_type.
  void precondition_by_field(PC preconditioner) const;

  /// Local arrays of y and y', with what is given on boundaries.
  const double* load(double t, Vec y, Vec ydot);
  /// The local array of a direction, zero where values are given.
  const double* load_along(Vec v);
  const double* values() const { return values_.data(); }
  const double* rates() const { return rates_.data(); }
  const double* along() const { return along_.data(); }
  /// Sums over the ranks what `body(local array)` adds up. It may throw on one rank alone.
  void integrate(const std::function<void(double*)>& body, Vec out);
  /// The integrals over all patches into `out`, every row, as if nothing were held.
  void natural_residual(double t, Vec y, Vec ydot, Vec out);
  /// The matrix of one patch, a row of the cell's unknowns after the other.
  void add_element(const Patch& patch, const std::vector<double>& matrix, Mat jacobian);

private:
  grid::Unstructured mesh_;
  std::vector<dae::Field> fields_;
  Space space_;
  std::list<grid::Expression> held_; ///< what `essential_` points into
  Essential essential_;
  Patches cells_, facets_;
  RefinedOutput output_;
  core::VecHandle local_;
  std::vector<double> values_, rates_, along_; ///< local arrays
  std::vector<PetscInt> node_indices_;         ///< the unknowns of one element
};

} // namespace rhumb::fem
