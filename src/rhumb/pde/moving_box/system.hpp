#pragma once
/// A PDE (pde.hpp) on a moving box as a DAE: residual and exact Jacobian from the one kernel, with duals over the
/// fields and positions of a simplex's corners.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving_box/box_problem.hpp>
#include <rhumb/pde/moving_box/element.hpp>
#include <algorithm>
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
        sums_(values().size(), 0.0) {}

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
    pde.outflow(at, grid::Side::left);
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

  void add_elements(double t, const MonitorScale& scale);
  void set_held_rows(double t);
  template <bool with_positions>
  void add_element_jacobian(double t, double alpha, const MonitorScale& scale, Mat jacobian) const;
  void add_held_jacobian(double t, Mat jacobian) const;
  bool is_given(PetscInt node, int component) const { return starting() || is_held(node, component); }
  template <class S>
  Array<S, D> node_position(PetscInt node) const;

  Pde pde_;
  std::vector<double> sums_; ///< rows of local points
};

} // namespace rhumb::moving_box

#include <rhumb/pde/moving_box/sweeps.hpp>
