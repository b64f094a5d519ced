#include "netlist.hpp"

#include <rhumb/core/failure.hpp>
#include <rhumb/core/input_file.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <sstream>

namespace rhumb::problems {

double Branch::source_voltage(double t) const {
  return value + amplitude * std::sin(2.0 * std::numbers::pi * frequency * t);
}
double Branch::source_derivative(double t) const {
  const double omega = 2.0 * std::numbers::pi * frequency;
  return amplitude * omega * std::cos(omega * t);
}

namespace {

/// Reads the lines; keeps what an error message needs.
class NetlistReader {
public:
  explicit NetlistReader(std::string file) : file_(std::move(file)) {}

  Netlist read(std::istream& text) {
    for (std::string line; std::getline(text, line);) {
      ++line_;
      std::istringstream parts(line.substr(0, line.find('#')));
      tokens_.clear();
      for (std::string token; parts >> token;) tokens_.push_back(token);
      if (!tokens_.empty()) read_line();
    }
    if (net_.branches.empty()) throw core::BadInput(fmt::format("{}: no branch in this netlist", file_));
    std::ranges::stable_sort(net_.branches, {},
                             [](const Branch& b) { return std::string("VCR").find(type_letter(b)); });
    return std::move(net_);
  }

private:
  static char type_letter(const Branch& branch) { return static_cast<char>(branch.type); }

  [[noreturn]] void reject(const std::string& why) const {
    throw core::BadInput(fmt::format("{}, line {}: {}", file_, line_, why));
  }

  double real(std::size_t index, const char* what) const {
    if (index >= tokens_.size()) reject(fmt::format("{} is missing", what));
    std::size_t used = 0;
    double value = 0.0;
    try {
      value = std::stod(tokens_[index], &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != tokens_[index].size() || !std::isfinite(value))
      reject(fmt::format("{} '{}' is not a number", what, tokens_[index]));
    return value;
  }
  double positive(std::size_t index, const char* what) const {
    const double value = real(index, what);
    if (value <= 0.0) reject(fmt::format("{} must be positive, not {}", what, tokens_[index]));
    return value;
  }
  void no_more_than(std::size_t count) const {
    if (tokens_.size() > count) reject(fmt::format("'{}' is one word too many", tokens_[count]));
  }

  int node(std::size_t index) {
    const std::string& name = tokens_[index];
    if (name == "0") return 0;
    const auto known = std::ranges::find(net_.nodes, name);
    const auto branch_index = known - net_.nodes.begin();
    if (known == net_.nodes.end()) net_.nodes.push_back(name);
    return static_cast<int>(branch_index) + 1;
  }

  void read_line() {
    if (tokens_[0] == "end") {
      net_.end = positive(1, "the end time");
      no_more_than(2);
      return;
    }
    Branch branch;
    branch.name = tokens_[0];
    branch.line = line_;
    const char letter = branch.name[0];
    if (letter != 'R' && letter != 'C' && letter != 'V')
      reject(fmt::format("'{}' is no branch: a name begins with R, C or V", branch.name));
    branch.type = static_cast<Branch::Type>(letter);
    if (std::ranges::find(net_.branches, branch.name, &Branch::name) != net_.branches.end())
      reject(fmt::format("a branch '{}' has been given before", branch.name));
    if (tokens_.size() < 3) reject("two nodes must follow the name");
    branch.from = node(1);
    branch.to = node(2);
    if (branch.from == branch.to) reject(fmt::format("{} connects node {} with itself", branch.name, tokens_[1]));
    read_values(branch);
    net_.branches.push_back(branch);
  }

  void read_values(Branch& branch) const {
    if (branch.type == Branch::Type::resistor) {
      branch.value = positive(3, "the resistance");
      no_more_than(4);
    } else if (branch.type == Branch::Type::capacitor) {
      branch.value = positive(3, "the capacitance");
      if (tokens_.size() > 4) branch.start = real(4, "the voltage at the start");
      no_more_than(5);
    } else if (tokens_.size() > 3 && tokens_[3] == "dc") {
      branch.value = real(4, "the voltage");
      no_more_than(5);
    } else if (tokens_.size() > 3 && tokens_[3] == "sin") {
      branch.value = real(4, "the offset");
      branch.amplitude = real(5, "the amplitude");
      branch.frequency = positive(6, "the frequency");
      no_more_than(7);
    } else {
      reject("a source is 'dc VOLTAGE' or 'sin OFFSET AMPLITUDE FREQUENCY'");
    }
  }

  std::string file_;
  int line_ = 0;
  std::vector<std::string> tokens_;
  Netlist net_;
};

/// The trees that grow as branches are added one by one, with the way back to each tree's root.
class Forest {
public:
  explicit Forest(std::size_t nodes)
      : toward_root_(nodes, -1), direction_(nodes, 0.0), branch_(nodes, 0), tree_(nodes) {
    std::iota(tree_.begin(), tree_.end(), 0);
  }

