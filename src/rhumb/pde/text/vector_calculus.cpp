/// Derivatives, products of vectors, integrals and noise in formulas of a model.

#include <rhumb/pde/text/equation_builder.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::text {

using core::formula::Mistake;

Value EquationBuilder::dot(const Value& a, const Value& b) const {
  if (a.rank == 0 || b.rank == 0) throw Mistake("dot takes two vectors, or a vector and a tensor");
  const std::size_t n = directions();
  if (a.rank != b.rank) { // a_j T_ij: the derivative along a, where T is a gradient
    const Value &vector = a.rank == 1 ? a : b, &tensor = a.rank == 1 ? b : a;
    Value out{1, {}};
    for (std::size_t i = 0; i < n; ++i) {
      Node sum = graph_.constant(0.0);
      for (std::size_t j = 0; j < n; ++j)
        sum = graph_.add(sum, graph_.multiply(vector.nodes[j], tensor.nodes[i * n + j]));
      out.nodes.push_back(sum);
    }
    return out;
  }
  Node sum = graph_.constant(0.0);
  for (std::size_t i = 0; i < a.nodes.size(); ++i) sum = graph_.add(sum, graph_.multiply(a.nodes[i], b.nodes[i]));
  return {0, {sum}};
}

Value EquationBuilder::vector(std::span<const Value> values) const {
  if (values.size() != directions())
    throw Mistake(fmt::format("a vector has {} components here, not {}", directions(), values.size()));
  const int rank = values[0].rank;
  Value out{rank + 1, {}};
  for (const auto& value : values) {
    if (value.rank != rank || rank > 1) throw Mistake("the components of a vector are numbers, or vectors");
    out.nodes.insert(out.nodes.end(), value.nodes.begin(), value.nodes.end());
  }
  return out;
}

Value EquationBuilder::transpose(const Value& value) const {
  if (value.rank != 2) throw Mistake("transpose takes a tensor, such as grad of a vector");
  const std::size_t n = directions();
  Value out = value;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) out.nodes[i * n + j] = value.nodes[j * n + i];
  return out;
}

Node EquationBuilder::derivative(Node node, std::size_t direction, Op op) {
  const Node lowered = language_.lowered(node);
  if (language_.order(lowered) > 0) op = Op::divergence; // a second derivative is that of a flux
  return graph_.make(op, {lowered}, nullptr, static_cast<std::uint8_t>(direction));
}

Value EquationBuilder::gradient(const Value& value) {
  if (value.rank > 1) throw Mistake("grad takes a number or a vector");
  Value out{value.rank + 1, {}};
  for (const Node node : value.nodes)
    for (std::size_t d = 0; d < directions(); ++d) out.nodes.push_back(derivative(node, d));
  return out;
}

Value EquationBuilder::divergence(const Value& value) {
  if (value.rank == 0) throw Mistake("div takes a vector, such as grad(u), not a number");
  const std::size_t n = directions();
  Value out{value.rank - 1, {}};
  for (std::size_t i = 0; i < value.nodes.size(); i += n) {
    Node sum = graph_.constant(0.0);
    for (std::size_t d = 0; d < n; ++d) sum = graph_.add(sum, derivative(value.nodes[i + d], d, Op::divergence));
    out.nodes.push_back(graph_.make(Op::group, {sum}));
  }
  return out;
}

Value EquationBuilder::curl(const Value& value) {
  const auto part = [&](std::size_t i, std::size_t j) { // d_i v_j - d_j v_i
    return graph_.subtract(derivative(value.nodes[j], i), derivative(value.nodes[i], j));
  };
  if (directions() == 2 && value.rank == 1) return {0, {part(0, 1)}};
  if (directions() == 2 && value.rank == 0)
    return {1, {derivative(value.nodes[0], 1), graph_.make(Op::negate, {derivative(value.nodes[0], 0)})}};
  if (directions() == 3 && value.rank == 1) return {1, {part(1, 2), part(2, 0), part(0, 1)}};
  throw Mistake("curl takes a vector in two or three dimensions, or a number in two");
}

Value EquationBuilder::rate(const Value& value) {
  if (!allowed_.rates) throw Mistake("dt cannot stand here");
  return each(value, [&](Node node) {
    // What has a second derivative in time gets a field for the first.
    const Node first = graph_.substitute(node, [&](const Symbol& symbol, Node leaf) {
      return symbol.kind == Symbol::Kind::rate ? language_.rate_field(symbol.index) : leaf;
    });
    return graph_.differentiate(first, [&](const Symbol& symbol) {
      switch (symbol.kind) {
      case Symbol::Kind::field:
        return graph_.symbol(Symbol::Kind::rate, symbol.index);
      case Symbol::Kind::time:
        return graph_.constant(1.0);
      case Symbol::Kind::reduction:
        throw Mistake("dt of an integral is not possible");
      default:
        return graph_.constant(0.0);
      }
    });
  });
}

