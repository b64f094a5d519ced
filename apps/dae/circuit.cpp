/// A linear network of resistors, capacitors and voltage sources as the Kirchhoff tableau of LP1 (3.1), from -netlist
/// FILE. Unknowns: the voltages and the currents of all branches, the potentials of all nodes but ground. Equations, a
/// row per unknown:
///   branch:   V = E(t),   C V' = I,   V = R I
///   voltages: V = V_N(from) - V_N(to)
///   currents: at each node the currents that leave it add up to zero
/// A loop of sources and capacitors makes the system index 2. There, the voltage row of the capacitor that closes the
/// loop is replaced by the sum of the rows around the loop, 0 = sum +-V_C + sum +-E(t), which shows the constraint on
/// the capacitors; the currents of all branches in such loops are the index-2 variables.

#include "netlist.hpp"
#include "problems.hpp"
#include "small_problem.hpp"
#include "spice/spice_circuit.hpp"
#include <rhumb/core/failure.hpp>
#include <rhumb/core/input_file.hpp>
#include <algorithm>
#include <cmath>
#include <sstream>

namespace rhumb::problems {
namespace {

using dae::Kind;
using Type = Branch::Type;

std::vector<dae::Field> fields_of(const Netlist& net) {
  std::vector<bool> looped(net.branches.size(), false);
  for (const auto& loop : net.loops)
    for (const auto& [branch, direction] : loop) looped[branch] = true;
  std::vector<dae::Field> fields;
  for (const auto& branch : net.branches)
    fields.push_back({.name = "v_" + branch.name,
                      .unit = "V",
                      .kind = branch.type == Type::capacitor ? Kind::differential : Kind::index1});
  for (std::size_t b = 0; b < net.branches.size(); ++b)
    fields.push_back(
        {.name = "i_" + net.branches[b].name, .unit = "A", .kind = looped[b] ? Kind::index2 : Kind::index1});
  for (const auto& node : net.nodes) fields.push_back({.name = "node_" + node, .unit = "V", .kind = Kind::index1});
  return fields;
}

class Circuit final : public SmallProblem {
public:
  Circuit(MPI_Comm comm, Netlist net, const core::Options& options)
      : SmallProblem(comm, "circuit", fields_of(net), options), net_(std::move(net)),
        closes_(net_.branches.size(), nullptr) {
    for (const auto& loop : net_.loops) closes_[loop.front().first] = &loop;
    for (auto& branch : net_.branches) name_parameters(branch);
  }

  double t_end() const override { return net_.end; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-9}; }
  dae::Offers offers() const override {
    return {.jacobian = true, .mass_product = true, .hidden_constraint = !net_.loops.empty()};
  }

  Kind equation_kind(PetscInt local) const override {
    const auto row = static_cast<std::size_t>(local);
    if (row < count()) return net_.branches[row].type == Type::capacitor ? Kind::differential : Kind::index1;
    if (row < 2 * count() && closes_[row - count()]) return Kind::index2;
    return Kind::index1;
  }

  dae::Figures report(double t, Vec y, Vec ydot) override {
    const auto value = everywhere(y), rate = everywhere(ydot);
    std::vector<double> f(value.size());
    evaluate(t, value, rate, f);
    double worst = 0.0;
    for (std::size_t row = count(); row < f.size(); ++row) worst = std::max(worst, std::abs(f[row]));
    const auto nodes = value.begin() + static_cast<std::ptrdiff_t>(2 * count());
    return {{"index", net_.loops.empty() ? 1.0 : 2.0},
            {"kirchhoff_error", worst},
            {"node_voltages", std::vector<double>(nodes, value.end())},
            {"branch_currents", std::vector<double>(value.begin() + static_cast<std::ptrdiff_t>(count()), nodes)}};
  }

protected:
  /// Only the capacitors' voltages are known; the rest is found by the consistent start.
  void start(double, std::span<double> y, std::span<double>) const override {
    std::fill(y.begin(), y.end(), 0.0);
    for (std::size_t b = 0; b < count(); ++b)
      if (net_.branches[b].type == Type::capacitor) y[b] = net_.branches[b].start;
  }

  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override {
    std::fill(f.begin(), f.end(), 0.0);
    for (std::size_t b = 0; b < count(); ++b) {
      const Branch& branch = net_.branches[b];
      const double voltage = y[b], current = y[count() + b];
      if (branch.type == Type::source) f[b] = voltage - branch.source_voltage(t);
      if (branch.type == Type::capacitor) f[b] = branch.value * ydot[b] - current;
      if (branch.type == Type::resistor) f[b] = voltage - branch.value * current;
      f[count() + b] = closes_[b] ? around(*closes_[b], t, y, &Branch::source_voltage)
                                  : potential(y, branch.from) - potential(y, branch.to) - voltage;
      if (branch.from > 0) f[node(branch.from)] += current;
      if (branch.to > 0) f[node(branch.to)] -= current;
    }
  }

