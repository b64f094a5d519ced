#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <rhumb/core/yaml_node.hpp>
#include <rhumb/physics/combustion/elements.hpp>
#include <rhumb/physics/combustion/equation_text.hpp>
#include <rhumb/physics/combustion/mechanism.hpp>
#include <rhumb/physics/combustion/read_rates.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace rhumb::combustion {

using core::YamlNode;

namespace {

constexpr double debye = 3.33564e-30;      // C m
constexpr double angstrom = 1e-10;         // m
constexpr double balance_tolerance = 1e-8; // of atoms on both sides

Nasa7 read_thermo(const YamlNode& species, const Units& units) {
  if (!species.has("thermo")) species.reject("it has no thermodynamics (`thermo`)");
  const YamlNode at = species.at("thermo");
  const auto model = at.at("model").text("the model of thermo");
  if (model != "NASA7") at.reject(fmt::format("thermodynamics of the model {}: only NASA7 is understood", model));
  at.only({"model", "temperature-ranges", "data", "reference-pressure", "note"});
  Nasa7 thermo;
  if (at.has("reference-pressure"))
    thermo.reference_pressure = read_pressure(at.at("reference-pressure"), "reference-pressure", units);
  const auto ranges = at.at("temperature-ranges").items("temperature-ranges");
  const auto data = at.at("data").items("data");
  if (ranges.size() != data.size() + 1 || data.empty() || data.size() > 2)
    at.reject("one or two ranges of temperature and as many lists of coefficients are wanted");
  std::vector<double> T;
  for (const auto& r : ranges) T.push_back(r.real("a temperature"));
  if (!std::ranges::is_sorted(T)) at.reject("the temperatures must ascend");
  thermo.low = T.front();
  thermo.middle = T[1];
  thermo.high = T.back();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto list = data[i].items("coefficients");
    if (list.size() != 7) data[i].reject(fmt::format("{} coefficients, 7 are wanted", list.size()));
    for (std::size_t c = 0; c < 7; ++c) (i == 0 ? thermo.below : thermo.above)[c] = list[c].real("a coefficient");
  }
  if (data.size() == 1) thermo.above = thermo.below;
  return thermo;
}

Molecule read_transport(const YamlNode& at) {
  at.only({"model", "geometry", "well-depth", "diameter", "dipole", "polarizability", "rotational-relaxation",
           "acentric-factor", "note"});
  if (at.at("model").text("the model of transport") != "gas") at.reject("only the transport model `gas` is understood");
  Molecule molecule;
  const auto shape = at.at("geometry").text("geometry");
  if (shape == "atom")
    molecule.shape = Molecule::Shape::atom;
  else if (shape == "linear")
    molecule.shape = Molecule::Shape::linear;
  else if (shape == "nonlinear")
    molecule.shape = Molecule::Shape::nonlinear;
  else
    at.reject(fmt::format("geometry `{}`: atom, linear or nonlinear is wanted", shape));
  const auto real = [&](const char* key) { return at.has(key) ? at.at(key).real(key) : 0.0; };
  molecule.well_depth = at.at("well-depth").real("well-depth");
  molecule.diameter = at.at("diameter").real("diameter") * angstrom;
  molecule.dipole = real("dipole") * debye;
  molecule.polarizability = real("polarizability") * angstrom * angstrom * angstrom;
  molecule.rotational_relaxation = real("rotational-relaxation");
  if (!(molecule.well_depth > 0.0) || !(molecule.diameter > 0.0)) at.reject("well-depth and diameter must be > 0");
  return molecule;
}

Species read_species(const YamlNode& at, const Units& units) {
  Species species;
  species.name = at.at("name").text("name");
  const YamlNode here = at.about(fmt::format("species {}", species.name));
  // an equation of state is for other phases: only those of ideal gases are read
  here.only({"name", "composition", "thermo", "transport", "note", "equation-of-state"});
  for (const auto& [element, count] : here.at("composition").entries("composition")) {
    const auto weight = atomic_weight(element);
    if (!weight) count.reject(fmt::format("the element `{}` has no atomic weight here", element));
    species.composition[element] = count.real("a count of atoms");
    species.weight += species.composition[element] * *weight;
  }
  if (!(species.weight > 0.0)) here.reject("its composition is empty");
  species.thermo = read_thermo(here, units);
  if (here.has("transport")) species.transport = read_transport(here.at("transport"));
  return species;
}

/// Reads one reaction of a mechanism whose species are known.
class ReactionReader {
public:
  ReactionReader(const Mechanism& mechanism, const Units& units, const YamlNode& at)
      : mechanism_(mechanism), units_(units),
        at_(at.about(fmt::format("reaction `{}`", at.at("equation").text("equation")))) {}

  Reaction read() {
    at_.only({"equation", "type", "rate-constant", "high-P-rate-constant", "low-P-rate-constant", "Troe",
              "efficiencies", "default-efficiency", "rate-constants", "temperature-range", "pressure-range", "data",
              "duplicate", "note", "id"});
    reaction_.equation = at_.at("equation").text("equation");
    const EquationText text = parse();
    reaction_.reversible = text.reversible;
    reaction_.reactants = terms(text.left);
    reaction_.products = terms(text.right);
    reaction_.changes = changes(reaction_.reactants, reaction_.products);
    check_balance();
    read_kind(text);
    read_rates();
    read_efficiencies(text.left.collider);
    return reaction_;
  }

