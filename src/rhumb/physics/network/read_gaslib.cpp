#include <rhumb/core/failure.hpp>
#include <rhumb/core/input_file.hpp>
#include <rhumb/core/strings.hpp>
#include <rhumb/physics/network/read_other.hpp>
#include <rhumb/physics/network/xml.hpp>
#include <array>
#include <fmt/format.h>

namespace rhumb::network {
namespace {

constexpr double bar = 1e5, zero_celsius = 273.15;

struct Unit {
  const char* name;
  double factor;
  double offset = 0.0;
};
constexpr std::array units{Unit{"m", 1.0},
                           Unit{"km", 1e3},
                           Unit{"mm", 1e-3},
                           Unit{"meter", 1.0},
                           Unit{"bar", bar},
                           Unit{"barg", bar, 1.01325 * bar},
                           Unit{"Pa", 1.0},
                           Unit{"kPa", 1e3},
                           Unit{"MPa", 1e6},
                           Unit{"K", 1.0},
                           Unit{"Celsius", 1.0, zero_celsius},
                           Unit{"C", 1.0, zero_celsius},
                           Unit{"kg_per_kmol", 1e-3},
                           Unit{"kg_per_m_cube", 1.0},
                           Unit{"kg_per_s", 1.0},
                           Unit{"W_per_m_square_per_K", 1.0},
                           Unit{"1", 1.0},
                           Unit{"", 1.0}};

class GaslibReader {
public:
  explicit GaslibReader(const std::string& file) { net_.file = file; }

  Network read(const std::string& scenario) {
    const Element top = load(net_.file, "a network");
    const Element* nodes = top.child("nodes");
    const Element* connections = top.child("connections");
    if (!nodes || !connections) throw core::BadInput(fmt::format("{}: nodes and connections are needed", net_.file));
    read_gas(*nodes);
    for (const Element& node : nodes->children) read_node(node);
    for (const Element& connection : connections->children) read_connection(connection);
    if (!scenario.empty()) read_scenario(scenario);
    return std::move(net_);
  }

private:
  static Element load(const std::string& file, const char* what) {
    return parse_xml(core::read_input_file(file, core::max_text_size, what), file);
  }

  [[noreturn]] void reject(const Element& at, const std::string& why) const {
    const std::string* id = at.attribute("id");
    throw core::BadInput(fmt::format("{}:{}: {}{}: {}", net_.file, at.line, at.name, id ? " " + *id : "", why));
  }
  std::string text(const Element& at, const std::string& name) const {
    const std::string* value = at.attribute(name);
    if (!value) reject(at, fmt::format("attribute '{}' is missing", name));
    return *value;
  }
  double attribute_number(const Element& at, const std::string& name) const {
    const auto value = core::parse_real(text(at, name));
    if (!value) reject(at, fmt::format("{}=\"{}\" is not a number", name, text(at, name)));
    return *value;
  }
  /// The value of <name value="..." unit="..."/> in SI units.
  double in_si(const Element& at) const {
    const double value = attribute_number(at, "value");
    const std::string* given = at.attribute("unit");
    const std::string unit = given ? *given : "";
    if (unit == "1000m_cube_per_hour") return value * 1000.0 / 3600.0 * norm_density_;
    if (unit == "m_cube_per_hour") return value / 3600.0 * norm_density_;
    for (const Unit& known : units)
      if (unit == known.name) return value * known.factor + known.offset;
    reject(at, fmt::format("unit '{}' is not known", unit));
  }
  double quantity(const Element& at, const std::string& name) const {
    const Element* child = at.child(name);
    if (!child) reject(at, fmt::format("<{}> is missing", name));
    return in_si(*child);
  }
  double quantity(const Element& at, const std::string& name, double otherwise) const {
    return at.child(name) ? quantity(at, name) : otherwise;
  }

