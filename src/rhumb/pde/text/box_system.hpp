#pragma once
/// A case on a box as a problem to run.

#include <rhumb/core/vec_version.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/grid/box.hpp>
#include <rhumb/grid/geometry.hpp>
#include <rhumb/pde/text/case.hpp>
#include <rhumb/pde/text/code_cache.hpp>
#include <rhumb/pde/text/lines.hpp>
#include <rhumb/pde/text/point_equations.hpp>
#include <memory>

namespace rhumb::text {

/// Where a profile with values at begin, begin + spacing, ... has this value first, by linear interpolation; NaN where it
/// has it nowhere.
double first_position(std::span<const double> profile, double level, double begin, double spacing);

class BoxSystem final : public dae::Problem, public grid::Geometry {
public:
  BoxSystem(MPI_Comm comm, Case read);

  const grid::Box& box() const { return box_; }
  /// From now on the equations run as compiled code. Collective. Throws as compile_or_load does.
  void compile();

  std::string name() const override { return case_.title; }
  double t_end() const override { return 1.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-5, .atol = 1e-6}; }
  std::vector<std::string> options_free_to_change() const override { return {"compile"}; }
  std::vector<std::string> remarks() const override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;

  std::vector<dae::Field> fields() const override { return fields_; }
  core::VecHandle create_vector() const override;
  core::MatHandle create_matrix() const override;
  dae::Offers offers() const override { return {.jacobian = true, .product = true, .mass_product = true}; }
  int field_of(PetscInt local) const override { return static_cast<int>(local % box_.fields()); }
  std::string location(PetscInt local) const override { return box_.position_text(local / box_.fields()); }
  core::VecHandle volumes() const override;
  dae::Kind variable_kind(PetscInt local) const override { return kinds_[local]; }
  void configure(PC preconditioner, Mat matrix) const override;

  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  void product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) override;
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) override;
  bool parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) override;

  std::string signature() const override { return box_.shape().describe(); }
  grid::Mesh mesh(double t, Vec y) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;
  std::vector<PetscInt> natural_indices() const override;

private:
  /// The points that lie alike, and what holds there.
  struct Group {
    PointGroup points;
    PointEquations equations;
    std::vector<Program> reductions;       ///< what each is taken of
    std::vector<Program> reductions_along; ///< its derivative along a direction
    double volume = 0.0;                   ///< of a point
  };
  /// Vectors with their halo for as long as a sweep lasts.
  class Sweep;

  std::array<PetscInt, 3> neighbours() const;
  std::vector<PetscInt> ghosted_nodes() const;
  void find_kinds();
  /// A vector of one result for each field at each point.
  using Choose = std::function<Program&(PointEquations&)>;
  void evaluate(const Choose& choose, Sweep& sweep, Vec out);
  /// The values at the start that come from other runs.
  void take_stored(Vec y) const;
  void fill_matrix(Sweep& sweep, Mat matrix);
  template <class Visit>
  void for_each_entry(const std::vector<MatrixEntry>& entries, const Line& line, PetscInt i, Visit&& visit) const;
  Uniforms uniforms(double t) const;
  /// The reductions in `which`, of one state; the places of others are left 0. Collective.
  std::vector<double> reduce(Sweep& sweep, const std::vector<std::size_t>& which);
  /// Derivatives, along the sweep's direction, of those that stand in equations. Collective.
  std::vector<double> reduce_along(Sweep& sweep);
  double reduce_here(const Reduction& reduction, Sweep& sweep, const std::function<Program&(Group&)>& operand);
  double position_of(std::size_t which, Sweep& sweep);
  double reduce_all(const Reduction& reduction, double here) const;
  double weight(const Reduction& reduction, const Group& group, const Line& line, PetscInt i) const;

  Case case_;
  grid::Box box_;
  core::DmHandle halo_dm_;
  std::vector<dae::Field> fields_;
  std::vector<Group> groups_;
  std::vector<double> parameter_values_;
  std::vector<dae::Kind> kinds_;
  std::vector<PetscInt> columns_; ///< PETSc's index of each point of this rank and its halo
  Program figures_;
  std::vector<std::size_t> in_equations_, all_reductions_; ///< indices of reductions
  CompiledCode code_;
  core::VecHandle local_values_, local_rates_, local_direction_;
  core::VecVersion values_with_halo_; ///< what local_values_ holds
  std::vector<double> results_;       ///< of one line
};

} // namespace rhumb::text
