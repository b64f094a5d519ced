#pragma once
/// What all moving-mesh problems share and no PDE's functions are needed for: layout, output, fronts, figures.

#include <rhumb/dae/tolerance_rule.hpp>
#include <rhumb/grid/geometry.hpp>
#include <rhumb/pde/moving/error_watch.hpp>
#include <rhumb/pde/moving/line.hpp>
#include <rhumb/pde/moving/profile.hpp>
#include <rhumb/pde/moving/settings.hpp>
#include <rhumb/pde/moving/solution_watch.hpp>
#include <algorithm>
#include <limits>

namespace rhumb::moving {

/// A mesh made for the initial values is looked at again so many times.
inline constexpr int most_looks = 5;

class MeshProblem : public dae::Problem, public dae::ToleranceRule, public grid::Geometry {
public:
  MeshProblem(MPI_Comm comm, const core::Options& options, Description about, const Extras& extras);

  const Description& about() const { return about_; }
  const MeshSettings& settings() const { return settings_; }
  const MeshRule& rule() const { return settings_.rule; }
  /// Nodes in use; y has room for more where their number may change, and what is not in use stands still.
  PetscInt nodes() const { return settings_.rule.cells + 1; }

  std::string name() const override { return about_.name; }
  double t_end() const override { return about_.t_end; }
  dae::Tolerances default_tolerances() const override { return tolerances(about_.rtol); }
  dae::Tolerances tolerances(double rtol) const override;
  void set_tolerances(const dae::Tolerances& of_run) override { watch_.set_tolerances(of_run.rtol, of_run.atol); }
  dae::Preferences preferences() const override;
  std::vector<dae::Field> fields() const override { return fields_; }
  int field_of(PetscInt local) const override { return static_cast<int>(local % line_.entries()); }
  core::VecHandle create_vector() const override { return line_.create_vector(); }
  core::MatHandle create_matrix() const override { return line_.create_matrix(reach_); }
  /// A direct solve: rows reach a few nodes only, so factors are banded.
  void configure(PC preconditioner, Mat matrix) const override;

  /// Ignition, where the PDE has one, and regridding, where it is wanted.
  std::vector<dae::Event> events() const override;
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override;
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override;

  std::vector<double> watch_times() const override { return settings_.front_times; }
  void watch(double t, Vec y, Vec ydot) override;
  void after_step(double t, Vec y, Vec ydot) override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override;
  void restore_state(std::span<const double> node_values) override;

  std::string signature() const override;
  grid::Mesh mesh(double t, Vec y) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;

protected:
  Unknowns unknowns() const;
  const Line& line() const { return line_; }
  /// How many of this rank's nodes are in use.
  PetscInt owned_nodes() const { return std::clamp<PetscInt>(nodes() - line_.first(), 0, line_.count()); }
  /// How many nodes on each side the row of each field looks at.
  const std::vector<int>& reach() const { return reach_; }
  int components() const { return static_cast<int>(about_.fields.size()); }
  /// The mesh of a fixed run, or the one a moving run starts with.
  std::vector<double> x_start_;
  /// The nodes in use. How many there are y itself says: an output time before a regridding has another number.
  Profile profile(Vec y) const;
  /// The largest share of a cell over the mean, and the integral of the smoothed monitor.
  struct Unevenness {
    double ratio = 1.0, integral = 0.0;
  };
  virtual Unevenness unevenness(double t, const Profile& profile) const = 0;
  /// y on nodes that equidistribute the profile's monitor, rule().cells of them.
  virtual std::vector<double> laid_out_anew(double t, const Profile& profile) const = 0;
  virtual void number_of_nodes_changed() = 0;
  /// y' of all nodes in use at (t, y).
  virtual std::vector<double> rates(double t, const std::vector<double>& y) const = 0;
  void set_cells(PetscInt cells);
  PetscInt cells_wanted(double integral) const;
  /// The mesh after insertion and deletion of nodes, and what it will be measured by.
  std::vector<double> nodes_inserted_and_deleted(const Profile& profile);
  /// This rank's part of y and y' from the numbers of all nodes in use.
  void put(double t, const std::vector<double>& node_values, Vec y, Vec ydot) const;
  /// Largest error at the nodes, where the solution is known.
  virtual std::optional<double> error(double /*t*/, const Profile& /*profile*/) const { return std::nullopt; }

  /// The cell where a flux runs up the slope most, because of a negative value.
  virtual std::optional<BackwardDiffusion> backward_diffusion(double t, const Profile& profile) const = 0;

private:
  std::vector<double> integrals(const Profile& profile) const;
  /// What to change, in words; empty where there is nothing to say.
  std::string advice() const;
  std::vector<dae::Field> all_fields() const;
  std::vector<int> reaches() const;
  double front(const Profile& profile) const;
  void regrid(double t, Vec y, Vec ydot);
  /// Above 1: the mesh wants to be made anew.
  double urgency(double t, const Profile& profile) const;
  double local_urgency(const Profile& profile) const;
  std::size_t nodes_in_use(const std::vector<double>& all) const;
  /// The numbers of so many nodes, component by component, and those of x where the mesh is unknown.
  Profile columns(const std::vector<double>& all, std::size_t count) const;
  void take_from_contents(const std::vector<double>& all, Profile& profile) const;
  /// u' of so many nodes along their paths, and their speeds in x.
  Profile speeds(Vec ydot, std::size_t count) const;
  /// This rank's part of numbers that belong to the nodes in use.
  grid::Block<double> local_part(const std::vector<double>& node_values) const;

  Description about_;
  MeshSettings settings_;
  std::vector<dae::Field> fields_;
  std::vector<int> reach_;
  Line line_;
  // What a run has shown so far.
  struct Seen {
    std::vector<double> times, fronts, lowest, highest;
    double ignition = -1.0;
    double error = -1.0;
    double smallest_cell = std::numeric_limits<double>::infinity();
    double regrids = 0.0;
    double most_nodes = 0.0;
  } seen_;
  ErrorWatch watch_;
  SolutionWatch solution_;
  // What the last insertion and deletion left: the wanted error, or more where nodes ran out, and the ideal number of
  // cells at that error.
  double cell_error_ = 0.0, ideal_cells_ = 0.0;
};

} // namespace rhumb::moving
