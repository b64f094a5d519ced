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
enum FieldNumber : int { pressure_field, flow_field, machine_field, boundary_field, mass_field };
constexpr double pressure_tolerance = 10.0; // Pa
constexpr double flow_tolerance = 1e-3;     // kg/s
constexpr double mass_tolerance = 1.0;      // kg
} // namespace

Pipes::Pipes(MPI_Comm comm, Network network, Settings settings)
    : comm_(comm), network_(std::move(network)), settings_(std::move(settings)), layout_(comm, network_),
      controls_(network_) {
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
  for (const Pipe& pipe : network_.pipes) {
    const double half = 0.5 * pipe.area() * pipe.length / static_cast<double>(pipe.cells);
    node_volume_[pipe.from] += half;
    node_volume_[pipe.to] += half;
  }
  for (double& volume : node_volume_)
    if (volume == 0.0) volume = settings_.min_volume;
}

/// By node: all flows that end or begin there.
void Pipes::list_flows() {
  std::vector<std::vector<Flow>> of_node(network_.nodes.size());
  for (std::size_t i = 0; i < network_.pipes.size(); ++i) {
    of_node[network_.pipes[i].from].push_back({layout_.segment(i, 0), 0, -1.0});
    of_node[network_.pipes[i].to].push_back({layout_.segment(i, layout_.cells(i) - 1), 0, 1.0});
  }
  for (std::size_t i = 0; i < network_.machines.size(); ++i) {
    of_node[network_.machines[i].from].push_back({layout_.machine(i), 0, -1.0});
    of_node[network_.machines[i].to].push_back({layout_.machine(i), 0, 1.0});
  }
  for (std::size_t i = 0; i < network_.boundaries.size(); ++i)
    of_node[network_.boundaries[i].node].push_back({layout_.boundary(i), 0, 1.0});
  first_flow_.assign(1, 0);
  for (const auto& flows : of_node) {
    flows_.insert(flows_.end(), flows.begin(), flows.end());
    first_flow_.push_back(flows_.size());
  }
}

std::vector<PetscInt> Pipes::columns_of(const Unknown& unknown) const {
  const std::size_t i = unknown.element;
  const PetscInt k = unknown.position;
  switch (unknown.type) {
  case Type::node: {
    std::vector<PetscInt> columns{layout_.node(i)};
    for (const Flow& flow : flows_of(i)) columns.push_back(flow.column);
    return columns;
  }
  case Type::machine:
    return {layout_.node(network_.machines[i].from), layout_.node(network_.machines[i].to), layout_.machine(i)};
  case Type::boundary: {
    const PetscInt node = layout_.node(network_.boundaries[i].node);
    return {node, node, layout_.boundary(i)};
  }
  case Type::account:
    return {layout_.boundary(i), layout_.account(i)};
  case Type::segment:
    return {layout_.volume(i, k), layout_.volume(i, k + 1), layout_.segment(i, k)};
  case Type::volume:
    return {layout_.segment(i, k - 1), layout_.segment(i, k), layout_.volume(i, k)};
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
  for (std::size_t i = 0; i < nodes; ++i) pressures_[i] = network_.fluid.pressure_of(values[i]);
  return {pressures_, values.subspan(nodes, network_.machines.size())};
}

dae::Tolerances Pipes::default_tolerances() const {
  return {.rtol = 1e-5,
          .atol = pressure_tolerance,
          .atol_of_field = {pressure_tolerance, flow_tolerance, flow_tolerance, flow_tolerance, mass_tolerance}};
}

dae::Preferences Pipes::preferences() const {
  dae::Preferences preferences;
  if (!network_.pipes.empty()) preferences.max_order = 2;
  return preferences;
}

std::vector<dae::Field> Pipes::fields() const {
  const auto sign = network_.fluid.liquid() ? dae::Sign::free : dae::Sign::positive;
  return {{.name = "P", .unit = "Pa", .long_name = "pressure over real-gas factor", .sign = sign},
          {.name = "q", .unit = "kg/s", .long_name = "flow in pipes"},
          {.name = "machine_flow", .unit = "kg/s", .kind = Kind::index1},
          {.name = "boundary_flow", .unit = "kg/s", .kind = Kind::index1},
          {.name = "mass_in", .unit = "kg"}};
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

/// Factors of a graph that is nearly a tree have hardly more entries than the matrix, and KLU finds them fastest.
void Pipes::configure(PC preconditioner, Mat) const {
  check(PCSetType(preconditioner, PCLU));
  if (core::size_of(comm_) == 1 && layout_.size() > dae::small_system)
    check(PCFactorSetMatSolverType(preconditioner, MATSOLVERKLU));
}

} // namespace rhumb::network
