#pragma once
/// What all closed vessels share and no gas's functions are needed for: the layout of y, the mesh in psi, events,
/// output and figures.
///
/// Per node i: T, Y_1 ... Y_K, r, p; nodes at fixed psi_i, d psi = rho r^g dr, so that mass cannot be lost. Node i
/// stands for the mass m_i between the middles (in psi) of its cells.

#include <rhumb/core/step_integral.hpp>
#include <rhumb/dae/tolerance_rule.hpp>
#include <rhumb/grid/geometry.hpp>
#include <rhumb/pde/moving/line.hpp>
#include <rhumb/pde/moving/profile.hpp>
#include <rhumb/physics/combustion/vessel_settings.hpp>

namespace rhumb::combustion {

class VesselProblem : public dae::Problem, public dae::ToleranceRule, public grid::Geometry {
public:
  /// What the gas is made of.
  struct GasInfo {
    std::vector<std::string> species;
    std::vector<double> mixture; ///< mass fractions at the start
    int fuel = -1;               ///< the species whose consumption measures burning; -1: none
    /// Of each element the mass in a unit of mass of each species.
    std::vector<std::pair<std::string, std::vector<double>>> elements = {};
  };
  VesselProblem(MPI_Comm comm, const core::Options& options, VesselDefaults defaults, GasInfo gas_info);

  const VesselSettings& settings() const { return settings_; }

  std::string name() const override { return defaults_.name; }
  double t_end() const override { return defaults_.t_end; }
  dae::Tolerances default_tolerances() const override { return tolerances(defaults_.rtol); }
  dae::Tolerances tolerances(double rtol) const override;
  std::vector<std::string> options_free_to_change() const override { return {"stop_at_fate", "figure_radii"}; }
  std::vector<dae::Field> fields() const override { return fields_; }
  int field_of(PetscInt local) const override { return static_cast<int>(local % line_.entries()); }
  dae::Kind variable_kind(PetscInt) const override { return dae::Kind::differential; }
  core::VecHandle create_vector() const override { return line_.create_vector(); }
  core::MatHandle create_matrix() const override;
  /// A direct solve: rows reach one node to each side, so matrix and factors are block tridiagonal.
  void configure(PC preconditioner, Mat matrix) const override;
  void initial_values(double t, Vec y, Vec ydot) override;

  /// The source's end, a new mesh, a flame that has got far, a kernel that has gone out.
  std::vector<dae::Event> events() const override;
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override;
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override;

  std::vector<double> watch_times() const override { return settings_.figure_times; }
  void watch(double t, Vec y, Vec ydot) override;
  void after_step(double t, Vec y, Vec ydot) override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override;
  void restore_state(std::span<const double> values) override;

  std::string signature() const override;
  grid::Mesh mesh(double t, Vec y) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;

protected:
  const moving::Line& line() const { return line_; }
  std::size_t species() const { return gas_info_.species.size(); }
  std::size_t index_of_r() const { return species() + 1; }
  std::size_t index_of_p() const { return species() + 2; }
  std::size_t entries() const { return species() + 3; }
  PetscInt last() const { return settings_.cells; }
  double psi(PetscInt i) const { return psi_[i]; }
  /// Mass of node i, over the solid angle.
  double mass(PetscInt i) const { return mass_in(psi_, static_cast<std::size_t>(i)); }
  double density_at_start() const { return density_; }
  /// W over the solid angle that the source gives; 0 when it is off.
  double source_power() const;

  // The gas at a node, in plain numbers.
  virtual double specific_volume(double T, std::span<const double> Y, double p) const = 0;
  virtual double internal_energy(double T, std::span<const double> Y) const = 0;
  /// Heat that the wall takes, W over the solid angle; on all ranks.
  virtual double wall_power(double t, Vec y, Vec ydot) = 0;
  /// The temperature near `near` that gives the gas this internal energy. Throws core::SolverGaveUp where there is
  /// none.
  double temperature_of_energy(double energy, const std::vector<double>& Y, double near) const;
  /// What to say of temperatures lowest ... highest; empty: nothing.
  virtual std::string remark(double lowest, double highest) const = 0;

private:
  /// All nodes' values on all ranks, as the figures want them.
  struct State {
    std::vector<double> r, T;
    std::vector<std::vector<double>> Y; ///< per species
    double p = 0.0;
  };
  State state(Vec y) const;
  std::vector<double> fractions(const State& now, std::size_t i) const;
  moving::Profile profile(const State& now) const;
  static double mass_in(const std::vector<double>& psi, std::size_t i) {
    return 0.5 * (psi[std::min(i + 1, psi.size() - 1)] - psi[i > 0 ? i - 1 : 0]);
  }
  /// The nodes of the states at time t.
  const std::vector<double>& psi_at(double t) const { return t < before_.until ? before_.psi : psi_; }
  /// J, up to t.
  double wall_loss(double t) const;
  double total_energy(double t, const State& now) const;
  std::vector<double> totals_of_elements(double t, const State& now) const;
  double supplied(double t) const;
  double flame_radius(const State& now) const;
  double burning_speed(double t, const State& now, Vec ydot) const;
  void note_extremes(const State& now);
  void add_lists(dae::Figures& figures) const;
  void add_balances(double t, const State& now, dae::Figures& figures) const;

  std::vector<double> first_radii() const;
  moving::Profile drawing(const State& now) const;
  std::vector<double> ranges(const moving::Profile& of) const;
  std::vector<double> carried_over(const std::vector<double>& means, const std::vector<double>& old_psi,
                                   const std::vector<double>& new_psi) const;
  void fill_up(State& now) const;
  std::vector<double> radii_of(const State& now) const;
  double unevenness(const State& now) const;
  void regrid(const State& old, Vec y, Vec ydot);
  void equilibrate(State& now) const;
  void put(const State& now, Vec y, Vec ydot) const;

  VesselDefaults defaults_;
  GasInfo gas_info_;
  VesselSettings settings_;
  std::vector<dae::Field> fields_;
  moving::Line line_;
  std::vector<double> psi_;
  double density_ = 1.0;       ///< at the start, in the middle
  double energy_at_start_ = 0; ///< internal, J over the solid angle
  std::vector<double> element_totals_;
  bool source_on_ = true;
  double limit_ = 0.0; ///< of the unevenness, at which the mesh is laid out anew
  core::StepIntegral loss_;
  /// What held up to the last event that restarted the integration. Outputs at times in the step that it cut are asked
  /// for after it, and their y is that of the old nodes.
  struct Before {
    double until = -1.0;
    std::vector<double> psi;
    core::StepIntegral loss;
  } before_;
  // What a run has shown so far.
  struct Observed {
    std::vector<double> times, p, centre, loss, flame, speed, at_radii;
    double regrids = 0.0;
    double ignited_at = -1.0, died_at = -1.0;
    double lowest_T = 1e9, highest_T = 0.0, lowest_fraction = 1.0, sum_error = 0.0;
  } seen_;
};

} // namespace rhumb::combustion
