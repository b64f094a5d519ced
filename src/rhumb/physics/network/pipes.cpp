#include <rhumb/physics/network/pipes.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <numeric>

namespace rhumb::network {

using core::check;
using dae::Kind;
using Type = Unknown::Type;

namespace {
enum FieldNumber : int {
  pressure_field,
  flow_field,
  machine_field,
  boundary_field,
  mass_field,
  density_field,
  energy_field
};
constexpr double pressure_tolerance = 10.0; // Pa
constexpr double flow_tolerance = 1e-3;     // kg/s
constexpr double mass_tolerance = 1.0;      // kg
constexpr double density_tolerance = 1e-4;  // kg/m^3
constexpr double energy_tolerance = 1e6;    // J
} // namespace

Pipes::Pipes(MPI_Comm comm, Network network, Settings settings)
    : comm_(comm), network_(std::move(network)), settings_(std::move(settings)),
      layout_(comm, network_, settings_.thermal), controls_(network_) {
  controls_.begin(t_start());
  controls_.check_bindings();
  update_volumes();
  list_flows();
  list_rows();
  choose_ends();
}

void Pipes::update_volumes() {
  node_volume_.clear();
  for (const Node& node : network_.nodes) node_volume_.push_back(node.volume);
  node_conductance_.assign(network_.nodes.size(), 0.0);
  for (std::size_t i = 0; i < network_.pipes.size(); ++i) {
    const Pipe& pipe = network_.pipes[i];
    const double half = 0.5 * pipe.area() * pipe.length / static_cast<double>(pipe.cells);
    for (const std::size_t end : {pipe.from, pipe.to}) {
      node_volume_[end] += half;
      node_conductance_[end] += 0.5 * conductance_of({Type::volume, i});
    }
  }
  for (double& volume : node_volume_)
    if (volume == 0.0) volume = settings_.min_volume;
}

/// By node: all flows that end or begin there.
void Pipes::list_flows() {
  std::vector<std::vector<Flow>> of_node(network_.nodes.size());
  for (std::size_t i = 0; i < network_.pipes.size(); ++i) {
    const PetscInt last = layout_.cells(i) - 1;
    of_node[network_.pipes[i].from].push_back({{Type::segment, i, 0}, layout_.segment(i, 0), 0, -1.0});
    of_node[network_.pipes[i].to].push_back({{Type::segment, i, last}, layout_.segment(i, last), 0, 1.0});
  }
  for (std::size_t i = 0; i < network_.machines.size(); ++i) {
    of_node[network_.machines[i].from].push_back({{Type::machine, i}, layout_.machine(i), 0, -1.0});
    of_node[network_.machines[i].to].push_back({{Type::machine, i}, layout_.machine(i), 0, 1.0});
  }
  for (std::size_t i = 0; i < network_.boundaries.size(); ++i)
    of_node[network_.boundaries[i].node].push_back({{Type::boundary, i}, layout_.boundary(i), 0, 1.0});
  first_flow_.assign(1, 0);
  for (const auto& flows : of_node) {
    flows_.insert(flows_.end(), flows.begin(), flows.end());
    first_flow_.push_back(flows_.size());
  }
}

std::vector<PetscInt> Pipes::columns_of(const Unknown& unknown) const {
  const std::size_t i = unknown.element;
  const PetscInt k = unknown.position;
  const bool thermal = settings_.thermal;
  const auto states = [&](const std::array<PetscInt, 2>& from, const std::array<PetscInt, 2>& to, PetscInt flow) {
    return thermal ? std::vector{from[0], from[1], to[0], to[1], flow} : std::vector{from[0], to[0], flow};
  };
  const auto node = [&](std::size_t n) { return std::array{layout_.node(n), layout_.node_density(n)}; };
  const auto volume = [&](PetscInt n) { return std::array{layout_.volume(i, n), layout_.volume_density(i, n)}; };
  if (is_of_energy(unknown)) return columns_of_energy(unknown);
  switch (unknown.type) {
  case Type::node:
  case Type::node_density: {
    std::vector<PetscInt> columns{thermal ? layout_.node_density(i) : layout_.node(i)};
    for (const Flow& flow : flows_of(i)) columns.push_back(flow.column);
    return columns;
  }
  case Type::machine:
    return states(node(network_.machines[i].from), node(network_.machines[i].to), layout_.machine(i));
  case Type::boundary:
    return states(node(network_.boundaries[i].node), node(network_.boundaries[i].node), layout_.boundary(i));
  case Type::account:
    return {layout_.boundary(i), layout_.account(i)};
  case Type::segment:
    return states(volume(k), volume(k + 1), layout_.segment(i, k));
  case Type::volume:
  case Type::volume_density:
    return {layout_.segment(i, k - 1), layout_.segment(i, k),
            thermal ? layout_.volume_density(i, k) : layout_.volume(i, k)};
  case Type::energy_account:
    break;
  }
  return {};
}

void Pipes::list_rows() {
  std::vector<PetscInt> columns;
  for (PetscInt row = layout_.begin(); row < layout_.end(); ++row) {
    rows_.push_back({layout_.unknown(row)});
    const auto needed = columns_of(rows_.back().unknown);
    columns.insert(columns.end(), needed.begin(), needed.end());
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const auto model = create_vector();
  gathered_.emplace(model, columns);
  rates_.emplace(model, std::move(columns));
  for (Row& row : rows_) {
    const auto needed = columns_of(row.unknown);
    for (std::size_t k = 0; k < std::min(needed.size(), row.index.size()); ++k)
      row.index[k] = gathered_->find(needed[k]);
    if (!is_of_energy(row.unknown)) continue;
    row.first_inflow = inflows_.size();
    for (Inflow in : inflows_of(row.unknown)) {
      for (std::size_t k = 0; k < in.column.size(); ++k) in.index[k] = gathered_->find(in.column[k]);
      inflows_.push_back(in);
    }
    row.last_inflow = inflows_.size();
  }
  for (Flow& flow : flows_) flow.index = gathered_->find(flow.column); // of use where the node's row is local
}

void Pipes::choose_ends() {
  std::vector<PetscInt> columns(static_cast<std::size_t>(layout_.head()));
  std::iota(columns.begin(), columns.end(), 0);
  for (std::size_t i = 0; i < network_.pipes.size(); ++i) {
    columns.push_back(layout_.segment(i, 0));
    if (layout_.cells(i) > 1) columns.push_back(layout_.segment(i, layout_.cells(i) - 1));
  }
  ends_.emplace(create_vector(), std::move(columns));
}

HeadValues Pipes::fetch_ends(Vec y) {
  ends_->fetch(y);
  const auto values = ends_->values();
  const std::size_t nodes = network_.nodes.size();
  pressures_.resize(nodes);
  temperatures_.resize(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto state =
        settings_.thermal ? network_.fluid.state(values[i], values[nodes + i]) : network_.fluid.state(values[i]);
    pressures_[i] = state.pressure;
    temperatures_[i] = state.temperature;
  }
  return {pressures_, temperatures_,
          values.subspan(static_cast<std::size_t>(layout_.machine(0)), network_.machines.size())};
}

dae::Tolerances Pipes::default_tolerances() const {
  std::vector<double> atol{pressure_tolerance, flow_tolerance, flow_tolerance, flow_tolerance, mass_tolerance};
  if (settings_.thermal) atol.insert(atol.end(), {density_tolerance, energy_tolerance});
  return {.rtol = 1e-5, .atol = pressure_tolerance, .atol_of_field = atol};
}

dae::Preferences Pipes::preferences() const {
  dae::Preferences preferences;
  if (!network_.pipes.empty()) preferences.max_order = 2;
  return preferences;
}

std::vector<dae::Field> Pipes::fields() const {
  const auto sign = network_.fluid.liquid() ? dae::Sign::free : dae::Sign::positive;
  std::vector<dae::Field> fields{
      {.name = "P", .unit = "Pa", .long_name = "pressure over real-gas factor", .sign = sign},
      {.name = "q", .unit = "kg/s", .long_name = "flow in pipes"},
      {.name = "machine_flow", .unit = "kg/s", .kind = Kind::index1},
      {.name = "boundary_flow", .unit = "kg/s", .kind = Kind::index1},
      {.name = "mass_in", .unit = "kg"}};
  if (settings_.thermal) {
    fields.push_back({.name = "rho", .unit = "kg/m^3", .long_name = "density", .sign = sign});
    fields.push_back({.name = "energy_in", .unit = "J"});
  }
  return fields;
}

int Pipes::field_of(PetscInt local) const {
  switch (rows_[local].unknown.type) {
  case Type::node:
  case Type::volume:
    return pressure_field;
  case Type::segment:
    return flow_field;
  case Type::machine:
    return machine_field;
  case Type::boundary:
    return boundary_field;
  case Type::account:
    return mass_field;
  case Type::node_density:
  case Type::volume_density:
    return density_field;
  case Type::energy_account:
    return energy_field;
  }
  return pressure_field;
}

Kind Pipes::variable_kind(PetscInt local) const {
  const Unknown& unknown = rows_[local].unknown;
  if (unknown.type != Type::machine && unknown.type != Type::boundary) return Kind::differential;
  const Mode mode =
      unknown.type == Type::machine ? controls_.machine(unknown.element) : controls_.boundary(unknown.element);
  return constrains(mode) ? Kind::index2 : Kind::index1;
}

core::VecHandle Pipes::create_vector() const {
  core::VecHandle vector;
  check(VecCreateMPI(comm_, layout_.end() - layout_.begin(), layout_.size(), vector.out()));
  return vector;
}

core::MatHandle Pipes::create_matrix() const {
  std::vector<PetscInt> here, elsewhere;
  for (PetscInt row = layout_.begin(); row < layout_.end(); ++row) {
    const auto columns = columns_of(layout_.unknown(row));
    const auto local =
        std::ranges::count_if(columns, [&](PetscInt c) { return c >= layout_.begin() && c < layout_.end(); });
    here.push_back(static_cast<PetscInt>(local));
    elsewhere.push_back(static_cast<PetscInt>(columns.size()) - here.back());
  }
  core::MatHandle matrix;
  const PetscInt local = layout_.end() - layout_.begin();
  check(MatCreateAIJ(comm_, local, local, layout_.size(), layout_.size(), 0, here.data(), 0, elsewhere.data(),
                     matrix.out()));
  for (PetscInt row = layout_.begin(); row < layout_.end(); ++row) {
    const auto columns = columns_of(layout_.unknown(row));
    const std::vector<PetscScalar> zeros(columns.size(), 0.0);
    check(MatSetValues(matrix, 1, &row, static_cast<PetscInt>(columns.size()), columns.data(), zeros.data(),
                       INSERT_VALUES));
  }
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return matrix;
}

/// Factors of a graph that is nearly a tree have hardly more entries than the matrix, and KLU finds them fastest: on several
/// ranks, up to some size, each finds all of them.
void Pipes::configure(PC preconditioner, Mat) const {
  check(PCSetType(preconditioner, PCLU));
  const bool here = core::size_of(comm_) == 1 || layout_.size() <= factored_everywhere;
  if (here && layout_.size() > dae::small_system) check(PCFactorSetMatSolverType(preconditioner, MATSOLVERKLU));
}

} // namespace rhumb::network
