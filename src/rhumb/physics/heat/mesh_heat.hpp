#pragma once
/// The heat equation of a case on a mesh, by continuous elements: for all test functions v that are zero where T is
/// held
///   integral of (rho c T_t - s) v + k grad T . grad v over the cells = integral of q v over the boundaries,
/// where q is the heat that flows in. Through boundaries that are held at a temperature flows what the same balance
/// lacks for their own test functions; all test functions together are one, so that the account of heat is exact.

#include <rhumb/pde/fem/probes.hpp>
#include <rhumb/pde/fem/weak_system.hpp>
#include <rhumb/physics/heat/findings.hpp>
#include <rhumb/physics/heat/mesh_coefficients.hpp>

namespace rhumb::heat {

/// Reads the mesh and the case from the options and makes the problem.
std::unique_ptr<dae::Problem> make_mesh_heat(MPI_Comm comm, const core::Options& options);

template <int D>
class MeshHeat final : public fem::WeakSystem<MeshHeat<D>, D, 1> {
  using Base = fem::WeakSystem<MeshHeat<D>, D, 1>;

public:
  MeshHeat(MeshCase read, grid::Unstructured mesh, int order);

  std::string name() const override { return case_.problem; }
  double t_end() const override { return case_.t_end; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-5, .atol = 1e-6}; }
  std::vector<double> watch_times() const override { return case_.watch_times; }
  void watch(double t, Vec y, Vec /*ydot*/) override { take_errors(t, y); }
  void after_step(double t, Vec y, Vec ydot) override { findings_.after_step(t, powers(t, y, ydot)); }
  std::vector<std::string> remarks() const override;
  dae::Offers offers() const override;
  /// -exact at the nodes.
  void exact(double t, Vec y) const override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override { return findings_.saved_state(); }
  void restore_state(std::span<const double> values) override { findings_.restore_state(values); }

  // What WeakSystem asks for.
  double initial(int /*component*/, const fem::Position& x) const { return case_.initial({x, 0.0, 0.0}); }
  void prepare(double t, const double* T);

  template <class S>
  fem::Terms<S, D, 1> cell(const fem::State<S, D, 1>& u, const fem::QuadraturePoint& p) const {
    const S& T = u.value[0];
    const S k = coefficients_.k(p.index, T);
    fem::Terms<S, D, 1> f;
    f.source[0] = coefficients_.capacity(p.index, T) * u.rate[0] - coefficients_.source(p.index, T);
    for (std::size_t i = 0; i < static_cast<std::size_t>(D); ++i) f.flux[0][i] = k * u.gradient[0][i];
    return f;
  }
  template <class S>
  fem::Terms<S, D, 1> facet(const fem::State<S, D, 1>& u, const fem::QuadraturePoint& p) const {
    return {.source = {-coefficients_.flux(p.boundary, p.index, u.value[0])}};
  }

  /// The flow of heat now, over all ranks; all NaN where a coefficient is refused at this state.
  Powers powers(double t, Vec y, Vec ydot);
  /// The heat taken up since the start, over all ranks.
  double stored(double t, Vec y);

private:
  std::string complaint_of_start();
  std::span<const double> at_points(const fem::Patches& patches, const double* T, std::vector<double>& out) const;
  std::string update(double t, const double* T, core::Need need);
  /// Through the boundaries that are held, by boundary, of this rank's rows; brings the tables to (t, y).
  std::vector<double> held_powers(double t, Vec y, Vec ydot);
  std::vector<double> local_powers(double t, Vec y, Vec ydot);
  double heat_content(const double* T) const;
  void take_errors(double t, Vec y);

  MeshCase case_;
  MeshCoefficients coefficients_;
  bool holds_; ///< some boundary at a temperature
  fem::Probes probes_;
  std::optional<fem::Patches> exactly_; ///< cells with a finer rule, for errors
  std::vector<double> in_cells_, on_facets_, at_start_;
  double first_content_ = 0.0;
  core::VecHandle natural_;
  Findings findings_;
};

} // namespace rhumb::heat
