#pragma once
/// The equations at points that lie alike in the box, as programs: residual, entries of the Jacobian, products with it.

#include <rhumb/pde/text/discretisation.hpp>
#include <rhumb/pde/text/program.hpp>

namespace rhumb::text {

/// An entry of alpha dF/dy' + dF/dy: of a field's row, by a field of a neighbour.
struct MatrixEntry {
  std::size_t row = 0, column = 0; ///< fields
  std::uint8_t offset = centre;
};

struct PointEquations {
  PointEquations(const Model& model, Spots spots);

  std::vector<dae::Kind> kinds; ///< of the fields
  std::vector<bool> given;      ///< of the fields: a side gives the value
  Program residual;             ///< one result for each field
  Program jacobian;             ///< one result for each entry
  std::vector<MatrixEntry> entries;
  Program product;      ///< (alpha dF/dy' + dF/dy) direction
  Program mass_product; ///< dF/dy' direction
  Program initial;      ///< values at the start
  /// F at rates 0 for all fields, then the derivative of each row by the rate of its own field.
  Program start;
  std::vector<Program> by_parameter; ///< dF/dp
};

/// alpha dF/dy' + dF/dy of an expression, by offset and field.
std::map<std::pair<std::uint8_t, std::size_t>, Node> derivatives_by_leaf(Graph& graph, Node expression);
/// dF/dy' times the direction.
Program derivative_by_rates(Graph& graph, const std::vector<Node>& expressions, std::size_t fields);
Program derivative_by_parameter(Graph& graph, const std::vector<Node>& expressions, std::size_t fields,
                                std::size_t parameter);
/// d/ds of the expressions at values y + s v, rates y' + s alpha v; v is the direction.
Program derivative_along(Graph& graph, const std::vector<Node>& expressions, std::size_t fields);

} // namespace rhumb::text
