#pragma once
/// Diodes, bipolar transistors (Gummel-Poon without series resistances) and field-effect transistors (SPICE level 1, Shichman-Hodges) as functions of
/// the potentials of their terminals, generic in the scalar.

#include "deck.hpp"
#include <rhumb/core/dual.hpp>
#include <array>
#include <cmath>

namespace rhumb::problems::spice {

inline constexpr double thermal_voltage = 1.380649e-23 * 300.15 / 1.602176634e-19; // 27 degrees Celsius
inline constexpr double junction_conductance = 1e-12;                              // gmin, across every junction

/// exp, continued as a line where it would be out of bounds.
inline constexpr double last_exponent = 80.0;
template <class T>
T bounded_exp(const T& x) {
  using std::exp;
  if (core::value_of(x) <= last_exponent) return exp(x);
  return std::exp(last_exponent) * (1.0 + (x - last_exponent));
}

template <class T>
T junction_current(const T& v, double saturation, double emission = 1.0) {
  return saturation * (bounded_exp(T(v / (emission * thermal_voltage))) - 1.0) + junction_conductance * v;
}

/// A capacitance that depends on its voltage: constant, of a junction (SPICE), and of stored charge.
struct Capacitance {
  double constant = 0.0;
  double zero_bias = 0.0, potential = 1.0, grading = 0.5, forward = 0.5; ///< cjo, vj, m, fc
  double transit = 0.0, saturation = 0.0, emission = 1.0;                ///< tt, is, n

  bool constant_alone() const { return zero_bias == 0.0 && transit == 0.0; }
  /// dQ/du, and its derivative.
  double at(double u) const;
  double slope_at(double u) const;
  double charge_at(double u) const;
  /// A typical one: charges over it are voltages of ordinary size.
  double typical() const;
};

/// What makes a bipolar transistor more than Ebers-Moll's, with the names of SPICE. An infinite value leaves its effect out.
struct GummelPoon {
  double nf = 1.0, nr = 1.0;                     ///< emission of the two junctions
  double vaf = HUGE_VAL, var = HUGE_VAL;         ///< V, Early
  double ikf = HUGE_VAL, ikr = HUGE_VAL;         ///< A, where high injection begins
  double ise = 0.0, ne = 1.5, isc = 0.0, nc = 2; ///< leakage of the junctions

  /// By how much the charge of the base is larger than in Ebers-Moll's transistor:
  ///   q1 (1 + sqrt(1 + 4 q2))/2,   q1 = 1/(1 - v_bc/vaf - v_be/var),   q2 = i_f/ikf + i_r/ikr.
  template <class T>
  T base_charge(const T& vbe, const T& vbc, const T& forward, const T& reverse) const {
    using std::max;
    using std::sqrt;
    constexpr double least = 1e-4; // of 1 - v_bc/vaf - v_be/var, which vanishes far from where the model holds
    const T early = max(T(1.0 - vbc / vaf - vbe / var), T(least));
    const T injection = max(T(1.0 + 4.0 * (forward / ikf + reverse / ikr)), T(0.0));
    return 0.5 * (1.0 + sqrt(injection)) / early;
  }
};

/// The currents that flow into a device at its terminals (those of the element, in order).
struct Device {
  char letter = 'd';
  double sign = 1.0; ///< -1: pnp, pmos
  double saturation = 0.0, emission = 1.0, forward_gain = 1.0, reverse_gain = 1.0;
  double threshold = 0.0, transconductance = 0.0, body = 0.0, surface = 0.6, modulation = 0.0;
  GummelPoon more;
  double turned_transconductance = 0.0; ///< with drain and source in each other's place
  std::vector<int> nodes;

  static Device of(const Element& element);

  template <class T>
  std::array<T, 4> currents(const std::array<T, 4>& e) const {
    if (letter == 'd') {
      const T i = junction_current(T(e[0] - e[1]), saturation, emission);
      return {i, -i, T(0.0), T(0.0)};
    }
    return letter == 'q' ? bipolar(e) : field_effect(e);
  }

private:
  /// Collector, base, emitter.
  template <class T>
  std::array<T, 4> bipolar(const std::array<T, 4>& e) const {
    const T vbe = sign * (e[1] - e[2]), vbc = sign * (e[1] - e[0]);
    const T forward = junction_current(vbe, saturation, more.nf);
    const T reverse = junction_current(vbc, saturation, more.nr);
    const T leak_forward = leakage(vbe, more.ise, more.ne), leak_reverse = leakage(vbc, more.isc, more.nc);
    const T base = sign * (forward / forward_gain + leak_forward + reverse / reverse_gain + leak_reverse);
    const T through = (forward - reverse) / more.base_charge(vbe, vbc, forward, reverse);
    const T collector = sign * (through - reverse / reverse_gain - leak_reverse);
    return {collector, base, -collector - base, T(0.0)};
  }
  template <class T>
  static T leakage(const T& v, double saturation, double emission) {
    if (saturation == 0.0) return T(0.0);
    return saturation * (bounded_exp(T(v / (emission * thermal_voltage))) - 1.0);
  }

  /// Drain, gate, source, bulk. Drain and source change places where the voltage between them is negative.
  template <class T>
  std::array<T, 4> field_effect(const std::array<T, 4>& e) const {
    const bool turned = core::value_of(sign * (e[0] - e[2])) < 0.0;
    const T low = turned ? e[0] : e[2];
    const T channel =
        channel_current(turned ? turned_transconductance : transconductance,
                        T(sign * (turned ? e[2] - e[0] : e[0] - e[2])), T(sign * (e[1] - low)), T(sign * (e[3] - low)));
    const T through = sign * (turned ? -channel : channel);
    T to_drain(0.0), to_source(0.0);
    if (saturation > 0.0) {
      to_drain = sign * junction_current(T(sign * (e[3] - e[0])), saturation);
      to_source = sign * junction_current(T(sign * (e[3] - e[2])), saturation);
    }
    return {through - to_drain, T(0.0), -through - to_source, to_drain + to_source};
  }
  template <class T>
  T channel_current(double kp, const T& vds, const T& vgs, const T& vbs) const {
    using std::sqrt;
    T root(0.0);
    if (core::value_of(vbs) <= 0.0)
      root = sqrt(T(surface - vbs));
    else
      root = std::sqrt(surface) - vbs / (2.0 * std::sqrt(surface));
    if (core::value_of(root) < 0.0) root = T(0.0);
    const T over = vgs - (threshold + body * (root - std::sqrt(surface)));
    if (core::value_of(over) <= 0.0) return junction_conductance * vds;
    const T factor = kp * (1.0 + modulation * vds);
    const bool saturated = core::value_of(over) <= core::value_of(vds);
    return (saturated ? T(0.5 * factor * over * over) : T(factor * vds * (over - 0.5 * vds))) +
           junction_conductance * vds;
  }
};

/// Capacitors inside a device: the two nodes and the capacitance between them.
struct DeviceCapacitor {
  int from, to;
  Capacitance capacitance;
  std::string name;
};
std::vector<DeviceCapacitor> capacitors_of(const Element& element);

/// Throws core::BadInput where a model has a value that is not known.
void check_model(const Element& element, const std::string& file);

} // namespace rhumb::problems::spice
