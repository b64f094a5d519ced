#pragma once
/// A netlist in SPICE's spelling, read and flattened: subcircuits are expanded, parameters replaced, models looked up.
/// docs/guide/circuits.md says what is understood.

#include "waveform.hpp"
#include <map>
#include <string>
#include <vector>

namespace rhumb::problems::spice {

struct Model {
  std::string name, type; ///< d, npn, pnp, nmos, pmos
  std::map<std::string, double> values;
  double value(const std::string& key, double otherwise) const {
    const auto found = values.find(key);
    return found == values.end() ? otherwise : found->second;
  }
};

/// One element. Node 0 is ground, node k has the name nodes[k - 1] of the deck.
struct Element {
  char letter = 'r';
  std::string name; ///< in lower case; those of subcircuits have theirs behind a dot: r1.x1
  int line = 0;
  std::vector<int> nodes;
  double value = 0.0; ///< ohm, farad, henry, gain, coupling, multiplicity of a device
  double initial = 0.0;
  bool has_initial = false;
  Waveform wave;                            ///< of v and i
  std::vector<std::string> refers;          ///< f, h: the source whose current controls; k: two inductors
  Model model;                              ///< of d, q, m
  std::map<std::string, double> parameters; ///< w, l of m
};

struct Deck {
  std::string file;
  std::vector<std::string> nodes;
  std::vector<Element> elements;
  double end = 0.0, h_max = 0.0;              ///< of .tran; 0: not given
  double print_step = 0.0, print_start = 0.0; ///< of .tran, for .print
  std::vector<std::string> printed;           ///< nodes, of .print tran v(node) ...
  bool use_initial = false;                   ///< uic
  std::map<std::string, double> initial_node; ///< .ic v(node)=...
};

/// Whether the text is in SPICE's spelling: some line begins with a dot.
bool is_spice(const std::string& text);

/// Throws core::BadInput, naming `file` and the line.
Deck read_deck(const std::string& text, const std::string& file);

} // namespace rhumb::problems::spice
