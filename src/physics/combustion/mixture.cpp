#include "physics/combustion/mixture.hpp"

#include "core/failure.hpp"
#include <cmath>
#include <fmt/format.h>

namespace rhumb::combustion {

double temperature_of_enthalpy(const Mechanism& gas, double h, std::span<const double> Y) {
  double low = 50.0, high = 10000.0; // h rises with T: halve
  const auto excess = [&](double T) { return mean_specific_enthalpy<double>(gas, T, Y) - h; };
  if (excess(low) > 0.0 || excess(high) < 0.0)
    throw core::BadInput(
        fmt::format("no temperature between {:g} K and {:g} K gives the enthalpy {:g} J/kg", low, high, h));
  while (high - low > 1e-12 * high) {
    const double T = 0.5 * (low + high);
    if (T <= low || T >= high) break;
    (excess(T) < 0.0 ? low : high) = T;
  }
  return 0.5 * (low + high);
}

std::string remark_on_range(const Mechanism& gas, double lowest, double highest) {
  std::string remark;
  for (const auto& s : gas.species) {
    if (lowest < s.thermo.low && s.thermo.low == gas.lowest_temperature() && remark.empty())
      remark = fmt::format("{:g} K was reached, below the {:g} K from which the polynomials of {} hold", lowest,
                           s.thermo.low, s.name);
  }
  for (const auto& s : gas.species)
    if (highest > s.thermo.high && s.thermo.high == gas.highest_temperature()) {
      remark += fmt::format("{}{:g} K was reached, above the {:g} K up to which the polynomials of {} hold",
                            remark.empty() ? "" : "; ", highest, s.thermo.high, s.name);
      break;
    }
  return remark.empty() ? "" : remark + " (extrapolated)";
}

} // namespace rhumb::combustion
