#pragma once
/// The weak form of equations on a mesh. For all test functions v of a row
///   integral of (source v + flux . grad v) over the cells + integral of facet v over the boundaries = 0,
/// where terms c div(F) have become -F . grad(c v), with what flows through boundaries in `facet`. What is integrated by
/// parts: div and lap, and the gradients of fields of index 2 (so that a pressure's part of the stress stands with the
/// viscous one). In the rows of index 2 themselves, div of what has no derivative is taken as it is.
///
/// Through boundaries flows what a condition says: flux(u), or by dn(u) the flux with that derivative across the
/// boundary; else nothing.
///
/// Leaves of the terms are values of fields at a point, their derivatives (by the offset `next_in(direction)`), and the
/// table of places.

#include <rhumb/pde/text/model.hpp>

namespace rhumb::text {

/// Whether a factor may be differentiated: it has no derivatives and no jumps.
bool is_smooth(const Graph& graph, Node node);

class WeakTerms {
public:
  /// Works on a copy of the model's graph.
  explicit WeakTerms(const Model& model) : model_(model), graph_(model.graph) {}

  Graph& graph() { return graph_; }

  struct Row {
    Node source = 0;
    std::array<Node, 3> flux{};
  };
  Row row(std::size_t field);
  /// What flows through a boundary; zero where nothing does.
  Node facet(std::size_t field, int boundary);
  /// An expression at a point.
  Node value(Node node) { return at(node); }

private:
  /// c D_direction(F), with F's sign as in the equation.
  struct Part {
    std::size_t direction;
    Node coefficient, flux;
  };
  struct Split {
    std::vector<Part> parts;
    Node rest;
  };
  Split split(std::size_t field);
  void split(Node node, Node coefficient, std::size_t field, Split& into);
  bool by_parts(const Entry& entry, std::size_t field) const;
  bool has_parts(Node node, std::size_t field) const;

  Node at(Node node);
  Node leaf(const Symbol& symbol, Node node);
  Node derivative(Node operand, std::size_t direction);
  Node zero() { return graph_.constant(0.0); }
  Node normal(std::size_t direction) { return graph_.symbol(Symbol::Kind::place, place::normal + direction); }

  const Condition* condition(std::size_t field, int boundary) const;
  bool depends_on_condition(Node node, Condition::Kind kind) const;
  Node with_known_slope(const Symbol& symbol, Node node);
  Node through_boundary(const Part& part);

  const Model& model_;
  Graph graph_;
  int boundary_ = -1;                  ///< while what flows through one is evaluated
  std::map<std::size_t, Node> slopes_; ///< across it, by field
  std::unordered_map<Node, Node> made_;
};

} // namespace rhumb::text
