/// The options of rhumb-pipes, and the numbers of a network as parameters.

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <rhumb/physics/network/pipes.hpp>
#include <rhumb/physics/network/read_other.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace rhumb::network {

namespace {

constexpr double default_cell_length = 1000.0; // m
constexpr double default_end = 3600.0;         // s

/// Options under the names of parameters count where they are given; to list all of a network would drown the help.
void add(dae::ParameterSet& parameters, const core::Options& options, const std::string& name, double& value,
         const core::About& about, const core::Range& range) {
  if (options.given(name))
    parameters.bind(options, name, value, about, range);
  else
    parameters.add({.name = name,
                    .unit = about.unit,
                    .description = about.text,
                    .value = value,
                    .lower = range.low,
                    .upper = range.high},
                   value);
}

/// The same for a time series that is a constant.
void add(dae::ParameterSet& parameters, const core::Options& options, const std::string& name, TimeSeries& series,
         const core::About& about, const core::Range& range) {
  if (!series.constant()) return;
  double value = series.values()[0];
  if (options.given(name)) value = options.real(name, value, about, range);
  series.set_constant(value);
  parameters.add({.name = name,
                  .unit = about.unit,
                  .description = about.text,
                  .value = value,
                  .lower = range.low,
                  .upper = range.high},
                 [&series](double changed) { series.set_constant(changed); });
}

void set_cells(Network& network, const core::Options& options) {
  const double length = options.real("cell_length", default_cell_length,
                                     {"cells of pipes are at most this long, unless the pipe says how many", "m"},
                                     core::Range::positive());
  const long least = options.integer("min_cells", 4, {"least number of cells in a pipe"}, core::Range::at_least(1));
  const long refine = options.integer("refine", 1, {"times as many cells in every pipe"}, core::Range::at_least(1));
  double all = 0.0;
  for (Pipe& pipe : network.pipes) {
    const double wanted = pipe.cells > 0 ? static_cast<double>(pipe.cells)
                                         : std::max(static_cast<double>(least), std::ceil(pipe.length / length));
    all += wanted * static_cast<double>(refine);
    if (!(all <= static_cast<double>(max_cells)))
      throw core::BadInput(fmt::format("pipe {}: with {:g} cells there are more than {} in the network; try a larger "
                                       "-cell_length",
                                       pipe.name, wanted * static_cast<double>(refine), max_cells));
    pipe.cells = static_cast<long>(wanted) * refine;
  }
}

FrictionLaw read_friction(const core::Options& options) {
  const std::vector<std::string> laws{"hofer", "colebrook", "nikuradse"};
  const auto law = options.choice("friction", "hofer", laws, {"law of friction where a pipe has no factor of its own"});
  return static_cast<FrictionLaw>(std::ranges::find(laws, law) - laws.begin());
}

/// All elements of a small network by default; of a large one the list would be longer than of use.
std::vector<std::string> read_watch(const Network& network, const core::Options& options) {
  constexpr std::size_t few = 40;
  const auto known = element_names(network);
  const auto text = options.string("watch", known.size() <= few ? "all" : "",
                                   {"nodes, pipes, machines and boundaries to report, between commas, or all"});
  if (text == "all") return known;
  const auto names = core::split_at_commas(text);
  for (const auto& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto near = core::nearest(name, known);
    throw core::BadInput(fmt::format("-watch {}: {} has no such element{}", name, network.file,
                                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  return names;
}

/// GasLib's files have no set points of machines; options give them.
void take_set_points(Network& network, const core::Options& options) {
  for (Machine& machine : network.machines) {
    const bool compressor = machine.type == Machine::Type::compressor;
    const std::string ratio = "ratio_" + machine.name, outlet = "outlet_pressure_" + machine.name;
    if (machine.ratio || machine.outlet_pressure) continue;
    if (compressor && options.given(ratio))
      machine.ratio = options.real(ratio, 1.0, {"pressure ratio of a compressor"}, core::Range::at_least(1.0));
    if ((compressor || machine.type == Machine::Type::control_valve) && options.given(outlet))
      machine.outlet_pressure = options.real(outlet, 1e5, {"wanted outlet pressure", "Pa"}, core::Range::positive());
  }
}

void check_thermal(const Network& network, const Settings& settings) {
  if (network.fluid.equation != Fluid::Equation::ideal)
    throw core::BadInput(fmt::format("{}: -thermal needs `equation: ideal`: what a real gas or a liquid does to its "
                                     "temperature where it expands is not in the equations",
                                     network.file));
  if (settings.momentum == Settings::Momentum::convective)
    throw core::BadInput("-thermal leaves out the energy of motion: -momentum convective does not go with it");
}

/// The last time at which something in the network changes.
double last_time(const Network& network) {
  double last = 0.0;
  const auto see = [&](const TimeSeries& series) { last = std::max(last, series.times().back()); };
  for (const Boundary& boundary : network.boundaries) {
    see(boundary.value);
    if (boundary.temperature) see(*boundary.temperature);
  }
  for (const Machine& machine : network.machines) {
    if (machine.ratio) see(*machine.ratio);
    if (machine.outlet_pressure) see(*machine.outlet_pressure);
    see(machine.opening);
  }
  return last > 0.0 ? last : default_end;
}

} // namespace

void Pipes::add_parameters(const core::Options& options) {
  const auto positive = core::Range::positive();
  for (Pipe& pipe : network_.pipes) {
    if (std::isnan(pipe.friction))
      add(parameters_, options, "roughness_" + pipe.name, pipe.roughness, {"roughness of a pipe", "m"}, positive);
    else
      add(parameters_, options, "friction_" + pipe.name, pipe.friction, {"friction factor of a pipe"},
          core::Range::at_least(0.0));
    add(parameters_, options, "length_" + pipe.name, pipe.length, {"length of a pipe", "m"}, positive);
    add(parameters_, options, "diameter_" + pipe.name, pipe.diameter, {"diameter of a pipe", "m"}, positive);
  }
  for (Machine& machine : network_.machines) {
    if (machine.ratio)
      add(parameters_, options, "ratio_" + machine.name, *machine.ratio, {"pressure ratio of a compressor"},
          core::Range::at_least(1.0));
    if (machine.outlet_pressure)
      add(parameters_, options, "outlet_pressure_" + machine.name, *machine.outlet_pressure,
          {"wanted outlet pressure", "Pa"}, positive);
  }
  for (Boundary& boundary : network_.boundaries) {
    const bool flow = boundary.type == Boundary::Type::flow;
    if (boundary.type == Boundary::Type::hole)
      add(parameters_, options, "area_" + boundary.name, boundary.area, {"area of a hole", "m^2"}, positive);
    else
      add(parameters_, options, (flow ? "flow_" : "pressure_") + boundary.name, boundary.value,
          flow ? core::About{"flow of a supply or demand", "kg/s"}
               : core::About{"pressure of a supply or demand", "Pa"},
          flow ? core::Range{} : positive);
    if (flow)
      add(parameters_, options, "scale_" + boundary.name, boundary.scale, {"times the flow of a supply or demand"}, {});
  }
  if (settings_.thermal) {
    parameters_.bind(options, "ground_temperature", settings_.ground_temperature,
                     {"of the ground around the pipes", "K"}, positive);
    parameters_.bind(options, "heat_transfer", settings_.heat_transfer,
                     {"between gas and ground where a pipe says nothing", "W/(m^2 K)"}, core::Range::at_least(0.0));
  }
  add(parameters_, options, "temperature", network_.fluid.temperature, {"temperature of the gas", "K"}, positive);
  parameters_.on_change([this] { update_volumes(); });
  update_volumes();
}

std::unique_ptr<dae::Problem> make_pipes(MPI_Comm comm, const core::Options& options) {
  const auto file = options.string("network", "", {"file with the network: .yaml, .net (GasLib) or .json"});
  const auto scenario = options.string("scenario", "", {"file with what comes in and goes out, of .net and .json"});
  Settings settings;
  settings.friction = read_friction(options);
  if (options.choice("momentum", "friction", {"friction", "convective"},
                     {"what flow along a pipe costs: friction, or also the acceleration of a gas that expands"}) ==
      "convective")
    settings.momentum = Settings::Momentum::convective;
  const auto start = options.choice("start", "steady", {"steady", "given"},
                                    {"steady: found; given: at rest, with the pressures of the nodes"});
  settings.start = start == "steady" ? Settings::Start::steady : Settings::Start::given;
  settings.thermal = options.flag("thermal", false,
                                  {"temperatures change: the balance of energy of an ideal gas; with "
                                   "-ground_temperature (K) and -heat_transfer (W/(m^2 K))"});
  settings.min_volume = options.real("min_volume", settings.min_volume,
                                     {"volume of nodes at which no pipe ends", "m^3"}, core::Range::positive());
  Network network;
  if (!file.empty()) {
    network = read_network(file, scenario);
    take_set_points(network, options);
    check_network(network);
    if (settings.start == Settings::Start::steady) check_pressures(network);
    if (settings.thermal) check_thermal(network, settings);
  }
  set_cells(network, options);
  settings.watch = read_watch(network, options);
  settings.t_end = last_time(network);
  settings.name = options.string("problem", file.empty() ? "pipes" : std::filesystem::path(file).stem().string(),
                                 {"name of the run"});
  auto pipes = std::make_unique<Pipes>(comm, std::move(network), std::move(settings));
  pipes->add_parameters(options);
  if (file.empty()) pipes->set_objection("nothing to solve: -network FILE is missing");
  return pipes;
}

} // namespace rhumb::network
