#include <rhumb/pde/text/discretisation.hpp>

namespace rhumb::text {

namespace {
int side_of(std::size_t direction, Spot spot) {
  return 2 * static_cast<int>(direction) + (spot == Spot::upper ? 1 : 0);
}
} // namespace

std::uint8_t Discretisation::code(const std::array<int, 3>& offset) {
  return static_cast<std::uint8_t>(9 * (offset[2] + 1) + 3 * (offset[1] + 1) + offset[0] + 1);
}

Discretisation::Position Discretisation::moved(Position position, std::size_t direction, int by) {
  position.offset[direction] += by;
  position.face = -1;
  return position;
}

/// Of the side in this direction that the point lies on.
const Condition* Discretisation::condition(std::size_t field, std::size_t direction) const {
  if (spots_[direction] == Spot::inner) return nullptr;
  const auto& known = model_.conditions[field];
  const auto found = known.find(side_of(direction, spots_[direction]));
  return found == known.end() ? nullptr : &found->second;
}

const Condition* Discretisation::given_value(std::size_t field) const {
  for (std::size_t d = 0; d < 3; ++d)
    if (const Condition* found = condition(field, d); found != nullptr && found->kind == Condition::Kind::value)
      return found;
  return nullptr;
}

Node Discretisation::row(std::size_t field) {
  if (const Condition* given = given_value(field))
    return graph_.subtract(graph_.symbol(Symbol::Kind::field, field), at(given->formula, {}));
  row_ = field;
  made_.clear(); // what flows through a side depends on the row
  Node residual = at(model_.equations[field].residual, {});
  for (std::size_t d = 0; d < 3; ++d)
    if (const Condition* found = condition(field, d); found != nullptr && found->kind == Condition::Kind::flux)
      residual = graph_.add(residual, graph_.multiply(graph_.scale(2.0, inverse(d)), at(found->formula, {})));
  return residual;
}

Node Discretisation::value(Node node) {
  row_ = static_cast<std::size_t>(-1);
  made_.clear();
  return at(node, {});
}

Node Discretisation::at(Node node, const Position& position) {
  const auto key = std::pair{node, position};
  if (const auto known = made_.find(key); known != made_.end()) return known->second;
  const Node made = make_at(node, position);
  made_.emplace(key, made);
  return made;
}

Node Discretisation::make_at(Node node, const Position& position) {
  const Entry entry = graph_[node]; // a copy: the table grows
  switch (entry.op) {
  case Op::constant:
    return node;
  case Op::symbol:
    return leaf(entry.symbol, node, position);
  case Op::group:
    return at(entry.operands[0], position);
  case Op::divergence:
    if (position == Position{} && side_ < 0) return divergence(entry);
    return derivative(entry, position);
  case Op::derivative:
    return derivative(entry, position);
  case Op::upwind:
    if (position.face != entry.detail) return at(entry.operands[0], position);
    return graph_.make(Op::choose, {graph_.make(Op::less, {at(entry.operands[1], position), graph_.constant(0.0)}),
                                    at(entry.operands[0], moved(position, entry.detail, 1)),
                                    at(entry.operands[0], moved(position, entry.detail, 0))});
  default:
    std::array<Node, 3> operands{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k)
      operands[k] = at(entry.operands[k], position);
    return graph_.make(entry.op, operands, entry.callee, entry.detail);
  }
}

Node Discretisation::leaf(const Symbol& symbol, Node node, const Position& position) {
  using Kind = Symbol::Kind;
  if (symbol.kind == Kind::field || symbol.kind == Kind::rate) {
    const Node here = graph_.symbol(symbol.kind, symbol.index, code(position.offset));
    if (position.face < 0) return here;
    const auto next = moved(position, static_cast<std::size_t>(position.face), 1);
    return mean(here, graph_.symbol(symbol.kind, symbol.index, code(next.offset)));
  }
  if (symbol.kind != Kind::coordinate) return node;
  const double away = position.offset[symbol.index] + (position.face == symbol.index ? 0.5 : 0.0);
  return graph_.add(node, graph_.scale(away, graph_.symbol(Kind::spacing, symbol.index)));
}

Node Discretisation::derivative(const Entry& entry, const Position& position) {
  const std::size_t direction = entry.detail;
  const Node operand = entry.operands[0];
  if (position.face < 0) return derivative_at_point(operand, direction, position);
  const auto face = static_cast<std::size_t>(position.face);
  const Position here = moved(position, face, 0), next = moved(position, face, 1);
  if (face == direction)
    return graph_.multiply(graph_.subtract(at(operand, next), at(operand, here)), inverse(direction));
  return mean(derivative_at_point(operand, direction, here), derivative_at_point(operand, direction, next));
}

Node Discretisation::derivative_at_point(Node operand, std::size_t direction, const Position& position) {
  const Spot spot = spots_[direction];
  const auto difference = [&](int from, int to) {
    return graph_.multiply(
        graph_.scale(1.0 / (to - from), graph_.subtract(at(operand, moved(position, direction, to)),
                                                        at(operand, moved(position, direction, from)))),
        inverse(direction));
  };
  if (spot == Spot::inner) return difference(-1, 1);
  if (side_ == static_cast<int>(direction) || slopes_known(operand, direction))
    return at(normal_derivative(operand, direction), position);
  return spot == Spot::lower ? difference(0, 1) : difference(-1, 0);
}

Node Discretisation::divergence(const Entry& entry) {
  const std::size_t direction = entry.detail;
  const Node flux = entry.operands[0];
  Position upper_face{}, lower_face{};
  upper_face.face = lower_face.face = static_cast<int>(direction);
  lower_face.offset[direction] = -1;
  if (spots_[direction] == Spot::inner)
    return graph_.multiply(graph_.subtract(at(flux, upper_face), at(flux, lower_face)), inverse(direction));
  const Node side = through_side(flux, direction);
  const Node difference = spots_[direction] == Spot::lower ? graph_.subtract(at(flux, upper_face), side)
                                                           : graph_.subtract(side, at(flux, lower_face));
  return graph_.multiply(difference, graph_.scale(2.0, inverse(direction)));
}

/// Zero where the row's field has its flux given (row() adds it) and where nothing is said; else from the slopes that
/// the side gives.
Node Discretisation::through_side(Node flux, std::size_t direction) {
  const Condition* given = row_ < model_.fields.size() ? condition(row_, direction) : nullptr;
  const bool by_slope = given != nullptr && given->kind == Condition::Kind::derivative;
  if (given != nullptr && !by_slope) return graph_.constant(0.0);
  if (!by_slope && !has_known_slope(flux, direction)) return graph_.constant(0.0);
  std::map<std::pair<Node, Position>, Node> kept;
  std::swap(kept, made_);
  side_ = static_cast<int>(direction);
  const Node through = at(flux, {});
  side_ = -1;
  std::swap(kept, made_);
  return through;
}

const Condition* Discretisation::slope_of(const Entry& entry, std::size_t direction) const {
  if (entry.op != Op::symbol || entry.symbol.kind != Symbol::Kind::field) return nullptr;
  const Condition* known = condition(entry.symbol.index, direction);
  return known != nullptr && known->kind == Condition::Kind::derivative ? known : nullptr;
}

bool Discretisation::has_known_slope(Node flux, std::size_t direction) const {
  return graph_.depends(flux, [&](const Entry& entry) {
    const bool differential = entry.op == Op::derivative || entry.op == Op::divergence;
    return differential && entry.detail == direction &&
           graph_.depends(entry.operands[0], [&](const Entry& leaf) { return slope_of(leaf, direction) != nullptr; });
  });
}

/// Whether the side gives the slopes of all fields in the operand.
bool Discretisation::slopes_known(Node operand, std::size_t direction) const {
  return has_field(operand) && !graph_.depends(operand, [&](const Entry& leaf) {
    return leaf.op == Op::symbol && leaf.symbol.kind == Symbol::Kind::field && slope_of(leaf, direction) == nullptr;
  });
}

bool Discretisation::has_field(Node operand) const {
  return graph_.depends(
      operand, [](const Entry& leaf) { return leaf.op == Op::symbol && leaf.symbol.kind == Symbol::Kind::field; });
}

/// On a side, by the chain rule from the slopes of fields; fields of which nothing is said are symmetric.
Node Discretisation::normal_derivative(Node operand, std::size_t direction) {
  return graph_.differentiate(operand, [&](const Symbol& symbol) {
    if (symbol.kind == Symbol::Kind::coordinate) return graph_.constant(symbol.index == direction ? 1.0 : 0.0);
    const Condition* known = slope_of({.op = Op::symbol, .symbol = symbol}, direction);
    if (known == nullptr) return graph_.constant(0.0);
    return spots_[direction] == Spot::upper ? known->formula : graph_.make(Op::negate, {known->formula});
  });
}

} // namespace rhumb::text
