#include "deck.hpp"
#include "deck_lines.hpp"
#include "printing.hpp"

#include <rhumb/core/failure.hpp>
#include <rhumb/core/formula.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace rhumb::problems::spice {

namespace {

constexpr int max_depth = 20;                // of subcircuits inside each other
constexpr std::size_t max_elements = 200000; // a subcircuit of subcircuits grows fast; also of subcircuits put in

/// How many nodes an element has, and which elements there are.
const std::map<char, std::size_t> node_counts{{'r', 2}, {'c', 2}, {'l', 2}, {'v', 2}, {'i', 2}, {'e', 4}, {'g', 4},
                                              {'f', 2}, {'h', 2}, {'d', 2}, {'q', 3}, {'m', 4}, {'u', 3}, {'k', 0}};

struct Subcircuit {
  std::vector<std::string> ports;
  std::vector<std::pair<std::string, std::string>> defaults;
  std::vector<Line> body;
};

using Parameters = std::map<std::string, double>;

/// Where elements are read: the whole, or inside a subcircuit.
struct Scope {
  std::map<std::string, std::string> nodes; ///< of ports
  std::string suffix;                       ///< ".x1"
  Parameters parameters;
  int depth = 0;
};

class DeckReader {
public:
  DeckReader(const std::string& text, std::string file) : lines_(logical_lines(text)) { deck_.file = std::move(file); }

  Deck read() {
    take_definitions();
    Scope top;
    for (const Line& line : lines_)
      if (line.words[0] == ".param") read_parameters(line, 1, top.parameters);
    globals_ = top.parameters;
    for (const Line& line : lines_)
      if (line.words[0] == ".model") read_model(line);
    for (const Line& line : lines_) read_line(line, top);
    if (deck_.elements.empty()) throw core::BadInput(fmt::format("{}: no element in this netlist", deck_.file));
    if (deck_.end == 0.0) throw core::BadInput(fmt::format("{}: .tran STEP STOP is missing", deck_.file));
    check_print(deck_);
    return std::move(deck_);
  }

private:
  [[noreturn]] void reject(const Line& line, const std::string& why) const {
    throw core::BadInput(fmt::format("{}, line {}: {}", deck_.file, line.number, why));
  }

  /// Moves .subckt blocks away.
  void take_definitions() {
    std::vector<Line> rest;
    Subcircuit* open = nullptr;
    for (Line& line : lines_) {
      if (line.words[0] == ".subckt") {
        if (open) reject(line, ".subckt inside .subckt");
        if (line.words.size() < 3) reject(line, ".subckt NAME NODE ...");
        open = &subcircuits_[line.words[1]];
        for (std::size_t i = 2; i < line.words.size(); ++i) {
          if (i + 1 < line.words.size() && line.words[i + 1] == "=") {
            if (i + 2 >= line.words.size()) reject(line, fmt::format("'{}=' without a value", line.words[i]));
            open->defaults.emplace_back(line.words[i], line.words[i + 2]);
            i += 2;
          } else if (line.words[i] != "params:") {
            open->ports.push_back(line.words[i]);
          }
        }
      } else if (line.words[0] == ".ends") {
        if (!open) reject(line, ".ends without .subckt");
        open = nullptr;
      } else if (line.words[0] == ".model" || !open) {
        rest.push_back(std::move(line));
      } else {
        open->body.push_back(std::move(line));
      }
    }
    if (open) throw core::BadInput(fmt::format("{}: .subckt without .ends", deck_.file));
    lines_ = std::move(rest);
  }

  double number(const Line& line, const std::string& word, const Parameters& known) const {
    if (const auto value = spice_number(word)) return *value;
    if (const auto found = known.find(word); found != known.end()) return found->second;
    if (word.size() > 2 && word.front() == '{' && word.back() == '}') {
      core::FormulaNames names;
      for (const auto& [name, value] : known) names.constants.emplace_back(name, value);
      const double value =
          core::parse_formula(word.substr(1, word.size() - 2), names,
                              fmt::format("{}, line {}", deck_.file, line.number))(std::span<const double>());
      if (std::isfinite(value)) return value;
    }
    reject(line, fmt::format("'{}' is not a number", word));
  }
  double number_at(const Line& line, std::size_t at, const char* what, const Parameters& known) const {
    if (at >= line.words.size()) reject(line, fmt::format("{} is missing", what));
    return number(line, line.words[at], known);
  }
  double positive(const Line& line, std::size_t at, const char* what, const Parameters& known) const {
    const double value = number_at(line, at, what, known);
    if (!(value > 0.0)) reject(line, fmt::format("{} must be positive, not {}", what, line.words[at]));
    return value;
  }

