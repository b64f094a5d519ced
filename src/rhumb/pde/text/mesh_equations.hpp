#pragma once
/// The terms of a weak form at points of the cells, or of one boundary, as programs.

#include <rhumb/pde/text/program.hpp>
#include <rhumb/pde/text/weak_terms.hpp>

namespace rhumb::text {

/// What is tested: `component`'s functions, with values (a = 0) or derivatives in direction a - 1.
struct WeakTerm {
  std::size_t component = 0;
  int a = 0;
};

/// The derivative of a term by a field's value (b = 0), or by its derivative in direction b - 1.
struct WeakEntry {
  std::size_t term = 0;
  std::size_t field = 0;
  int b = 0;
};

struct MeshEquations {
  /// In the cells.
  explicit MeshEquations(const Model& model);
  /// On a boundary.
  MeshEquations(const Model& model, int boundary);

  std::vector<WeakTerm> terms; ///< those that are not zero
  std::vector<WeakEntry> entries;
  Program residual;     ///< one result for each term
  Program jacobian;     ///< one result for each entry
  Program product;      ///< of the terms: (alpha dF/dy' + dF/dy) direction
  Program mass_product; ///< of the terms: dF/dy' direction
  std::vector<Program> by_parameter;

private:
  void make(Graph& graph, const std::vector<Node>& expressions, const Model& model);
};

} // namespace rhumb::text
