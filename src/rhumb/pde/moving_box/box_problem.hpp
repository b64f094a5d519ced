#pragma once
/// What all problems on moving boxes share and no PDE's functions are needed for: layout, mesh equations, initial mesh,
/// solver, output, figures.
///
/// Unknowns at a point: u_1 ... u_C; where the mesh moves its position x_1 ... x_D and the smoothed monitor w; with
/// -balance volumes the contents of its volume, q_c = u_c V (V in units of a mean cell: q is of the size of u).
/// Mesh equation (variable diffusion, X the position in the reference mesh, L the size of the domain):
///   x' = L^2/(tau w) div_X(w grad_X x),
/// by the neighbours l: x' = L^2/tau sum_l (w + w_l)/(2 w) k_l (x_l - x), k_l being 1/h^2 along the lines of a box's grid
/// and the Laplacian of linear elements on other meshes (Simplices::pulls). On a side only neighbours on that side
/// count, and the coordinate across stands still; so points slide along sides and edges, and corners stay. With positive
/// weights the steady mesh of a convex domain is a convex combination map, which does not fold.

#include <rhumb/dae/problem.hpp>
#include <rhumb/grid/geometry.hpp>
#include <rhumb/pde/moving_box/quality.hpp>
#include <rhumb/pde/moving_box/settings.hpp>
#include <rhumb/pde/moving_box/simplices.hpp>
#include <limits>
#include <optional>

namespace rhumb::moving_box {

/// Up to so many unknowns the matrix is factored; beyond, GMRES with a block preconditioner.
inline constexpr PetscInt largest_factored = 50'000;

class BoxProblem : public dae::Problem, public grid::Geometry {
public:
  BoxProblem(MPI_Comm comm, const core::Options& options, Description about, bool has_own_monitor);

  const Description& about() const { return about_; }
  const Settings& settings() const { return settings_; }
  const Simplices& simplices() const { return simplices_; }
  int components() const { return static_cast<int>(about_.fields.size()); }
  int dimension() const { return simplices_.dimension(); }

  std::string name() const override { return about_.name; }
  double t_end() const override { return about_.t_end; }
  std::vector<std::string> options_free_to_change() const override { return {"stop_above"}; }
  dae::Tolerances default_tolerances() const override;
  dae::Preferences preferences() const override;
  std::vector<dae::Field> fields() const override { return fields_; }
  core::VecHandle create_vector() const override;
  core::MatHandle create_matrix() const override;
  void configure(PC preconditioner, Mat matrix) const override;
  dae::Kind variable_kind(PetscInt local) const override;

  /// The run ends where the first component exceeds -stop_above.
  std::vector<dae::Event> events() const override;
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override;
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override;

  void after_step(double t, Vec y, Vec ydot) override;
  std::vector<double> watch_times() const override { return settings_.front_times; }
  void watch(double t, Vec y, Vec ydot) override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override;
  void restore_state(std::span<const double> numbers) override;

  std::string signature() const override;
  grid::Mesh mesh(double t, Vec y) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;
  std::vector<PetscInt> natural_indices() const override;

protected:
  bool moves() const { return settings_.moves; }
  bool has_contents() const { return settings_.balance != Balance::points; }
  int unknowns() const { return simplices_.unknowns(); }
  /// Entries of local arrays: component c, coordinate d, monitor of a point.
  std::size_t entry(PetscInt node, int unknown) const { return static_cast<std::size_t>(node * unknowns() + unknown); }
  int coordinate(int d) const { return components() + d; }
  int monitor_index() const { return components() + dimension(); }
  int content(int c) const { return components() + (moves() ? dimension() + 1 : 0) + c; }

  /// Whether the component's values at the point are given.
  virtual bool is_held(PetscInt node, int component) const = 0;
  /// Error of the solution, where it is known: squared and integrated over this rank's simplices, and the largest at
  /// this rank's points.
  struct Errors {
    double square = 0.0, largest = 0.0;
  };
  virtual std::optional<Errors> errors(double t) const = 0;

  /// Local arrays of y and, where given, y'. Collective.
  void load(Vec y, Vec ydot);
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& rates() const { return rates_; }
  double position(PetscInt node, int d) const {
    return moves() ? values_[entry(node, coordinate(d))] : simplices_.reference(node, d);
  }
  Corners positions(PetscInt element) const;
  Corners reference_positions(PetscInt element) const;

  /// Volume around each own point over that of a cell, by local points. Of what `load` has loaded.
  std::vector<double> relative_volumes() const;
  /// q = u V for the points' u and positions. Collective.
  void set_contents(Vec y);

  /// Rows of the mesh and the monitor, without the monitor's own average, added to a local array.
  void add_mesh_rows(std::vector<double>& sums) const;
  void add_mesh_jacobian(double alpha, Mat jacobian) const;
  /// Throws core::Recoverable where a simplex of this rank is folded or has no volume left.
  void reject_folded(double t) const;

  /// y on a mesh that suits the initial values; needs `starting()` rows: u = initial(x) in place of the PDE.
  /// Collective.
  void find_initial_mesh(double t, Vec y, Vec ydot);
  bool starting() const { return starting_; }

private:
  std::vector<dae::Field> all_fields() const;
  double pull() const; ///< L^2/tau
  bool pseudo_step(double t, double dt, Vec y, Vec ydot);
  struct Relaxation;
  bool rows_at_rest(Relaxation& relaxation, double t, Vec y);
  bool follow(Relaxation& relaxation, double t, Vec y);
  void fill_smoothing(Relaxation& relaxation) const;
  void fill_pulls(Relaxation& relaxation, double dt) const;
  /// Brings the points close to rest; whether it did. No cell is folded in either case.
  bool relax(double t, Vec y);
  double front() const;
  Quality quality() const;
  double extrapolation_error(PetscInt from, PetscInt to, int far) const;
  void watch_error_in_space(double t);
  std::string advice() const;
  /// Integrals, smallest and largest values of the components. Collective.
  struct Totals {
    std::vector<double> integral, lowest, highest;
  };
  Totals totals() const;
  std::vector<std::pair<std::string, double>> named(const Totals& totals) const;
  bool is_coordinate(int unknown) const { return moves() && unknown >= components() && unknown < monitor_index(); }
  /// What a row of the matrix holds: columns of the i-th own point's unknown.
  std::vector<PetscInt> columns(PetscInt i, int unknown, const std::vector<PetscInt>& around) const;
  template <class Body>
  void for_each_row(Body&& body) const;

  Description about_;
  Settings settings_;
  Simplices simplices_;
  std::vector<dae::Field> fields_;
  core::VecHandle local_;
  std::vector<double> values_, rates_;
  bool starting_ = false;
  struct Start; ///< what the search for the initial mesh needs
  Start* start_ = nullptr;

  // What a run has shown so far.
  double smallest_volume_ = std::numeric_limits<double>::infinity();
  double worst_quality_ = 1.0;
  std::vector<double> integrals_at_start_;
  double stopped_ = std::numeric_limits<double>::infinity(); ///< at -stop_above
  struct SpaceError {
    double error = 0.0, t = 0.0;
    std::array<double, 3> position{};
  } space_; ///< the largest error of interpolation
  std::vector<double> times_, fronts_;
};

} // namespace rhumb::moving_box
