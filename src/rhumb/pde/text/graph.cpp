#include <rhumb/pde/text/graph.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/formula_functions.hpp>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::text {

int operand_count(Op op) {
  if (op < Op::derivative) return 0;
  if (op == Op::upwind) return 2;
  return op < Op::add ? 1 : op < Op::choose ? 2 : 3;
}

std::string callee_name(const Callee* callee) {
  for (const auto& function : core::formula::functions())
    if (&function.callee == callee) return function.name;
  return "pow";
}

double evaluate(const Entry& entry, double a, double b, double c) {
  switch (entry.op) {
  case Op::negate:
    return -a;
  case Op::logical_not:
    return a == 0.0 ? 1.0 : 0.0;
  case Op::absolute:
    return std::fabs(a);
  case Op::square_root:
    return std::sqrt(a);
  case Op::call_one:
    return entry.callee->one(a);
  case Op::add:
    return a + b;
  case Op::subtract:
    return a - b;
  case Op::multiply:
    return a * b;
  case Op::divide:
    return a / b;
  case Op::less:
    return a < b ? 1.0 : 0.0;
  case Op::less_or_equal:
    return a <= b ? 1.0 : 0.0;
  case Op::equal:
    return a == b ? 1.0 : 0.0;
  case Op::logical_and:
    return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
  case Op::logical_or:
    return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
  case Op::call_two:
    return entry.callee->two(a, b);
  case Op::choose:
    return a != 0.0 ? b : c;
  default:
    return a;
  }
}

std::size_t Graph::Hash::operator()(const Entry& entry) const {
  std::uint64_t h = static_cast<std::uint64_t>(entry.op) * 0x9E3779B97F4A7C15ULL;
  const auto mix = [&](std::uint64_t v) { h = (h ^ v) * 0xff51afd7ed558ccdULL + (h >> 29U); };
  mix(entry.detail);
  mix(static_cast<std::uint64_t>(entry.symbol.kind) << 32U | static_cast<std::uint64_t>(entry.symbol.offset) << 16U |
      entry.symbol.index);
  for (const Node node : entry.operands) mix(node);
  mix(std::bit_cast<std::uint64_t>(entry.value));
  mix(reinterpret_cast<std::uintptr_t>(entry.callee));
  return static_cast<std::size_t>(h);
}

Node Graph::push(const Entry& entry) {
  const auto [position, is_new] = known_.try_emplace(entry, static_cast<Node>(entries_.size()));
  if (!is_new) return position->second;
  if (entries_.size() >= max_nodes) throw core::BadInput("the equations are too large: they have too many operations");
  entries_.push_back(entry);
  std::uint32_t below = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k)
    below = std::max(below, depths_[entry.operands[k]] + 1);
  depths_.push_back(below);
  return position->second;
}

Node Graph::constant(double value) {
  return push({.op = Op::constant, .value = value == 0.0 ? 0.0 : value}); // one zero
}

Node Graph::symbol(Symbol symbol) {
  return push({.op = Op::symbol, .symbol = symbol});
}

Node Graph::make(Op op, std::array<Node, 3> operands, const Callee* callee, std::uint8_t detail) {
  for (int i = operand_count(op); i < 3; ++i) operands[i] = 0;
  Entry entry{.op = op, .detail = detail, .operands = operands, .callee = callee};
  bool found = false;
  const Node simple = simplified(entry, found);
  return found ? simple : push(entry);
}

/// Only what is exact whatever the numbers are, or what makes derivatives small (0 a is 0).
Node Graph::simplified(const Entry& entry, bool& found) {
  const auto [a, b, c] = entry.operands;
  const int count = operand_count(entry.op);
  found = true;
  bool constants = entry.op >= Op::negate;
  for (int i = 0; i < count; ++i) constants = constants && is_constant(entry.operands[i]);
  if (constants && count > 0)
    return constant(
        evaluate(entry, entries_[a].value, count > 1 ? entries_[b].value : 0.0, count > 2 ? entries_[c].value : 0.0));
  switch (entry.op) {
  case Op::derivative:
  case Op::divergence:
    if (is_constant(a)) return constant(0.0);
    break;
  case Op::group:
    if (is_constant(a)) return a;
    break;
  case Op::negate:
    if (entries_[a].op == Op::negate) return entries_[a].operands[0];
    break;
  case Op::add:
    if (is_zero(a)) return b;
    if (is_zero(b)) return a;
    break;
  case Op::subtract:
    if (is_zero(b)) return a;
    if (is_zero(a)) return make(Op::negate, {b});
    break;
  case Op::multiply:
    if (is_zero(a) || is_zero(b)) return constant(0.0);
    if (is_one(a)) return b;
    if (is_one(b)) return a;
    break;
  case Op::divide:
    if (is_zero(a)) return a;
    if (is_one(b)) return a;
    break;
  case Op::choose:
    if (is_constant(a)) return entries_[a].value != 0.0 ? b : c;
    if (b == c) return b;
    break;
  default:
    break;
  }
  found = false;
  return 0;
}

Node Graph::power(Node base, Node exponent) {
  const double b = is_constant(exponent) && !is_constant(base) ? entries_[exponent].value : 0.0;
  if (b == 1.0) return base;
  if (b == 2.0) return multiply(base, base);
  if (b == 3.0) return multiply(multiply(base, base), base);
  if (b == 4.0) return power(multiply(base, base), constant(2.0));
  return make(Op::call_two, {base, exponent}, &core::formula::power());
}

std::vector<Node> Graph::needed(std::span<const Node> roots) const {
  std::vector<char> wanted(entries_.size(), 0);
  for (const Node root : roots) wanted[root] = 1;
  for (std::size_t i = entries_.size(); i-- > 0;)
    if (wanted[i] != 0)
      for (int k = 0; k < operand_count(entries_[i].op); ++k) wanted[entries_[i].operands[k]] = 1;
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != 0) nodes.push_back(static_cast<Node>(i));
  return nodes;
}

bool Graph::depends(Node root, const std::function<bool(const Entry&)>& test) const {
  for (const Node node : needed(std::array{root}))
    if (test(entries_[node])) return true;
  return false;
}

Node Graph::substitute(Node root, const std::function<Node(const Symbol&, Node)>& replacement) {
  std::unordered_map<Node, Node> made;
  for (const Node node : needed(std::array{root})) {
    const Entry entry = entries_[node];
    if (entry.op == Op::symbol) {
      made[node] = replacement(entry.symbol, node);
    } else if (entry.op == Op::constant) {
      made[node] = node;
    } else {
      std::array<Node, 3> operands{};
      for (int k = 0; k < operand_count(entry.op); ++k) operands[k] = made[entry.operands[k]];
      made[node] = make(entry.op, operands, entry.callee, entry.detail);
    }
  }
  return made[root];
}

} // namespace rhumb::text
