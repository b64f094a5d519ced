#pragma once
/// Ideal-gas mixtures of a mechanism, by mass fractions Y, generic in the scalar:
///   1/W = sum Y_k/W_k,  rho = p W/(R T),  C_k = rho Y_k/W_k,  X_k = Y_k W/W_k,  c_p = sum Y_k c_pk,  h = sum Y_k h_k.

#include <rhumb/physics/combustion/mechanism.hpp>
#include <span>

namespace rhumb::combustion {

/// sum Y_k/W_k, mol/kg.
template <class S>
S moles_per_mass(const Mechanism& gas, std::span<const S> Y) {
  S sum(0.0);
  for (std::size_t k = 0; k < gas.size(); ++k) add_multiple(sum, 1.0 / gas.species[k].weight, Y[k]);
  return sum;
}

/// Specific heat capacity at constant pressure of species k, J/(kg K).
template <class S>
S specific_heat(const Mechanism& gas, std::size_t k, const S& T) {
  return chain_to(heat_capacity(gas.species[k].thermo, as_single_variable(T)) * (gas_constant / gas.species[k].weight),
                  T);
}

/// Specific enthalpy of species k, J/kg.
template <class S>
S specific_enthalpy(const Mechanism& gas, std::size_t k, const S& T) {
  const auto T1 = as_single_variable(T);
  return chain_to(enthalpy(gas.species[k].thermo, T1) * T1 * (gas_constant / gas.species[k].weight), T);
}

template <class S>
S mean_specific_heat(const Mechanism& gas, const S& T, std::span<const S> Y) {
  S sum(0.0);
  double along_T = 0.0;
  const auto T1 = as_single_variable(T);
  for (std::size_t k = 0; k < gas.size(); ++k)
    add_product(sum, along_T, Y[k], heat_capacity(gas.species[k].thermo, T1) * (gas_constant / gas.species[k].weight));
  chain_along(sum, along_T, T);
  return sum;
}

template <class S>
S mean_specific_enthalpy(const Mechanism& gas, const S& T, std::span<const S> Y) {
  S sum(0.0);
  for (std::size_t k = 0; k < gas.size(); ++k) sum += Y[k] * specific_enthalpy(gas, k, T);
  return sum;
}

/// The temperature at which the mixture has the specific enthalpy h. Throws core::BadInput where there is none between
/// 50 K and 10000 K.
double temperature_of_enthalpy(const Mechanism& gas, double h, std::span<const double> Y);

/// u = h - R T/W, J/kg.
double mean_specific_internal_energy(const Mechanism& gas, double T, std::span<const double> Y);
/// The same for the specific internal energy u.
double temperature_of_internal_energy(const Mechanism& gas, double u, std::span<const double> Y);

/// What a user should know of a run that took the polynomials to the temperatures lowest ... highest; empty where all
/// of them hold there.
std::string remark_on_range(const Mechanism& gas, double lowest, double highest);

} // namespace rhumb::combustion
