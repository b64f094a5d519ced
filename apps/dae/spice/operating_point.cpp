/// Where a circuit starts: the point at which nothing changes, by Newton, with conductances to ground (gmin) that shrink
/// and sources that grow where Newton alone does not arrive; or the initial values of the user (uic).

#include "sparse_factors.hpp"
#include "spice_circuit.hpp"
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::problems::spice {

namespace {
constexpr int most_iterations = 200;
constexpr double longest_change = 0.5; // V or A, of an unknown in one Newton iteration where there are devices
constexpr double settled = 1e-9;
constexpr double last_shunt = 1e-12; // S; stays where a node has no path to ground but through capacitors
constexpr int source_steps = 20;
} // namespace

bool SpiceCircuit::newton(std::vector<double>& y, double shunt) const {
  const std::vector<double> still(unknowns(), 0.0);
  dae::SparseLinearisation at;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    std::vector<double> f(unknowns());
    evaluate(0.0, y, still, f);
    at.begin();
    add_entries(y, still, Coefficients::actual, at);
    for (std::size_t k = 0; k < nodes_; ++k) {
      const bool held = net_.deck.initial_node.contains(net_.deck.nodes[k]) && lead_[k + 1] != static_cast<int>(k) + 1;
      at.add(k, k, held ? 1e3 : 0.0); // the .ic of evaluate
      f[k] += shunt * y[k];
    }
    at.end(unknowns());
    const auto change = SparseFactors(at, 0.0, shunt, nodes_).solve(f);
    if (!change) return false;
    double largest = 0.0, size = 1.0;
    const double limit = net_.devices.empty() ? HUGE_VAL : longest_change;
    for (std::size_t i = 0; i < source(net_.sources.size()); ++i) { // charges follow
      largest = std::max(largest, std::abs((*change)[i]));
      y[i] -= std::clamp((*change)[i], -limit, limit);
      size = std::max(size, std::abs(y[i]));
    }
    set_charges(y);
    if (largest <= std::min(limit, settled * size)) return true;
  }
  return false;
}

std::vector<double> SpiceCircuit::operating_point() const {
  steady_ = true;
  struct Restore {
    const SpiceCircuit& circuit;
    ~Restore() {
      circuit.steady_ = false;
      circuit.source_scale_ = 1.0;
    }
  } const restore{*this};
  std::vector<double> y(unknowns(), 0.0);
  for (const double shunt : {0.0, last_shunt}) {
    y.assign(unknowns(), 0.0);
    if (newton(y, shunt)) return y;
  }
  y.assign(unknowns(), 0.0);
  bool good = true;
  for (double shunt = 1e-2; good && shunt >= last_shunt; shunt *= 0.1) good = newton(y, shunt);
  if (good) return y;
  y.assign(unknowns(), 0.0);
  good = true;
  for (int step = 1; good && step <= source_steps; ++step) {
    source_scale_ = static_cast<double>(step) / source_steps;
    good = newton(y, last_shunt);
  }
  if (!good)
    throw core::BadInput(
        fmt::format("{}: no operating point was found, by Newton, gmin or source stepping. The equations "
                    "may have none: look for loops of amplifiers; or give .ic values and uic",
                    net_.deck.file));
  return y;
}

void SpiceCircuit::start(double, std::span<double> y, std::span<double> ydot) const {
  std::ranges::fill(ydot, 0.0);
  if (!net_.deck.use_initial) {
    if (!point_) point_ = operating_point();
    std::ranges::copy(*point_, y.begin());
    return;
  }
  std::ranges::fill(y, 0.0);
  for (std::size_t k = 0; k < nodes_; ++k)
    if (const auto given = net_.deck.initial_node.find(net_.deck.nodes[k]); given != net_.deck.initial_node.end())
      y[k] = given->second;
  for (std::size_t c = 0; c < net_.capacitors.size(); ++c) {
    const Capacitor& branch = net_.capacitors[c];
    y[capacitor(c)] = branch.has_initial ? branch.initial : potential(y, branch.from) - potential(y, branch.to);
  }
  for (std::size_t l = 0; l < net_.inductors.size(); ++l) y[inductor(l)] = net_.inductors[l].initial;
  set_charges(y);
}

} // namespace rhumb::problems::spice
