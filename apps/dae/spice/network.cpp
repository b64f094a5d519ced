#include "network.hpp"

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

namespace rhumb::problems::spice {

namespace {

[[noreturn]] void reject(const Deck& deck, int line, const std::string& why) {
  throw core::BadInput(fmt::format("{}, line {}: {}", deck.file, line, why));
}

template <class List>
std::size_t find(const Deck& deck, int line, const List& list, const std::string& name, const char* what) {
  const auto found = std::ranges::find(list, name, [](const auto& entry) { return entry.name; });
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.name);
  reject(deck, line, fmt::format("no {} '{}'; nearest: {}", what, name, core::nearest(name, names)));
}

void add_element(const Element& e, Network& net) {
  const auto& n = e.nodes;
  switch (e.letter) {
  case 'r':
    net.resistors.push_back({e.name, n[0], n[1], e.value});
    break;
  case 'c':
    net.capacitors.push_back({e.name, n[0], n[1], e.line, {.constant = e.value}, e.initial, e.has_initial});
    break;
  case 'l':
    net.inductors.push_back({e.name, n[0], n[1], e.line, e.value, e.initial, e.has_initial});
    break;
  case 'v':
    net.sources.push_back({.name = e.name, .letter = 'v', .from = n[0], .to = n[1], .line = e.line, .wave = e.wave});
    break;
  case 'e':
    net.sources.push_back({e.name, 'e', n[0], n[1], n[2], n[3], e.line, 0, e.value, {}});
    break;
  case 'h':
    net.sources.push_back({.name = e.name, .letter = 'h', .from = n[0], .to = n[1], .line = e.line, .gain = e.value});
    break;
  case 'u':
    net.sources.push_back({e.name, 'u', n[2], 0, n[0], n[1], e.line, 0, 0.0, {}});
    break;
  case 'i':
    net.currents.push_back({.name = e.name, .letter = 'i', .from = n[0], .to = n[1], .wave = e.wave});
    break;
  case 'g':
    net.currents.push_back({e.name, 'g', n[0], n[1], n[2], n[3], 0, e.value, {}});
    break;
  case 'f':
    net.currents.push_back({.name = e.name, .letter = 'f', .from = n[0], .to = n[1], .gain = e.value});
    break;
  case 'd':
  case 'q':
  case 'm':
    check_model(e, net.deck.file);
    net.devices.push_back(Device::of(e));
    for (const auto& [from, to, capacitance, name] : capacitors_of(e))
      net.capacitors.push_back({"c_" + name, from, to, e.line, capacitance, 0.0, false});
    break;
  default: // k, later
    break;
  }
}

void connect(const Element& e, Network& net) {
  if (e.letter == 'k') {
    Coupling out{e.name, find(net.deck, e.line, net.inductors, e.refers[0], "inductor"),
                 find(net.deck, e.line, net.inductors, e.refers[1], "inductor"), e.value};
    if (out.first == out.second) reject(net.deck, e.line, "an inductor cannot be coupled with itself");
    net.couplings.push_back(out);
  }
  if (e.letter != 'f' && e.letter != 'h') return;
  const std::size_t control = find(net.deck, e.line, net.sources, e.refers[0], "voltage source");
  if (e.letter == 'f')
    std::ranges::find(net.currents, e.name, &CurrentSource::name)->control = control;
  else
    std::ranges::find(net.sources, e.name, &VoltageSource::name)->control = control;
}

/// Sets of nodes that grow together.
class Union {
public:
  explicit Union(std::size_t nodes) : parent_(nodes) { std::iota(parent_.begin(), parent_.end(), 0); }
  int root(int node) {
    while (parent_[node] != node) node = parent_[node];
    return node;
  }
  bool join(int a, int b) {
    a = root(a);
    b = root(b);
    if (a == b) return false;
    parent_[std::max(a, b)] = std::min(a, b);
    return true;
  }

private:
  std::vector<int> parent_;
};

struct TreeEdge {
  int from, to;
  LoopStep step;
};

/// The way from one node to another along the edges of a tree, in breadth first order: trees may be deep.
std::vector<LoopStep> way(const std::vector<std::vector<std::size_t>>& at_node, const std::vector<TreeEdge>& edges,
                          int begin, int target) {
  std::vector<int> reached{begin}, before(at_node.size(), -1);
  std::vector<std::size_t> by(at_node.size(), 0);
  before[begin] = begin;
  for (std::size_t next = 0; next < reached.size() && before[target] < 0; ++next)
    for (const std::size_t k : at_node[reached[next]]) {
      const int other = edges[k].from == reached[next] ? edges[k].to : edges[k].from;
      if (before[other] >= 0) continue;
      before[other] = reached[next];
      by[other] = k;
      reached.push_back(other);
    }
  std::vector<LoopStep> steps;
  for (int node = target; node != begin; node = before[node]) {
    LoopStep step = edges[by[node]].step;
    step.direction = edges[by[node]].to == node ? 1.0 : -1.0;
    steps.push_back(step);
  }
  std::ranges::reverse(steps);
  return steps;
}

/// Capacitors at ground or at sources against ground first: loops are short then, and their equations sparse.
std::vector<std::size_t> tree_order(const Network& net, Union& trees) {
  std::vector<std::size_t> near, far;
  const int ground = trees.root(0);
  for (std::size_t c = 0; c < net.capacitors.size(); ++c) {
    const Capacitor& capacitor = net.capacitors[c];
    const bool at_ground = trees.root(capacitor.from) == ground || trees.root(capacitor.to) == ground;
    (at_ground ? near : far).push_back(c);
  }
  near.insert(near.end(), far.begin(), far.end());
  return near;
}

/// Sources and inputs of amplifiers first, then capacitors: what closes a loop is a capacitor.
void find_loops(Network& net) {
  const std::size_t nodes = net.deck.nodes.size() + 1;
  Union trees(nodes);
  std::vector<TreeEdge> edges;
  std::vector<std::vector<std::size_t>> at_node(nodes);
  const auto add = [&](int from, int to, const LoopStep& step) {
    at_node[from].push_back(edges.size());
    at_node[to].push_back(edges.size());
    edges.push_back({from, to, step});
  };
  for (std::size_t s = 0; s < net.sources.size(); ++s) {
    const VoltageSource& source = net.sources[s];
    if (source.letter != 'v' && source.letter != 'u') continue;
    const int from = source.letter == 'u' ? source.plus : source.from,
              to = source.letter == 'u' ? source.minus : source.to;
    if (!trees.join(from, to))
      reject(net.deck, source.line, fmt::format("{} closes a loop of voltage sources", source.name));
    add(from, to, {s, true, 1.0});
  }
  for (const std::size_t c : tree_order(net, trees)) {
    const Capacitor& capacitor = net.capacitors[c];
    if (trees.join(capacitor.from, capacitor.to)) {
      add(capacitor.from, capacitor.to, {c, false, 1.0});
      continue;
    }
    std::vector<LoopStep> loop{{c, false, 1.0}};
    std::ranges::copy(way(at_node, edges, capacitor.to, capacitor.from), std::back_inserter(loop));
    net.loops.push_back(std::move(loop));
  }
}

void join_device(const Device& device, Union& parts) {
  for (const int node : device.nodes)
    if (device.letter != 'm' || (node != device.nodes[1] && node != device.nodes[3])) parts.join(node, device.nodes[0]);
  if (device.letter == 'm' && device.saturation > 0.0) parts.join(device.nodes[3], device.nodes[0]);
}

/// Nodes that anything but inductors and current sources connects.
void find_cutsets(Network& net) {
  Union parts(net.deck.nodes.size() + 1);
  for (const auto& r : net.resistors) parts.join(r.from, r.to);
  for (const auto& c : net.capacitors) parts.join(c.from, c.to);
  for (const auto& s : net.sources) parts.join(s.from, s.to);
  for (const auto& g : net.currents)
    if (g.letter != 'i') parts.join(g.from, g.to);
  for (const auto& device : net.devices) join_device(device, parts);
  std::map<int, std::vector<int>> sets;
  for (int node = 1; node <= static_cast<int>(net.deck.nodes.size()); ++node)
    if (const int root = parts.root(node); root != 0) sets[root].push_back(node);
  for (auto& [root, set] : sets) {
    const auto inside = [&set = set](int node) { return std::ranges::find(set, node) != set.end(); };
    const bool held =
        std::ranges::any_of(net.inductors, [&](const Inductor& l) { return inside(l.from) != inside(l.to); });
    if (!held)
      throw core::BadInput(fmt::format("{}: node {} has no path to ground (node 0)", net.deck.file,
                                       net.deck.nodes[static_cast<std::size_t>(set.front()) - 1]));
    net.cutsets.push_back(std::move(set));
  }
}

} // namespace

std::string Network::in_words(const std::vector<LoopStep>& loop) const {
  std::string names;
  for (const auto& [index, source, direction] : loop)
    names += (names.empty() ? "" : ", ") + (source ? sources[index].name : capacitors[index].name);
  return fmt::format("the loop of {} holds voltage sources and capacitors only", names);
}

std::string Network::in_words(const std::vector<int>& cutset) const {
  std::string names;
  const auto inside = [&](int node) { return std::ranges::find(cutset, node) != cutset.end(); };
  const auto add = [&](const auto& list) {
    for (const auto& branch : list)
      if (inside(branch.from) != inside(branch.to)) names += (names.empty() ? "" : ", ") + branch.name;
  };
  add(inductors);
  add(currents);
  return fmt::format("only inductors and current sources ({}) lead to node {}", names,
                     deck.nodes[static_cast<std::size_t>(cutset.front()) - 1]);
}

Network make_network(Deck deck) {
  Network net;
  net.deck = std::move(deck);
  for (const Element& element : net.deck.elements) add_element(element, net);
  for (const Element& element : net.deck.elements) connect(element, net);
  find_loops(net);
  find_cutsets(net);
  return net;
}

} // namespace rhumb::problems::spice
