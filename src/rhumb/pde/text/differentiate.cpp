/// Derivatives of expressions, by the chain rule.

#include <rhumb/core/formula_builder.hpp>
#include <rhumb/core/formula_functions.hpp>
#include <rhumb/pde/text/graph.hpp>
#include <fmt/format.h>

namespace rhumb::text {

namespace {

struct Rule {
  const char* function;
  const char* derivative; ///< a formula of the argument a and the value f
};

constexpr std::array rules{
    Rule{"sin", "cos(a)"},
    Rule{"cos", "-sin(a)"},
    Rule{"tan", "1 + f*f"},
    Rule{"asin", "1/sqrt(1 - a*a)"},
    Rule{"acos", "-1/sqrt(1 - a*a)"},
    Rule{"atan", "1/(1 + a*a)"},
    Rule{"sinh", "cosh(a)"},
    Rule{"cosh", "sinh(a)"},
    Rule{"tanh", "1 - f*f"},
    Rule{"asinh", "1/sqrt(1 + a*a)"},
    Rule{"acosh", "1/sqrt(a*a - 1)"},
    Rule{"atanh", "1/(1 - a*a)"},
    Rule{"exp", "f"},
    Rule{"expm1", "f + 1"},
    Rule{"log", "1/a"},
    Rule{"ln", "1/a"},
    Rule{"log1p", "1/(1 + a)"},
    Rule{"log2", "1/(a*log(2))"},
    Rule{"log10", "1/(a*log(10))"},
    Rule{"cbrt", "1/(3*f*f)"},
    Rule{"erf", "2/sqrt(pi)*exp(-a*a)"},
    Rule{"erfc", "-2/sqrt(pi)*exp(-a*a)"},
    Rule{"floor", "0"},
    Rule{"ceil", "0"},
    Rule{"round", "0"},
    Rule{"rint", "0"},
    Rule{"sign", "0"},
    Rule{"step", "0"},
};

/// The formulas above, with a, b and f for nodes.
class RuleBuilder final : public core::formula::Builder {
public:
  RuleBuilder(Graph& graph, Node a, Node b, Node f) : graph_(graph), a_(a), b_(b), f_(f) {}
  Index constant(double value) override { return graph_.constant(value); }
  std::optional<Index> name(std::string_view name) override {
    if (name == "a") return a_;
    if (name == "b") return b_;
    if (name == "f") return f_;
    return std::nullopt;
  }
  Index add(core::formula::Operation operation, const std::array<Index, 3>& operands, const Callee* callee) override {
    using O = core::formula::Operation;
    switch (operation) {
    case O::negate:
      return graph_.make(Op::negate, operands);
    case O::square_root:
      return graph_.make(Op::square_root, operands);
    case O::call_one:
      return graph_.make(Op::call_one, operands, callee);
    case O::add:
      return graph_.make(Op::add, operands);
    case O::subtract:
      return graph_.make(Op::subtract, operands);
    case O::multiply:
      return graph_.make(Op::multiply, operands);
    case O::choose:
      return graph_.make(Op::choose, operands);
    case O::equal:
      return graph_.make(Op::equal, operands);
    default:
      return graph_.make(Op::divide, operands);
    }
  }
  Index power(Index base, Index exponent) override { return graph_.power(base, exponent); }
  std::vector<std::string> names() const override { return {"a", "b", "f"}; }

private:
  Graph& graph_;
  Node a_, b_, f_;
};

Node from_rule(Graph& graph, const char* formula, Node a, Node b, Node f) {
  RuleBuilder builder(graph, a, b, f);
  return core::formula::build_formula(formula, builder, "derivative");
}

} // namespace

Node Graph::derivative_of_call(const Entry& entry, Node node, const std::array<Node, 3>& derivatives) {
  const auto [a, b, c] = entry.operands;
  const std::string name = callee_name(entry.callee);
  if (entry.op == Op::call_one) {
    for (const Rule& known : rules)
      if (known.function == name) return multiply(from_rule(*this, known.derivative, a, a, node), derivatives[0]);
    throw std::logic_error("no derivative is known of " + name);
  }
  const bool by_a = !is_zero(derivatives[0]), by_b = !is_zero(derivatives[1]);
  Node sum = constant(0.0);
  const auto part = [&](bool wanted, const char* formula, Node derivative) {
    if (wanted) sum = add(sum, multiply(from_rule(*this, formula, a, b, node), derivative));
  };
  if (name == "atan2") { // of y = a, x = b
    part(by_a, "b/(a*a + b*b)", derivatives[0]);
    part(by_b, "-a/(a*a + b*b)", derivatives[1]);
  } else if (name == "hypot") {
    part(by_a, "if(f == 0, 0, a/f)", derivatives[0]);
    part(by_b, "if(f == 0, 0, b/f)", derivatives[1]);
  } else {
    part(by_a, "b*a^(b - 1)", derivatives[0]);
    part(by_b, "if(a == 0, 0, f*log(a))", derivatives[1]);
  }
  return sum;
}

Node Graph::rule(const Entry& entry, Node node, const std::array<Node, 3>& derivatives) {
  const auto [a, b, c] = entry.operands;
  const auto [da, db, dc] = derivatives;
  switch (entry.op) {
  case Op::derivative:
  case Op::divergence:
  case Op::group:
    return make(entry.op, {da}, nullptr, entry.detail);
  case Op::upwind:
    return make(entry.op, {da, b}, nullptr, entry.detail);
  case Op::negate:
    return make(Op::negate, {da});
  case Op::absolute:
    return make(Op::choose, {make(Op::less, {a, constant(0.0)}), make(Op::negate, {da}), da});
  case Op::square_root:
    return divide(da, scale(2.0, node));
  case Op::add:
    return add(da, db);
  case Op::subtract:
    return subtract(da, db);
  case Op::multiply:
    return add(multiply(da, b), multiply(a, db));
  case Op::divide:
    return is_zero(db) ? divide(da, b) : divide(subtract(da, multiply(node, db)), b);
  case Op::choose:
    return make(Op::choose, {a, db, dc});
  case Op::call_one:
  case Op::call_two:
    return derivative_of_call(entry, node, derivatives);
  default:
    return constant(0.0); // what jumps
  }
}

Node Graph::differentiate(Node root, const std::function<Node(const Symbol&)>& seed) {
  std::unordered_map<Node, Node> derivative;
  const Node zero = constant(0.0);
  for (const Node node : needed(std::array{root})) {
    const Entry entry = entries_[node]; // a copy: the table grows
    if (entry.op == Op::symbol) {
      derivative[node] = seed(entry.symbol);
      continue;
    }
    std::array<Node, 3> derivatives{zero, zero, zero};
    bool any = false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k) {
      derivatives[k] = derivative[entry.operands[k]];
      any = any || !is_zero(derivatives[k]);
    }
    derivative[node] = any ? rule(entry, node, derivatives) : zero;
  }
  return derivative[root];
}

std::vector<std::pair<Symbol, Node>> Graph::partial_derivatives(Node root) {
  std::unordered_map<Node, Node> adjoint{{root, constant(1.0)}};
  const Node zero = constant(0.0), one = constant(1.0);
  const auto nodes = needed(std::array{root});
  std::vector<std::pair<Symbol, Node>> found;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node node = nodes[i];
    const auto known = adjoint.find(node);
    if (known == adjoint.end() || is_zero(known->second)) continue;
    const Node outer = known->second;
    const Entry entry = entries_[node]; // a copy: the table grows
    if (entry.op == Op::symbol) found.emplace_back(entry.symbol, outer);
    for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k) {
      std::array<Node, 3> unit{zero, zero, zero};
      unit[k] = one;
      const Node share = multiply(outer, rule(entry, node, unit));
      const auto [position, is_new] = adjoint.try_emplace(entry.operands[k], share);
      if (!is_new) position->second = add(position->second, share);
    }
  }
  return found;
}

} // namespace rhumb::text
