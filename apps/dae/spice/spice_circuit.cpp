#include "spice_circuit.hpp"

#include <rhumb/core/failure.hpp>
#include <rhumb/dae/given_parameters.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::problems::spice {

using dae::Kind;

namespace {
constexpr double initial_condition_conductance = 1e3; // S; holds a node at its .ic while the start is sought
constexpr std::size_t most_reported = 200;            // nodes
} // namespace

SpiceCircuit::SpiceCircuit(MPI_Comm comm, Network network, const core::Options& options)
    : RootProblem(comm, "circuit"), net_(std::move(network)), nodes_(net_.deck.nodes.size()),
      closes_(net_.capacitors.size(), -1), lead_(nodes_ + 1, 0), printed_(net_.deck) {
  for (std::size_t k = 0; k < net_.loops.size(); ++k) closes_[net_.loops[k].front().index] = static_cast<int>(k);
  for (const auto& cutset : net_.cutsets)
    for (const int node : cutset) lead_[node] = cutset.front();
  place_charges();
  name_parameters();
  dae::take_given_values(parameters_, options);
  find_kinds();
  find_next_kink(0.0);
}

void SpiceCircuit::place_charges() {
  unknowns_ = source(net_.sources.size());
  std::vector<bool> in_loop(net_.capacitors.size(), false);
  for (const auto& loop : net_.loops)
    for (const LoopStep& step : loop)
      if (!step.source) in_loop[step.index] = true;
  for (std::size_t c = 0; c < net_.capacitors.size(); ++c)
    charges_.push_back(in_loop[c] || net_.capacitors[c].capacitance.constant_alone() ? 0 : unknowns_++);
}

void SpiceCircuit::set_charges(std::span<double> y) const {
  for (std::size_t c = 0; c < net_.capacitors.size(); ++c) {
    const Capacitance& capacitance = net_.capacitors[c].capacitance;
    if (has_charge(c)) y[charge(c)] = capacitance.charge_at(y[capacitor(c)]) / capacitance.typical();
  }
}

void SpiceCircuit::name_parameters() {
  const auto add = [&](const std::string& name, const char* unit, double& value) {
    parameters_.add({.name = name, .unit = unit, .value = value, .lower = 0.0}, value);
  };
  for (auto& r : net_.resistors) add(r.name, "ohm", r.value);
  for (auto& c : net_.capacitors)
    if (c.capacitance.constant > 0.0 && c.name[0] == 'c' && !c.name.starts_with("c_"))
      add(c.name, "F", c.capacitance.constant);
  for (auto& l : net_.inductors) add(l.name, "H", l.value);
  for (auto& s : net_.sources)
    if (s.letter == 'v' && s.wave.shape == Waveform::Shape::constant)
      parameters_.add({.name = s.name, .unit = "V"}, s.wave.dc);
  for (auto& g : net_.currents)
    if (g.letter == 'i' && g.wave.shape == Waveform::Shape::constant)
      parameters_.add({.name = g.name, .unit = "A"}, g.wave.dc);
}

void SpiceCircuit::set_parameter(std::size_t index, double value) {
  RootProblem::set_parameter(index, value);
  point_.reset();
}

double SpiceCircuit::mutual(const Coupling& k) const {
  return k.value * std::sqrt(net_.inductors[k.first].value * net_.inductors[k.second].value);
}

/// Beyond the next corner the piece before it goes on as a line, so that a step can look for the corner.
double SpiceCircuit::driven(const Waveform& wave, double t) const {
  if (steady_) return source_scale_ * wave.value(0.0);
  const double now = std::max(t, last_kink_);
  if (next_kink_ < 0.0 || now < next_kink_) return wave.value(now);
  const double before = next_kink_ - 1e-9 * (next_kink_ - last_kink_);
  return wave.value(before) + wave.rate(before) * (now - before);
}
double SpiceCircuit::driven_rate(const Waveform& wave, double t) const {
  const double now = std::max(t, last_kink_);
  if (next_kink_ < 0.0 || now < next_kink_) return wave.rate(now);
  return wave.rate(next_kink_ - 1e-9 * (next_kink_ - last_kink_));
}

/// The sum around a loop with the capacitors' part from u (voltages, or their rates) and the sources' from themselves.
double SpiceCircuit::around(const std::vector<LoopStep>& loop, double t, Values u, bool rates) const {
  double sum = 0.0;
  for (const auto& [index, is_source, direction] : loop) {
    if (!is_source)
      sum += direction * u[capacitor(index)];
    else if (net_.sources[index].letter == 'v')
      sum += direction * (rates ? driven_rate(net_.sources[index].wave, t) : driven(net_.sources[index].wave, t));
  }
  return sum;
}

