#pragma once
/// Incompressible flow on a mesh with Taylor-Hood elements: velocity of order k, pressure of order k - 1. For all test
/// functions v, q (v zero where the velocity is given):
///   (u_t + u.grad u - f, v) + (nu grad u - p I + gamma div u I, grad v) = 0,   -(div u, q) = 0,
/// which is BCP (6.5.3) with a mass matrix that is symmetric and positive definite. Where the velocity is not given,
/// nu du/dn - p n = 0 (do-nothing).
///
/// Where no boundary lets the pressure through, its value at one vertex is zero (output: its mean is), and div u equals
/// what the given velocities let in, over the volume: for interpolated velocities that is a small number, not zero.

#include <rhumb/dae/tolerance_rule.hpp>
#include <rhumb/pde/fem/probes.hpp>
#include <rhumb/pde/fem/weak_system.hpp>
#include <rhumb/physics/flow/mesh_case.hpp>
#include <rhumb/physics/flow/mesh_preconditioner.hpp>
#include <rhumb/physics/flow/shedding.hpp>

namespace rhumb::flow {

std::unique_ptr<dae::Problem> make_mesh_flow(MPI_Comm comm, const core::Options& options);

template <int D>
class TaylorHood final : public fem::WeakSystem<TaylorHood<D>, D, D + 1>, public dae::ToleranceRule {
  using Base = fem::WeakSystem<TaylorHood<D>, D, D + 1>;
  friend Base;

public:
  explicit TaylorHood(MeshCase read);

  // dae::System, dae::Problem
  std::string name() const override { return case_.problem; }
  double t_end() const override { return case_.t_end; }
  dae::Offers offers() const override;
  dae::Tolerances default_tolerances() const override { return tolerances(case_.rtol); }
  dae::Tolerances tolerances(double rtol) const override;
  void configure(PC preconditioner, Mat matrix) const override;
  void exact(double t, Vec y) const override;
  void hidden_constraint(double t, Vec y, Vec ydot, Vec residual) override;
  void after_step(double t, Vec y, Vec ydot) override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override;
  void restore_state(std::span<const double> values) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;
  using Base::fields;

  // What WeakSystem asks for.
  double initial(int component, const fem::Position& x) const;
  template <class S>
  fem::Terms<S, D, D + 1> cell(const fem::State<S, D, D + 1>& u, const fem::QuadraturePoint& p) const;

private:
  static constexpr std::size_t pressure = D;

  void hold_velocities();
  void reject_lost_pressures();
  int slip_direction(int boundary) const;
  /// Tables of the body force, and the inflow that is too much; called by WeakSystem.
  void prepare(double t, const double* values);
  double net_inflow(const double* values) const;
  core::VecHandle mass_diagonal(int component, IS of_component) const;
  core::IsHandle unknowns(int component) const;

  // Figures: mesh_report.cpp
  using Force = std::array<double, static_cast<std::size_t>(D)>;
  std::vector<Force> forces(double t, Vec y, Vec ydot);
  std::array<double, 2> coefficients(const Force& force) const;
  struct Measures {
    double kinetic_energy, divergence_l2, pressure_mean;
  };
  Measures measure(const double* values) const;
  grid::FieldBlock vorticity(const double* values);
  double error_l2(int component, double t, const double* values) const;
  double pressure_shift(const Measures& now) const { return case_.closed() ? -now.pressure_mean : 0.0; }

  MeshCase case_;
  double volume_ = 0.0;
  grid::GivenValues force_values_;
  std::array<PetscInt, 3> first_force_{-1, -1, -1}; ///< of each component, numbered by points of cells
  std::optional<double> excess_time_;               ///< when `excess_` was taken
  double excess_ = 0.0;                             ///< net inflow over the volume
  fem::Probes probes_, pressure_pair_;
  Shedding shedding_;
  core::VecHandle work_;
  std::optional<fem::Patches> nodes_; ///< the output's nodes of each cell; made at the first output
};

template <int D>
template <class S>
fem::Terms<S, D, D + 1> TaylorHood<D>::cell(const fem::State<S, D, D + 1>& u, const fem::QuadraturePoint& point) const {
  fem::Terms<S, D, D + 1> out;
  S divergence(0.0);
  for (std::size_t d = 0; d < D; ++d) divergence += u.gradient[d][d];
  const S isotropic = case_.grad_div * divergence - u.value[pressure];
  for (std::size_t c = 0; c < D; ++c) {
    out.source[c] = u.rate[c];
    if (first_force_[c] >= 0) out.source[c] -= force_values_.value(first_force_[c] + point.index);
    for (std::size_t d = 0; d < D; ++d) {
      out.source[c] += u.value[d] * u.gradient[c][d];
      out.flux[c][d] = case_.nu * u.gradient[c][d];
    }
    out.flux[c][c] += isotropic;
  }
  out.source[pressure] = excess_ - divergence;
  return out;
}

} // namespace rhumb::flow
