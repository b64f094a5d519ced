/// The balance of energy of an ideal gas, volume by volume, and what it adds up to.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/physics/network/pipes.hpp>

namespace rhumb::network {

using core::Readable;
using Type = Unknown::Type;

bool Pipes::is_of_energy(const Unknown& unknown) const {
  return settings_.thermal &&
         (unknown.type == Type::node || unknown.type == Type::volume || unknown.type == Type::energy_account);
}

bool Pipes::is_of_mass(const Unknown& unknown) const {
  if (settings_.thermal) return unknown.type == Type::node_density || unknown.type == Type::volume_density;
  return unknown.type == Type::node || unknown.type == Type::volume;
}

double Pipes::height_of(const Unknown& volume) const {
  if (volume.type == Type::node || volume.type == Type::node_density) return network_.nodes[volume.element].height;
  const Pipe& pipe = network_.pipes[volume.element];
  const double part = static_cast<double>(volume.position) / static_cast<double>(pipe.cells);
  return (1.0 - part) * network_.nodes[pipe.from].height + part * network_.nodes[pipe.to].height;
}

double Pipes::conductance_of(const Unknown& volume) const {
  if (volume.type == Type::node) return node_conductance_[volume.element];
  if (volume.type != Type::volume) return 0.0;
  const Pipe& pipe = network_.pipes[volume.element];
  const double transfer = std::isnan(pipe.heat_transfer) ? settings_.heat_transfer : pipe.heat_transfer;
  return std::numbers::pi * pipe.diameter * pipe.length / static_cast<double>(pipe.cells) * transfer;
}

std::vector<Pipes::Inflow> Pipes::inflows_of(const Unknown& unknown) const {
  const std::size_t i = unknown.element;
  std::vector<Inflow> inflows;
  const auto add_segment = [&](std::size_t pipe, PetscInt segment, double sign) {
    const PetscInt here = sign > 0.0 ? segment + 1 : segment, there = sign > 0.0 ? segment : segment + 1;
    const double rise = height_of({Type::volume, pipe, here}) - height_of({Type::volume, pipe, there});
    inflows.push_back(
        {{Type::segment, pipe, segment},
         sign,
         rise,
         {layout_.segment(pipe, segment), layout_.volume(pipe, there), layout_.volume_density(pipe, there)}});
  };
  const auto add_at_node = [&](const Unknown& through, PetscInt column, double sign, std::size_t here,
                               std::size_t there) {
    const double rise = network_.nodes[here].height - network_.nodes[there].height;
    inflows.push_back({through, sign, rise, {column, layout_.node(there), layout_.node_density(there)}});
  };
  if (unknown.type == Type::volume) {
    add_segment(i, unknown.position - 1, 1.0);
    add_segment(i, unknown.position, -1.0);
  } else if (unknown.type == Type::energy_account) {
    const std::size_t node = network_.boundaries[i].node;
    add_at_node({Type::boundary, i}, layout_.boundary(i), 1.0, node, node);
  } else {
    for (const Flow& flow : flows_of(i)) {
      if (flow.through.type == Type::segment) {
        add_segment(flow.through.element, flow.through.position, flow.sign);
      } else if (flow.through.type == Type::machine) {
        const Machine& machine = network_.machines[flow.through.element];
        add_at_node(flow.through, flow.column, flow.sign, i, flow.sign > 0.0 ? machine.from : machine.to);
      } else {
        add_at_node(flow.through, flow.column, flow.sign, i, i);
      }
    }
  }
  return inflows;
}

/// The volume's own P and rho, then flow, P and rho of each inflow; an account has itself at the end.
std::vector<PetscInt> Pipes::columns_of_energy(const Unknown& unknown) const {
  const std::size_t i = unknown.element;
  const bool account = unknown.type == Type::energy_account;
  std::vector<PetscInt> columns;
  if (unknown.type == Type::volume) {
    columns = {layout_.volume(i, unknown.position), layout_.volume_density(i, unknown.position)};
  } else {
    const std::size_t node = account ? network_.boundaries[i].node : i;
    columns = {layout_.node(node), layout_.node_density(node)};
  }
  for (const Inflow& in : inflows_of(unknown)) columns.insert(columns.end(), in.column.begin(), in.column.end());
  if (account) columns.push_back(layout_.energy_account(i));
  return columns;
}

/// W. What leaves has the temperature of the volume; what comes in that of the other side, less what it takes to rise,
/// and with what a compressor adds.
template <class S>
S Pipes::energy_of(const Inflow& in, double t, const State<S>& own, const State<S>& other, const S& flow) const {
  const Fluid& fluid = network_.fluid;
  const S into = in.sign * flow;
  if (into < S(0.0)) return into * fluid.heat_capacity() * own.temperature;
  if (in.through.type == Type::boundary)
    return into * fluid.heat_capacity() * controls_.boundary_temperature(in.through.element, t);
  S per_mass = fluid.heat_capacity() * other.temperature - standard_gravity * in.rise;
  if (in.through.type == Type::machine) {
    const Machine& machine = network_.machines[in.through.element];
    if (machine.type == Machine::Type::compressor && in.sign > 0.0)
      per_mass += fluid.compression_work(other.pressure, other.temperature, own.pressure) / machine.efficiency;
  }
  return into * per_mass;
}

/// What comes in, W.
double Pipes::energy_balance(const Row& row, double t) const {
  const auto y = gathered_->values();
  const Fluid& fluid = network_.fluid;
  const auto own = fluid.state(y[row.index[0]], y[row.index[1]]);
  double sum = conductance_of(row.unknown) * (settings_.ground_temperature - own.temperature);
  for (std::size_t k = row.first_inflow; k < row.last_inflow; ++k) {
    const Inflow& in = inflows_[k];
    const double flow = y[in.index[0]];
    sum += energy_of(in, t, own, fluid.state(y[in.index[1]], y[in.index[2]]), flow);
    if (row.unknown.type == Type::energy_account)
      sum += standard_gravity * network_.nodes[network_.boundaries[row.unknown.element].node].height * flow;
  }
  return sum;
}

/// The derivatives of minus that.
void Pipes::put_energy_balance(const Row& row, double t, std::vector<PetscScalar>& values) const {
  using Derivatives = core::Dual<5>;
  const auto y = gathered_->values();
  const Fluid& fluid = network_.fluid;
  const auto own = fluid.state(Derivatives::variable(y[row.index[0]], 0), Derivatives::variable(y[row.index[1]], 1));
  const Derivatives heat = conductance_of(row.unknown) * (settings_.ground_temperature - own.temperature);
  for (std::size_t k = 0; k < 2; ++k) values[k] -= heat.derivatives[k];
  std::size_t place = 2;
  for (std::size_t i = row.first_inflow; i < row.last_inflow; ++i, place += 3) {
    const Inflow& in = inflows_[i];
    const auto other = fluid.state(Derivatives::variable(y[in.index[1]], 3), Derivatives::variable(y[in.index[2]], 4));
    const auto energy = energy_of(in, t, own, other, Derivatives::variable(y[in.index[0]], 2));
    for (std::size_t k = 0; k < 2; ++k) values[k] -= energy.derivatives[k];
    for (std::size_t k = 0; k < 3; ++k) values[place + k] -= energy.derivatives[k + 2];
    if (row.unknown.type == Type::energy_account)
      values[place] -= standard_gravity * network_.nodes[network_.boundaries[row.unknown.element].node].height;
  }
}

State<double> Pipes::state_of(const Row& volume, double value) const {
  const auto y = gathered_->values();
  return settings_.thermal ? network_.fluid.state(y[volume.index[0]], y[volume.index[1]]) : network_.fluid.state(value);
}

double Pipes::stored_energy(Vec y) const {
  double sum = 0.0;
  const Readable value(y);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Unknown& unknown = rows_[i].unknown;
    if (is_of_mass(unknown)) sum += standard_gravity * height_of(unknown) * mass_of(unknown) * value[i];
    if (is_of_energy(unknown) && unknown.type != Type::energy_account) sum += mass_of(unknown) * value[i];
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_));
  return sum;
}

double Pipes::heat_in(Vec y) {
  gathered_->fetch(y);
  const Readable value(y);
  double sum = 0.0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double conductance = conductance_of(rows_[i].unknown);
    if (conductance > 0.0)
      sum += conductance * (settings_.ground_temperature - state_of(rows_[i], value[i]).temperature);
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_));
  return sum;
}

double Pipes::energy_in() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < network_.boundaries.size(); ++i) sum += end_value(layout_.energy_account(i));
  return sum;
}

void Pipes::add_energies(NamedValues& values, Vec y) {
  if (!settings_.thermal) return;
  values.emplace_back("energy", stored_energy(y));
  values.emplace_back("energy_in", energy_in());
  values.emplace_back("heat_in", heat_in(y));
}

} // namespace rhumb::network
