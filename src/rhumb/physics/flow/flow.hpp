#pragma once
/// Incompressible flow as a problem for the integrator: the discrete equations with their kinds, exact matrix,
/// preconditioner, output and figures. The pressure is a variable of index 2 (or 1, see Formulation).

#include <rhumb/dae/direct_solve.hpp>
#include <rhumb/dae/figure_gradients.hpp>
#include <rhumb/dae/saved_vectors.hpp>
#include <rhumb/dae/tolerance_rule.hpp>
#include <rhumb/grid/geometry.hpp>
#include <rhumb/physics/flow/measures.hpp>
#include <rhumb/physics/flow/preconditioner.hpp>
#include <rhumb/physics/flow/time_averages.hpp>

namespace rhumb::flow {

class Flow : public dae::Problem,
             public grid::Geometry,
             public dae::FigureGradients,
             public dae::SavedVectors,
             public dae::ToleranceRule,
             public dae::DirectSolve {
public:
  Flow(MPI_Comm comm, Case flow_case);

  // dae::System
  std::vector<dae::Field> fields() const override;
  core::VecHandle create_vector() const override { return grid_.create_vector(); }
  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec out) override;
  dae::Offers offers() const override;
  int field_of(PetscInt local) const override { return field_of_[local]; }
  std::string location(PetscInt local) const override;
  /// Of the control volumes.
  core::VecHandle volumes() const override;
  dae::Kind variable_kind(PetscInt local) const override;
  core::MatHandle create_matrix() const override { return equations_.create_matrix(); }
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  void product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) override;
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) override;
  void hidden_constraint(double t, Vec y, Vec ydot, Vec residual) override;
  void exact(double t, Vec y) const override;
  void configure(PC preconditioner, Mat matrix) const override;
  std::optional<double> next_break(double t) const override { return equations_.boundary().next_break(t); }
  std::vector<double> saved_state() const override;
  void restore_state(std::span<const double> values) override;

  // dae::Problem
  std::string name() const override { return case_.problem; }
  double t_end() const override { return case_.t_end; }
  dae::Tolerances default_tolerances() const override { return tolerances(case_.rtol); }
  void after_step(double t, Vec y, Vec ydot) override;
  std::vector<std::string> remarks() const override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;

  std::vector<std::string> options_free_to_change() const override {
    return {"average_from", "out_region", "out_every"};
  }

  // dae::SavedVectors
  std::vector<Named> saved_vectors() const override;
  void restore_vectors(std::span<const Named> saved) override;

  // dae::ToleranceRule
  dae::Tolerances tolerances(double rtol) const override;

  // dae::DirectSolve
  void set_direct_solve(bool direct) override;

  // dae::FigureGradients
  bool figure_gradient(const std::string& figure, double t, Vec y, Vec by_y) override;

  /// Takes from the velocity of y the gradient that leaves it without divergence.
  void make_divergence_free(double t, Vec y);
  // grid::Geometry
  std::string signature() const override;
  grid::Mesh mesh(double t, Vec y) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;
  std::vector<PetscInt> natural_indices() const override;

private:
  /// What a field of the output is made of: values by offset, at cells or (normal >= 0) at faces.
  struct Quantity {
    std::string name, long_name;
    const double* local;
    PetscInt slot;
    int normal = -1;
  };
  void select_cells();
  grid::FieldBlock selected_field(const Quantity& quantity) const;
  grid::FieldBlock whole_field(const Quantity& quantity) const;
  grid::FieldBlock field_block(const Quantity& quantity) const;
  void add_averages(std::vector<grid::FieldBlock>& out) const;
  void add_turbulence(Vec y) const;
  grid::FieldBlock vorticity(const double* y) const;
  grid::FieldBlock stream_function_field(Vec y) const;
  void check_net_inflow(double t) const;
  void compare_start(Vec y);
  bool is_pinned() const;

  Case case_;
  Staggered grid_;
  mutable Equations equations_;
  mutable Linearization point_;
  std::vector<int> field_of_;
  double largest_divergence_ = 0.0;            ///< over the accepted steps
  core::VecHandle requested_initial_velocity_; ///< the velocity that the case asks for, until the start has been made
  double start_divergence_ = 0.0;              ///< of that velocity, with the sides and obstacles set
  double start_change_ = 0.0;                  ///< largest difference of the one taken
  bool direct_solve_ = false;
  std::string remark_on_pressure_; ///< as iterations find it
  std::vector<std::string> remarks_;
  core::MatHandle matrix_;                        ///< the last, made for point_, with -bulk_velocity
  std::array<std::vector<PetscInt>, 3> selected_; ///< cells of snapshots; empty: all
  std::unique_ptr<TimeAverages> averages_;
};

std::unique_ptr<dae::Problem> make_flow(MPI_Comm comm, const core::Options& options);

} // namespace rhumb::flow
