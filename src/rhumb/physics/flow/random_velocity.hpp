#pragma once
/// A random velocity without divergence to begin turbulence with: a sum of plane waves a_m cos(k_m . x + phi_m), a_m
/// normal to k_m (Kraichnan 1970). Directions are even over the sphere, wave numbers are those of a spectrum
/// E(k) ~ k^4 exp(-2 (k/k0)^2), every wave has the same energy. In periodic directions k is a multiple of 2 pi / L. The
/// seed decides alone: ranks and grids do not.

#include <rhumb/physics/flow/staggered.hpp>
#include <cstdint>

namespace rhumb::flow {

struct RandomWaves {
  double intensity = 0.0;  ///< root mean square of a component; 0: no waves
  double wavenumber = 0.0; ///< k0, where the spectrum has its peak
  long count = 200;
  std::uint64_t seed = 1;
};

class RandomVelocity {
public:
  /// Throws core::BadInput where no wave number near k0 fits a periodic box.
  RandomVelocity(const RandomWaves& waves, const grid::BoxShape& shape);
  double operator()(int component, const Position& x) const;

private:
  struct Wave {
    Position wavenumber, amplitude;
    double phase;
  };
  std::vector<Wave> waves_;
};

} // namespace rhumb::flow
