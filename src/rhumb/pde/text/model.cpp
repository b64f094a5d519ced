#include <rhumb/pde/text/model.hpp>

#include <fmt/format.h>

namespace rhumb::text {

std::string describe_kinds(const Model& model) {
  std::string text;
  for (const auto& field : model.fields) {
    const char* kind = field.kind == dae::Kind::differential ? "differential"
                       : field.kind == dae::Kind::index1     ? "algebraic, index 1"
                                                             : "algebraic, index 2";
    text += fmt::format("{}{} ({}{})", text.empty() ? "" : ", ", field.name, kind, field.added ? ", added" : "");
  }
  return "fields: " + text;
}

std::vector<std::size_t> Model::reductions_in_equations() const {
  std::vector<bool> used(reductions.size());
  const auto look = [&](Node root) {
    for (const Node node : graph.needed(std::array{root})) {
      const Entry& entry = graph[node];
      if (entry.op == Op::symbol && entry.symbol.kind == Symbol::Kind::reduction) used[entry.symbol.index] = true;
    }
  };
  for (const auto& equation : equations) look(equation.residual);
  for (const auto& sides : conditions)
    for (const auto& [side, condition] : sides) look(condition.formula);
  std::vector<std::size_t> found;
  for (std::size_t k = reductions.size(); k-- > 0;) { // what a reduction uses comes before it
    if (!used[k]) continue;
    look(reductions[k].operand);
    found.insert(found.begin(), k);
  }
  return found;
}

bool Model::only_slopes_of(std::size_t field) const {
  const Symbol leaf{Symbol::Kind::field, centre, static_cast<std::uint16_t>(field)};
  const auto is_leaf = [&](Node node) { return graph[node].op == Op::symbol && graph[node].symbol == leaf; };
  for (const auto& equation : equations)
    for (const Node node : graph.needed(std::array{equation.residual})) {
      const Entry& entry = graph[node];
      if (entry.op == Op::derivative || entry.op == Op::divergence) continue;
      for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k)
        if (is_leaf(entry.operands[k])) return false;
    }
  return true;
}

} // namespace rhumb::text
