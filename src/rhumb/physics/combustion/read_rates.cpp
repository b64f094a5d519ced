#include <rhumb/physics/combustion/read_rates.hpp>

#include <rhumb/physics/combustion/pressure_rates.hpp>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::combustion {

using core::YamlNode;

namespace {

/// Where a sum of rates, some of them negative, must be positive for its logarithm.
constexpr std::array temperatures_of_check{300.0, 500.0, 1000.0, 2000.0, 3000.0}; // K

double unit_of_rate(double order, const Units& units) {
  return std::pow(units.volume_per_mole, order - 1.0) / units.time;
}

Arrhenius read_signed_arrhenius(const YamlNode& at, double order, const Units& units) {
  return {at.at("A").real("A") * unit_of_rate(order, units), at.at("b").real("b"),
          read_activation_temperature(at.at("Ea"), units)};
}

void reject_sums_without_logarithm(const YamlNode& at, const std::vector<RatesAtPressure>& table) {
  for (const RatesAtPressure& entry : table)
    for (const double T : temperatures_of_check)
      if (!(rate_at_pressure(entry, T, std::log(T)) > 0.0))
        at.reject(
            fmt::format("the sum of the rates at {:g} Pa is not positive at {:g} K", std::exp(entry.log_pressure), T));
}

/// Two numbers that ascend.
template <class Read>
std::pair<double, double> read_range(const YamlNode& at, const std::string& what, const Read& read) {
  const auto ends = at.items(what);
  if (ends.size() != 2) at.reject(fmt::format("{}: two numbers are wanted", what));
  const double low = read(ends[0]), high = read(ends[1]);
  if (!(low > 0.0 && low < high)) at.reject(fmt::format("{}: positive numbers that ascend are wanted", what));
  return {low, high};
}

} // namespace

Arrhenius read_arrhenius(const YamlNode& at, double order, const Units& units) {
  at.only({"A", "b", "Ea"});
  const Arrhenius rate = read_signed_arrhenius(at, order, units);
  if (!(rate.A > 0.0)) at.reject("A must be > 0");
  return rate;
}

Troe read_troe(const YamlNode& at) {
  at.only({"A", "T3", "T1", "T2"});
  Troe troe{at.at("A").real("A"), at.at("T3").real("T3"), at.at("T1").real("T1"), std::nullopt};
  if (at.has("T2")) troe.T2 = at.at("T2").real("T2");
  if (troe.T3 == 0.0 || troe.T1 == 0.0) at.reject("T1 and T3 must not be 0");
  return troe;
}

std::vector<RatesAtPressure> read_rates_at_pressures(const YamlNode& at, double order, const Units& units) {
  std::vector<RatesAtPressure> table;
  for (const YamlNode& entry : at.items("rate-constants")) {
    entry.only({"P", "A", "b", "Ea"});
    const double log_pressure = std::log(read_pressure(entry.at("P"), "P", units));
    if (!table.empty() && log_pressure < table.back().log_pressure) entry.reject("the pressures must ascend");
    if (table.empty() || log_pressure > table.back().log_pressure) table.push_back({log_pressure, {}});
    table.back().rates.push_back(read_signed_arrhenius(entry, order, units));
  }
  if (table.empty()) at.reject("at least one rate is wanted");
  reject_sums_without_logarithm(at, table);
  return table;
}

Chebyshev read_chebyshev(const YamlNode& reaction, double order, const Units& units) {
  Chebyshev fit;
  std::tie(fit.lowest_temperature, fit.highest_temperature) =
      read_range(reaction.at("temperature-range"), "temperature-range",
                 [](const YamlNode& at) { return at.real("a temperature"); });
  std::tie(fit.lowest_pressure, fit.highest_pressure) =
      read_range(reaction.at("pressure-range"), "pressure-range",
                 [&units](const YamlNode& at) { return read_pressure(at, "a pressure", units); });
  const YamlNode data = reaction.at("data");
  for (const YamlNode& row : data.items("data")) {
    auto& numbers = fit.coefficients.emplace_back();
    for (const YamlNode& number : row.items("a row of data")) numbers.push_back(number.real("a coefficient"));
    if (numbers.empty() || numbers.size() != fit.coefficients.front().size())
      row.reject("the rows of data must have the same length");
  }
  if (fit.coefficients.empty()) data.reject("at least one row of data is wanted");
  fit.coefficients[0][0] += std::log10(unit_of_rate(order, units));
  return fit;
}

} // namespace rhumb::combustion