Value EquationBuilder::upwind(const Value& value, const Value& velocity) {
  if (velocity.rank != 1 || value.rank != 0)
    throw Mistake("upwind(u, v) takes a number and the vector that carries it, and is a vector: div(v*u) becomes "
                  "div(upwind(u, v))");
  Value out{1, {}};
  for (std::size_t d = 0; d < directions(); ++d)
    out.nodes.push_back(graph_.multiply(velocity.nodes[d], graph_.make(Op::upwind, {value.nodes[0], velocity.nodes[d]},
                                                                       nullptr, static_cast<std::uint8_t>(d))));
  return out;
}

Value EquationBuilder::reduction(std::string_view name, std::span<const Value> values) {
  using Kind = Reduction::Kind;
  if (!allowed_.reductions) throw Mistake(fmt::format("'{}' cannot stand here", name));
  Reduction wanted{name == "integral"  ? Kind::integral
                   : name == "average" ? Kind::average
                   : name == "minimum" ? Kind::minimum
                   : name == "maximum" ? Kind::maximum
                                       : Kind::probe};
  if (wanted.kind == Kind::probe && values.size() != directions() + 1)
    throw Mistake(fmt::format("at takes a formula and {} coordinate{}", directions(), directions() == 1 ? "" : "s"));
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i].rank != 0 || !graph_.is_constant(values[i].nodes[0]))
      throw Mistake("the coordinates of a probe are plain numbers");
    wanted.position.push_back(graph_[values[i].nodes[0]].value);
  }
  if (allowed_.rates && (wanted.kind == Kind::minimum || wanted.kind == Kind::maximum))
    throw Mistake(fmt::format("'{}' has no derivative and cannot stand in equations", name));
  return each(values[0], [&](Node node) { return reduced(node, wanted, name); });
}

/// The number that a reduction of the node is.
Node EquationBuilder::reduced(Node node, Reduction wanted, std::string_view name) {
  const auto is_rate = [](const Entry& entry) {
    return entry.op == Op::symbol && entry.symbol.kind == Symbol::Kind::rate;
  };
  if (graph_.depends(node, is_rate)) throw Mistake(fmt::format("dt cannot stand in '{}'", name));
  wanted.operand = node;
  auto& known = language_.model().reductions;
  auto found = std::ranges::find(known, wanted);
  if (found == known.end()) found = known.insert(known.end(), wanted);
  return graph_.symbol(Symbol::Kind::reduction, static_cast<std::size_t>(found - known.begin()));
}

/// position(u, level, x): the smallest x at which the mean of u over the other directions has this value.
Value EquationBuilder::position(std::span<const Value> values) {
  if (!allowed_.reductions || allowed_.rates) throw Mistake("'position' can stand in figures only");
  if (values[0].rank != 0 || values[1].rank != 0 || values[2].rank != 0)
    throw Mistake("position takes a formula, a number and a direction: position(u, 0.5, x)");
  if (!graph_.is_constant(values[1].nodes[0])) throw Mistake("the level of a position is a plain number");
  Reduction wanted{.kind = Reduction::Kind::position, .level = graph_[values[1].nodes[0]].value, .direction = -1};
  for (std::size_t d = 0; d < directions(); ++d)
    if (values[2].nodes[0] == graph_.symbol(Symbol::Kind::coordinate, d)) wanted.direction = static_cast<int>(d);
  if (wanted.direction < 0) throw Mistake("the last argument of a position is a direction: x, y or z");
  return {0, {reduced(values[0].nodes[0], wanted, "position")}};
}

Value EquationBuilder::noise(const Value& seed) {
  if (!allowed_.noise) throw Mistake("noise can stand in initial values only");
  const Node node = seed.nodes[0];
  const double number = graph_.is_constant(node) ? graph_[node].value : -1.0;
  if (seed.rank != 0 || !(number >= 0.0 && number <= 65535.0) || number != std::floor(number))
    throw Mistake("noise takes a seed: a whole number from 0 to 65535");
  return {0, {graph_.symbol(Symbol::Kind::noise, static_cast<std::size_t>(number))}};
}

} // namespace rhumb::text
