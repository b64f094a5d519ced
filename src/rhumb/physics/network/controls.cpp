#include <rhumb/physics/network/controls.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/network/union_find.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace rhumb::network {

using Type = Machine::Type;

const char* name_of(Mode mode) {
  constexpr const char* names[] = {"controlled", "open",   "closed", "limited", "resisting",
                                   "unchoked",   "choked", "given",  "held"};
  return names[static_cast<std::size_t>(mode)];
}

namespace {

// A machine that stands at the border of two modes would be thrown to and fro by rounding; these are its slack.
constexpr double flow_slack = 1e-6;     // kg/s that may flow back before something closes
constexpr double pressure_slack = 0.1;  // Pa
constexpr double relative_slack = 1e-9; // of a ratio of pressures, of a power

bool has_control(const Machine& machine) {
  return machine.ratio || machine.outlet_pressure;
}

Mode first_mode(const Machine& machine) {
  switch (machine.type) {
  case Type::compressor:
  case Type::control_valve:
    return has_control(machine) ? Mode::controlled : Mode::open;
  case Type::check_valve:
    return Mode::closed; // the start opens it where there is a pressure difference
  case Type::valve:
    return machine.area > 0.0 ? Mode::unchoked : Mode::open;
  case Type::resistor:
    return machine.drag > 0.0 ? Mode::resisting : Mode::open;
  case Type::short_pipe:
    return Mode::open;
  }
  return Mode::open;
}

Mode first_mode(const Boundary& boundary) {
  switch (boundary.type) {
  case Boundary::Type::flow:
    return Mode::given;
  case Boundary::Type::pressure:
    return Mode::held;
  case Boundary::Type::hole:
    return Mode::unchoked;
  }
  return Mode::given;
}

const char* name_of(Boundary::Type type, double sign) {
  if (type == Boundary::Type::hole) return "hole";
  return sign > 0.0 ? "supply" : "demand";
}

} // namespace

Controls::Controls(const Network& network) : network_(&network) {
  const auto note = [&](const TimeSeries& series) {
    if (!series.constant()) times_.insert(times_.end(), series.times().begin(), series.times().end());
  };
  for (std::size_t i = 0; i < network.machines.size(); ++i) {
    const Machine& machine = network.machines[i];
    modes_.push_back(first_mode(machine));
    if (machine.ratio) note(*machine.ratio);
    if (machine.outlet_pressure) note(*machine.outlet_pressure);
    note(machine.opening);
    add_machine(i);
  }
  for (std::size_t i = 0; i < network.boundaries.size(); ++i) {
    const Boundary& boundary = network.boundaries[i];
    modes_.push_back(first_mode(boundary));
    note(boundary.value);
    if (boundary.temperature) note(*boundary.temperature);
    if (boundary.type != Boundary::Type::hole) continue;
    times_.insert(times_.end(), {boundary.opens_at, boundary.closes_at});
    if (!network.fluid.liquid())
      add(network.machines.size() + i, {{Mode::unchoked, Mode::choked}, {Mode::choked, Mode::unchoked}});
  }
  std::ranges::sort(times_);
  use_valves();
}

void Controls::add(std::size_t element, std::initializer_list<std::pair<Mode, Mode>> changes) {
  for (const auto& [from, to] : changes) transitions_.push_back({element, from, to});
}

void Controls::add_machine(std::size_t i) {
  const Machine& machine = network_->machines[i];
  if (machine.type == Type::check_valve) add(i, {{Mode::open, Mode::closed}, {Mode::closed, Mode::open}});
  if (machine.type == Type::valve && machine.area > 0.0 && !network_->fluid.liquid())
    add(i, {{Mode::unchoked, Mode::choked}, {Mode::choked, Mode::unchoked}});
  if (!has_control(machine)) return;
  add(i, {{Mode::controlled, Mode::closed}, {Mode::closed, Mode::controlled}});
  if (machine.outlet_pressure)
    add(i, {{Mode::controlled, Mode::open},
            {Mode::open, Mode::controlled},
            {Mode::open, Mode::closed},
            {Mode::closed, Mode::open}});
  if (std::isfinite(machine.power))
    add(i, {{Mode::controlled, Mode::limited}, {Mode::limited, Mode::controlled}, {Mode::limited, Mode::closed}});
}

