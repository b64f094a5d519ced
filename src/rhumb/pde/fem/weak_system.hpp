#pragma once
/// A PDE on a mesh from its weak form. The user derives from WeakSystem<Derived, D, C> (D directions, C components) and
/// writes, generic in the scalar, what stands under the integral at one point,
///
///   template <class S> fem::Terms<S, D, C> cell(const fem::State<S, D, C>& u, const fem::Place& p) const;
///
/// For all test functions v of component c:
///   integral of (source[c] v + flux[c] . grad v) over the cells + integral of facet[c] v over the boundaries = 0.
/// The heat equation u_t = div(k grad u) is source = u_t, flux = k grad u. `facet`, with the same face, may be left
/// out; it returns Terms of which `source` counts. Beside them `initial(component, x)`.
///
/// From these come the residual, the exact Jacobian alpha M + K (dual numbers at each point), and products with the
/// mass matrix. `hold` gives values on boundaries; see essential.hpp.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/dual.hpp>
#include <rhumb/core/need.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/pde/fem/essential.hpp>
#include <rhumb/pde/fem/patches.hpp>
#include <rhumb/pde/fem/refined_output.hpp>
#include <algorithm>
#include <exception>
#include <list>

namespace rhumb::fem {

/// The solution at a point.
template <class S, int D, int C>
struct State {
  std::array<S, static_cast<std::size_t>(C)> value{}, rate{};
  std::array<std::array<S, static_cast<std::size_t>(D)>, static_cast<std::size_t>(C)> gradient{};
};

/// What is integrated against test functions and their gradients.
template <class S, int D, int C>
struct Terms {
  std::array<S, static_cast<std::size_t>(C)> source{};
  std::array<std::array<S, static_cast<std::size_t>(D)>, static_cast<std::size_t>(C)> flux{};
};

/// A point of a cell or of a boundary's facet.
struct QuadraturePoint {
  Position x{};
  double t = 0.0;
  int region = -1;    ///< of the mesh; -1: none
  int boundary = -1;  ///< on a facet
  Position normal{};  ///< on a facet, outward
  PetscInt index = 0; ///< among this rank's points of cells, or of facets
};

/// Degree of the rules for elements of that order: on straight simplices exact for two functions and a slope, as in
/// (u.grad u, v).
constexpr int default_degree(int order) {
  return 3 * order - 1 > 2 * order ? 3 * order - 1 : 2 * order;
}

template <class Derived, int D, int C>
class WeakSystem : public dae::Problem, public grid::Geometry {
public:
  /// One order per component.
  WeakSystem(grid::Unstructured mesh, std::vector<dae::Field> fields, const std::vector<int>& orders);

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
  dae::Kind variable_kind(PetscInt owned) const override;
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
  using Values = State<double, D, C>;
  static constexpr int directions = C * (1 + D); ///< directions of a Jacobian's duals: values, then gradients
  using Jet = core::Dual<directions>;

  /// Holds a component on the boundary of that name at a formula in x, y, z, t.
  void hold(const std::string& boundary, int component, const std::string& formula);
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
  Essential& essential() { return essential_; }
  const Essential& essential() const { return essential_; }
  const Patches& cells() const { return cells_; }
  const Patches& facets() const { return facets_; }
  const RefinedOutput& output() const { return output_; }

  /// Called before each sweep with the local values at t, for tables beside the fields; `need()` says what for.
  void prepare(double /*t*/, const double* /*values*/) {}
  core::Need need() const { return need_; }

  /// Local arrays of y and y', with what is given on boundaries.
  const double* load(double t, Vec y, Vec ydot);
  const double* values() const { return values_.data(); }
  const double* rates() const { return rates_.data(); }
  /// The solution at point q of a patch, from local arrays; without `rates` they are zero.
  Values at_point(const Patch& patch, PetscInt q, const double* values, const double* rates) const;
  QuadraturePoint point(const Patch& patch, PetscInt q, double t) const;
  /// Adds weight times the terms, tested with the patch's functions, to the local array.
  void test(const Patch& patch, PetscInt q, const Terms<double, D, C>& terms, double* out) const;
  /// Sums over the ranks what `body(local array)` adds up. It may throw on one rank alone.
  template <class Body>
  void integrate(Body&& body, Vec out);
  /// The integrals over all patches into `out`, every row, as if nothing were held.
  void natural_residual(double t, Vec y, Vec ydot, Vec out);
  /// body(patch, q, place) for every point of the cells and, where there are terms, of the facets.
  template <class Body>
  void for_each_point(double t, Body&& body) const;

private:
  void prepare_for(core::Need need, double t);
  template <class S>
  Terms<S, D, C> terms(const State<S, D, C>& u, const QuadraturePoint& p) const;
  void assemble(double t, double* out);
  void assemble_mass(double t, double* out);
  void gather(const Patch& patch, PetscInt q, const double* local, Values& u) const;
  void element_matrix(double t, const Patch& patch, double alpha, std::vector<double>& matrix) const;
  void add_point(const Patch& patch, PetscInt q, const Terms<Jet, D, C>& f, std::vector<double>& matrix) const;

  grid::Unstructured mesh_;
  std::vector<dae::Field> fields_;
  Space space_;
  std::list<grid::Expression> held_; ///< what `essential_` points into
  Essential essential_;
  Patches cells_, facets_;
  RefinedOutput output_;
  core::Need need_ = core::Need::values;
  core::VecHandle local_;
  std::vector<double> values_, rates_, along_; ///< local arrays
  std::vector<double> matrix_;                 ///< of one element
  std::vector<PetscInt> node_indices_;         ///< its unknowns
  mutable std::vector<double> tested_;         ///< of one element: D B
};

} // namespace rhumb::fem

#include <rhumb/pde/fem/weak_sweeps.hpp>
