#include <rhumb/pde/text/mesh_equations.hpp>

#include <rhumb/pde/text/point_equations.hpp>

namespace rhumb::text {

MeshEquations::MeshEquations(const Model& model) {
  WeakTerms weak(model);
  std::vector<Node> expressions;
  for (std::size_t f = 0; f < model.fields.size(); ++f) {
    const auto row = weak.row(f);
    for (int a = 0; a <= model.dimension; ++a) {
      const Node node = a == 0 ? row.source : row.flux[static_cast<std::size_t>(a) - 1];
      if (weak.graph().is_zero(node)) continue;
      terms.push_back({f, a});
      expressions.push_back(node);
    }
  }
  make(weak.graph(), expressions, model);
}

MeshEquations::MeshEquations(const Model& model, int boundary) {
  WeakTerms weak(model);
  std::vector<Node> expressions;
  for (std::size_t f = 0; f < model.fields.size(); ++f) {
    const Node node = weak.facet(f, boundary);
    if (weak.graph().is_zero(node)) continue;
    terms.push_back({f, 0});
    expressions.push_back(node);
  }
  make(weak.graph(), expressions, model);
}

void MeshEquations::make(Graph& graph, const std::vector<Node>& expressions, const Model& model) {
  const std::size_t fields = model.fields.size();
  std::vector<Node> derivatives;
  for (std::size_t k = 0; k < expressions.size(); ++k)
    for (const auto& [leaf, node] : derivatives_by_leaf(graph, expressions[k])) {
      int b = 0;
      for (std::size_t d = 0; d < 3; ++d)
        if (leaf.first == next_in(d)) b = static_cast<int>(d) + 1;
      entries.push_back({k, leaf.second, b});
      derivatives.push_back(node);
    }
  residual = Program(graph, expressions, fields);
  jacobian = Program(graph, derivatives, fields);
  product = derivative_along(graph, expressions, fields);
  mass_product = derivative_by_rates(graph, expressions, fields);
  for (std::size_t p = 0; p < model.parameters.size(); ++p)
    by_parameter.push_back(derivative_by_parameter(graph, expressions, fields, p));
}

} // namespace rhumb::text