  /// The gas of the first source; GasLib's sources differ little.
  void read_gas(const Element& nodes) {
    Fluid& fluid = net_.fluid;
    fluid.equation = Fluid::Equation::papay;
    const Element* source = nodes.child("source");
    if (!source) throw core::BadInput(fmt::format("{}: no source", net_.file));
    norm_density_ = quantity(*source, "normDensity", norm_density_);
    if (source->child("molarMass")) fluid.specific_constant = gas_constant / quantity(*source, "molarMass");
    fluid.critical_pressure = quantity(*source, "pseudocriticalPressure", fluid.critical_pressure);
    fluid.critical_temperature = quantity(*source, "pseudocriticalTemperature", fluid.critical_temperature);
    fluid.temperature = quantity(*source, "gasTemperature", fluid.temperature);
  }

  void read_node(const Element& at) {
    Node node{.name = text(at, "id")};
    node.x = attribute_number(at, at.attribute("geoWGS84Long") ? "geoWGS84Long" : "x");
    node.y = attribute_number(at, at.attribute("geoWGS84Lat") ? "geoWGS84Lat" : "y");
    node.height = quantity(at, "height", 0.0);
    net_.nodes.push_back(node);
  }

  void read_connection(const Element& at) {
    const std::string name = text(at, "id");
    const std::size_t from = net_.node(text(at, "from"), name), to = net_.node(text(at, "to"), name);
    if (at.name == "pipe") {
      Pipe pipe{.name = name, .from = from, .to = to};
      pipe.length = quantity(at, "length");
      pipe.diameter = quantity(at, "diameter");
      pipe.roughness = quantity(at, "roughness", pipe.roughness);
      net_.pipes.push_back(pipe);
      return;
    }
    Machine machine{.name = name, .from = from, .to = to};
    if (at.name == "compressorStation") {
      machine.type = Machine::Type::compressor;
    } else if (at.name == "controlValve") {
      machine.type = Machine::Type::control_valve;
    } else if (at.name == "resistor" && at.child("dragFactor")) {
      machine.type = Machine::Type::resistor;
      machine.drag = quantity(at, "dragFactor");
      const double diameter = quantity(at, "diameter");
      machine.area = std::numbers::pi / 4.0 * diameter * diameter;
    } else if (at.name != "shortPipe" && at.name != "valve" && at.name != "resistor") {
      reject(at, "a connection of this kind is not known");
    }
    net_.machines.push_back(machine);
  }

  void read_scenario(const std::string& file) {
    const Element top = load(file, "a scenario");
    const std::string network = std::exchange(net_.file, file); // for messages
    const Element* scenario = top.child("scenario");
    if (!scenario) throw core::BadInput(fmt::format("{}: <scenario> is missing", file));
    for (const Element& node : scenario->children)
      if (node.name == "node") read_boundary(node);
    net_.file = network;
  }

  void read_boundary(const Element& at) {
    const std::string name = text(at, "id"), type = text(at, "type");
    if (type != "entry" && type != "exit") reject(at, fmt::format("type '{}' is neither entry nor exit", type));
    Boundary boundary{.name = name, .node = net_.node(name, "scenario")};
    const Element* flow = nullptr;
    for (const Element& value : at.children) {
      const std::string bound = text(value, "bound");
      if (value.name == "pressure" && bound == "both") {
        boundary.type = Boundary::Type::pressure;
        boundary.value = TimeSeries(in_si(value));
      }
      if (value.name == "flow" && (bound == "both" || !flow)) flow = &value;
    }
    if (boundary.type != Boundary::Type::pressure) {
      if (!flow) reject(at, "neither a flow nor a pressure with bound=\"both\"");
      boundary.sign = type == "entry" ? 1.0 : -1.0;
      boundary.value = TimeSeries(in_si(*flow));
    }
    net_.boundaries.push_back(std::move(boundary));
  }

  Network net_;
  double norm_density_ = 0.785; ///< kg/m^3, at 0 degrees Celsius and 1.01325 bar
};

} // namespace

Network read_gaslib(const std::string& file, const std::string& scenario) {
  return GaslibReader(file).read(scenario);
}

} // namespace rhumb::network
