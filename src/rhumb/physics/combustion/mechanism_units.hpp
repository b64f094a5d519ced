#pragma once
/// The units of a mechanism's file as factors to SI with the mole, and numbers that carry a unit of their own.

#include <rhumb/core/yaml_node.hpp>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::combustion {

/// What the file's numbers are to be multiplied with.
struct Units {
  double volume_per_mole = 1e-6; ///< m^3/mol in the file's unit of 1/concentration
  double time = 1.0;             ///< s
  double activation = 4.184;     ///< J/mol per unit; for K the gas constant
  double pressure = 1.0;         ///< Pa
};

/// The entry `units` of the file; without it Cantera's own, m, kmol, J/kmol.
Units read_units(const core::YamlNode& file);

/// Pa; the number may have a unit behind it, "0.01 atm".
double read_pressure(const core::YamlNode& at, const std::string& what, const Units& units);

/// Ea/R in K; the number may have a unit behind it, "3.98 kcal/mol".
double read_activation_temperature(const core::YamlNode& at, const Units& units);

} // namespace rhumb::combustion
