#pragma once
/// F(t, y, y') of a flow and its exact derivative, over the whole grid (kernel.hpp has the equations at a point):
///   index2:  u' + N(u)u + K u + C p - f = 0,   C^T u = 0      (BCP 6.5.3, M = I)
///   index1:  the same,                C^T (u' + gamma u) = 0  (the step from (6.5.3b) to (6.5.4b), damped)
/// BDF keeps linear invariants, so C^T u' = 0 keeps C^T u = 0 as long as each step solves it. That holds for all of u:
/// what is given on a side as a function g of t is then differentiated too, u' + gamma u = g' + gamma g, and follows g
/// as closely as the tolerance asks for. gamma keeps rounding from adding up.

#include <rhumb/physics/flow/backflow.hpp>
#include <rhumb/physics/flow/boundary.hpp>
#include <rhumb/physics/flow/eddy_viscosity.hpp>
#include <rhumb/physics/flow/kernel.hpp>
#include <rhumb/physics/flow/sweep_assembly.hpp>
#include <memory>

namespace rhumb::flow {

/// The local array of a vector, with ghosts, for as long as the object lives.
class GhostedVec {
public:
  GhostedVec(const Staggered& grid, const Boundary* boundary, Vec y, Vec local);
  ~GhostedVec();
  GhostedVec(const GhostedVec&) = delete;
  GhostedVec& operator=(const GhostedVec&) = delete;
  const double* data() const { return data_; }

private:
  Vec local_;
  PetscScalar* data_ = nullptr;
};

class Equations {
public:
  /// `upwinding`: share of first-order upwinding that is added to convection, for preconditioners.
  Equations(const Case& flow_case, const Staggered& grid, Level level, double upwinding = 0.0);

  /// Whether the pressure is zero in the first cell from now on; matrices that were made do not know it.
  void pin_pressure(bool pinned);

  const Case& flow_case() const { return case_; }
  const Staggered& grid() const { return grid_; }
  const Boundary& boundary() const { return boundary_; }
  const Medium& medium() const { return medium_; }
  Formulation formulation() const { return formulation_; }
  bool closed() const { return case_.closed(); }
  /// Factor of C^T in the constraint's rows of the iteration matrix.
  double constraint_scale(double alpha) const;
  /// Whether the row of an own unknown gives its rate: a value on a side that changes with t, with index1.
  bool rate_given(PetscInt owned) const { return rate_given_[owned] != 0; }
  /// Whether the pressure is held at each end of each direction.
  std::array<std::array<bool, 2>, 3> open_ends() const;

  void residual(double t, Vec y, Vec ydot, Vec out);
  /// C^T u into the pressure's entries of `out`, where the row is a balance; other entries untouched.
  void divergence(Vec y, Vec out);
  /// As `divergence` of y', with the derivative of what is given on the sides: the hidden constraint.
  void hidden_constraint(double t, Vec ydot, Vec out);
  /// Values of t on faces that are given; their derivatives into `ydot`.
  void set_given(double t, Vec y, Vec ydot);

  core::MatHandle create_matrix() const;
  void jacobian(double t, Vec y, double alpha, Mat matrix);

  /// With -bulk_velocity U: the force along x, even over the fluid, that makes d<u>/dt = 10 (U - <u>); <> is the mean over
  /// the fluid. `residual` leaves the last here; elsewhere 0.
  double drive() const { return drive_; }
  /// The derivative of that force, from J v of a matrix made for alpha without it, taken from J v.
  void add_drive_derivative(double alpha, Vec v, Vec product) const;
  /// Eddy viscosity at the cells, by offset, in the slots of the pressure; null without a model. Collective.
  const double* eddy_viscosity(const double* y);

  /// y with ghosts at t, for sweeps of others.
  GhostedVec ghosted(double t, Vec y);

private:
  template <int D, class Emit>
  void sweep_jacobian(const double* y, double alpha, Emit&& emit) const;
  void sweep_rows(double t, const GhostedVec& local, Vec ydot, Vec out);
  template <int D>
  void sweep_residual(const double* y, const double* ydot_local, const double* ydot, double* out) const;
  template <int D, int C>
  void momentum(const double* y, const double* ydot, double* out) const;
  template <class Emit>
  void unfold(PetscInt row, PetscInt offset, double value, Emit&& emit) const;
  std::array<double, 2> mean_of_u(Vec a, Vec b) const;
  void add_to_u(Vec v, double value) const;
  void combine_rates(Vec y, Vec ydot);
  void mark_given();

  const Case& case_;
  const Staggered& grid_;
  Boundary boundary_;
  Medium medium_;
  Formulation formulation_;
  GivenValues forces_;
  std::array<std::vector<PetscInt>, 3> force_at_; ///< by face in the order of sweeps; empty: no force
  core::VecHandle local_, local_dot_, work_;
  std::vector<char> given_at_;   ///< by place
  std::vector<char> rate_given_; ///< by own number
  SweepAssembly assembly_;       ///< of the matrix
  std::unique_ptr<EddyViscosity> eddy_;
  std::vector<OpenSide> open_sides_; ///< with -backflow
  double fluid_volume_ = 0.0;        ///< of the momentum of u, with -bulk_velocity
  double drive_ = 0.0;
};

/// Calls body.template operator()<D>() for the grid's number of directions.
template <class Body>
auto with_dimension(int dimension, Body&& body) {
  return dimension == 2 ? body.template operator()<2>() : body.template operator()<3>();
}

} // namespace rhumb::flow
