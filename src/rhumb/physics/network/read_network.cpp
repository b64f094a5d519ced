/// Networks in our own YAML; docs/guide/pipes.md has the format.

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <rhumb/core/yaml_node.hpp>
#include <rhumb/physics/network/network.hpp>
#include <rhumb/physics/network/read_other.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace rhumb::network {

using core::YamlNode;

std::size_t Network::node(const std::string& name, const std::string& who) const {
  for (; indexed_nodes < nodes.size(); ++indexed_nodes)
    index_of_node.try_emplace(nodes[indexed_nodes].name, indexed_nodes);
  if (const auto found = index_of_node.find(name); found != index_of_node.end()) return found->second;
  std::vector<std::string> known;
  for (const Node& node : nodes) known.push_back(node.name);
  const auto near = core::nearest(name, known);
  throw core::BadInput(fmt::format("{}: {}: unknown node '{}'{}", file, who, name,
                                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

namespace {

class Reader {
public:
  explicit Reader(const std::string& file) : top_(core::load_yaml(file, "a network")) {
    net_.file = file;
    top_.only({"fluid", "nodes", "pipes", "compressors", "control_valves", "check_valves", "valves", "resistors",
               "short_pipes", "supplies", "demands", "holes"});
  }

  Network read() {
    if (top_.has("fluid")) read_fluid(top_.at("fluid").about("fluid"));
    each("nodes", [&](const std::string& name, const YamlNode& at) { read_node(name, at); });
    if (net_.nodes.empty()) top_.reject("`nodes` is missing");
    each("pipes", [&](const std::string& name, const YamlNode& at) { read_pipe(name, at); });
    using Type = Machine::Type;
    read_machines("compressors", Type::compressor, {"ratio", "outlet_pressure", "power", "efficiency"});
    read_machines("control_valves", Type::control_valve, {"outlet_pressure"});
    read_machines("check_valves", Type::check_valve, {});
    read_machines("valves", Type::valve, {"area", "discharge", "opening"});
    read_machines("resistors", Type::resistor, {"drag", "diameter"});
    read_machines("short_pipes", Type::short_pipe, {});
    each("supplies", [&](const std::string& name, const YamlNode& at) { read_boundary(name, at, 1.0); });
    each("demands", [&](const std::string& name, const YamlNode& at) { read_boundary(name, at, -1.0); });
    each("holes", [&](const std::string& name, const YamlNode& at) { read_hole(name, at); });
    return std::move(net_);
  }

private:
  template <class Body>
  void each(const std::string& section, Body&& body) {
    if (!top_.has(section)) return;
    for (const auto& [name, at] : top_.at(section).entries(section)) {
      const YamlNode here = at.about(fmt::format("{}: {}", section, name));
      if (!names_[section == "nodes"].insert(name).second) here.reject("this name has been given before");
      body(name, here);
    }
  }

  static double number(const YamlNode& at, const std::string& key, double otherwise) {
    return at.has(key) ? at.at(key).real(key) : otherwise;
  }
  static double positive(const YamlNode& at, const std::string& key) {
    const double value = at.at(key).real(key);
    if (!(value > 0.0)) at.at(key).reject(fmt::format("{} must be positive, not {:g}", key, value));
    return value;
  }

  /// A number, a list of [time, value], or {file: TABLE.csv, column: NAME}.
  TimeSeries series(const YamlNode& at, const std::string& what) const {
    try {
      if (at.is_text()) return {at.real(what)};
      if (at.is_map()) {
        at.only({"file", "column"});
        const auto folder = std::filesystem::path(net_.file).parent_path();
        return read_csv((folder / at.at("file").text("file")).string(),
                        at.has("column") ? at.at("column").text("column") : "");
      }
      std::vector<double> times, values;
      for (const auto& pair : at.items(what)) {
        if (!pair.is_list() || pair.size() != 2) pair.reject(fmt::format("{} is a list of [time, value]", what));
        times.push_back(pair.at(std::size_t{0}).real("time"));
        values.push_back(pair.at(std::size_t{1}).real("value"));
      }
      return {std::move(times), std::move(values)};
    } catch (const core::BadInput& failure) {
      if (std::string(failure.what()).find(net_.file) != std::string::npos) throw;
      at.reject(failure.what());
    }
  }

  void read_fluid(const YamlNode& at) {
    at.only({"equation", "molar_mass", "specific_constant", "temperature", "critical_pressure", "critical_temperature",
             "heat_ratio", "viscosity", "density", "pressure", "sound_speed"});
    Fluid& fluid = net_.fluid;
    const std::vector<std::string> names{"ideal", "aga", "papay", "liquid"};
    if (at.has("equation")) {
      const auto text = at.at("equation").text("equation");
      const auto found = std::ranges::find(names, text);
      if (found == names.end())
        at.at("equation").reject(fmt::format("unknown equation '{}': ideal, aga, papay or liquid", text));
      fluid.equation = static_cast<Fluid::Equation>(found - names.begin());
    }
    if (at.has("molar_mass")) fluid.specific_constant = gas_constant / positive(at, "molar_mass");
    const std::vector<std::pair<const char*, double*>> values{{"specific_constant", &fluid.specific_constant},
                                                              {"temperature", &fluid.temperature},
                                                              {"critical_pressure", &fluid.critical_pressure},
                                                              {"critical_temperature", &fluid.critical_temperature},
                                                              {"heat_ratio", &fluid.heat_ratio},
                                                              {"viscosity", &fluid.viscosity},
                                                              {"density", &fluid.density},
                                                              {"pressure", &fluid.pressure},
                                                              {"sound_speed", &fluid.sound_speed}};
    for (const auto& [key, value] : values)
      if (at.has(key)) *value = positive(at, key);
    if (!(fluid.heat_ratio > 1.0)) at.reject("heat_ratio must be above 1");
  }

  void read_node(const std::string& name, const YamlNode& at) {
    Node node{.name = name};
    at.only({"x", "y", "height", "volume", "pressure"});
    node.x = number(at, "x", 0.0);
    node.y = number(at, "y", 0.0);
    node.height = number(at, "height", 0.0);
    node.volume = number(at, "volume", 0.0);
    node.pressure = number(at, "pressure", not_given);
    net_.nodes.push_back(node);
  }

  std::size_t node_at(const YamlNode& at, const std::string& key, const std::string& who) const {
    return net_.node(at.at(key).text(key), who);
  }

  void read_pipe(const std::string& name, const YamlNode& at) {
    at.only({"from", "to", "length", "diameter", "roughness", "friction", "cells", "heat_transfer"});
    Pipe pipe{.name = name, .from = node_at(at, "from", name), .to = node_at(at, "to", name)};
    pipe.length = at.at("length").real("length");
    pipe.diameter = at.at("diameter").real("diameter");
    pipe.roughness = number(at, "roughness", pipe.roughness);
    pipe.friction = number(at, "friction", not_given);
    pipe.heat_transfer = number(at, "heat_transfer", not_given);
    if (at.has("cells")) {
      const auto cells = core::parse_integer(at.at("cells").text("cells"));
      if (!cells || *cells < 1 || *cells > max_cells) at.at("cells").reject("cells must be a whole number above 0");
      pipe.cells = *cells;
    }
    net_.pipes.push_back(pipe);
  }

  void read_machines(const std::string& section, Machine::Type type, std::vector<std::string> keys) {
    keys.insert(keys.end(), {"from", "to"});
    each(section, [&](const std::string& name, const YamlNode& at) {
      at.only(keys);
      Machine machine{.type = type, .name = name};
      machine.from = node_at(at, "from", name);
      machine.to = node_at(at, "to", name);
      if (at.has("ratio")) machine.ratio = series(at.at("ratio"), "ratio");
      if (at.has("outlet_pressure")) machine.outlet_pressure = series(at.at("outlet_pressure"), "outlet_pressure");
      if (at.has("opening")) machine.opening = series(at.at("opening"), "opening");
      if (at.has("power")) machine.power = positive(at, "power");
      if (at.has("efficiency")) machine.efficiency = positive(at, "efficiency");
      if (at.has("discharge")) machine.discharge = positive(at, "discharge");
      if (at.has("drag")) machine.drag = positive(at, "drag");
      if (at.has("area")) machine.area = positive(at, "area");
      if (at.has("diameter")) {
        const double diameter = positive(at, "diameter");
        machine.area = std::numbers::pi / 4.0 * diameter * diameter;
      }
      net_.machines.push_back(std::move(machine));
    });
  }

  /// `sign` is 1 for what comes in.
  void read_boundary(const std::string& name, const YamlNode& at, double sign) {
    at.only({"node", "flow", "pressure", "temperature"});
    Boundary boundary{.name = name, .node = node_at(at, "node", name), .sign = sign};
    if (at.has("flow") == at.has("pressure")) at.reject("either `flow` or `pressure` is needed");
    const char* const key = at.has("flow") ? "flow" : "pressure";
    boundary.type = at.has("flow") ? Boundary::Type::flow : Boundary::Type::pressure;
    boundary.value = series(at.at(key), key);
    if (at.has("temperature")) boundary.temperature = series(at.at("temperature"), "temperature");
    net_.boundaries.push_back(std::move(boundary));
  }

  void read_hole(const std::string& name, const YamlNode& at) {
    at.only({"node", "area", "discharge", "opens_at", "closes_at", "outside"});
    Boundary hole{.type = Boundary::Type::hole, .name = name, .node = node_at(at, "node", name)};
    hole.area = positive(at, "area");
    if (at.has("discharge")) hole.discharge = positive(at, "discharge");
    hole.opens_at = number(at, "opens_at", 0.0);
    hole.closes_at = number(at, "closes_at", hole.closes_at);
    if (!(hole.closes_at > hole.opens_at)) at.reject("closes_at must be later than opens_at");
    if (at.has("outside")) hole.outside = positive(at, "outside");
    net_.boundaries.push_back(hole);
  }

  YamlNode top_;
  Network net_;
  std::set<std::string> names_[2]; ///< of elements, of nodes
};

} // namespace

Network read_yaml(const std::string& file) {
  return Reader(file).read();
}

Network read_network(const std::string& file, const std::string& scenario) {
  const auto extension = std::filesystem::path(file).extension().string();
  if (extension == ".net" || extension == ".xml") return read_gaslib(file, scenario);
  if (extension == ".json") return read_json(file, scenario);
  if (extension != ".yaml" && extension != ".yml")
    throw core::BadInput(fmt::format("network '{}': .yaml, .net (GasLib) and .json can be read", file));
  if (!scenario.empty()) throw core::BadInput("-scenario belongs to networks in .net and .json");
  return read_yaml(file);
}

} // namespace rhumb::network
