#pragma once
/// Rates of a mechanism, generic in the scalar:
///   w_k = sum_j nu_kj q_j,   q_j = k_f prod C^nu' - k_r prod C^nu'',   k_r = k_f / K_c,
///   K_c = exp(-dG/RT) (p_ref/RT)^dn,
/// times sum eff_k C_k for three-body reactions; k = k_inf Pr/(1+Pr) F for falloff ones.

#include "physics/combustion/mechanism.hpp"
#include <algorithm>
#include <span>

namespace rhumb::combustion {

/// log k(T).
template <class S>
S log_rate(const Arrhenius& rate, const S& T, const S& log_T) {
  return std::log(rate.A) + rate.b * log_T - rate.activation_temperature / T;
}

/// log10 F of Troe from F_cent and the reduced pressure (Gilbert, Luther and Troe 1983).
template <class S>
S troe_log10_broadening(const S& log10_centre, const S& log10_reduced_pressure) {
  const S c = -0.4 - 0.67 * log10_centre, n = 0.75 - 1.27 * log10_centre;
  const S x = log10_reduced_pressure + c, ratio = x / (n - 0.14 * x);
  return log10_centre / (1.0 + ratio * ratio);
}

template <class S>
S troe_centre(const Troe& troe, const S& T) {
  using std::exp;
  S centre = (1.0 - troe.a) * exp(-T / troe.T3) + troe.a * exp(-T / troe.T1);
  if (troe.T2) centre += exp(-*troe.T2 / T);
  return centre;
}

/// [M] = sum eff_k C_k; `total` is sum C_k.
template <class S>
S third_body(const Reaction& reaction, std::span<const S> C, const S& total) {
  S sum = total * reaction.efficiency;
  for (const auto& [k, efficiency] : reaction.efficiencies) add_multiple(sum, efficiency - reaction.efficiency, C[k]);
  return sum;
}

/// k(T, [M]) of a falloff reaction, with k_inf(T) and k_0(T) given.
template <class S>
S falloff_rate(const Reaction& reaction, const S& T, const S& high, const S& low, const S& M) {
  using std::log10;
  using std::max;
  using std::pow;
  constexpr double least = 1e-300; // no logarithm of nothing where no third body is
  const S reduced = low * M / high;
  S k = high * reduced / (1.0 + reduced);
  if (reaction.troe) {
    const auto T1 = alone(T);
    const auto centre = troe_centre(*reaction.troe, T1);
    using C = std::decay_t<decltype(centre)>;
    const S log10_centre = spread(log10(max(centre, C(least))), T);
    k = k * pow(10.0, troe_log10_broadening(log10_centre, S(log10(max(reduced, S(least))))));
  }
  return k;
}

/// Rates of production, mol/(m^3 s), of all species at temperature T and concentrations C, mol/m^3.
template <class S>
void production(const Mechanism& gas, const S& T, std::span<const S> C, std::span<S> out);

/// K_c's part that every species has: g_k = h_k/RT - s_k/R.
template <class S>
S gibbs(const Nasa7& species, const S& T, const S& log_T) {
  return enthalpy(species, T) - entropy(species, T, log_T);
}

/// prod C^nu.
template <class S>
S product_of(const std::vector<Term>& terms, std::span<const S> C) {
  S product(1.0);
  bool first = true;
  for (const Term& term : terms)
    for (int i = 0; i < term.count; ++i) {
      product = first ? C[term.species] : S(product * C[term.species]);
      first = false;
    }
  return product;
}

/// The forward and backward coefficients of a reaction at T (and, for falloff, k_0), as functions of T alone.
template <class One>
struct Coefficients {
  One forward, low;
  One inverse_Kc;
};

template <class One>
Coefficients<One> coefficients(const Reaction& reaction, const One& T, const One& log_T, std::span<const One> g,
                               double reference_pressure) {
  using std::exp;
  Coefficients<One> k{exp(log_rate(reaction.rate, T, log_T)), One(0.0), One(0.0)};
  if (reaction.kind == Reaction::Kind::falloff) k.low = exp(log_rate(reaction.low_pressure, T, log_T));
  if (!reaction.reversible) return k;
  One change(0.0); // dG/RT - dn ln(p_ref/RT)
  double moles = 0.0;
  const auto add = [&](const std::vector<Term>& terms, double sign) {
    for (const Term& term : terms) {
      change += sign * term.count * g[term.species];
      moles += sign * term.count;
    }
  };
  add(reaction.products, 1.0);
  add(reaction.reactants, -1.0);
  k.inverse_Kc = exp(change - moles * (std::log(reference_pressure / gas_constant) - log_T));
  return k;
}

template <class S>
void production(const Mechanism& gas, const S& T, std::span<const S> C, std::span<S> out) {
  using std::log;
  const auto T1 = alone(T);
  using One = std::decay_t<decltype(T1)>;
  const One log_T = log(T1);
  thread_local std::vector<One> room; // looked up once: it costs a call
  room.resize(gas.size());
  const std::span<One> g = room;
  for (std::size_t k = 0; k < gas.size(); ++k) g[k] = gibbs(gas.species[k].thermo, T1, log_T);
  std::ranges::fill(out, S(0.0));
  S total(0.0);
  for (const S& c : C) total += c;
  for (const Reaction& reaction : gas.reactions) {
    const auto k = coefficients<One>(reaction, T1, log_T, g, gas.species.front().thermo.reference_pressure);
    const bool falloff = reaction.kind == Reaction::Kind::falloff;
    const One forward = falloff ? One(1.0) : k.forward;
    S q(0.0);
    double along_T = 0.0;
    add_product(q, along_T, product_of(reaction.reactants, C), forward);
    if (reaction.reversible)
      add_product(q, along_T, product_of(reaction.products, C), One(-1.0 * forward * k.inverse_Kc));
    spread_along(q, along_T, T);
    if (reaction.kind == Reaction::Kind::three_body) q = q * third_body(reaction, C, total);
    if (falloff)
      q = q * falloff_rate<S>(reaction, T, spread(k.forward, T), spread(k.low, T), third_body(reaction, C, total));
    for (const Term& term : reaction.reactants) add_multiple(out[term.species], -term.count, q);
    for (const Term& term : reaction.products) add_multiple(out[term.species], term.count, q);
  }
}

} // namespace rhumb::combustion