  bool is_duplicate() const { return at_.has("duplicate") && at_.at("duplicate").flag("duplicate"); }
  const YamlNode& at() const { return at_; }

private:
  EquationText parse() const {
    try {
      return parse_equation(reaction_.equation);
    } catch (const std::invalid_argument& failure) {
      at_.reject(failure.what());
    }
  }

  std::size_t index_of(const YamlNode& where, const std::string& name) const {
    if (const auto k = mechanism_.find(name)) return *k;
    std::vector<std::string> names;
    for (const auto& s : mechanism_.species) names.push_back(s.name);
    const auto near = core::nearest(name, names);
    where.reject(fmt::format("the species `{}` is not known{}", name,
                             near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }

  std::vector<Term> terms(const EquationText::Side& side) const {
    std::vector<Term> all;
    for (const auto& [name, count] : side.terms) all.push_back({index_of(at_, name), count});
    return all;
  }

  void check_balance() const {
    for (const auto& element : mechanism_.elements) {
      double left = 0.0, right = 0.0;
      for (const Term& t : reaction_.reactants) left += t.count * mechanism_.atoms(element, t.species);
      for (const Term& t : reaction_.products) right += t.count * mechanism_.atoms(element, t.species);
      if (std::abs(left - right) > balance_tolerance)
        at_.reject(fmt::format("it does not balance: {:g} atoms of {} become {:g}", left, element, right));
    }
  }

  void read_kind(const EquationText& text) {
    using Third = EquationText::Third;
    using Kind = Reaction::Kind;
    const Kind by_text = text.left.third == Third::falloff ? Kind::falloff
                         : text.left.third == Third::body  ? Kind::three_body
                                                           : Kind::elementary;
    reaction_.kind = by_text;
    if (!at_.has("type")) return;
    const auto token = at_.at("type").text("type");
    const std::vector<std::pair<std::string, Kind>> known{{"elementary", Kind::elementary},
                                                          {"three-body", Kind::three_body},
                                                          {"falloff", Kind::falloff},
                                                          {"pressure-dependent-Arrhenius", Kind::interpolated},
                                                          {"Chebyshev", Kind::chebyshev}};
    const auto found = std::ranges::find(known, token, &std::pair<std::string, Kind>::first);
    if (found == known.end())
      at_.reject(fmt::format("reactions of type `{}` are not understood: elementary, three-body, falloff, "
                             "pressure-dependent-Arrhenius, Chebyshev",
                             token));
    const bool table = found->second == Kind::interpolated || found->second == Kind::chebyshev;
    if (table && (by_text == Kind::elementary || text.left.collider == "M")) { // a (+M) says no more than that
      reaction_.kind = found->second;
      return;
    }
    if (found->second != by_text)
      at_.reject(fmt::format("it is called {}, but its third bodies are not those of one", token));
  }

  void read_rates() {
    using Kind = Reaction::Kind;
    double order = reaction_.kind == Kind::three_body ? 1.0 : 0.0;
    for (const Term& t : reaction_.reactants) order += t.count;
    reject_keys_of_other_kinds();
    switch (reaction_.kind) {
    case Kind::falloff:
      reaction_.rate = read_arrhenius(at_.at("high-P-rate-constant"), order, units_);
      reaction_.low_pressure = read_arrhenius(at_.at("low-P-rate-constant"), order + 1.0, units_);
      if (at_.has("Troe")) reaction_.troe = read_troe(at_.at("Troe"));
      return;
    case Kind::interpolated:
      reaction_.rates_at_pressures = read_rates_at_pressures(at_.at("rate-constants"), order, units_);
      reaction_.rate.A = 1.0;
      return;
    case Kind::chebyshev:
      reaction_.chebyshev = read_chebyshev(at_, order, units_);
      reaction_.rate.A = 1.0;
      return;
    default:
      reaction_.rate = read_arrhenius(at_.at("rate-constant"), order, units_);
    }
  }

  void reject_keys_of_other_kinds() const {
    using Kind = Reaction::Kind;
    const Kind kind = reaction_.kind;
    if (kind == Kind::falloff)
      reject_keys({"rate-constant"}, "falloff reactions have high-P-rate-constant and low-P-rate-constant");
    else
      reject_keys({"Troe", "high-P-rate-constant", "low-P-rate-constant"}, "it belongs to falloff reactions");
    if (kind != Kind::interpolated)
      reject_keys({"rate-constants"}, "it belongs to reactions of type pressure-dependent-Arrhenius");
    if (kind != Kind::chebyshev)
      reject_keys({"temperature-range", "pressure-range", "data"}, "it belongs to reactions of type Chebyshev");
    if (reaction_.has_table()) reject_keys({"rate-constant"}, "the rate of this type is a table");
  }

  void reject_keys(const std::vector<std::string>& keys, const std::string& why) const {
    for (const auto& key : keys)
      if (at_.has(key)) at_.at(key).reject(fmt::format("`{}` has no meaning here: {}", key, why));
  }

  void read_efficiencies(const std::string& collider) {
    const std::vector<std::string> keys{"efficiencies", "default-efficiency"};
    if (reaction_.kind != Reaction::Kind::three_body && reaction_.kind != Reaction::Kind::falloff) {
      reject_keys(keys, "it belongs to reactions with a third body");
      return;
    }
    if (!collider.empty() && collider != "M") { // (+AR): only that one
      reject_keys(keys, fmt::format("the only third body is {}", collider));
      reaction_.efficiency = 0.0;
      reaction_.efficiencies = {{index_of(at_, collider), 1.0}};
      return;
    }
    if (at_.has("default-efficiency")) reaction_.efficiency = at_.at("default-efficiency").real("default-efficiency");
    if (!at_.has("efficiencies")) return;
    for (const auto& [name, value] : at_.at("efficiencies").entries("efficiencies"))
      reaction_.efficiencies.emplace_back(index_of(value, name), value.real(fmt::format("the efficiency of {}", name)));
  }

  const Mechanism& mechanism_;
  const Units& units_;
  YamlNode at_;
  Reaction reaction_;
};

struct Written {
  bool duplicate;
  YamlNode at;
};

std::string key_of(std::vector<Term> side) {
  std::ranges::sort(side, {}, &Term::species);
  std::string text;
  for (const Term& t : side) text += fmt::format("{}*{} ", t.count, t.species);
  return text;
}

double efficiency_of(const Reaction& reaction, std::size_t species) {
  for (const auto& [k, value] : reaction.efficiencies)
    if (k == species) return value;
  return reaction.efficiency;
}

/// Whether two reactions do the same: in the same direction, or one of them in both; with a third body in common.
bool same(const Reaction& a, const Reaction& b, std::size_t species) {
  const auto left = key_of(a.reactants), right = key_of(a.products);
  const bool along = left == key_of(b.reactants) && right == key_of(b.products);
  const bool against = left == key_of(b.products) && right == key_of(b.reactants);
  if (a.kind != b.kind || !(along || (against && (a.reversible || b.reversible)))) return false;
  for (std::size_t k = 0; k < species; ++k)
    if (efficiency_of(a, k) != 0.0 && efficiency_of(b, k) != 0.0) return true;
  return false;
}

/// Two reactions that do the same must both say that they are meant.
void reject_unmeant_duplicates(const Mechanism& gas, const std::vector<Written>& all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!(all[i].duplicate && all[j].duplicate) && same(gas.reactions[i], gas.reactions[j], gas.size()))
        all[i].at.reject("it stands here twice; where that is meant, both say `duplicate: true`");
}

void read_all_species(const YamlNode& file, const YamlNode& phase, const Units& units, Mechanism& mechanism) {
  std::vector<Species> defined;
  for (const auto& at : file.at("species").items("species")) defined.push_back(read_species(at, units));
  for (const auto& at : phase.at("species").items("the species of the phase")) {
    const auto name = at.text("a species");
    const auto found = std::ranges::find(defined, name, &Species::name);
    if (found == defined.end()) at.reject(fmt::format("the species `{}` of the phase is not defined", name));
    mechanism.species.push_back(*found);
  }
  if (mechanism.species.empty()) phase.at("species").reject("the phase has no species");
  for (const auto& s : mechanism.species)
    for (const auto& [element, count] : s.composition)
      if (std::ranges::find(mechanism.elements, element) == mechanism.elements.end())
        mechanism.elements.push_back(element);
}

/// Equilibrium constants are taken with one reference pressure.
void reject_mixed_references(const YamlNode& phase, const Mechanism& mechanism) {
  for (const auto& s : mechanism.species)
    if (s.thermo.reference_pressure != mechanism.species.front().thermo.reference_pressure)
      phase.reject(fmt::format("the species {} and {} have different reference pressures",
                               mechanism.species.front().name, s.name));
}

} // namespace

Mechanism read_mechanism(const std::string& name) {
  const YamlNode file = core::load_yaml(name, "a mechanism");
  Mechanism mechanism;
  mechanism.file = name;
  const auto phases = file.at("phases").items("phases");
  if (phases.empty()) file.reject("there is no phase");
  const YamlNode& phase = phases.front();
  mechanism.name = phase.at("name").text("name");
  if (phase.has("thermo") && phase.at("thermo").text("thermo") != "ideal-gas")
    phase.at("thermo").reject("only ideal gases are understood");
  const Units units = read_units(file);
  read_all_species(file, phase, units, mechanism);
  reject_mixed_references(phase, mechanism);
  std::vector<Written> written;
  if (file.has("reactions"))
    for (const auto& at : file.at("reactions").items("reactions")) {
      ReactionReader reader(mechanism, units, at);
      mechanism.reactions.push_back(reader.read());
      written.push_back({reader.is_duplicate(), reader.at()});
    }
  reject_unmeant_duplicates(mechanism, written);
  return mechanism;
}

} // namespace rhumb::combustion
