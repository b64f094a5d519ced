#pragma once
/// The heat that a material takes up, where its heat capacity depends on the temperature.

#include <rhumb/physics/heat/case.hpp>

namespace rhumb::heat {

/// Integral of rho c over the temperature, J/m^3, at a place of that material.
double heat_between(const Material& material, const std::array<double, 3>& x, double from, double to);

} // namespace rhumb::heat