  void read_parameters(const Line& line, std::size_t first, Parameters& into) const {
    for (std::size_t i = first; i < line.words.size(); i += 3) {
      if (i + 2 >= line.words.size() || line.words[i + 1] != "=") reject(line, "parameters are NAME=VALUE");
      into[line.words[i]] = number(line, line.words[i + 2], into);
    }
  }

  void read_model(const Line& line) {
    static const std::vector<std::string> types{"d", "npn", "pnp", "nmos", "pmos"};
    if (line.words.size() < 3) reject(line, ".model NAME TYPE ...");
    Model model{line.words[1], line.words[2], {}};
    if (std::ranges::find(types, model.type) == types.end())
      reject(line, fmt::format("no model of type '{}'; nearest: {}", model.type, core::nearest(model.type, types)));
    for (std::size_t i = 3; i < line.words.size(); i += 3) {
      if (i + 2 >= line.words.size() || line.words[i + 1] != "=") reject(line, "a model's values are NAME=VALUE");
      model.values[line.words[i]] = number(line, line.words[i + 2], globals_);
    }
    if (model.value("level", 1.0) != 1.0) reject(line, "only level 1 is known");
    models_[model.name] = model;
  }

  void read_line(const Line& line, const Scope& scope) {
    const std::string& first = line.words[0];
    if (first[0] == '.') {
      read_directive(line, scope);
    } else if (first[0] == 'x') {
      expand(line, scope);
    } else {
      read_element(line, scope);
    }
  }

  void read_directive(const Line& line, const Scope& scope) {
    static const std::vector<std::string> known{".tran", ".param", ".model", ".ic", ".subckt", ".ends", ".print"};
    static const std::vector<std::string> ignored{".op", ".plot", ".save", ".options", ".option", ".probe"};
    const std::string& word = line.words[0];
    if (word == ".tran") {
      deck_.print_step = positive(line, 1, "the step", scope.parameters);
      deck_.end = positive(line, 2, "the stop time", scope.parameters);
      std::size_t at = 3;
      const auto more = [&] { return at < line.words.size() && line.words[at] != "uic"; };
      if (more()) deck_.print_start = number_at(line, at++, "the start", scope.parameters);
      if (more()) deck_.h_max = positive(line, at++, "the longest step", scope.parameters);
      if (more()) reject(line, fmt::format("'{}' is one word too many", line.words[at]));
      deck_.use_initial = at < line.words.size();
    } else if (word == ".ic") {
      for (std::size_t i = 1; i < line.words.size(); i += 4) { // v ( node ) = value
        if (i + 3 >= line.words.size() || line.words[i] != "v" || line.words[i + 2] != "=")
          reject(line, ".ic has v(NODE)=VALUE");
        deck_.initial_node[line.words[i + 1] + scope.suffix] = number(line, line.words[i + 3], scope.parameters);
      }
    } else if (word == ".print") {
      for (const auto& name : printed_nodes(line)) deck_.printed.push_back(name);
    } else if (word != ".param" && word != ".model" && std::ranges::find(ignored, word) == ignored.end()) {
      reject(line, fmt::format("'{}' is not known; nearest: {}", word, core::nearest(word, known)));
    }
  }

  int node(const std::string& name, const Scope& scope) {
    const auto port = scope.nodes.find(name);
    const std::string full = port != scope.nodes.end() ? port->second : name == "0" ? name : name + scope.suffix;
    if (full == "0" || full == "gnd") return 0;
    const auto [found, fresh] = node_index_.try_emplace(full, static_cast<int>(deck_.nodes.size()) + 1);
    if (fresh) deck_.nodes.push_back(full);
    return found->second;
  }