void SpiceCircuit::evaluate(double t, Values y, Values ydot, std::span<double> f) const {
  std::ranges::fill(f, 0.0);
  const auto leave = [&](int node, double current) {
    if (node > 0 && lead_[node] != node) f[static_cast<std::size_t>(node) - 1] += current;
  };
  /// Inductors and current sources: these cross cutsets.
  const auto cross = [&](int from, int to, double current) {
    for (const auto& [node, sign] : {std::pair{from, 1.0}, {to, -1.0}}) {
      if (node == 0) continue;
      const int lead = lead_[node];
      if (lead != node) f[static_cast<std::size_t>(node) - 1] += sign * current;
      if (lead > 0) f[static_cast<std::size_t>(lead) - 1] += sign * current;
    }
  };
  const auto through = [&](int from, int to, double current) {
    leave(from, current);
    leave(to, -current);
  };
  const auto voltage = [&](int from, int to) { return potential(y, from) - potential(y, to); };
  for (const auto& r : net_.resistors) through(r.from, r.to, voltage(r.from, r.to) / r.value);
  for (std::size_t c = 0; c < net_.capacitors.size(); ++c) {
    const Capacitor& branch = net_.capacitors[c];
    const double u = y[capacitor(c)], i = y[capacitor(c) + 1];
    through(branch.from, branch.to, i);
    if (has_charge(c)) {
      const double typical = branch.capacitance.typical();
      f[capacitor(c)] = y[charge(c)] - branch.capacitance.charge_at(u) / typical;
      f[charge(c)] = typical * ydot[charge(c)] - i;
    } else {
      f[capacitor(c)] = branch.capacitance.at(u) * ydot[capacitor(c)] - i;
    }
    f[capacitor(c) + 1] =
        closes_[c] >= 0 ? around(net_.loops[closes_[c]], t, y, false) : u - voltage(branch.from, branch.to);
  }
  for (std::size_t l = 0; l < net_.inductors.size(); ++l) {
    const Inductor& branch = net_.inductors[l];
    cross(branch.from, branch.to, y[inductor(l)]);
    f[inductor(l)] = branch.value * ydot[inductor(l)] - y[inductor(l) + 1];
    f[inductor(l) + 1] = y[inductor(l) + 1] - voltage(branch.from, branch.to);
  }
  for (const auto& k : net_.couplings) {
    f[inductor(k.first)] += mutual(k) * ydot[inductor(k.second)];
    f[inductor(k.second)] += mutual(k) * ydot[inductor(k.first)];
  }
  for (const auto& g : net_.currents) {
    if (g.letter == 'i')
      cross(g.from, g.to, driven(g.wave, t));
    else
      through(g.from, g.to, g.gain * (g.letter == 'g' ? voltage(g.plus, g.minus) : y[source(g.control)]));
  }
  for (std::size_t s = 0; s < net_.sources.size(); ++s) {
    const VoltageSource& branch = net_.sources[s];
    through(branch.from, branch.to, y[source(s)]);
    double& row = f[source(s)];
    row = branch.letter == 'u' ? voltage(branch.plus, branch.minus) : voltage(branch.from, branch.to);
    if (branch.letter == 'v') row -= driven(branch.wave, t);
    if (branch.letter == 'e') row -= branch.gain * voltage(branch.plus, branch.minus);
    if (branch.letter == 'h') row -= branch.gain * y[source(branch.control)];
  }
  for (const auto& device : net_.devices) {
    std::array<double, 4> e{};
    for (std::size_t k = 0; k < device.nodes.size(); ++k) e[k] = potential(y, device.nodes[k]);
    const auto currents = device.currents(e);
    for (std::size_t k = 0; k < device.nodes.size(); ++k) leave(device.nodes[k], currents[k]);
  }
  if (!steady_) return;
  for (std::size_t k = 0; k < nodes_; ++k)
    if (const auto held = net_.deck.initial_node.find(net_.deck.nodes[k]); held != net_.deck.initial_node.end())
      leave(static_cast<int>(k) + 1, initial_condition_conductance * (y[k] - held->second));
}

