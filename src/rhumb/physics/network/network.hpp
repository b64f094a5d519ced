#pragma once
/// A network of pipes as data: nodes, pipes, the machines between nodes, and where the network meets the world. SI
/// units throughout; flows are mass flows.

#include <rhumb/physics/network/fluid.hpp>
#include <rhumb/physics/network/time_series.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace rhumb::network {

inline constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

struct Node {
  std::string name;
  double x = 0.0, y = 0.0;     ///< on the map
  double height = 0.0;         ///< m
  double volume = 0.0;         ///< m^3, beside that of the pipes: a tank, a cavern
  double pressure = not_given; ///< at the start, Pa
};

struct Pipe {
  std::string name;
  std::size_t from = 0, to = 0; ///< nodes
  double length = 0.0, diameter = 0.0;
  double roughness = 1e-5;          ///< m
  double friction = not_given;      ///< a constant friction factor (Darcy's) instead of a law
  double heat_transfer = not_given; ///< to the ground, W/(m^2 K); not given: that of the run
  long cells = 0;                   ///< 0: by the length that -cell_length asks for

  double area() const { return std::numbers::pi / 4.0 * diameter * diameter; }
};

/// What stands between two nodes without length.
struct Machine {
  enum class Type : std::uint8_t { compressor, control_valve, check_valve, valve, resistor, short_pipe };
  Type type = Type::short_pipe;
  std::string name;
  std::size_t from = 0, to = 0;
  std::optional<TimeSeries> ratio = std::nullopt;           ///< compressor: outlet over inlet pressure
  std::optional<TimeSeries> outlet_pressure = std::nullopt; ///< compressor, control valve: Pa
  double power = std::numeric_limits<double>::infinity();   ///< most that a compressor has, W
  double efficiency = 0.8;
  double drag = 0.0;          ///< resistor: dp = drag rho v^2/2
  double area = 0.0;          ///< of a resistor or an open valve, m^2; 0: a valve without resistance
  double discharge = 0.8;     ///< coefficient of a valve
  TimeSeries opening = {1.0}; ///< of a valve, 0 to 1
};

/// Where the network meets the world: mass comes in at a given rate or at whatever rate a given pressure asks for, or
/// leaves through a hole.
struct Boundary {
  enum class Type : std::uint8_t { flow, pressure, hole };
  Type type = Type::flow;
  std::string name;
  std::size_t node = 0;
  double sign = 1.0;                                    ///< of a flow: 1 for a supply, -1 for a demand
  TimeSeries value = {};                                ///< flow in kg/s, or pressure in Pa
  std::optional<TimeSeries> temperature = std::nullopt; ///< of what comes in, K; not given: the fluid's
  double scale = 1.0;                                   ///< times the flow
  double area = 0.0;                                    ///< of a hole, m^2
  double discharge = 0.8;
  double opens_at = 0.0; ///< s
  double closes_at = std::numeric_limits<double>::infinity();
  double outside = 101325.0; ///< pressure behind a hole, Pa
};

struct Network {
  std::string file; ///< for messages
  Fluid fluid;
  std::vector<Node> nodes;
  std::vector<Pipe> pipes;
  std::vector<Machine> machines;
  std::vector<Boundary> boundaries;

  /// The node of that name, the first of several; throws core::BadInput, with the nearest, in which `who` asks for it.
  /// Nodes may be added between two calls, not renamed.
  std::size_t node(const std::string& name, const std::string& who) const;

  mutable std::unordered_map<std::string, std::size_t> index_of_node; ///< filled by `node`
  mutable std::size_t indexed_nodes = 0;
};

/// Reads a network by the kind of file: .yaml and .yml (ours), .net (GasLib's XML, with the scenario in `scenario`),
/// .json (with the boundary conditions in `scenario`). Throws core::BadInput.
Network read_network(const std::string& file, const std::string& scenario);

/// Throws core::BadInput, with the name of what is wrong: numbers that make no sense, elements that end where they
/// begin, nodes that nothing reaches.
void check_network(const Network& network);

/// Throws core::BadInput, with the nodes, where a part of the network has no node at which a pressure is held.
void check_pressures(const Network& network);

/// The names of all elements, nodes first; one that several have once.
std::vector<std::string> element_names(const Network& network);

/// "compressor", "control valve", ...
const char* name_of(Machine::Type type);

/// The nodes that hang together, over pipes and machines: for each node the smallest one of its part.
std::vector<std::size_t> parts_of(const Network& network);

} // namespace rhumb::network
