#pragma once
/// Flow of a gas or a liquid in a network of pipes, by finite volumes on the graph. Unknowns: P = p/z of
/// every volume, the flow q of every segment between two volumes, the flow of every machine, the flow s into the
/// network at every boundary, and the mass m that has come in there.
///
///   V drho/dP P' = sum of flows in          volumes (nodes: half a cell of each pipe, and their tanks)
///   dx/A q' = p_from - p_to - weight - friction   segments (laws.hpp)
///   0 = law(P_from, P_to, q; mode)          machines
///   0 = law(P, s; mode)                     boundaries
///   m' = s                                  accounts
///
/// All but the laws is linear. Where a law binds pressures alone its flow is a multiplier, and the system is of index
/// 2 (Hessenberg, with x = (P, q, m)); events change the laws and with them the index.
///
/// An ideal gas can have a temperature of its own in every volume (-thermal). The density rho is an unknown then and has
/// the balance of mass, V rho' = sum of flows in, while that of P becomes the one of energy,
///
///   V/(g - 1) P' = sum of flows in (c_p T + gravity (h_there - h_here) + work of a compressor) + K (T_ground - T)
///
/// with T of the volume from which the gas comes (what leaves takes c_p T of its own with it), and K = pi D dx U of the
/// walls. Both are linear in y', so that energy, too, is kept to rounding. That of motion is left out, as in `momentum`.

#include <rhumb/dae/problem.hpp>
#include <rhumb/grid/geometry.hpp>
#include <rhumb/physics/network/controls.hpp>
#include <rhumb/physics/network/layout.hpp>
#include <array>
#include <memory>
#include <optional>

namespace rhumb::network {

/// Unknowns up to which every rank factors the whole matrix: some 20 MB, and far faster than to share the work.
inline constexpr PetscInt factored_everywhere = 50'000;

struct Settings {
  enum class Start : std::uint8_t { steady, given };
  std::string name;
  /// What flow along a pipe costs beside its weight.
  enum class Momentum : std::uint8_t { friction, convective };
  FrictionLaw friction = FrictionLaw::hofer;
  Momentum momentum = Momentum::friction;
  Start start = Start::steady;
  bool thermal = false;
  double ground_temperature = 283.15; ///< K
  double heat_transfer = 2.0;         ///< between gas and ground, W/(m^2 K)
  double min_volume = 1.0;            ///< m^3, of nodes at which no pipe ends
  double t_end = 0.0;
  std::vector<std::string> watch; ///< names whose pressures and flows are figures and time series
};

class Pipes final : public dae::Problem, public grid::Geometry {
public:
  Pipes(MPI_Comm comm, Network network, Settings settings);
  /// Names the numbers of the network as parameters; options of the same names set them.
  void add_parameters(const core::Options& options);

  std::string name() const override { return settings_.name; }
  double t_end() const override { return settings_.t_end; }
  dae::Tolerances default_tolerances() const override;
  dae::Preferences preferences() const override;
  std::vector<dae::Field> fields() const override;
  int field_of(PetscInt local) const override;
  dae::Kind variable_kind(PetscInt local) const override;
  dae::Offers offers() const override { return {.jacobian = true, .mass_product = true, .hidden_constraint = true}; }
  core::VecHandle create_vector() const override;
  core::MatHandle create_matrix() const override;
  void configure(PC preconditioner, Mat matrix) const override;

  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) override;
  void hidden_constraint(double t, Vec y, Vec ydot, Vec residual) override;

  std::vector<dae::Event> events() const override { return controls_.events(); }
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override;
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override;

  void after_step(double t, Vec y, Vec ydot) override;
  std::vector<std::string> remarks() const override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override;
  void restore_state(std::span<const double> memory) override;

  std::string signature() const override;
  grid::Mesh mesh(double t, Vec y) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;

