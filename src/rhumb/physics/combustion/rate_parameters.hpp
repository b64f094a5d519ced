#pragma once
/// The pre-exponential factors and activation energies of a mechanism as parameters: which reaction rules the ignition?

#include <rhumb/dae/system.hpp>
#include <rhumb/physics/combustion/mechanism.hpp>

namespace rhumb::combustion {

/// Names the pre-exponential factor of each reaction as a parameter, A_1, A_2, ... in the order of the file (SI units
/// with the mole), then the activation energies, E_1, E_2, ... (J/mol). Those of a falloff reaction move both of its
/// limits; one with a table in pressure has a factor only, 1 as the file is. The mechanism must live as long as the set.
void name_rate_parameters(Mechanism& mechanism, dae::ParameterSet& parameters);

/// dF/dA: F is linear in A, so a difference of any width is exact but for rounding. False for other parameters.
bool differentiate_by_rate(dae::System& system, double t, Vec y, Vec ydot, std::size_t index, Vec out);

} // namespace rhumb::combustion