  bool joined(int a, int b) const { return tree_[a] == tree_[b]; }

  /// Adds a branch between two trees.
  void join(std::size_t branch_index, const Branch& branch) {
    reroot(branch.to);
    toward_root_[branch.to] = branch.from;
    branch_[branch.to] = branch_index;
    direction_[branch.to] = -1.0; // walking from `to` to `from` is against the branch
    const int old = tree_[branch.to], now = tree_[branch.from];
    std::ranges::replace(tree_, old, now);
  }

  /// The path from one node to another of the same tree: branches and whether they are walked forward.
  Loop path(int from, int to) const {
    Loop up = way_to_root(from), down = way_to_root(to);
    while (!up.empty() && !down.empty() && up.back().first == down.back().first) {
      up.pop_back();
      down.pop_back();
    }
    for (auto step = down.rbegin(); step != down.rend(); ++step) up.emplace_back(step->first, -step->second);
    return up;
  }

private:
  Loop way_to_root(int node) const {
    Loop way;
    for (; toward_root_[node] >= 0; node = toward_root_[node]) way.emplace_back(branch_[node], direction_[node]);
    return way;
  }

  /// Turns the way from `node` to its root around, so that `node` is the root.
  void reroot(int node) {
    int child = node, parent = toward_root_[node];
    std::size_t branch_index = branch_[node];
    double direction = direction_[node];
    toward_root_[node] = -1;
    while (parent >= 0) {
      const int next = toward_root_[parent];
      const std::size_t next_branch = branch_[parent];
      const double next_direction = direction_[parent];
      toward_root_[parent] = child;
      branch_[parent] = branch_index;
      direction_[parent] = -direction;
      child = parent;
      parent = next;
      branch_index = next_branch;
      direction = next_direction;
    }
  }

  std::vector<int> toward_root_;    ///< the next node on the way; -1 at a root
  std::vector<double> direction_;   ///< of the branch on that way: 1 when it is walked forward
  std::vector<std::size_t> branch_; ///< its number
  std::vector<int> tree_;           ///< which tree a node belongs to
};

/// Sources first, then capacitors: what closes a loop is a capacitor unless the loop holds sources only.
void find_loops(Netlist& net, const std::string& file) {
  Forest forest(net.nodes.size() + 1);
  for (std::size_t b = 0; b < net.branches.size(); ++b) {
    const Branch& branch = net.branches[b];
    if (!forest.joined(branch.from, branch.to)) {
      forest.join(b, branch);
    } else if (branch.type == Branch::Type::source) {
      throw core::BadInput(
          fmt::format("{}, line {}: {} closes a loop of voltage sources", file, branch.line, branch.name));
    } else if (branch.type == Branch::Type::capacitor) {
      Loop loop = forest.path(branch.to, branch.from);
      loop.insert(loop.begin(), {b, 1.0});
      net.loops.push_back(std::move(loop));
    }
  }
  for (std::size_t node = 0; node < net.nodes.size(); ++node)
    if (!forest.joined(0, static_cast<int>(node) + 1))
      throw core::BadInput(fmt::format("{}: node {} has no path to ground (node 0)", file, net.nodes[node]));
}

} // namespace

Netlist read_netlist(std::istream& text, const std::string& file) {
  Netlist net = NetlistReader(file).read(text);
  find_loops(net, file);
  return net;
}

Netlist read_netlist(const std::string& file) {
  std::istringstream text(core::read_input_file(file, core::max_text_size, "a netlist"));
  return read_netlist(text, file);
}

} // namespace rhumb::problems
