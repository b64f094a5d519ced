#include <rhumb/core/failure.hpp>
#include <rhumb/physics/network/network.hpp>
#include <rhumb/physics/network/union_find.hpp>
#include <fmt/format.h>

namespace rhumb::network {
namespace {

[[noreturn]] void reject(const Network& network, const std::string& who, const std::string& why) {
  throw core::BadInput(fmt::format("{}: {}: {}", network.file, who, why));
}

void check_positive(const Network& network, const std::string& who, const char* what, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    reject(network, who, fmt::format("{} must be positive, not {:g}", what, value));
}

void check_ends(const Network& network, const std::string& who, std::size_t from, std::size_t to) {
  if (from == to) reject(network, who, fmt::format("begins and ends at node '{}'", network.nodes[from].name));
}

void check_pipe(const Network& network, const Pipe& pipe) {
  const std::string who = "pipe " + pipe.name;
  check_ends(network, who, pipe.from, pipe.to);
  check_positive(network, who, "length", pipe.length);
  check_positive(network, who, "diameter", pipe.diameter);
  if (std::isnan(pipe.friction) && !network.fluid.liquid()) check_positive(network, who, "roughness", pipe.roughness);
  if (!(pipe.roughness >= 0.0) || pipe.roughness >= 0.5 * pipe.diameter)
    reject(network, who, fmt::format("roughness {:g} does not fit the diameter {:g}", pipe.roughness, pipe.diameter));
  if (pipe.friction < 0.0) reject(network, who, fmt::format("friction must not be negative, not {:g}", pipe.friction));
  if (pipe.heat_transfer < 0.0)
    reject(network, who, fmt::format("heat_transfer must not be negative, not {:g}", pipe.heat_transfer));
}

void check_values(const Network& network, const std::string& who, const char* what, const TimeSeries& series,
                  double least) {
  for (const double value : series.values())
    if (!(value >= least) || !std::isfinite(value))
      reject(network, who, fmt::format("{} must be at least {:g}, not {:g}", what, least, value));
}

void check_machine(const Network& network, const Machine& machine) {
  const std::string who = std::string(name_of(machine.type)) + " " + machine.name;
  check_ends(network, who, machine.from, machine.to);
  if (machine.ratio && machine.outlet_pressure) reject(network, who, "either ratio or outlet_pressure, not both");
  if (machine.ratio) check_values(network, who, "ratio", *machine.ratio, 1.0);
  if (machine.outlet_pressure) check_values(network, who, "outlet_pressure", *machine.outlet_pressure, 1.0);
  if (machine.type == Machine::Type::resistor) check_positive(network, who, "diameter", machine.area);
  check_values(network, who, "opening", machine.opening, 0.0);
  for (const double value : machine.opening.values())
    if (value > 1.0) reject(network, who, fmt::format("opening must be at most 1, not {:g}", value));
}

void check_boundary(const Network& network, const Boundary& boundary) {
  if (boundary.type == Boundary::Type::pressure) check_values(network, boundary.name, "pressure", boundary.value, 1.0);
  if (boundary.temperature) check_values(network, boundary.name, "temperature", *boundary.temperature, 1.0);
  for (const double value : boundary.value.values())
    if (!std::isfinite(value)) reject(network, boundary.name, "a value is not finite");
}

void check_node(const Network& network, const Node& node) {
  const std::string who = "node " + node.name;
  if (!(node.volume >= 0.0)) reject(network, who, fmt::format("volume must not be negative, not {:g}", node.volume));
  if (!std::isnan(node.pressure)) check_positive(network, who, "pressure", node.pressure);
}

/// A node that nothing reaches has neither a pressure nor a volume.
void check_isolated(const Network& network) {
  std::vector<bool> reached(network.nodes.size(), false);
  for (const Pipe& pipe : network.pipes) reached[pipe.from] = reached[pipe.to] = true;
  for (const Machine& machine : network.machines) reached[machine.from] = reached[machine.to] = true;
  for (std::size_t i = 0; i < reached.size(); ++i)
    if (!reached[i] && !(network.nodes[i].volume > 0.0))
      reject(network, "node " + network.nodes[i].name, "no pipe or machine reaches it, and it has no volume");
}

} // namespace

const char* name_of(Machine::Type type) {
  constexpr const char* names[] = {"compressor", "control valve", "check valve", "valve", "resistor", "short pipe"};
  return names[static_cast<std::size_t>(type)];
}

std::vector<std::size_t> parts_of(const Network& network) {
  UnionFind parts(network.nodes.size());
  for (const Pipe& pipe : network.pipes) parts.join(pipe.from, pipe.to);
  for (const Machine& machine : network.machines) parts.join(machine.from, machine.to);
  std::vector<std::size_t> smallest(network.nodes.size());
  for (std::size_t i = 0; i < smallest.size(); ++i) smallest[i] = parts.find(i);
  return smallest;
}

void check_network(const Network& network) {
  for (const Node& node : network.nodes) check_node(network, node);
  for (const Pipe& pipe : network.pipes) check_pipe(network, pipe);
  for (const Machine& machine : network.machines) check_machine(network, machine);
  for (const Boundary& boundary : network.boundaries) check_boundary(network, boundary);
  check_isolated(network);
}

void check_pressures(const Network& network) {
  const auto part = parts_of(network);
  std::vector<bool> held(part.size(), false);
  for (const Boundary& boundary : network.boundaries)
    if (boundary.type == Boundary::Type::pressure) held[part[boundary.node]] = true;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (held[part[i]]) continue;
    std::string names;
    int count = 0;
    for (std::size_t j = i; j < part.size(); ++j)
      if (part[j] == part[i] && ++count <= 5) names += (names.empty() ? "'" : ", '") + network.nodes[j].name + "'";
    throw core::BadInput(fmt::format("{}: nothing holds a pressure in the part of the network with {} node{}: {}{}. A "
                                     "steady state needs a supply or demand with `pressure` there; -start given begins "
                                     "with the pressures of the nodes instead",
                                     network.file, count, count == 1 ? "" : "s", names, count > 5 ? ", ..." : ""));
  }
}

} // namespace rhumb::network
