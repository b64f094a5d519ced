#pragma once
/// Reduced collision integrals of the Lennard-Jones potential (Neufeld, Janzen and Aziz 1972), with Brokaw's term for
/// dipoles, delta being the reduced dipole moment; T is k_B T over the well's depth. The higher ones follow from
///   Omega(1,s+1) = Omega(1,s) + T/(s+2) dOmega(1,s)/dT.

namespace rhumb::combustion {

double omega11(double T, double delta);
double omega22(double T, double delta);

/// A* = Omega22/Omega11, B* = (5 Omega12 - 4 Omega13)/Omega11, C* = Omega12/Omega11; 1 for rigid spheres.
struct CollisionRatios {
  double A = 1.0, B = 1.0, C = 1.0;
};
CollisionRatios collision_ratios(double T, double delta);

/// 15/2 (2 A* + 5)(6 C* - 5)/(A* (16 A* - 12 B* + 55)): what the thermal diffusion ratio of a light gas in a heavy one
/// is to X_k X_j (W_k - W_j)/(W_k + W_j) (Chapman and Cowling; 105/118 for rigid spheres).
double thermal_diffusion_factor(const CollisionRatios& ratios);

} // namespace rhumb::combustion
