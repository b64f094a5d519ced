#pragma once
/// The equations of a deck: which unknowns and branches there are, and what the topology says about the index.

#include "devices.hpp"

namespace rhumb::problems::spice {

struct Capacitor {
  std::string name;
  int from = 0, to = 0, line = 0;
  Capacitance capacitance;
  double initial = 0.0;
  bool has_initial = false;
};
struct Inductor {
  std::string name;
  int from = 0, to = 0, line = 0;
  double value = 0.0, initial = 0.0;
  bool has_initial = false;
};
/// Between two inductors: M = value sqrt(L1 L2).
struct Coupling {
  std::string name;
  std::size_t first = 0, second = 0;
  double value = 0.0;
};
struct Resistor {
  std::string name;
  int from = 0, to = 0;
  double value = 0.0;
};
struct CurrentSource { ///< i, g, f: from `from` through the source to `to`
  std::string name;
  char letter = 'i';
  int from = 0, to = 0, plus = 0, minus = 0; ///< the last two control g
  std::size_t control = 0;                   ///< of f: index of the voltage source
  double gain = 0.0;
  Waveform wave = {};
};
struct VoltageSource { ///< v, e, h, and u: the output of an ideal amplifier, whose row is v(plus) = v(minus)
  std::string name;
  char letter = 'v';
  int from = 0, to = 0, plus = 0, minus = 0, line = 0;
  std::size_t control = 0; ///< of h
  double gain = 0.0;
  Waveform wave = {};
};

/// A step around a loop: a capacitor, or a voltage source where `source` (u: its two inputs), with its direction.
struct LoopStep {
  std::size_t index = 0;
  bool source = false;
  double direction = 1.0;
};

struct Network {
  Deck deck;
  std::vector<Resistor> resistors;
  std::vector<Capacitor> capacitors;
  std::vector<Inductor> inductors;
  std::vector<Coupling> couplings;
  std::vector<CurrentSource> currents;
  std::vector<VoltageSource> sources;
  std::vector<Device> devices;

  /// Loops of voltage sources (and inputs of amplifiers) and capacitors; the first step is the capacitor that closes it.
  std::vector<std::vector<LoopStep>> loops;
  /// Sets of nodes that only inductors and current sources connect with the rest; the first one's equation is their sum.
  std::vector<std::vector<int>> cutsets;

  std::string in_words(const std::vector<LoopStep>& loop) const;
  std::string in_words(const std::vector<int>& cutset) const;
};

/// Throws core::BadInput where an element refers to one that is not there, sources form a loop, or a node has no path to
/// ground.
Network make_network(Deck deck);

} // namespace rhumb::problems::spice
