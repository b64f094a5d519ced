#pragma once
/// What flows: a gas or a slightly compressible liquid, its density, its friction at the wall, and its flow through an
/// orifice. All functions are generic in the scalar, so that duals give their derivatives.
///
/// The unknown of a volume is P = p/z, the pressure over the real-gas factor (of a liquid: p). Density, and with it
/// mass, is a linear function of P, so that an integrator which keeps linear invariants keeps mass; p is an explicit
/// function of P for all equations of state here. Where the temperature changes too the gas is ideal, and the density of
/// a volume is an unknown beside its pressure: energy is a linear function of the one, mass of the other.

#include <cmath>
#include <cstdint>

namespace rhumb::network {

inline constexpr double gas_constant = 8.31446261815324; // J/(mol K)
inline constexpr double standard_gravity = 9.80665;      // m/s^2

/// What a volume has in it.
template <class S>
struct State {
  S pressure, density, temperature;
};

struct Fluid {
  enum class Equation : std::uint8_t { ideal, aga, papay, liquid };
  Equation equation = Equation::ideal;
  double specific_constant = gas_constant / 0.0185; ///< R/M in J/(kg K), of a gas
  double temperature = 283.15;                      ///< K
  double critical_pressure = 46.4e5;                ///< Pa; 46.4 bar and 191 K are those of methane, nearly
  double critical_temperature = 191.0;              ///< K
  double heat_ratio = 1.3;                          ///< c_p/c_v, of orifices and compressors
  double viscosity = 1.1e-5;                        ///< dynamic, Pa s
  double density = 1000.0;                          ///< of a liquid at `pressure`, kg/m^3
  double pressure = 101325.0;                       ///< Pa
  double sound_speed = 1200.0;                      ///< of a liquid in its pipe, m/s

  bool liquid() const { return equation == Equation::liquid; }

  /// The real-gas factor z(p). AGA (p < 70 bar): 1 + 0.257 p_r - 0.533 p_r/T_r. Papay (p < 150 bar):
  /// 1 - 3.52 p_r exp(-2.26 T_r) + 0.274 p_r^2 exp(-1.878 T_r).
  template <class S>
  S compressibility(const S& p) const {
    return 1.0 + p * (linear_coefficient() + quadratic_coefficient() * p);
  }

  /// The root p of p = z(p) P that goes to P with P -> 0.
  template <class S>
  S pressure_of(const S& P) const {
    using std::sqrt;
    if (equation == Equation::ideal || equation == Equation::liquid) return P;
    const S b = 1.0 - linear_coefficient() * P;
    return 2.0 * P / (b + sqrt(b * b - 4.0 * quadratic_coefficient() * P * P));
  }
  /// P = p/z(p).
  double reduced(double p) const { return liquid() ? p : p / compressibility(p); }

  template <class S>
  S density_of(const S& P) const {
    if (liquid()) return density + (P - pressure) * density_slope();
    return P * density_slope();
  }
  /// At the fluid's one temperature.
  template <class S>
  State<S> state(const S& P) const {
    return {pressure_of(P), density_of(P), S(temperature)};
  }
  /// Of an ideal gas at any temperature.
  template <class S>
  State<S> state(const S& p, const S& rho) const {
    return {p, rho, p / (specific_constant * rho)};
  }
  /// Enthalpy of an ideal gas per kg and K, and pressure over its internal energy per m^3.
  double heat_capacity() const { return specific_constant * heat_ratio / (heat_ratio - 1.0); }
  double pressure_per_energy() const { return heat_ratio - 1.0; }

  /// d rho/dP, a constant.
  double density_slope() const {
    return liquid() ? 1.0 / (sound_speed * sound_speed) : 1.0 / (specific_constant * temperature);
  }

  /// The ratio of pressures behind and before an orifice below which its flow is choked; 0 for a liquid.
  double critical_ratio() const {
    return liquid() ? 0.0 : std::pow(2.0 / (heat_ratio + 1.0), heat_ratio / (heat_ratio - 1.0));
  }

  /// The square of the mass flow per area of an orifice from (p, rho) to a pressure below p. Unchoked: p rho psi^2,
  /// psi^2 = 2 g/(g - 1) (r^(2/g) - r^((g+1)/g)), r the ratio of pressures; choked, r is the critical one. Bernoulli's
  /// for a liquid.
  template <class S>
  S orifice_flux_squared(const S& p, const S& rho, const S& below, bool choked) const {
    using std::pow;
    if (liquid()) return 2.0 * rho * (p - below);
    const double g = heat_ratio;
    const S r = choked ? S(critical_ratio()) : S(below / p);
    return p * rho * (2.0 * g / (g - 1.0)) * (pow(r, 2.0 / g) - pow(r, (g + 1.0) / g));
  }

  /// Specific work of an adiabatic compressor, J/kg, from (p1, T1): z R T1 g/(g - 1) ((p2/p1)^((g - 1)/g) - 1).
  template <class S>
  S compression_work(const S& p1, const S& T1, const S& p2) const {
    using std::pow;
    const double k = (heat_ratio - 1.0) / heat_ratio;
    if (liquid()) return (p2 - p1) / density;
    return compressibility(p1) * (specific_constant / k) * T1 * (pow(p2 / p1, k) - 1.0);
  }

private:
  /// z = 1 + c1 p + c2 p^2.
  double linear_coefficient() const {
    const double reduced_temperature = temperature / critical_temperature;
    if (equation == Equation::aga) return (0.257 - 0.533 / reduced_temperature) / critical_pressure;
    if (equation == Equation::papay) return -3.52 * std::exp(-2.26 * reduced_temperature) / critical_pressure;
    return 0.0;
  }
  double quadratic_coefficient() const {
    if (equation != Equation::papay) return 0.0;
    return 0.274 * std::exp(-1.878 * temperature / critical_temperature) / (critical_pressure * critical_pressure);
  }
};

/// How the friction factor of a pipe comes about.
enum class FrictionLaw : std::uint8_t { hofer, colebrook, nikuradse };

/// Darcy's friction factor of turbulent flow at the Reynolds number Re, of a wall with roughness/diameter `rough`.
template <class S>
S turbulent_friction(FrictionLaw law, const S& Re, double rough) {
  using std::log10;
  if (law == FrictionLaw::nikuradse) {
    const double x = 1.138 - 2.0 * std::log10(rough);
    return S(1.0 / (x * x));
  }
  // Hofer's explicit form of Colebrook and White, lambda = 1/x^2
  S x = -2.0 * log10(4.518 / Re * log10(Re / 7.0) + rough / 3.71);
  if (law == FrictionLaw::colebrook) // x = -2 log10(2.51 x/Re + rough/3.71): contracts by some 0.1 a pass
    for (int pass = 0; pass < 12; ++pass) x = -2.0 * log10(2.51 * x / Re + rough / 3.71);
  return S(1.0 / (x * x));
}

/// lambda Re, which has no pole at rest: 64 below Re = 2300, that of the law of turbulent flow above 4000, and lambda a
/// line in Re between them.
template <class S>
S friction_times_reynolds(FrictionLaw law, const S& Re, double rough) {
  constexpr double laminar_end = 2300.0, turbulent_begin = 4000.0, laminar = 64.0;
  if (Re < laminar_end) return S(laminar);
  if (!(Re < turbulent_begin)) return Re * turbulent_friction(law, Re, rough);
  const double low = laminar / laminar_end, high = turbulent_friction(law, turbulent_begin, rough);
  return Re * (low + (Re - laminar_end) * ((high - low) / (turbulent_begin - laminar_end)));
}

} // namespace rhumb::network