  const Network& network() const { return network_; }

private:
  /// One local row: which unknown, and the indices of what it needs in the gathered values: pressures on both sides and
  /// flow (P, rho, P, rho, flow where temperatures change); of a balance of mass the flows in and out; of an account
  /// the flow; of a balance of energy the volume's own P and rho.
  struct Row {
    Unknown unknown;
    std::array<std::size_t, 5> index{};
    std::size_t first_inflow = 0, last_inflow = 0; ///< of a balance of energy
  };
  /// A flow that a node's balance counts.
  struct Flow {
    Unknown through; ///< segment, machine or boundary
    PetscInt column;
    std::size_t index; ///< in the gathered values
    double sign;
  };
  /// What a flow carries into a volume: where it comes from, if it does.
  struct Inflow {
    Unknown through;
    double sign;                        ///< 1 where the flow is counted into the volume
    double rise;                        ///< of the volume over the other side, m
    std::array<PetscInt, 3> column;     ///< flow; pressure and density on the other side
    std::array<std::size_t, 3> index{}; ///< in the gathered values
  };

  void update_volumes();
  void list_flows();
  void choose_ends();
  /// Of all unknowns in the row. Of laws: pressure, pressure, flow.
  std::vector<PetscInt> columns_of(const Unknown& unknown) const;
  void list_rows();
  std::span<const Flow> flows_of(std::size_t node) const {
    return std::span(flows_).subspan(first_flow_[node], first_flow_[node + 1] - first_flow_[node]);
  }
  /// The coefficient of the row's own derivative.
  double mass_of(const Unknown& unknown) const;
  /// The law of a segment, machine or boundary; `at` has its columns' values.
  template <class S>
  S law(const Unknown& unknown, double t, std::span<const S> at) const;
  std::size_t columns_of_law() const { return settings_.thermal ? 5 : 3; }
  template <int N>
  void put_law(const Row& row, double t, std::vector<PetscScalar>& values) const;

  /// Whether the row is a balance of energy, or an account of it.
  bool is_of_energy(const Unknown& unknown) const;
  bool is_of_mass(const Unknown& unknown) const;
  std::vector<Inflow> inflows_of(const Unknown& unknown) const;
  std::vector<PetscInt> columns_of_energy(const Unknown& unknown) const;
  double height_of(const Unknown& volume) const;
  /// K of a volume's walls, W/K.
  double conductance_of(const Unknown& volume) const;
  template <class S>
  S energy_of(const Inflow& in, double t, const State<S>& own, const State<S>& other, const S& flow) const;
  double energy_balance(const Row& row, double t) const;
  void put_energy_balance(const Row& row, double t, std::vector<PetscScalar>& values) const;
  State<double> state_of(const Row& volume, double value) const;
  double value_of_row(const Row& row, double t) const;
  void insert_row(Mat matrix, PetscInt global, const Row& row, double t, double alpha) const;

  using NamedValues = std::vector<std::pair<std::string, double>>;
  class Continuation; ///< the search for the steady state
  /// Changes modes until those after t fit the flows and pressures that they make.
  void settle_modes(double t, Vec y);
  void start_at_rest(double t, Vec y) const;
  void forget_accounts(double t, Vec y, Vec ydot);

  /// Brings the values of nodes, machines, boundaries and ends of pipes to all ranks. Collective.
  HeadValues fetch_ends(Vec y);
  /// One of them.
  double end_value(PetscInt column) const { return ends_->values()[ends_->find(column)]; }
  double mass_in() const;
  /// Collective.
  double stored_mass(Vec y) const;
  double stored_energy(Vec y) const;
  double energy_in() const;
  /// From the ground now, W. Collective.
  double heat_in(Vec y);
  void add_energies(NamedValues& values, Vec y);
  void add_element_values(NamedValues& values, const std::string& name) const;

  MPI_Comm comm_;
  Network network_;
  Settings settings_;
  Layout layout_;
  Controls controls_;
  std::vector<double> node_volume_, node_conductance_;
  std::vector<std::size_t> first_flow_;
  std::vector<Flow> flows_;
  std::vector<Row> rows_;
  std::vector<Inflow> inflows_;
  std::optional<Gathered> gathered_, rates_, ends_;
  std::vector<double> pressures_, temperatures_; ///< of nodes, where ends_ was last fetched
  std::optional<double> mass_at_start_;          ///< without what has come in
  double largest_defect_ = 0.0;
};

/// Reads -network, -scenario and the rest of the case.
std::unique_ptr<dae::Problem> make_pipes(MPI_Comm comm, const core::Options& options);

} // namespace rhumb::network
