#pragma once
/// The gas before it burns: by its moles (-mixture), or by the equivalence ratio of a fuel and an oxidizer (-phi, -fuel,
/// -oxidizer). At phi = 1 all C, H and S burn to CO2, H2O and SO2 and no oxygen is left.

#include <rhumb/core/options.hpp>
#include <rhumb/physics/combustion/mechanism.hpp>

namespace rhumb::combustion {

/// What is taken where the user says nothing.
struct FreshGasDefaults {
  std::string mixture;
  std::string fuel;
};

/// Mass fractions. Throws core::BadInput.
std::vector<double> read_fresh_gas(const Mechanism& gas, const core::Options& options,
                                   const FreshGasDefaults& defaults);

} // namespace rhumb::combustion