  void expand(const Line& line, const Scope& scope) {
    if (scope.depth >= max_depth) reject(line, "subcircuits stand too deep inside each other");
    std::size_t end = line.words.size();
    for (std::size_t i = 1; i < line.words.size(); ++i)
      if (line.words[i] == "=") end = std::min(end, i - 1);
    if (end < 3) reject(line, "X NAME of nodes and the name of a subcircuit, then NAME=VALUE");
    if (++expansions_ > max_elements) reject(line, "too many subcircuits");
    std::size_t name_at = end - 1;
    if (line.words[name_at] == "params:") --name_at;
    const auto found = subcircuits_.find(line.words[name_at]);
    if (found == subcircuits_.end()) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : subcircuits_) names.push_back(name);
      reject(line, fmt::format("no subcircuit '{}'; nearest: {}", line.words[name_at],
                               core::nearest(line.words[name_at], names)));
    }
    const Subcircuit& inner = found->second;
    if (name_at - 1 != inner.ports.size())
      reject(line, fmt::format("{} has {} nodes, subcircuit {} has {}", line.words[0], name_at - 1, found->first,
                               inner.ports.size()));
    Scope inside{{}, "." + line.words[0] + scope.suffix, globals_, scope.depth + 1};
    for (std::size_t k = 0; k < inner.ports.size(); ++k) {
      const int outer = node(line.words[1 + k], scope);
      inside.nodes[inner.ports[k]] = outer == 0 ? "0" : deck_.nodes[static_cast<std::size_t>(outer) - 1];
    }
    for (const auto& [name, value] : inner.defaults) inside.parameters[name] = number(line, value, inside.parameters);
    Parameters given = scope.parameters;
    for (std::size_t i = end; i + 2 < line.words.size(); i += 3)
      inside.parameters[line.words[i]] = number(line, line.words[i + 2], given);
    for (const Line& body : inner.body) {
      if (body.words[0] == ".param")
        read_parameters(body, 1, inside.parameters);
      else
        read_line(body, inside);
    }
  }

  void read_element(const Line& line, const Scope& scope) {
    Element out;
    out.letter = line.words[0][0];
    out.name = line.words[0] + scope.suffix;
    out.line = line.number;
    const auto count = node_counts.find(out.letter);
    if (count == node_counts.end())
      reject(line,
             fmt::format("'{}' is no element: names begin with one of R C L K V I E F G H D Q M U X", line.words[0]));
    if (!names_.try_emplace(out.name, line.number).second)
      reject(line, fmt::format("an element '{}' has been given before", out.name));
    if (deck_.elements.size() >= max_elements) reject(line, "too many elements");
    if (line.words.size() < 1 + count->second)
      reject(line, fmt::format("{} nodes must follow the name", count->second));
    for (std::size_t k = 0; k < count->second; ++k) out.nodes.push_back(node(line.words[1 + k], scope));
    if (out.nodes.size() == 2 && out.nodes[0] == out.nodes[1])
      reject(line, fmt::format("{} connects node {} with itself", out.name, line.words[1]));
    read_values(line, 1 + count->second, scope, out);
    deck_.elements.push_back(std::move(out));
  }

  void read_values(const Line& line, std::size_t at, const Scope& scope, Element& out) {
    switch (out.letter) {
    case 'r':
      out.value = positive(line, at++, "the resistance", scope.parameters);
      break;
    case 'c':
      out.value = positive(line, at++, "the capacitance", scope.parameters);
      read_initial(line, at, scope, out);
      break;
    case 'l':
      out.value = positive(line, at++, "the inductance", scope.parameters);
      read_initial(line, at, scope, out);
      break;
    case 'e':
    case 'g':
      out.value = number_at(line, at++, "the gain", scope.parameters);
      break;
    case 'f':
    case 'h':
      if (at >= line.words.size()) reject(line, "the controlling source is missing");
      out.refers = {line.words[at++] + scope.suffix};
      out.value = number_at(line, at++, "the gain", scope.parameters);
      break;
    case 'k':
      if (line.words.size() < 4) reject(line, "a coupling is K NAME of inductor, inductor, coefficient");
      out.refers = {line.words[1] + scope.suffix, line.words[2] + scope.suffix};
      at = 3;
      out.value = number_at(line, at++, "the coupling", scope.parameters);
      if (std::abs(out.value) > 1.0) reject(line, "a coupling is between -1 and 1");
      break;
    case 'v':
    case 'i':
      out.wave = read_wave(line, at, scope);
      return;
    case 'd':
    case 'q':
    case 'm':
      read_device(line, at, scope, out);
      return;
    default: // u: three nodes and nothing else
      break;
    }
    if (at < line.words.size()) reject(line, fmt::format("'{}' is one word too many", line.words[at]));
  }

  void read_initial(const Line& line, std::size_t& at, const Scope& scope, Element& out) const {
    if (at + 2 < line.words.size() && line.words[at] == "ic" && line.words[at + 1] == "=") {
      out.initial = number(line, line.words[at + 2], scope.parameters);
      out.has_initial = true;
      at += 3;
    }
  }

  void read_device(const Line& line, std::size_t at, const Scope& scope, Element& out) {
    static const std::map<char, std::vector<std::string>> types{
        {'d', {"d"}}, {'q', {"npn", "pnp"}}, {'m', {"nmos", "pmos"}}};
    if (at >= line.words.size()) reject(line, "the model is missing");
    const auto model = models_.find(line.words[at]);
    if (model == models_.end()) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : models_) names.push_back(name);
      reject(line, fmt::format("no model '{}'; nearest: {}", line.words[at], core::nearest(line.words[at], names)));
    }
    out.model = model->second;
    const auto& fitting = types.at(out.letter);
    if (std::ranges::find(fitting, out.model.type) == fitting.end())
      reject(line, fmt::format("model {} is of type {}, not for {}", out.model.name, out.model.type, out.name));
    out.value = 1.0;
    for (++at; at < line.words.size(); at += 3) {
      if (at + 2 >= line.words.size() || line.words[at + 1] != "=") {
        if (at + 1 == line.words.size() && out.letter != 'm') { // the area of a diode or transistor
          out.value = positive(line, at, "the area", scope.parameters);
          break;
        }
        reject(line, fmt::format("'{}' is one word too many", line.words[at]));
      }
      const std::string& key = line.words[at];
      const double value = positive(line, at + 2, key.c_str(), scope.parameters);
      if (key == "area" || key == "m")
        out.value = value;
      else if (out.letter == 'm' && (key == "w" || key == "l"))
        out.parameters[key] = value;
      else
        reject(line, fmt::format("'{}' is not known here", key));
    }
  }

  Waveform read_wave(const Line& line, std::size_t at, const Scope& scope) const {
    static const std::vector<std::string> shapes{"dc", "pulse", "sin", "exp", "pwl"};
    Waveform wave;
    if (at >= line.words.size()) return wave;
    if (line.words[at] == "dc") ++at;
    if (at < line.words.size() && std::ranges::find(shapes, line.words[at]) == shapes.end())
      wave.dc = number_at(line, at++, "the value", scope.parameters);
    if (at == line.words.size()) return wave;
    const std::string shape = line.words[at++];
    if (std::ranges::find(shapes, shape) == shapes.end() || shape == "dc")
      reject(line, fmt::format("no waveform '{}'; nearest: {}", shape, core::nearest(shape, shapes)));
    auto& a = wave.arguments;
    while (at < line.words.size()) a.push_back(number(line, line.words[at++], scope.parameters));
    fill_arguments(line, shape, wave);
    wave.dc = wave.value(0.0);
    return wave;
  }

  void fill_arguments(const Line& line, const std::string& shape, Waveform& wave) const {
    auto& a = wave.arguments;
    const auto between = [&](std::size_t least, std::size_t most) {
      if (a.size() < least || a.size() > most)
        reject(line, fmt::format("{} has {} to {} numbers, not {}", shape, least, most, a.size()));
    };
    const double step = deck_.end > 0.0 ? 1e-3 * deck_.end : 1e-9;
    if (shape == "pulse") {
      wave.shape = Waveform::Shape::pulse;
      between(2, 7);
      const double defaults[] = {0.0, 0.0, 0.0, step, step, 1e30, 1e31};
      while (a.size() < 7) a.push_back(defaults[a.size()]);
      for (const std::size_t k : {3U, 4U})
        if (a[k] == 0.0) a[k] = step;
      if (a[3] < 0.0 || a[4] < 0.0 || a[5] < 0.0 || a[6] < a[3] + a[4] + a[5])
        reject(line, "a pulse's period must hold its rise, width and fall, none of them negative");
    } else if (shape == "sin") {
      wave.shape = Waveform::Shape::sine;
      between(3, 5);
      a.resize(5, 0.0);
    } else if (shape == "exp") {
      wave.shape = Waveform::Shape::exponential;
      between(6, 6);
      if (!(a[3] > 0.0) || !(a[5] > 0.0)) reject(line, "the time constants of exp are positive");
    } else {
      wave.shape = Waveform::Shape::linear;
      if (a.size() < 2 || a.size() % 2 != 0) reject(line, "pwl has pairs of time and value");
      for (std::size_t i = 2; i < a.size(); i += 2)
        if (!(a[i] > a[i - 2])) reject(line, "the times of pwl grow");
    }
  }

  std::vector<Line> lines_;
  std::map<std::string, Subcircuit> subcircuits_;
  std::map<std::string, Model> models_;
  std::map<std::string, int> node_index_, names_;
  Parameters globals_;
  std::size_t expansions_ = 0; ///< of subcircuits
  Deck deck_;
};

} // namespace

bool is_spice(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] == '.') return true;
  return false;
}

Deck read_deck(const std::string& text, const std::string& file) {
  return DeckReader(text, file).read();
}

} // namespace rhumb::problems::spice
