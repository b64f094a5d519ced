#pragma once
/// From an expression of fields and derivatives to one of the values at the points of a box around a point, second order.
/// What stands in div(...) and lap(...) is evaluated at the faces between points, with means of the fields and
/// differences across the face; other derivatives are central. A point on a side has half a control volume, whose outer
/// face carries what the side's condition says; other derivatives there are one-sided, and the stencil is never wider
/// than the neighbours.

#include <rhumb/pde/text/model.hpp>

namespace rhumb::text {

/// Where a point lies in one direction.
enum class Spot : std::uint8_t { inner, lower, upper };
using Spots = std::array<Spot, 3>;

class Discretisation {
public:
  /// Works on a copy of the model's graph, for points that lie so.
  Discretisation(const Model& model, Spots spots) : model_(model), graph_(model.graph), spots_(spots) {}

  Graph& graph() { return graph_; }

  /// The residual of a field's row: its equation, or the value that a side gives it.
  Node row(std::size_t field);
  /// Whether a side gives the field's value.
  bool is_given(std::size_t field) const { return given_value(field) != nullptr; }
  /// An expression at the point.
  Node value(Node node);

private:
  /// A point, or the middle between it and the next one in direction `face`.
  struct Position {
    std::array<int, 3> offset{};
    int face = -1;
    auto operator<=>(const Position&) const = default;
  };

  static std::uint8_t code(const std::array<int, 3>& offset);
  static Position moved(Position position, std::size_t direction, int by);
  const Condition* condition(std::size_t field, std::size_t direction) const;
  const Condition* given_value(std::size_t field) const;
  Node inverse(std::size_t direction) { return graph_.symbol(Symbol::Kind::inverse_spacing, direction); }
  Node mean(Node a, Node b) { return graph_.scale(0.5, graph_.add(a, b)); }

  Node at(Node node, const Position& position);
  Node make_at(Node node, const Position& position);
  Node leaf(const Symbol& symbol, Node node, const Position& position);
  Node derivative(const Entry& entry, const Position& position);
  Node derivative_at_point(Node operand, std::size_t direction, const Position& position);
  Node divergence(const Entry& entry);
  Node through_side(Node flux, std::size_t direction);
  const Condition* slope_of(const Entry& entry, std::size_t direction) const;
  bool has_known_slope(Node flux, std::size_t direction) const;
  bool slopes_known(Node operand, std::size_t direction) const;
  bool has_field(Node operand) const;
  Node normal_derivative(Node operand, std::size_t direction);

  const Model& model_;
  Graph graph_;
  Spots spots_;
  int side_ = -1; ///< while the flux through a side is evaluated: its direction
  std::size_t row_ = static_cast<std::size_t>(-1);
  std::map<std::pair<Node, Position>, Node> made_;
};

} // namespace rhumb::text
