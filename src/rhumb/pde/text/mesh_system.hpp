#pragma once
/// A case on a Gmsh mesh as a problem to run: the weak form of its equations (weak_terms.hpp), evaluated at many points
/// at once.

#include <rhumb/pde/fem/probes.hpp>
#include <rhumb/pde/fem/weak_form.hpp>
#include <rhumb/pde/text/case.hpp>
#include <rhumb/pde/text/code_cache.hpp>
#include <rhumb/pde/text/mesh_equations.hpp>
#include <rhumb/pde/text/point_batch.hpp>
#include <list>

namespace rhumb::text {

class MeshSystem final : public fem::WeakForm {
public:
  MeshSystem(grid::Unstructured mesh, Case read);
  ~MeshSystem() override;

  /// From now on the equations run as compiled code. Collective. Throws as compile_or_load does.
  void compile();

  std::string name() const override { return case_.title; }
  double t_end() const override { return 1.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-5, .atol = 1e-6}; }
  std::vector<std::string> options_free_to_change() const override { return {"compile"}; }
  std::vector<std::string> remarks() const override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;

  dae::Offers offers() const override;
  void configure(PC preconditioner, Mat matrix) const override;
  void initial_values(double t, Vec y, Vec ydot) override;
  void product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) override;
  bool parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) override;

protected:
  void assemble(double t, double* out) override;
  void assemble_mass(double t, double* out) override;
  void assemble_matrix(double t, double alpha, Mat jacobian) override;
  double initial_value(PetscInt local) const override;

private:
  /// The cells, or the facets of a boundary through which something flows.
  struct Group {
    const fem::Patches* patches;
    std::vector<PetscInt> which;
    MeshEquations equations;
  };
  /// A formula that gives values on a boundary.
  class Given;

  void hold_values();
  void pin_levels();
  bool is_held_all_around(std::size_t constraint) const;
  Uniforms uniforms(double t) const;
  Uniforms uniforms_with_reductions(double t, double alpha);
  using Choose = std::function<Program&(MeshEquations&)>;
  /// Adds what the programs of all groups give, tested, to the local array.
  void add_terms(const Choose& choose, const Uniforms& uniforms, const double* along, double* out);
  /// Sums one product or derivative over the ranks; rows of given values are 0, or those of `v`.
  void sum_terms(const Choose& choose, const Uniforms& uniforms, const double* along, Vec v, Vec out);

  // Figures: mesh_figures.cpp
  std::vector<double> reduce(Uniforms& now, const std::vector<std::size_t>& which);
  std::vector<double> reduce_along(Uniforms& now);
  double reduce_here(std::size_t which, Program& operand, const Uniforms& now, const double* along);
  double probe(std::size_t which, Program& operand, const double* along);
  void prepare_reductions();
  void place_probe(std::size_t which);
  double reduce_all(const Reduction& reduction, double here) const;

  Case case_;
  std::vector<double> parameter_values_, reductions_, reductions_along_;
  std::list<Given> given_;
  std::vector<Group> groups_;
  std::vector<double> cell_sizes_;
  PointBatch batch_;
  std::vector<double> matrix_, tested_; ///< of one element
  mutable std::vector<Program> initial_;
  std::vector<Program> operands_, operands_along_; ///< of the reductions
  std::vector<std::size_t> in_equations_, all_reductions_;
  std::map<std::size_t, fem::Probes> probes_; ///< by reduction
  std::optional<fem::Patches> nodes_;         ///< where extrema are looked for
  double volume_ = 0.0;
  Program figures_;
  std::vector<std::string> pinned_; ///< fields that are free up to a constant
  bool given_by_parameters_ = false;
  CompiledCode code_;
};

} // namespace rhumb::text
