#include <rhumb/pde/text/point_kernel.hpp>

#include <algorithm>

namespace rhumb::text {

namespace {

using Kind = Symbol::Kind;

/// Where a leaf stands in a point's row; none where it is the same at all points, or of a side.
std::optional<std::size_t> input_of(const Symbol& symbol, std::size_t directions, std::size_t fields) {
  if (symbol.kind == Kind::place && symbol.index < place::position + directions) return symbol.index;
  if (symbol.kind == Kind::rate) return directions + fields * (1 + directions) + symbol.index;
  if (symbol.kind != Kind::field) return std::nullopt;
  for (std::size_t d = 0; d < directions; ++d)
    if (symbol.offset == next_in(d)) return directions + fields * (1 + d) + symbol.index;
  return directions + symbol.index;
}

} // namespace

std::string reason_against_moving(const Graph& graph, Node node) {
  std::string reason;
  for (const Node part : graph.needed(std::array{node})) {
    const Entry& entry = graph[part];
    if (entry.op != Op::symbol) continue;
    const Symbol& symbol = entry.symbol;
    if (symbol.kind == Kind::rate && symbol.offset != centre) reason = "dt(...) of a derivative in space";
    if (symbol.kind == Kind::place && symbol.index == place::cell_size) reason = "upwind(...)";
    if (symbol.kind == Kind::noise) reason = "noise(...), which has no value between points,";
    if (symbol.kind == Kind::reduction) reason = "an integral, an average or at(...) in an equation";
  }
  return reason;
}

PointKernel::PointKernel(Graph& graph, const std::vector<Node>& expressions, std::size_t directions, std::size_t fields,
                         const std::array<double, 3>& normal)
    : directions_(directions), fields_(fields), results_(expressions.size()), numbers_(row_size(directions, fields)) {
  std::ranges::copy(normal, place_.begin() + place::normal);
  std::vector<Node> roots = expressions;
  for (std::size_t r = 0; r < expressions.size(); ++r)
    for (const auto& [symbol, derivative] : graph.partial_derivatives(expressions[r]))
      if (const auto input = input_of(symbol, directions, fields); input && !graph.is_zero(derivative)) {
        entries_.push_back({r, *input});
        roots.push_back(derivative);
      }
  values_.program = Program(graph, expressions, fields);
  whole_.program = Program(graph, roots, fields);
  found_.resize(roots.size());
}

void PointKernel::operator()(std::span<const double> row, const Uniforms& now, double* results) const {
  run(values_, row, now, results);
}

void PointKernel::run(Part& part, std::span<const double> row, const Uniforms& now, double* results) const {
  if (now.t != part.t || !now.reductions.empty()) part.program.begin(now);
  part.t = now.t;
  std::copy_n(row.begin(), directions_, place_.begin() + place::position);
  const double* rates = row.data() + directions_ + fields_ * (1 + directions_);
  part.program.run({.values = row.data() + directions_,
                    .rates = rates,
                    .owned_rates = rates,
                    .places = place_.data(),
                    .neighbour = {1, 2, 3}},
                   {.count = 1}, {results, static_cast<PetscInt>(part.program.results())});
}

} // namespace rhumb::text
