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

#include <rhumb/core/dual_in_std.hpp>
#include <rhumb/core/need.hpp>
#include <rhumb/pde/fem/point_sums.hpp>
#include <rhumb/pde/fem/weak_form.hpp>

namespace rhumb::fem {

/// Never called: a call that the compiler does not remove is an error with this text.
[[noreturn, gnu::error("this component's index is not below the number of components, the C of "
                       "WeakSystem<Self, D, C>")]] void
component_index_out_of_range();

/// One entry per component; an index that is known at compile time is checked there.
template <class T, int C>
struct PerComponent {
  std::array<T, static_cast<std::size_t>(C)> entries{};

  template <class Index>
  RHUMB_INLINE T& operator[](Index c) {
    return entries[checked(c)];
  }
  template <class Index>
  RHUMB_INLINE const T& operator[](Index c) const {
    return entries[checked(c)];
  }

private:
  template <class Index>
  RHUMB_INLINE static std::size_t checked(Index c) {
    const auto i = static_cast<std::size_t>(c);
    if (__builtin_constant_p(i) && i >= static_cast<std::size_t>(C)) component_index_out_of_range();
    return i;
  }
};

/// The solution at a point.
template <class S, int D, int C>
struct State {
  PerComponent<S, C> value{}, rate{};
  PerComponent<std::array<S, static_cast<std::size_t>(D)>, C> gradient{};
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

template <class Derived, int D, int C>
class WeakSystem : public WeakForm {
public:
  /// One order per component.
  WeakSystem(grid::Unstructured mesh, std::vector<dae::Field> fields, const std::vector<int>& orders);

protected:
  using Values = State<double, D, C>;
  static constexpr int directions = C * (1 + D); ///< directions of a Jacobian's duals: values, then gradients
  using Jet = core::Dual<directions>;

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  /// Called before each sweep with the local values at t, for tables beside the fields; `need()` says what for.
  void prepare(double /*t*/, const double* /*values*/) {}
  core::Need need() const { return need_; }

  /// The solution at point q of a patch, from local arrays; without `rates` they are zero.
  Values at_point(const Patch& patch, PetscInt q, const double* values, const double* rates) const;
  QuadraturePoint point(const Patch& patch, PetscInt q, double t) const;
  /// Adds weight times the terms, tested with the patch's functions, to the local array.
  void test(const Patch& patch, PetscInt q, const Terms<double, D, C>& terms, double* out) const;
  /// body(patch, q, place) for every point of the cells and, where there are terms, of the facets.
  template <class Body>
  void for_each_point(double t, Body&& body) const;

  void assemble(double t, double* out) override;
  void assemble_mass(double t, double* out) override;
  void assemble_matrix(double t, double alpha, Mat jacobian) override;
  double initial_value(PetscInt local) const override {
    return derived().initial(space().component_of(local), space().position(local));
  }

private:
  static constexpr bool has_facets();
  void prepare_for(core::Need need, double t);
  template <class S>
  Terms<S, D, C> terms(const State<S, D, C>& u, const QuadraturePoint& p) const;
  void gather_state(const Patch& patch, PetscInt q, const double* local, Values& u) const;
  void element_matrix(double t, const Patch& patch, double alpha, std::vector<double>& matrix) const;

  core::Need need_ = core::Need::values;
  std::vector<double> matrix_;         ///< of one element
  mutable std::vector<double> tested_; ///< of one element: D B
};

} // namespace rhumb::fem

#include <rhumb/pde/fem/weak_sweeps.hpp>
