#include <rhumb/pde/text/table.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace rhumb::text {

Table parse_table(const std::string& text, const std::string& file) {
  Table table;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    std::string position, value, rest;
    if (!(words >> position) || position[0] == '#') continue;
    const bool two = (words >> value) && !(words >> rest);
    const auto x = core::parse_real(position), y = two ? core::parse_real(value) : std::nullopt;
    if (!x || !y || !std::isfinite(*x) || !std::isfinite(*y))
      throw core::BadInput(fmt::format("{}:{}: two numbers are wanted on each line", file, number));
    if (!table.positions.empty() && !(*x > table.positions.back()))
      throw core::BadInput(
          fmt::format("{}:{}: {} does not ascend: the line before has {}", file, number, *x, table.positions.back()));
    table.positions.push_back(*x);
    table.values.push_back(*y);
  }
  if (table.positions.size() < 2 || table.positions.size() > max_table_rows)
    throw core::BadInput(
        fmt::format("{}: a table has 2 to {} lines, this one {}", file, max_table_rows, table.positions.size()));
  return table;
}

namespace {

/// Between rows `first` and `last`.
Node between(Graph& graph, const Table& table, Node x, std::size_t first, std::size_t last) {
  if (last == first + 1) {
    const double derivative =
        (table.values[last] - table.values[first]) / (table.positions[last] - table.positions[first]);
    const Node away = graph.subtract(x, graph.constant(table.positions[first]));
    return graph.add(graph.constant(table.values[first]), graph.scale(derivative, away));
  }
  const std::size_t middle = (first + last) / 2;
  return graph.make(Op::choose, {graph.make(Op::less, {x, graph.constant(table.positions[middle])}),
                                 between(graph, table, x, first, middle), between(graph, table, x, middle, last)});
}

} // namespace

Node look_up(Graph& graph, const Table& table, Node x) {
  const std::size_t last = table.positions.size() - 1;
  const Node inside = between(graph, table, x, 0, last);
  const Node below = graph.make(Op::less, {x, graph.constant(table.positions[0])});
  const Node above = graph.make(Op::less, {graph.constant(table.positions[last]), x});
  return graph.make(Op::choose, {below, graph.constant(table.values[0]),
                                 graph.make(Op::choose, {above, graph.constant(table.values[last]), inside})});
}

} // namespace rhumb::text