void SpiceCircuit::hidden(double t, Values, Values ydot, std::span<double> f) const {
  for (std::size_t c = 0; c < net_.capacitors.size(); ++c)
    if (closes_[c] >= 0) f[capacitor(c) + 1] = around(net_.loops[closes_[c]], t, ydot, true);
  for (const auto& cutset : net_.cutsets) {
    double& row = f[static_cast<std::size_t>(cutset.front()) - 1];
    row = 0.0;
    const auto cross = [&](int from, int to, double rate) {
      for (const auto& [node, sign] : {std::pair{from, 1.0}, {to, -1.0}})
        if (node > 0 && lead_[node] == cutset.front()) row += sign * rate;
    };
    for (std::size_t l = 0; l < net_.inductors.size(); ++l)
      cross(net_.inductors[l].from, net_.inductors[l].to, ydot[inductor(l)]);
    for (const auto& g : net_.currents)
      if (g.letter == 'i') cross(g.from, g.to, driven_rate(g.wave, t));
  }
}

dae::Offers SpiceCircuit::offers() const {
  return {.jacobian = true, .mass_product = true, .hidden_constraint = !net_.loops.empty() || !net_.cutsets.empty()};
}

std::vector<std::string> SpiceCircuit::remarks() const {
  std::vector<std::string> out;
  for (const auto& loop : net_.loops) out.push_back("index 2: " + net_.in_words(loop));
  for (const auto& cutset : net_.cutsets) out.push_back("index 2: " + net_.in_words(cutset));
  if (out.size() > 5) {
    out.push_back(fmt::format("and {} more such loops and cutsets", out.size() - 4));
    out.erase(out.begin() + 4, out.end() - 1);
  }
  return out;
}

void SpiceCircuit::find_next_kink(double t) {
  double next = HUGE_VAL;
  for (const auto& s : net_.sources)
    if (s.letter == 'v') next = std::min(next, s.wave.next_kink(t));
  for (const auto& g : net_.currents)
    if (g.letter == 'i') next = std::min(next, g.wave.next_kink(t));
  next_kink_ = std::isfinite(next) ? next : -1.0;
}

std::vector<dae::Event> SpiceCircuit::events() const {
  const auto bent = [](const auto& source) { return source.wave.shape != Waveform::Shape::constant; };
  if (std::ranges::none_of(net_.sources, bent) && std::ranges::none_of(net_.currents, bent)) return {};
  return {{.name = "source_corner", .direction = dae::Event::Direction::falling}};
}

void SpiceCircuit::event_values(double t, Vec, Vec, std::span<double> values) {
  values[0] = next_kink_ < 0.0 ? 1.0 : next_kink_ - t;
}

dae::AfterEvent SpiceCircuit::on_event(double, std::span<const int>, Vec, Vec) {
  last_kink_ = next_kink_;
  find_next_kink(last_kink_);
  forget_linearisation();
  return dae::AfterEvent::restart;
}

std::vector<double> SpiceCircuit::saved_state() const {
  std::vector<double> all{last_kink_, next_kink_};
  printed_.save(all);
  return all;
}

void SpiceCircuit::restore_state(std::span<const double> memory) {
  if (memory.size() < 2 || !std::isfinite(memory[0]) || !std::isfinite(memory[1]) ||
      !printed_.restore(memory.subspan(2)))
    throw core::BadInput("the checkpoint's memory is not that of this circuit");
  last_kink_ = memory[0];
  next_kink_ = memory[1];
}

void SpiceCircuit::watch(double t, Vec y, Vec) {
  const auto value = everywhere(y);
  printed_.add(t, std::span<const double>(value).first(nodes_));
}

std::vector<std::pair<std::string, double>> SpiceCircuit::series(double, Vec y, Vec) {
  const auto value = everywhere(y);
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t k = 0; k < std::min(nodes_, most_reported); ++k)
    out.emplace_back("v(" + net_.deck.nodes[k] + ")", value[k]);
  return out;
}

dae::Figures SpiceCircuit::report(double t, Vec y, Vec ydot) {
  const auto value = everywhere(y), rate = everywhere(ydot);
  std::vector<double> f(value.size());
  evaluate(t, value, rate, f);
  double worst = 0.0;
  for (std::size_t k = 0; k < nodes_; ++k) worst = std::max(worst, std::abs(f[k]));
  const auto from = [&](std::size_t first, std::size_t count) {
    const auto begin = value.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  dae::Figures out{{"index", static_cast<double>(index_)},
                   {"kirchhoff_error", worst},
                   {"node_voltages", from(0, nodes_)},
                   {"source_currents", from(source(0), net_.sources.size())}};
  for (const auto& [name, v] : series(t, y, ydot)) out.emplace_back(name, v);
  printed_.report(out);
  return out;
}

} // namespace rhumb::problems::spice
