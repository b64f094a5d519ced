#pragma once
/// A function that is given by values: straight lines between them, constant before the first and after the last.

#include <rhumb/pde/text/graph.hpp>
#include <string>

namespace rhumb::text {

/// Larger tables belong into a formula.
inline constexpr std::size_t max_table_rows = 200;

struct Table {
  std::vector<double> positions, values; ///< positions ascend
};

/// Two numbers on each line, between them blanks or a comma; lines that begin with # are comments. Throws BadInput that
/// names the line; `file` is for messages.
Table parse_table(const std::string& text, const std::string& file);

/// The table at the value of a node: conditions that halve it again and again.
Node look_up(Graph& graph, const Table& table, Node argument);

} // namespace rhumb::text
