#pragma once
/// The rate coefficients of a mechanism's file, in SI units with the mole.

#include <rhumb/physics/combustion/mechanism.hpp>
#include <rhumb/physics/combustion/mechanism_units.hpp>

namespace rhumb::combustion {

/// {A, b, Ea} of a reaction of this order.
Arrhenius read_arrhenius(const core::YamlNode& at, double order, const Units& units);

Troe read_troe(const core::YamlNode& at);

/// The list `rate-constants` of {P, A, b, Ea}; several may have the same pressure.
std::vector<RatesAtPressure> read_rates_at_pressures(const core::YamlNode& at, double order, const Units& units);

/// temperature-range, pressure-range and data of a reaction; a row of `data` for each polynomial in temperature.
Chebyshev read_chebyshev(const core::YamlNode& reaction, double order, const Units& units);

} // namespace rhumb::combustion
