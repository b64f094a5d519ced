#include <rhumb/core/failure.hpp>
#include <rhumb/core/yaml_node.hpp> // JSON is YAML
#include <rhumb/physics/network/read_other.hpp>
#include <filesystem>
#include <fmt/format.h>

namespace rhumb::network {
namespace {

using core::YamlNode;

/// Of those who publish these files: g/mol of air, and R with four digits.
constexpr double air_constant = 8.314 / 0.02896; // J/(kg K)

/// Keys differ between the files: fr_node and from_node.
YamlNode either(const YamlNode& at, const std::string& one, const std::string& other) {
  return at.has(one) ? at.at(one) : at.at(other);
}

TimeSeries series(const YamlNode& at) {
  if (at.is_text()) return {at.real("value")};
  std::vector<double> times, values;
  for (const auto& time : at.at("time").items("time")) times.push_back(time.real("time"));
  for (const auto& value : at.at("value").items("value")) values.push_back(value.real("value"));
  if (times.size() != values.size() || times.empty())
    at.reject(fmt::format("expected as many times as values, got {} and {}", times.size(), values.size()));
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i] < times[i - 1]) at.reject("times must ascend");
  return {std::move(times), std::move(values)};
}

void read_elements(const YamlNode& top, Network& net) {
  for (const auto& [id, at] : top.at("nodes").entries("nodes")) {
    Node node{.name = id, .x = at.at("x_coord").real("x_coord"), .y = at.at("y_coord").real("y_coord")};
    net.nodes.push_back(node);
  }
  for (const auto& [id, at] : top.at("pipes").entries("pipes")) {
    Pipe pipe{.name = "p" + id};
    pipe.from = net.node(either(at, "fr_node", "from_node").text("from_node"), "pipe " + id);
    pipe.to = net.node(at.at("to_node").text("to_node"), "pipe " + id);
    pipe.length = at.at("length").real("length");
    pipe.diameter = at.at("diameter").real("diameter");
    pipe.friction = at.at("friction_factor").real("friction_factor");
    net.pipes.push_back(pipe);
  }
  if (!top.has("compressors")) return;
  for (const auto& [id, at] : top.at("compressors").entries("compressors")) {
    Machine machine{.type = Machine::Type::compressor, .name = "c" + id};
    machine.from = net.node(either(at, "fr_node", "from_node").text("from_node"), "compressor " + id);
    machine.to = net.node(at.at("to_node").text("to_node"), "compressor " + id);
    net.machines.push_back(machine);
  }
}

void set_compressor(Machine& machine, const YamlNode& at) {
  const YamlNode type = at.at("control_type");
  const double control = type.is_text() ? type.real("control_type") : type.at(std::size_t{0}).real("control_type");
  if (type.is_list())
    for (const auto& item : type.items("control_type"))
      if (item.real("control_type") != control) item.reject("a compressor keeps one kind of control");
  TimeSeries value = type.is_text() ? TimeSeries(at.at("value").real("value")) : series(at);
  if (control == 0.0)
    machine.ratio = std::move(value);
  else if (control == 1.0)
    machine.outlet_pressure = std::move(value);
  else
    type.reject("control_type 0 (ratio) and 1 (outlet pressure) are known");
}

void read_scenario(const YamlNode& top, Network& net) {
  if (top.has("boundary_pslack"))
    for (const auto& [id, at] : top.at("boundary_pslack").entries("boundary_pslack"))
      net.boundaries.push_back({.type = Boundary::Type::pressure,
                                .name = "slack" + id,
                                .node = net.node(id, "boundary_pslack"),
                                .value = series(at)});
  if (top.has("boundary_nonslack_flow"))
    for (const auto& [id, at] : top.at("boundary_nonslack_flow").entries("boundary_nonslack_flow"))
      net.boundaries.push_back(
          {.name = "flow" + id, .node = net.node(id, "boundary_nonslack_flow"), .sign = -1.0, .value = series(at)});
  if (!top.has("boundary_compressor")) return;
  for (const auto& [id, at] : top.at("boundary_compressor").entries("boundary_compressor")) {
    const auto found = std::ranges::find(net.machines, "c" + id, &Machine::name);
    if (found == net.machines.end()) at.reject(fmt::format("unknown compressor {}", id));
    set_compressor(*found, at);
  }
}

void read_gas(const std::string& file, Fluid& fluid) {
  if (!std::filesystem::exists(file)) return;
  double gravity = 0.6;
  for (const auto& [key, at] : core::load_yaml(file, "a table of parameters").at("simulation_params").entries("it")) {
    if (key.starts_with("Temperature")) fluid.temperature = at.real(key);
    if (key.starts_with("Gas specific gravity")) gravity = at.real(key);
    if (key.starts_with("Specific heat capacity ratio")) fluid.heat_ratio = at.real(key);
  }
  fluid.specific_constant = air_constant / gravity;
}

} // namespace

Network read_json(const std::string& file, const std::string& scenario) {
  Network net;
  net.file = file;
  read_gas((std::filesystem::path(file).parent_path() / "params.json").string(), net.fluid);
  read_elements(core::load_yaml(file, "a network"), net);
  if (!scenario.empty()) read_scenario(core::load_yaml(scenario, "boundary conditions"), net);
  return net;
}

} // namespace rhumb::network
