/// What the equations of a mesh need beside those of a box: their second derivatives stand where parts can be taken.

#include <rhumb/pde/text/language.hpp>
#include <rhumb/pde/text/weak_terms.hpp>

namespace rhumb::text {

void Language::lower_for_weak_forms() {
  for (std::size_t i = 0; i < model_.equations.size(); ++i) { // more are added on the way
    const Node residual = linear_in_second_derivatives(model_.equations[i].residual);
    model_.equations[i].residual = residual;
  }
  for (std::size_t k = 0; k < model_.reductions.size(); ++k) {
    const std::size_t before = model_.fields.size();
    const Node operand = lowered(model_.reductions[k].operand);
    model_.reductions[k].operand = operand;
    for (std::size_t f = before; f < model_.fields.size(); ++f) model_.fields[f].pointwise = true;
  }
}

/// Sums, and products with factors that can be differentiated, are left; from all else second derivatives are taken out.
Node Language::linear_in_second_derivatives(Node node) {
  Graph& graph = model_.graph;
  if (order(node) < 2) return node;
  const Entry entry = graph[node]; // a copy: the table grows
  const auto [a, b, c] = entry.operands;
  switch (entry.op) {
  case Op::derivative:
  case Op::divergence:
    return node;
  case Op::group:
  case Op::negate:
    return graph.make(entry.op, {linear_in_second_derivatives(a)});
  case Op::add:
  case Op::subtract: {
    const Node left = linear_in_second_derivatives(a);
    return graph.make(entry.op, {left, linear_in_second_derivatives(b)});
  }
  case Op::multiply:
    if (order(b) < 2 && is_smooth(graph, b)) return graph.multiply(linear_in_second_derivatives(a), b);
    if (order(a) < 2 && is_smooth(graph, a)) return graph.multiply(a, linear_in_second_derivatives(b));
    break;
  case Op::divide:
    if (order(b) < 2 && is_smooth(graph, b)) return graph.divide(linear_in_second_derivatives(a), b);
    break;
  default:
    break;
  }
  const std::size_t before = model_.fields.size();
  const Node result = lowered(node);
  for (std::size_t f = before; f < model_.fields.size(); ++f) model_.fields[f].pointwise = true;
  return result;
}

} // namespace rhumb::text
