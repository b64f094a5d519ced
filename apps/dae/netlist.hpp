#pragma once
/// A network of resistors, capacitors and voltage sources, read from a text file, and what its topology says.
///
///   # comment
///   R1 in out 1e3             resistor:  name, two nodes, ohm
///   C1 out 0 1e-6 0.5         capacitor: name, two nodes, farad, optionally the voltage at the start
///   V1 in 0 dc 5              source:    name, two nodes, constant voltage, or
///   V2 in 0 sin 0 1 50        offset, amplitude, frequency in Hz
///   end 5e-3                  where the run ends, in seconds
/// Node 0 is ground. A branch's voltage is first node minus second, its current runs from first to second.

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::problems {

struct Branch {
  enum class Type : char { source = 'V', capacitor = 'C', resistor = 'R' };
  Type type = Type::resistor;
  std::string name;
  int from = 0, to = 0; ///< node numbers, 0 is ground
  double value = 0.0;   ///< ohm, farad, or the constant part of a source in volt
  double start = 0.0;   ///< of a capacitor, in volt
  double amplitude = 0.0, frequency = 0.0;
  int line = 0; ///< in the file

  double source_voltage(double t) const;
  double source_derivative(double t) const;
};

/// A loop of sources and capacitors: branch numbers with their direction around the loop. The first is the capacitor
/// that closes it.
using Loop = std::vector<std::pair<std::size_t, double>>;

struct Netlist {
  std::vector<std::string> nodes; ///< without ground: node k has the name nodes[k-1]
  std::vector<Branch> branches;   ///< sources, then capacitors, then resistors
  double end = 1.0;

  /// A basis of the loops that hold sources and capacitors only. The network has index 1 exactly when there is none,
  /// else index 2 (LP1 section 3.1).
  std::vector<Loop> loops;
};

/// Throws core::BadInput, naming `file` and the line, where the text makes no network or the network makes no system: a
/// loop of sources alone, a node without a path to ground.
Netlist read_netlist(std::istream& text, const std::string& file);
/// Opens the file; throws core::BadInput where it cannot be read.
Netlist read_netlist(const std::string& file);

} // namespace rhumb::problems
