#include <rhumb/physics/combustion/mechanism_units.hpp>

#include <rhumb/core/strings.hpp>
#include <rhumb/physics/combustion/thermo.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::combustion {

using core::YamlNode;

namespace {

constexpr double calorie = 4.184;          // J
constexpr double avogadro = 6.02214076e23; // 1/mol

using KnownUnits = std::vector<std::pair<std::string, double>>;

const KnownUnits& pressures() {
  static const KnownUnits known{{"Pa", 1.0}, {"kPa", 1e3}, {"MPa", 1e6}, {"bar", 1e5}, {"atm", atmosphere}};
  return known;
}

const KnownUnits& activation_energies() {
  static const KnownUnits known{{"cal/mol", calorie}, {"kcal/mol", 1e3 * calorie}, {"J/mol", 1.0}, {"kJ/mol", 1e3},
                                {"J/kmol", 1e-3},     {"K", gas_constant}};
  return known;
}

double factor_of(const YamlNode& at, const std::string& unit, const std::string& what, const KnownUnits& known) {
  std::vector<std::string> names;
  for (const auto& [name, factor] : known) {
    if (name == unit) return factor;
    names.push_back(name);
  }
  at.reject(fmt::format("unit `{}` of {} is not known: one of {} is wanted", unit, what, fmt::join(names, ", ")));
}

double factor_of(const YamlNode& at, const std::string& what, const KnownUnits& known) {
  return factor_of(at, at.text(what), what, known);
}

/// A number in the unit behind it; without one times `otherwise`.
double quantity(const YamlNode& at, const std::string& what, const KnownUnits& known, double otherwise) {
  const auto text = at.is_text() ? at.text(what) : std::string();
  const auto gap = text.find(' ');
  const auto number = gap == std::string::npos ? std::nullopt : core::parse_real(text.substr(0, gap));
  if (!number) return at.real(what) * otherwise;
  return *number * factor_of(at, text.substr(text.find_first_not_of(' ', gap)), what, known);
}

} // namespace

Units read_units(const YamlNode& file) {
  Units units;
  if (!file.has("units")) {
    units.volume_per_mole = 1e-3; // Cantera's own: m, kmol, J/kmol
    units.activation = 1e-3;
    return units;
  }
  const YamlNode at = file.at("units").about("units");
  at.only({"length", "time", "quantity", "activation-energy", "pressure", "mass", "energy"});
  const double length = at.has("length") ? factor_of(at.at("length"), "length", {{"m", 1.0}, {"cm", 1e-2}}) : 1.0;
  const double amount = at.has("quantity") ? factor_of(at.at("quantity"), "quantity",
                                                       {{"mol", 1.0}, {"kmol", 1e3}, {"molec", 1.0 / avogadro}})
                                           : 1e3;
  units.volume_per_mole = length * length * length / amount;
  if (at.has("time")) units.time = factor_of(at.at("time"), "time", {{"s", 1.0}});
  units.activation = at.has("activation-energy")
                         ? factor_of(at.at("activation-energy"), "activation-energy", activation_energies())
                         : 1.0 / amount;
  if (at.has("energy") && !at.has("activation-energy"))
    at.at("energy").reject("the unit of activation energies is wanted as `activation-energy`");
  if (at.has("pressure")) units.pressure = factor_of(at.at("pressure"), "pressure", pressures());
  return units;
}

double read_pressure(const YamlNode& at, const std::string& what, const Units& units) {
  const double pressure = quantity(at, what, pressures(), units.pressure);
  if (!(pressure > 0.0)) at.reject(fmt::format("{} must be > 0", what));
  return pressure;
}

double read_activation_temperature(const YamlNode& at, const Units& units) {
  return quantity(at, "Ea", activation_energies(), units.activation) / gas_constant;
}

} // namespace rhumb::combustion
