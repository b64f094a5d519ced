#include <rhumb/pde/text/point_equations.hpp>

namespace rhumb::text {

namespace {

using Kind = Symbol::Kind;

/// dF/dy and dF/dy' of all rows, joined by alpha.
Program make_jacobian(Graph& graph, const std::vector<Node>& rows, std::vector<MatrixEntry>& entries) {
  std::vector<Node> roots;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    auto found = derivatives_by_leaf(graph, rows[row]);
    found.try_emplace({centre, row}, graph.constant(0.0)); // solvers want a diagonal
    for (const auto& [place, node] : found) {
      entries.push_back({row, place.second, place.first});
      roots.push_back(node);
    }
  }
  return {graph, roots, rows.size()};
}

Program along(Graph& graph, const std::vector<Node>& rows, std::size_t fields,
              const std::function<Node(const Symbol&)>& seed) {
  std::vector<Node> roots;
  for (const Node row : rows) roots.push_back(graph.differentiate(row, seed));
  return {graph, roots, fields};
}

Program make_start(Graph& graph, const std::vector<Node>& rows) {
  const auto at_rest = [&](Node node) {
    return graph.substitute(
        node, [&](const Symbol& symbol, Node leaf) { return symbol.kind == Kind::rate ? graph.constant(0.0) : leaf; });
  };
  std::vector<Node> roots;
  for (const Node row : rows) roots.push_back(at_rest(row));
  for (std::size_t f = 0; f < rows.size(); ++f)
    roots.push_back(at_rest(graph.differentiate(rows[f], [&](const Symbol& symbol) {
      return graph.constant(symbol == Symbol{Kind::rate, centre, static_cast<std::uint16_t>(f)} ? 1.0 : 0.0);
    })));
  return {graph, roots, rows.size()};
}

} // namespace

std::map<std::pair<std::uint8_t, std::size_t>, Node> derivatives_by_leaf(Graph& graph, Node expression) {
  const Node alpha = graph.symbol(Kind::alpha);
  std::map<std::pair<std::uint8_t, std::size_t>, Node> found; // the order of columns
  for (const auto& [symbol, derivative] : graph.partial_derivatives(expression)) {
    if (symbol.kind != Kind::field && symbol.kind != Kind::rate) continue;
    const Node part = symbol.kind == Kind::rate ? graph.multiply(alpha, derivative) : derivative;
    const auto [position, is_new] = found.try_emplace({symbol.offset, symbol.index}, part);
    if (!is_new) position->second = graph.add(position->second, part);
  }
  return found;
}

Program derivative_by_rates(Graph& graph, const std::vector<Node>& expressions, std::size_t fields) {
  return along(graph, expressions, fields, [&](const Symbol& symbol) {
    return symbol.kind == Kind::rate ? graph.symbol(Kind::direction, symbol.index, symbol.offset) : graph.constant(0.0);
  });
}

Program derivative_by_parameter(Graph& graph, const std::vector<Node>& expressions, std::size_t fields,
                                std::size_t parameter) {
  return along(graph, expressions, fields, [&](const Symbol& symbol) {
    return graph.constant(symbol.kind == Kind::parameter && symbol.index == parameter ? 1.0 : 0.0);
  });
}

Program derivative_along(Graph& graph, const std::vector<Node>& expressions, std::size_t fields) {
  return along(graph, expressions, fields, [&](const Symbol& symbol) {
    const Node direction = graph.symbol(Kind::direction, symbol.index, symbol.offset);
    if (symbol.kind == Kind::field) return direction;
    if (symbol.kind == Kind::rate) return graph.multiply(graph.symbol(Kind::alpha), direction);
    if (symbol.kind == Kind::reduction) return graph.symbol(Kind::reduction_along, symbol.index);
    return graph.constant(0.0);
  });
}

PointEquations::PointEquations(const Model& model, Spots spots) {
  Discretisation discretisation(model, spots);
  Graph& graph = discretisation.graph();
  const std::size_t fields = model.fields.size();
  std::vector<Node> rows, starts;
  for (std::size_t f = 0; f < fields; ++f) {
    rows.push_back(discretisation.row(f));
    given.push_back(discretisation.is_given(f));
  }
  for (std::size_t f = 0; f < fields; ++f) {
    starts.push_back(discretisation.value(model.initial[f]));
    bool has_rate = false;
    for (const Node row : rows)
      has_rate = has_rate || graph.depends(row, [&](const Entry& entry) {
        return entry.op == Op::symbol && entry.symbol.kind == Kind::rate && entry.symbol.index == f;
      });
    const bool loses_rate = model.fields[f].kind == dae::Kind::differential && !has_rate;
    kinds.push_back(given[f] || loses_rate ? dae::Kind::index1 : model.fields[f].kind);
  }
  residual = Program(graph, rows, fields);
  initial = Program(graph, starts, fields);
  jacobian = make_jacobian(graph, rows, entries);
  product = derivative_along(graph, rows, fields);
  mass_product = derivative_by_rates(graph, rows, fields);
  start = make_start(graph, rows);
  for (std::size_t p = 0; p < model.parameters.size(); ++p)
    by_parameter.push_back(derivative_by_parameter(graph, rows, fields, p));
}

} // namespace rhumb::text
