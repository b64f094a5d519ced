#pragma once
/// A PDE (pde.hpp) on a moving box as a DAE: residual and exact Jacobian from the one kernel, with duals over the
/// fields and positions of a simplex's corners.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving_box/box_problem.hpp>
#include <rhumb/pde/moving_box/element.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <utility>

namespace rhumb::moving_box {

template <class Pde>
class System : public BoxProblem {
public:
  static constexpr int D = Pde::directions, C = Pde::components;

  System(MPI_Comm comm, const core::Options& options, Pde pde, Description about)
      : BoxProblem(comm, options, std::move(about), has_own_monitor), pde_(std::move(pde)),
        sums_(values().size(), 0.0) {
    read_held_sides();
  }

  const Pde& pde() const { return pde_; }

  dae::Offers offers() const override { return {.jacobian = true}; }
  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;

protected:
  bool is_held(PetscInt node, int component) const override;
  std::optional<Errors> errors(double t) const override;

private:
  static constexpr bool has_own_monitor = requires(const Pde& pde, const Point<double, D, C>& at) { pde.monitor(at); };
  static constexpr bool has_outflow = requires(const Pde& pde, const Point<double, D, C>& at) {
    pde.outflow(at, std::string());
  };
  static constexpr bool has_given_values = requires(const Pde& pde) { pde.holds(0, std::string()); };
  static constexpr bool values_differ_by_side = requires(const Pde& pde, const Array<double, D>& x) {
    pde.value(0, x, 0.0, std::string());
  };
  static constexpr bool knows_solution = requires(const Pde& pde, const Array<double, D>& x) { pde.exact(x, 0.0); };

  /// The corners' unknowns: a plain element, or one with duals whose directions count the corners' (u, x), or u alone
  /// where the mesh stands still. Derivatives by y' have the factor alpha.
  Element<double, D, C> element(PetscInt e) const;
  template <int directions>
  Element<core::Dual<directions>, D, C> dual_element(PetscInt e, double alpha) const;
  MonitorScale monitor_scale(double t) const;
  /// y - (what is given there), for held components and, at the start, all.
  template <class S>
  std::optional<S> held_row(PetscInt node, int component, const Array<S, D>& x, const S& u, double t) const;

  /// The PDE's rows at the corners of a simplex: of u, or of the contents.
  template <class S>
  FieldRows<S, D, C> rows_of(const Element<S, D, C>& corners, const Shape<S, D>& shape,
                             const Array<Array<S, D>, C>& gradient, double t) const;
  int pde_row(int c) const { return has_contents() ? content(c) : c; }
  /// The row of V u = q: that of u, or that of the content where u is given.
  int definition_row(PetscInt node, int c) const { return is_given(node, c) ? content(c) : c; }
  /// A content below zero that the PDE never sees.
  bool is_debt(PetscInt node, int c) const {
    return settings().balance == Balance::nonnegative && !is_given(node, c) && values()[entry(node, content(c))] < 0.0;
  }
  void check_balance(double t) const;
  void read_held_sides();

  void add_elements(double t, const MonitorScale& scale);
  void add_definitions(PetscInt e, const Element<double, D, C>& corners, double part);
  void add_content_jacobian(PetscInt node, int c, double alpha, Mat jacobian) const;
  void set_held_rows(double t);
  template <bool with_positions>
  void add_element_jacobian(double t, double alpha, const MonitorScale& scale, Mat jacobian) const;
  void add_held_jacobian(double t, double alpha, Mat jacobian) const;
  bool is_given(PetscInt node, int component) const { return starting() || is_held(node, component); }
  template <class S>
  Array<S, D> node_position(PetscInt node) const;

  Pde pde_;
  Array<unsigned, C> held_sides_{}; ///< bits of the sides where a component's values are given
  std::vector<double> sums_;        ///< rows of local points
};

} // namespace rhumb::moving_box

#include <rhumb/pde/moving_box/sweeps.hpp>
