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

} // namespace rhumb::text
