#include <rhumb/physics/combustion/mechanism.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::combustion {

std::optional<std::size_t> Mechanism::find(const std::string& wanted) const {
  const auto found = std::ranges::find(species, wanted, &Species::name);
  if (found == species.end()) return std::nullopt;
  return static_cast<std::size_t>(found - species.begin());
}

double Mechanism::atoms(const std::string& element, std::size_t k) const {
  const auto found = species[k].composition.find(element);
  return found == species[k].composition.end() ? 0.0 : found->second;
}

std::vector<Change> changes(const std::vector<Term>& reactants, const std::vector<Term>& products) {
  std::vector<Change> all;
  const auto add = [&all](const Term& term, double sign) {
    const auto found = std::ranges::find(all, term.species, &Change::species);
    Change& change = found == all.end() ? all.emplace_back(Change{term.species, 0.0}) : *found;
    change.moles += sign * term.count;
  };
  for (const Term& term : reactants) add(term, -1.0);
  for (const Term& term : products) add(term, 1.0);
  std::erase_if(all, [](const Change& change) { return change.moles == 0.0; });
  return all;
}

double Mechanism::lowest_temperature() const {
  double T = 0.0;
  for (const auto& s : species) T = std::max(T, s.thermo.low);
  return T;
}

double Mechanism::highest_temperature() const {
  double T = species.front().thermo.high;
  for (const auto& s : species) T = std::min(T, s.thermo.high);
  return T;
}

std::vector<double> read_mixture(const Mechanism& mechanism, const std::string& text) {
  std::vector<double> Y(mechanism.size(), 0.0);
  std::vector<std::string> names;
  for (const auto& s : mechanism.species) names.push_back(s.name);
  double mass = 0.0;
  for (const auto& part : core::split_at_commas(text)) {
    const auto colon = part.find(':');
    const auto name = part.substr(0, colon);
    const auto k = mechanism.find(name);
    if (!k) {
      const auto near = core::nearest(name, names);
      throw core::BadInput(fmt::format("mixture `{}`: {} has no species `{}`{}", text, mechanism.file, name,
                                       near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
    const auto moles = colon == std::string::npos ? std::optional(1.0) : core::parse_real(part.substr(colon + 1));
    if (!moles || !(*moles >= 0.0))
      throw core::BadInput(fmt::format("mixture `{}`: `{}` must be SPECIES:MOLES with moles >= 0", text, part));
    Y[*k] += *moles * mechanism.species[*k].weight;
    mass += *moles * mechanism.species[*k].weight;
  }
  if (!(mass > 0.0)) throw core::BadInput(fmt::format("mixture `{}`: there is nothing in it", text));
  for (double& y : Y) y /= mass;
  return Y;
}

} // namespace rhumb::combustion