  void linearise(double, Values, Values, Linearisation& at) const override {
    for (std::size_t b = 0; b < count(); ++b) {
      const Branch& branch = net_.branches[b];
      const std::size_t current = count() + b, row = count() + b;
      if (branch.type == Type::capacitor) {
        at.dydot(b, b) = branch.value;
        at.dy(b, current) = -1.0;
      } else {
        at.dy(b, b) = 1.0;
        if (branch.type == Type::resistor) at.dy(b, current) = -branch.value;
      }
      if (closes_[b]) {
        for (const auto& [k, direction] : *closes_[b])
          if (net_.branches[k].type == Type::capacitor) at.dy(row, k) = direction;
      } else {
        at.dy(row, b) = -1.0;
        if (branch.from > 0) at.dy(row, node(branch.from)) = 1.0;
        if (branch.to > 0) at.dy(row, node(branch.to)) = -1.0;
      }
      if (branch.from > 0) at.dy(node(branch.from), current) = 1.0;
      if (branch.to > 0) at.dy(node(branch.to), current) = -1.0;
    }
  }

  void hidden(double t, Values, Values ydot, std::span<double> f) const override {
    for (std::size_t b = 0; b < count(); ++b)
      if (closes_[b]) f[count() + b] = around(*closes_[b], t, ydot, &Branch::source_derivative);
  }

private:
  /// The branch's name is that of its value: R1 in ohm, C1 in farad, V1 in volt.
  void name_parameters(Branch& branch) {
    if (branch.type == Type::resistor)
      parameters_.add({.name = branch.name, .unit = "ohm", .description = "resistance", .lower = 0.0}, branch.value);
    if (branch.type == Type::capacitor)
      parameters_.add({.name = branch.name, .unit = "F", .description = "capacitance", .lower = 0.0}, branch.value);
    if (branch.type != Type::source) return;
    parameters_.add({.name = branch.name, .unit = "V", .description = "constant voltage"}, branch.value);
    if (branch.frequency == 0.0) return;
    parameters_.add({.name = branch.name + "_amplitude", .unit = "V"}, branch.amplitude);
    parameters_.add({.name = branch.name + "_frequency", .unit = "Hz", .lower = 0.0}, branch.frequency);
  }

  std::size_t count() const { return net_.branches.size(); }
  /// The unknown, and the row, of a node's potential.
  std::size_t node(int index) const { return 2 * count() + static_cast<std::size_t>(index) - 1; }
  double potential(Values y, int index) const { return index > 0 ? y[node(index)] : 0.0; }

  /// The sum around a loop, with the capacitors' part from y and the sources' from their own function.
  double around(const Loop& loop, double t, Values y, double (Branch::*source)(double) const) const {
    double sum = 0.0;
    for (const auto& [b, direction] : loop) {
      const Branch& branch = net_.branches[b];
      sum += direction * (branch.type == Type::capacitor ? y[b] : (branch.*source)(t));
    }
    return sum;
  }

  Netlist net_;
  std::vector<const Loop*> closes_; ///< for each branch the loop that it closes, or null
};

} // namespace

std::unique_ptr<dae::Problem> circuit(MPI_Comm comm, const core::Options& options) {
  const std::string file = options.string("netlist", "", {"text file with the branches of the network"});
  if (file.empty())
    throw core::BadInput("problem circuit needs -netlist FILE (two stand in apps/dae: lowpass.net, divider.net)");
  const std::string text = core::read_input_file(file, core::max_text_size, "a netlist");
  if (spice::is_spice(text))
    return std::make_unique<spice::SpiceCircuit>(comm, spice::make_network(spice::read_deck(text, file)), options);
  std::istringstream lines(text);
  return std::make_unique<Circuit>(comm, read_netlist(lines, file), options);
}

} // namespace rhumb::problems
