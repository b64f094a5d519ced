/// Conditions on sides of a box and on boundaries of a mesh.

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <rhumb/pde/text/case_reader.hpp>
#include <algorithm>
#include <fmt/ranges.h>

namespace rhumb::text {

/// "u", "flux(u)", "dn(u)" or, on a side across x, "dx(u)".
void CaseReader::read_condition(int side, const std::string& key, const Source& source) {
  using Kind = Condition::Kind;
  const auto bracket = key.find('(');
  const std::string function = bracket == std::string::npos ? "" : key.substr(0, bracket);
  if (bracket != std::string::npos && key.back() != ')')
    throw core::BadInput(fmt::format("{}: '{}' has no closing bracket", source.origin, key));
  const std::string name = bracket == std::string::npos ? key : key.substr(bracket + 1, key.size() - bracket - 2);
  const std::string across = case_.mesh ? "dn" : fmt::format("d{}", "xyz"[side / 2]);
  if (!function.empty() && function != "flux" && function != "dn" && function != across)
    throw core::BadInput(fmt::format("{}: '{}' is no condition on the side {}: there are {}, flux({}), dn({}){}",
                                     source.origin, key, case_.sides[static_cast<std::size_t>(side)], name, name, name,
                                     case_.mesh ? "" : fmt::format(", {}({})", across, name)));
  const Kind kind = function.empty() ? Kind::value : function == "flux" ? Kind::flux : Kind::derivative;
  const auto fields = fields_of(name, source.origin);
  const bool on_mesh = is_weak(); // given values are formulas of place, time and parameters there
  auto nodes =
      values_for(fields, source, {.fields = kind != Kind::value || !on_mesh, .normal = kind != Kind::value && on_mesh});
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!case_.mesh && function == across && side % 2 == 0) nodes[i] = case_.model.graph.make(Op::negate, {nodes[i]});
    if (!case_.model.conditions[fields[i]].try_emplace(side, Condition{kind, nodes[i], source}).second)
      throw core::BadInput(fmt::format("{}: the field '{}' has two conditions on the side {}", source.origin,
                                       case_.model.fields[fields[i]].name,
                                       case_.sides[static_cast<std::size_t>(side)]));
  }
}

/// Which side a key such as left_u is about: the number of sides for all_u. Names of boundaries may have _ in them.
std::size_t CaseReader::named_side(const Item& item) const {
  const auto fits = [&](const std::string& name) {
    const auto key = core::to_lower(item.key), start = core::to_lower(name);
    return key == start || key.starts_with(start + "_");
  };
  std::size_t found = case_.sides.size() + 1, length = 0;
  for (std::size_t s = 0; s < case_.sides.size(); ++s)
    if (fits(case_.sides[s]) && case_.sides[s].size() > length) {
      found = s;
      length = case_.sides[s].size();
    }
  if (found > case_.sides.size() && fits("all")) return case_.sides.size();
  if (found < case_.sides.size()) return found;
  std::string name, meant;
  for (auto end = item.key.find('_'); meant.empty(); end = item.key.find('_', end + 1)) {
    name = item.key.substr(0, end);
    meant = core::nearest(name, case_.sides);
    if (end == std::string::npos) break;
  }
  if (meant.empty()) name = item.key.substr(0, item.key.find('_'));
  throw core::BadInput(fmt::format("{}: there is no side '{}'{}: there are {} and all", item.source.origin, name,
                                   meant.empty() ? "" : fmt::format(", did you mean '{}'?", meant),
                                   fmt::join(case_.sides, ", ")));
}

void CaseReader::read_boundary() {
  case_.model.conditions.resize(case_.model.fields.size());
  for (const auto& item : items("boundary", "a condition on a side: a value of u, flux(u) or dn(u)")) {
    const std::size_t side = named_side(item), all = case_.sides.size();
    const std::string name = side == all ? "all" : case_.sides[side];
    if (item.key.size() <= name.size() + 1)
      throw core::BadInput(fmt::format("{}: name the field: {}: {{u: 0}} or {{flux(u): 0}}", item.source.origin, name));
    const auto is_periodic = [&](std::size_t s) { return !case_.mesh && case_.shape.periodic[s / 2]; };
    if (side < all && is_periodic(side))
      throw core::BadInput(
          fmt::format("{}: the box is periodic in {}: it has no side '{}'", item.source.origin, "xyz"[side / 2], name));
    for (std::size_t s = 0; s < all; ++s)
      if (s == side || (side == all && !is_periodic(s)))
        read_condition(static_cast<int>(s), item.key.substr(name.size() + 1), item.source);
  }
}

/// On a mesh test functions reach over several nodes: where a field has a given value, so has a field that was added for
/// its rate.
void CaseReader::hold_rates() {
  Model& model = case_.model;
  for (std::size_t r = 0; r < model.fields.size(); ++r) {
    if (!model.fields[r].rate_of) continue;
    for (auto [side, condition] : model.conditions[*model.fields[r].rate_of]) {
      if (condition.kind != Condition::Kind::value) continue;
      condition.formula = model.graph.differentiate(condition.formula, [&](const Symbol& symbol) {
        return model.graph.constant(symbol.kind == Symbol::Kind::time ? 1.0 : 0.0);
      });
      model.conditions[r].try_emplace(side, condition);
    }
  }
}

} // namespace rhumb::text
