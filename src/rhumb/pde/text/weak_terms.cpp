#include <rhumb/pde/text/weak_terms.hpp>

#include <rhumb/core/failure.hpp>

namespace rhumb::text {

namespace {

using Kind = Symbol::Kind;

bool is_derivative(const Entry& entry) {
  return entry.op == Op::derivative || entry.op == Op::divergence;
}

/// Already a derivative at a point.
bool is_differentiated(const Entry& entry) {
  return is_derivative(entry) || (entry.op == Op::symbol && entry.symbol.offset != centre);
}

bool jumps(const Entry& entry) {
  if (entry.op == Op::symbol) return entry.symbol.kind == Kind::region;
  if (entry.op == Op::call_one) {
    const auto name = callee_name(entry.callee);
    return name == "floor" || name == "ceil" || name == "round" || name == "rint" || name == "sign" || name == "step";
  }
  return entry.op == Op::choose || entry.op == Op::less || entry.op == Op::less_or_equal || entry.op == Op::equal ||
         entry.op == Op::logical_and || entry.op == Op::logical_or || entry.op == Op::logical_not ||
         entry.op == Op::upwind;
}

} // namespace

bool is_smooth(const Graph& graph, Node node) {
  return !graph.depends(node, [](const Entry& entry) { return is_derivative(entry) || jumps(entry); });
}

/// Whether a node that differentiates is integrated by parts in a field's row.
bool WeakTerms::by_parts(const Entry& entry, std::size_t field) const {
  const auto is_constraint = [&](std::size_t f) { return model_.fields[f].kind == dae::Kind::index2; };
  const bool second = graph_.depends(entry.operands[0], is_derivative);
  if (entry.op == Op::divergence) return second || !is_constraint(field);
  return !second && !is_constraint(field) && graph_.depends(entry.operands[0], [&](const Entry& leaf) {
    return leaf.op == Op::symbol && leaf.symbol.kind == Kind::field && is_constraint(leaf.symbol.index);
  });
}

bool WeakTerms::has_parts(Node node, std::size_t field) const {
  return graph_.depends(node, [&](const Entry& entry) { return is_derivative(entry) && by_parts(entry, field); });
}

WeakTerms::Split WeakTerms::split(std::size_t field) {
  Split found{{}, zero()};
  split(model_.equations[field].residual, graph_.constant(1.0), field, found);
  return found;
}

/// coefficient * node into its parts. Where the node is not linear in what could be integrated by parts, or a factor
/// cannot be differentiated, the node is left as it is: Language::lower_for_weak_forms has seen to it that it has no
/// second derivatives there.
void WeakTerms::split(Node node, Node coefficient, std::size_t field, Split& into) {
  const Entry entry = graph_[node]; // a copy: the table grows
  const auto [a, b, c] = entry.operands;
  if (has_parts(node, field)) switch (entry.op) {
    case Op::group:
      return split(a, coefficient, field, into);
    case Op::negate:
      return split(a, graph_.make(Op::negate, {coefficient}), field, into);
    case Op::add:
    case Op::subtract:
      split(a, coefficient, field, into);
      return split(b, entry.op == Op::add ? coefficient : graph_.make(Op::negate, {coefficient}), field, into);
    case Op::multiply:
      if (!has_parts(a, field) && is_smooth(graph_, a)) return split(b, graph_.multiply(coefficient, a), field, into);
      if (!has_parts(b, field) && is_smooth(graph_, b)) return split(a, graph_.multiply(coefficient, b), field, into);
      break;
    case Op::divide:
      if (!has_parts(b, field) && is_smooth(graph_, b)) return split(a, graph_.divide(coefficient, b), field, into);
      break;
    case Op::derivative:
    case Op::divergence:
      if (!by_parts(entry, field)) break;
      into.parts.push_back({entry.detail, coefficient, a});
      return;
    default:
      break;
    }
  into.rest = graph_.add(into.rest, graph_.multiply(coefficient, node));
}

WeakTerms::Row WeakTerms::row(std::size_t field) {
  const Split terms = split(field);
  Row out{at(terms.rest), {zero(), zero(), zero()}};
  for (const Part& part : terms.parts) {
    const Node flux = at(part.flux), slope = derivative(part.coefficient, part.direction);
    out.source = graph_.subtract(out.source, graph_.multiply(slope, flux));
    Node& target = out.flux[part.direction];
    target = graph_.subtract(target, graph_.multiply(at(part.coefficient), flux));
  }
  return out;
}

Node WeakTerms::at(Node root) {
  for (const Node node : graph_.needed(std::array{root})) {
    if (made_.contains(node)) continue;
    const Entry entry = graph_[node]; // a copy: the table grows
    std::array<Node, 3> operands{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k)
      operands[k] = made_[entry.operands[k]];
    Node made = node;
    switch (entry.op) {
    case Op::constant:
      break;
    case Op::symbol:
      made = leaf(entry.symbol, node);
      break;
    case Op::group:
      made = operands[0];
      break;
    case Op::derivative:
    case Op::divergence:
      made = derivative(entry.operands[0], entry.detail);
      break;
    case Op::upwind: { // u - sign(v) h/2 du/dx_d: half a cell back along the velocity; not in derivatives of u itself
      made = operands[0];
      if (graph_.depends(entry.operands[0], is_differentiated)) break;
      const Node back = graph_.multiply(graph_.scale(0.5, graph_.symbol(Kind::place, place::cell_size)),
                                        derivative(entry.operands[0], entry.detail));
      made = graph_.subtract(operands[0], graph_.make(Op::choose, {graph_.make(Op::less, {operands[1], zero()}),
                                                                   graph_.make(Op::negate, {back}), back}));
      break;
    }
    default:
      made = graph_.make(entry.op, operands, entry.callee, entry.detail);
    }
    made_[node] = made;
  }
  return made_[root];
}

Node WeakTerms::leaf(const Symbol& symbol, Node node) {
  if (symbol.kind == Kind::coordinate) return graph_.symbol(Kind::place, place::position + symbol.index);
  if (symbol.kind == Kind::region)
    return graph_.make(Op::equal, {graph_.symbol(Kind::place, place::region), graph_.constant(symbol.index)});
  if (symbol.kind == Kind::field && symbol.offset != centre && boundary_ >= 0) return with_known_slope(symbol, node);
  return node;
}

/// d/dx_direction of an expression without derivatives, by the chain rule.
Node WeakTerms::derivative(Node operand, std::size_t direction) {
  if (graph_.depends(operand, is_derivative)) throw std::logic_error("a second derivative in a weak form");
  const Node slope = graph_.differentiate(operand, [&](const Symbol& symbol) {
    if (symbol.kind == Kind::field || symbol.kind == Kind::rate)
      return graph_.symbol(symbol.kind, symbol.index, next_in(direction));
    return graph_.constant(symbol.kind == Kind::coordinate && symbol.index == direction ? 1.0 : 0.0);
  });
  return at(slope);
}

const Condition* WeakTerms::condition(std::size_t field, int boundary) const {
  const auto& known = model_.conditions[field];
  const auto found = known.find(boundary);
  return found == known.end() ? nullptr : &found->second;
}

/// Whether a field in the expression has such a condition on the boundary at hand.
bool WeakTerms::depends_on_condition(Node node, Condition::Kind kind) const {
  return graph_.depends(node, [&](const Entry& leaf) {
    if (leaf.op != Op::symbol || leaf.symbol.kind != Kind::field) return false;
    const Condition* known = condition(leaf.symbol.index, boundary_);
    return known != nullptr && known->kind == kind;
  });
}

/// The derivative of a field on a boundary that says what the one across it is: du/dx_d + n_d (g - du/dn). Where
/// nothing is said of the field, g is 0, as on the sides of a box.
Node WeakTerms::with_known_slope(const Symbol& symbol, Node node) {
  const Condition* known = condition(symbol.index, boundary_);
  if (known != nullptr && known->kind != Condition::Kind::derivative) return node;
  const auto directions = static_cast<std::size_t>(model_.dimension);
  Node lack = known == nullptr ? zero() : slopes_.at(symbol.index);
  for (std::size_t d = 0; d < directions; ++d)
    lack = graph_.subtract(lack, graph_.multiply(normal(d), graph_.symbol(Kind::field, symbol.index, next_in(d))));
  for (std::size_t d = 0; d < directions; ++d)
    if (symbol.offset == next_in(d)) return graph_.add(node, graph_.multiply(normal(d), lack));
  return node;
}

/// c F n
Node WeakTerms::through_boundary(const Part& part) {
  return graph_.multiply(graph_.multiply(at(part.coefficient), at(part.flux)), normal(part.direction));
}

Node WeakTerms::facet(std::size_t field, int boundary) {
  const Condition* given = condition(field, boundary);
  if (given != nullptr && given->kind == Condition::Kind::flux) return at(given->formula);
  if (given != nullptr && given->kind == Condition::Kind::value) return zero();
  const Split terms = split(field);
  slopes_.clear();
  for (std::size_t f = 0; f < model_.fields.size(); ++f)
    if (const Condition* known = condition(f, boundary); known != nullptr && known->kind == Condition::Kind::derivative)
      slopes_[f] = at(known->formula);
  made_.clear(); // leaves are others now
  boundary_ = boundary;
  Node sum = zero();
  for (const Part& part : terms.parts) {
    const bool has_slope =
        graph_.depends(part.flux, is_derivative) && depends_on_condition(part.flux, Condition::Kind::derivative);
    const bool held = model_.fields[field].pointwise && depends_on_condition(part.flux, Condition::Kind::value);
    const bool by_slope = given != nullptr && given->kind == Condition::Kind::derivative;
    if (has_slope || held || by_slope) sum = graph_.add(sum, through_boundary(part));
  }
  boundary_ = -1;
  made_.clear();
  return sum;
}

} // namespace rhumb::text
