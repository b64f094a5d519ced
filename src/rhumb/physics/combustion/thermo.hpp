#pragma once
/// NASA polynomials with seven coefficients, per species and for two ranges of temperature:
///   cp/R   = a1 + a2 T + a3 T^2 + a4 T^3 + a5 T^4
///   h/(RT) = a1 + a2 T/2 + a3 T^2/3 + a4 T^3/4 + a5 T^4/5 + a6/T
///   s/R    = a1 ln T + a2 T + a3 T^2/2 + a4 T^3/3 + a5 T^4/4 + a7     (at the reference pressure)
/// Outside of their range they are extrapolated; who runs a case is told (remark_on_range, mixture.hpp).

#include <rhumb/physics/combustion/scalar.hpp>
#include <array>

namespace rhumb::combustion {

inline constexpr double gas_constant = 8.31446261815324; ///< J/(mol K), exact in the SI
inline constexpr double atmosphere = 101325.0;           ///< Pa

struct Nasa7 {
  double low = 200.0, middle = 1000.0, high = 3500.0; ///< K
  std::array<double, 7> below{}, above{};             ///< coefficients below and above `middle`
  double reference_pressure = atmosphere;             ///< Pa

  const std::array<double, 7>& at(double T) const { return T < middle ? below : above; }
};

/// cp/R.
template <class S>
S heat_capacity(const Nasa7& species, const S& T) {
  const auto& a = species.at(value_of(T));
  return a[0] + T * (a[1] + T * (a[2] + T * (a[3] + T * a[4])));
}

/// h/(RT).
template <class S>
S enthalpy(const Nasa7& species, const S& T) {
  const auto& a = species.at(value_of(T));
  return a[0] + T * (a[1] / 2.0 + T * (a[2] / 3.0 + T * (a[3] / 4.0 + T * (a[4] / 5.0)))) + a[5] / T;
}

/// s/R; `log_T` is ln T.
template <class S>
S entropy(const Nasa7& species, const S& T, const S& log_T) {
  const auto& a = species.at(value_of(T));
  return a[0] * log_T + T * (a[1] + T * (a[2] / 2.0 + T * (a[3] / 3.0 + T * (a[4] / 4.0)))) + a[6];
}

} // namespace rhumb::combustion
