#include <rhumb/physics/combustion/mixture.hpp>

#include <rhumb/core/failure.hpp>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::combustion {

namespace {
/// Where the function, which rises with T, has the value: by halving.
template <class Function>
double temperature_of(const char* what, double value, const Function& function) {
  double low = 50.0, high = 10000.0;
  const auto excess = [&](double T) { return function(T) - value; };
  if (excess(low) > 0.0 || excess(high) < 0.0)
    throw core::BadInput(
        fmt::format("no temperature between {:g} K and {:g} K gives the {} {:g} J/kg", low, high, what, value));
  while (high - low > 1e-12 * high) {
    const double T = 0.5 * (low + high);
    if (T <= low || T >= high) break;
    (excess(T) < 0.0 ? low : high) = T;
  }
  return 0.5 * (low + high);
}
} // namespace

double temperature_of_enthalpy(const Mechanism& gas, double h, std::span<const double> Y) {
  return temperature_of("enthalpy", h, [&](double T) { return mean_specific_enthalpy<double>(gas, T, Y); });
}

double mean_specific_internal_energy(const Mechanism& gas, double T, std::span<const double> Y) {
  return mean_specific_enthalpy<double>(gas, T, Y) - gas_constant * T * moles_per_mass<double>(gas, Y);
}

double temperature_of_internal_energy(const Mechanism& gas, double u, std::span<const double> Y) {
  return temperature_of("internal energy", u, [&](double T) { return mean_specific_internal_energy(gas, T, Y); });
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
