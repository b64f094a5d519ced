/// The matrices of a circuit, and what they say about the index before a run.

#include "sparse_factors.hpp"
#include "spice_circuit.hpp"
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::problems::spice {

using dae::Kind;

namespace {

/// In [1, 2), different for different k: values without structure of their own.
double generic_value(std::size_t k) {
  const double x = 0.6180339887498949 * static_cast<double>(k + 1);
  return 1.0 + x - std::floor(x);
}

/// Conductances between the terminals of a device, as a structure: rows and columns add up to zero.
std::array<std::array<double, 4>, 4> generic_device(const Device& device, std::size_t k) {
  std::array<std::array<double, 4>, 4> g{};
  const auto conduct = [&](std::size_t a, std::size_t b, std::size_t plus, std::size_t minus, double value) {
    g[a][plus] += value;
    g[a][minus] -= value;
    g[b][plus] -= value;
    g[b][minus] += value;
  };
  if (device.letter == 'd') conduct(0, 1, 0, 1, generic_value(k));
  if (device.letter == 'q') {
    conduct(1, 2, 1, 2, generic_value(k));
    conduct(1, 0, 1, 0, generic_value(k + 1));
    conduct(0, 2, 1, 2, generic_value(k + 2));
  }
  if (device.letter == 'm') {
    conduct(0, 2, 0, 2, generic_value(k));
    conduct(0, 2, 1, 2, generic_value(k + 1));
    conduct(0, 2, 3, 2, generic_value(k + 2));
    if (device.saturation > 0.0) {
      conduct(3, 0, 3, 0, generic_value(k + 3));
      conduct(3, 2, 3, 2, generic_value(k + 4));
    }
  }
  return g;
}

} // namespace

void SpiceCircuit::add_device_entries(const Device& device, Values y, Coefficients which,
                                      dae::SparseLinearisation& at) const {
  std::array<std::array<double, 4>, 4> g{};
  if (which == Coefficients::generic) {
    g = generic_device(device, static_cast<std::size_t>(&device - net_.devices.data()) * 7);
  } else {
    std::array<core::Dual<4>, 4> e;
    for (std::size_t k = 0; k < device.nodes.size(); ++k)
      e[k] = core::Dual<4>::variable(potential(y, device.nodes[k]), static_cast<int>(k));
    const auto currents = device.currents(e);
    for (std::size_t i = 0; i < 4; ++i) g[i] = currents[i].derivatives;
  }
  for (std::size_t i = 0; i < device.nodes.size(); ++i) {
    const int row = device.nodes[i];
    if (row == 0 || lead_[row] == row) continue;
    for (std::size_t j = 0; j < device.nodes.size(); ++j)
      if (device.nodes[j] > 0)
        at.add(static_cast<std::size_t>(row) - 1, static_cast<std::size_t>(device.nodes[j]) - 1, g[i][j]);
  }
}

void SpiceCircuit::add_entries(Values y, Values ydot, Coefficients which, dae::SparseLinearisation& at) const {
  std::size_t counter = 0;
  const auto coefficient = [&](double actual) {
    ++counter;
    return which == Coefficients::generic ? generic_value(counter) : actual;
  };
  const auto leave = [&](int node, std::size_t column, double value) {
    if (node > 0 && lead_[node] != node) at.add(static_cast<std::size_t>(node) - 1, column, value);
  };
  const auto by_voltage = [&](std::size_t row, int plus, int minus, double value) {
    if (plus > 0) at.add(row, static_cast<std::size_t>(plus) - 1, value);
    if (minus > 0) at.add(row, static_cast<std::size_t>(minus) - 1, -value);
  };
  const auto conduct = [&](int from, int to, int plus, int minus, double value) {
    for (const auto& [node, sign] : {std::pair{from, 1.0}, {to, -1.0}})
      if (node > 0 && lead_[node] != node) by_voltage(static_cast<std::size_t>(node) - 1, plus, minus, sign * value);
  };
  for (std::size_t k = 0; k < nodes_; ++k) at.add(k, k, 0.0); // for shunts
  for (const auto& r : net_.resistors) conduct(r.from, r.to, r.from, r.to, coefficient(1.0 / r.value));
  for (std::size_t c = 0; c < net_.capacitors.size(); ++c) {
    const Capacitor& branch = net_.capacitors[c];
    const std::size_t u = capacitor(c), i = u + 1;
    leave(branch.from, i, 1.0);
    leave(branch.to, i, -1.0);
    if (has_charge(c)) {
      const double typical = branch.capacitance.typical();
      at.add(u, charge(c), 1.0);
      at.add(u, u, -coefficient(branch.capacitance.at(y[u]) / typical));
      at.add_rate(charge(c), charge(c), coefficient(typical));
      at.add(charge(c), i, -1.0);
    } else {
      const bool generic = which == Coefficients::generic;
      at.add(u, u, generic ? 0.0 : branch.capacitance.slope_at(y[u]) * ydot[u],
             coefficient(branch.capacitance.at(y[u])));
      at.add(u, i, -1.0);
    }
    if (closes_[c] < 0) {
      at.add(i, u, 1.0);
      by_voltage(i, branch.from, branch.to, -1.0);
      continue;
    }
    for (const auto& [index, is_source, direction] : net_.loops[closes_[c]])
      if (!is_source) at.add(i, capacitor(index), direction);
  }
  for (std::size_t l = 0; l < net_.inductors.size(); ++l) {
    const Inductor& branch = net_.inductors[l];
    const std::size_t i = inductor(l), v = i + 1;
    for (const auto& [node, sign] : {std::pair{branch.from, 1.0}, {branch.to, -1.0}}) {
      leave(node, i, sign);
      if (node > 0 && lead_[node] > 0) at.add(static_cast<std::size_t>(lead_[node]) - 1, i, sign);
    }
    at.add_rate(i, i, coefficient(branch.value));
    at.add(i, v, -1.0);
    at.add(v, v, 1.0);
    by_voltage(v, branch.from, branch.to, -1.0);
  }
  for (const auto& k : net_.couplings) {
    const double m = which == Coefficients::generic ? 0.1 * coefficient(0.0) : mutual(k);
    at.add_rate(inductor(k.first), inductor(k.second), m);
    at.add_rate(inductor(k.second), inductor(k.first), m);
  }
  for (const auto& g : net_.currents) {
    if (g.letter == 'g') conduct(g.from, g.to, g.plus, g.minus, g.gain == 0.0 ? 0.0 : coefficient(g.gain));
    if (g.letter != 'f') continue;
    const double gain = g.gain == 0.0 ? 0.0 : coefficient(g.gain);
    leave(g.from, source(g.control), gain);
    leave(g.to, source(g.control), -gain);
  }
  for (std::size_t s = 0; s < net_.sources.size(); ++s) {
    const VoltageSource& branch = net_.sources[s];
    leave(branch.from, source(s), 1.0);
    leave(branch.to, source(s), -1.0);
    if (branch.letter == 'u')
      by_voltage(source(s), branch.plus, branch.minus, 1.0);
    else
      by_voltage(source(s), branch.from, branch.to, 1.0);
    if (branch.letter == 'e') by_voltage(source(s), branch.plus, branch.minus, -branch.gain);
    if (branch.letter == 'h') at.add(source(s), source(branch.control), -branch.gain);
  }
  for (const auto& device : net_.devices) add_device_entries(device, y, which, at);
}

void SpiceCircuit::linearise(double, Values y, Values ydot, dae::SparseLinearisation& at) const {
  add_entries(y, ydot, Coefficients::actual, at);
}

/// The index of every unknown: with a right-hand side in the algebraic rows, G(h)^-1 r grows like h^(1 - k) in a variable
/// of index k (LP2 (3.6)). The elements have generic values here, so that what is found is a matter of structure.
void SpiceCircuit::find_kinds() {
  constexpr double h = 1e-4, shorter = 1e-2;
  const std::size_t size = unknowns();
  const std::vector<double> zero(size, 0.0);
  dae::SparseLinearisation at;
  at.begin();
  add_entries(zero, zero, Coefficients::generic, at);
  at.end(size);
  std::vector<double> right(size, 0.0);
  for (std::size_t row = 0; row < size; ++row) {
    bool algebraic = true;
    for (PetscInt k = at.row_starts()[row]; k < at.row_starts()[row + 1]; ++k)
      algebraic = algebraic && at.dydot()[k] == 0.0;
    if (algebraic) right[row] = generic_value(3 * row);
  }
  const auto coarse = SparseFactors(at, 1.0 / h, 0.0, 0).solve(right);
  const auto fine = SparseFactors(at, 1.0 / (shorter * h), 0.0, 0).solve(right);
  if (!coarse || !fine)
    throw core::BadInput(
        fmt::format("{}: the circuit's equations have no unique solution, whatever the elements' values "
                    "are: look for an amplifier without feedback or a node that nothing determines",
                    net_.deck.file));
  std::vector<int> index(size, 1);
  for (std::size_t i = 0; i < size; ++i) {
    const double before = std::abs((*coarse)[i]), after = std::abs((*fine)[i]);
    if (before > 1e-9 && after > 0.0)
      index[i] = 1 + static_cast<int>(std::lround(std::max(0.0, std::log(after / before) / -std::log(shorter))));
  }
  name_fields(index);
}

void SpiceCircuit::name_fields(const std::vector<int>& index) {
  std::vector<dae::Field> fields;
  const auto kind = [&](std::size_t i) { return index[i] >= 2 ? Kind::index2 : Kind::index1; };
  for (std::size_t k = 0; k < nodes_; ++k)
    fields.push_back({.name = "v_" + net_.deck.nodes[k], .unit = "V", .kind = kind(k)});
  for (std::size_t c = 0; c < net_.capacitors.size(); ++c) {
    fields.push_back({.name = "u_" + net_.capacitors[c].name,
                      .unit = "V",
                      .kind = has_charge(c) ? Kind::index1 : Kind::differential});
    fields.push_back({.name = "i_" + net_.capacitors[c].name, .unit = "A", .kind = kind(capacitor(c) + 1)});
  }
  for (std::size_t l = 0; l < net_.inductors.size(); ++l) {
    fields.push_back({.name = "i_" + net_.inductors[l].name, .unit = "A"});
    fields.push_back({.name = "u_" + net_.inductors[l].name, .unit = "V", .kind = kind(inductor(l) + 1)});
  }
  for (std::size_t s = 0; s < net_.sources.size(); ++s)
    fields.push_back({.name = "i_" + net_.sources[s].name, .unit = "A", .kind = kind(source(s))});
  for (std::size_t c = 0; c < net_.capacitors.size(); ++c)
    if (has_charge(c))
      fields.push_back(
          {.name = "w_" + net_.capacitors[c].name, .unit = "V", .long_name = "charge over a typical capacitance"});
  index_ = *std::ranges::max_element(index);
  const auto worst = static_cast<std::size_t>(std::ranges::max_element(index) - index.begin());
  if (index_ > 2)
    throw core::BadInput(
        fmt::format("{}: the circuit has index {}: {} depends on the {} derivative of a source. Index 1 "
                    "and 2 are solved; a real amplifier (its gain and bandwidth), or a resistor in "
                    "series with a capacitor, lowers the index",
                    net_.deck.file, index_, fields[worst].name, index_ == 3 ? "second" : "higher"));
  for (std::size_t i = 0; i < fields.size(); ++i)
    rows_.push_back(fields[i].kind == Kind::differential ? Kind::differential : Kind::index1);
  for (std::size_t c = 0; c < net_.capacitors.size(); ++c)
    if (closes_[c] >= 0) rows_[capacitor(c) + 1] = Kind::index2;
  for (const auto& cutset : net_.cutsets) rows_[static_cast<std::size_t>(cutset.front()) - 1] = Kind::index2;
  set_fields(std::move(fields));
}

} // namespace rhumb::problems::spice
