#pragma once
/// Figures of a flow at one time, each a sum over the grid that is the same on all ranks (to rounding).

#include <rhumb/physics/flow/equations.hpp>

namespace rhumb::flow {

struct Measures {
  double kinetic_energy = 0.0; ///< 1/2 int |u|^2
  double dissipation = 0.0;    ///< nu int |grad u|^2, as the discrete diffusion takes it
  double enstrophy = 0.0;      ///< 1/2 int |curl u|^2
  double divergence_max = 0.0; ///< largest |div u|
  double divergence_l2 = 0.0;  ///< sqrt(int (div u)^2)
  double speed_max = 0.0;      ///< largest component anywhere
};
Measures measure(Equations& equations, double t, Vec y);

/// d(kinetic_energy)/dy, every entry.
void energy_gradient(const Equations& equations, Vec y, Vec out);

/// Largest |div u| alone.
double largest_divergence(Equations& equations, Vec y);

/// Force of the fluid on each side and on the obstacle: pressure and friction, per unit density; sides first.
struct Force {
  std::string name;
  Position force{};
};
std::vector<Force> forces(Equations& equations, const Case& flow_case, double t, Vec y);

/// Mean of -dT/dx over the left side: the Nusselt number of a box of unit size and temperature difference.
double nusselt(Equations& equations, double t, Vec y);

/// Error of one field against a formula: root of the volume mean of squares, and largest. The pressure is compared up
/// to a constant where its level is free.
struct FieldError {
  double l2 = 0.0, largest = 0.0;
};
FieldError field_error(const Staggered& grid, int field, const Expression& exact, double t, Vec y, bool closed);

} // namespace rhumb::flow