void Controls::begin(double t) {
  since_ = t;
  use_valves();
}

/// Valves without resistance are open or closed.
void Controls::use_valves() {
  for (std::size_t i = 0; i < network_->machines.size(); ++i) {
    const Machine& machine = network_->machines[i];
    if (machine.type == Type::valve && machine.area == 0.0)
      modes_[i] = machine.opening.at(since_, since_).value > 0.5 ? Mode::open : Mode::closed;
  }
}

TimeSeries::Line Controls::boundary_value(std::size_t i, double t) const {
  const Boundary& boundary = network_->boundaries[i];
  if (boundary.type == Boundary::Type::hole)
    return {since_ >= boundary.opens_at && since_ < boundary.closes_at ? 1.0 : 0.0, 0.0};
  auto line = boundary.value.at(t, since_);
  if (boundary.type == Boundary::Type::flow) {
    line.value *= boundary.sign * boundary.scale;
    line.rate *= boundary.sign * boundary.scale;
  }
  return line;
}

double Controls::boundary_temperature(std::size_t i, double t) const {
  const auto& temperature = network_->boundaries[i].temperature;
  return temperature ? temperature->at(t, since_).value : network_->fluid.temperature;
}

double Controls::next_time() const {
  const auto after = std::ranges::upper_bound(times_, since_);
  return after == times_.end() ? std::numeric_limits<double>::infinity() : *after;
}

std::string Controls::name_of_element(std::size_t element) const {
  const std::size_t machines = network_->machines.size();
  if (element < machines)
    return fmt::format("{} {}", name_of(network_->machines[element].type), network_->machines[element].name);
  const Boundary& boundary = network_->boundaries[element - machines];
  return fmt::format("{} {}", name_of(boundary.type, boundary.sign), boundary.name);
}

std::vector<dae::Event> Controls::events() const {
  std::vector<dae::Event> events{{"schedule", dae::Event::Direction::falling}};
  for (const Transition& change : transitions_)
    events.push_back(
        {fmt::format("{}: {} -> {}", name_of_element(change.element), name_of(change.from), name_of(change.to)),
         dae::Event::Direction::falling});
  return events;
}

void Controls::margins(double t, const HeadValues& at, std::span<double> values) const {
  constexpr double far = 1.0;
  const double next = next_time();
  values[0] = std::isfinite(next) ? next - t : far;
  for (std::size_t k = 0; k < transitions_.size(); ++k) {
    const Transition& change = transitions_[k];
    values[k + 1] = modes_[change.element] == change.from ? margin(change, t, at) : far;
  }
}

double Controls::margin(const Transition& change, double t, const HeadValues& at) const {
  const std::size_t machines = network_->machines.size();
  if (change.element >= machines) {
    const Boundary& hole = network_->boundaries[change.element - machines];
    return orifice_margin(change, at.pressure[hole.node], hole.outside);
  }
  const Machine& machine = network_->machines[change.element];
  const double p1 = at.pressure[machine.from], p2 = at.pressure[machine.to], q = at.machine_flow[change.element];
  if (machine.type == Type::check_valve) return change.to == Mode::closed ? q + flow_slack : p2 - p1 + pressure_slack;
  if (machine.type == Type::valve) return orifice_margin(change, p1, p2);
  return compressor_margin(change, machine_control(change.element, t).value, at);
}

double Controls::orifice_margin(const Transition& change, double p1, double p2) const {
  const double above = std::min(p1, p2) / std::max(p1, p2) - network_->fluid.critical_ratio();
  return (change.to == Mode::choked ? above : -above) + relative_slack;
}

/// Compressors raise the pressure to what is wanted, control valves lower it. Where the inlet alone is enough a
/// compressor lets pass, and where it is too little a control valve does; neither lets anything flow back.
double Controls::compressor_margin(const Transition& change, double control, const HeadValues& at) const {
  const Machine& machine = network_->machines[change.element];
  const double p1 = at.pressure[machine.from], p2 = at.pressure[machine.to], q = at.machine_flow[change.element];
  const double wanted = wanted_pressure(machine, control, p1);
  const double excess = machine.type == Type::compressor ? p1 - wanted : wanted - p1; // > 0: lets pass
  if (change.to == Mode::closed) return q + flow_slack;
  if (change.to == Mode::limited)
    return (1.0 + relative_slack) * machine.power -
           q * network_->fluid.compression_work(p1, at.temperature[machine.from], p2) / machine.efficiency;
  if (change.from == Mode::limited) return wanted - p2 + pressure_slack;
  if (machine.ratio) return p2 - wanted + pressure_slack; // from closed to controlled: it has no other modes
  if (change.from == Mode::closed)
    return pressure_slack + (change.to == Mode::open ? std::max(p2 - p1, -excess) : std::max(p2 - wanted, excess));
  return pressure_slack + (change.to == Mode::open ? -excess : excess);
}

void Controls::handle(std::span<const int> which) {
  for (const int event : which) {
    if (event == 0) {
      since_ = next_time();
      use_valves();
    } else {
      const Transition& change = transitions_[static_cast<std::size_t>(event) - 1];
      if (modes_[change.element] == change.from) modes_[change.element] = change.to;
    }
  }
}

bool Controls::settle(double t, const HeadValues& at) {
  bool changed = false;
  for (const Transition& change : transitions_) {
    if (modes_[change.element] != change.from || !(margin(change, t, at) < 0.0)) continue;
    modes_[change.element] = change.to;
    changed = true;
  }
  return changed;
}

std::vector<std::string> Controls::bindings() const {
  std::vector<std::string> words;
  const auto node = [&](std::size_t i) { return "'" + network_->nodes[i].name + "'"; };
  for (std::size_t i = 0; i < network_->boundaries.size(); ++i)
    if (constrains(boundary(i)))
      words.push_back(fmt::format("node {} by {}", node(network_->boundaries[i].node),
                                  name_of_element(network_->machines.size() + i)));
  for (std::size_t i = 0; i < network_->machines.size(); ++i) {
    const Machine& one = network_->machines[i];
    if (!constrains(machine(i))) continue;
    const bool alone = machine(i) == Mode::controlled && one.outlet_pressure;
    words.push_back(alone ? fmt::format("node {} by {}", node(one.to), name_of_element(i))
                          : fmt::format("node {} to node {} by {}", node(one.to), node(one.from), name_of_element(i)));
  }
  return words;
}

/// Two graphs on the nodes and the world outside must be without loops: that of the bound pressures, and that of the
/// flows which the bindings determine.
void Controls::check_bindings() const {
  const std::size_t world = network_->nodes.size(), machines = network_->machines.size();
  UnionFind pressures(world + 1), flows(world + 1);
  const auto bind = [&](std::size_t element, std::size_t from, std::size_t to, bool outlet_alone) {
    if (!pressures.join(outlet_alone ? world : from, to))
      throw core::BadInput(fmt::format("{}: {} sets a pressure at node '{}' that others set already (open machines and "
                                       "compressors with a ratio pass pressures on)",
                                       network_->file, name_of_element(element), network_->nodes[to].name));
    if (!flows.join(from, to))
      throw core::BadInput(fmt::format("{}: {} closes a loop of machines around which any flow would do",
                                       network_->file, name_of_element(element)));
  };
  for (std::size_t i = 0; i < network_->boundaries.size(); ++i)
    if (constrains(boundary(i))) bind(machines + i, world, network_->boundaries[i].node, false);
  for (std::size_t i = 0; i < machines; ++i) {
    const Machine& one = network_->machines[i];
    if (constrains(machine(i))) bind(i, one.from, one.to, machine(i) == Mode::controlled && one.outlet_pressure);
  }
}

std::vector<double> Controls::saved_state() const {
  std::vector<double> memory{since_};
  for (const Mode mode : modes_) memory.push_back(static_cast<double>(mode));
  return memory;
}

void Controls::restore_state(std::span<const double> memory) {
  constexpr double last = static_cast<double>(Mode::held);
  if (memory.size() != modes_.size() + 1) throw core::BadInput("the checkpoint belongs to another network");
  since_ = memory[0];
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const double value = memory[i + 1];
    if (!(value >= 0.0 && value <= last)) throw core::BadInput("the checkpoint has an unknown mode of a machine");
    modes_[i] = static_cast<Mode>(static_cast<int>(value));
  }
}

} // namespace rhumb::network
