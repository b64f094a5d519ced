#pragma once
/// Rates of a mechanism, generic in the scalar:
///   w_k = sum_j nu_kj q_j,   q_j = k_j (prod C^nu' - prod C^nu''/K_c),   K_c = exp(-dG/RT) (p_ref/RT)^dn,
/// with k_j = A T^b e^(-Ea/RT), times [M] = sum eff_k C_k for three-body reactions; k_inf Pr/(1+Pr) F for falloff ones;
/// tables in T and p = R T sum C_k by pressure_rates.hpp.
///
/// A reaction sees T, [M] and a few concentrations. With duals its derivatives are taken by these alone and added up as
/// dw_k/d(C_1 ... C_K, sum C, T); the directions of the duals come in once, after the last reaction.

#include <rhumb/physics/combustion/pressure_rates.hpp>
#include <algorithm>
#include <concepts>
#include <span>

namespace rhumb::combustion {

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
inline double third_body(const Reaction& reaction, std::span<const double> C, double total) {
  double sum = reaction.efficiency * total;
  for (const auto& [k, efficiency] : reaction.efficiencies) sum += (efficiency - reaction.efficiency) * C[k];
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
    const auto T1 = as_single_variable(T);
    const auto centre = troe_centre(*reaction.troe, T1);
    using C = std::decay_t<decltype(centre)>;
    const S log10_centre = chain_to(log10(max(centre, C(least))), T);
    k = k * pow(10.0, troe_log10_broadening(log10_centre, S(log10(max(reduced, S(least))))));
  }
  return k;
}

/// K_c's part that every species has: g_k = h_k/RT - s_k/R.
template <class S>
S gibbs(const Nasa7& species, const S& T, const S& log_T) {
  return enthalpy(species, T) - entropy(species, T, log_T);
}

/// prod C^nu.
inline double product_of(const std::vector<Term>& terms, std::span<const double> C) {
  double product = 1.0;
  for (const Term& term : terms)
    for (int i = 0; i < term.count; ++i) product *= C[term.species];
  return product;
}

inline double power(double c, int n) {
  if (n == 1) return c;
  double product = 1.0;
  for (int i = 0; i < n; ++i) product *= c;
  return product;
}

/// d/dC of prod C^nu, C being that of one of the terms.
inline double derivative_of_product(const std::vector<Term>& terms, const Term& of, std::span<const double> C) {
  double derivative = of.count == 1 ? 1.0 : of.count * power(C[of.species], of.count - 1);
  for (const Term& term : terms)
    if (&term != &of) derivative *= power(C[term.species], term.count);
  return derivative;
}

/// What all reactions need of a temperature.
template <class One>
struct Temperature {
  One T, log_T;
  std::span<const One> g; ///< h_k/RT - s_k/R - ln(p_ref/RT)
};

template <class One>
One inverse_equilibrium(const Reaction& reaction, const Temperature<One>& at) {
  using std::exp;
  One sum(0.0); // dG/RT - dn ln(p_ref/RT)
  for (const Change& change : reaction.changes) sum += change.moles * at.g[change.species];
  return exp(sum);
}

/// A reaction at one state. `One` is a function of T, `Two` of T and [M].
template <class One, class Two>
struct Rate {
  Two k;
  One inverse_Kc;
  double forward, backward; ///< prod C^nu', prod C^nu''

  double net() const { return forward - value_of(inverse_Kc) * backward; }
  double progress() const { return value_of(k) * net(); }
};

/// k of a reaction with a table in pressure, p = R T [M].
template <class One, class Two>
Two table_rate(const Reaction& reaction, const Temperature<One>& at, const Two& T, const Two& M) {
  using std::log;
  using std::max;
  constexpr double least = 1e-300; // no logarithm of nothing
  const Two log_p = log(max(Two(gas_constant * T * M), Two(least)));
  if (reaction.kind == Reaction::Kind::chebyshev)
    return reaction.rate.A * chebyshev_rate(*reaction.chebyshev, T, log_p);
  return reaction.rate.A * interpolated_rate(reaction.rates_at_pressures, at.T, at.log_T, T, log_p);
}

/// k(T, [M]) of any kind of reaction.
template <class One, class Two>
Two rate_constant(const Reaction& reaction, const Temperature<One>& at, const Two& T, const Two& M) {
  using Kind = Reaction::Kind;
  if (reaction.has_table()) return table_rate(reaction, at, T, M);
  const Two k = chain_to(arrhenius(reaction.rate, at.T, at.log_T), T);
  if (reaction.kind == Kind::three_body) return k * M;
  if (reaction.kind == Kind::elementary) return k;
  return falloff_rate<Two>(reaction, T, k, chain_to(arrhenius(reaction.low_pressure, at.T, at.log_T), T), M);
}

template <class Two, class One>
Rate<One, Two> rate_of(const Reaction& reaction, const Temperature<One>& at, const Two& T, const Two& M,
                       std::span<const double> C) {
  Rate<One, Two> rate{rate_constant(reaction, at, T, M), One(0.0), product_of(reaction.reactants, C), 0.0};
  if (!reaction.reversible) return rate;
  rate.inverse_Kc = inverse_equilibrium(reaction, at);
  rate.backward = product_of(reaction.products, C);
  return rate;
}

/// Calls visit(reaction, rate) for every reaction. T is a plain number, or a variable whose derivatives are wanted.
template <class One, class Visit>
void visit_rates(const Mechanism& gas, const One& T, std::span<const double> C, const Visit& visit) {
  using std::log;
  thread_local std::vector<One> workspace; // looked up once: it costs a call
  workspace.resize(gas.size());
  const std::span<One> g = workspace;
  const One log_T = log(T);
  const One log_concentration = std::log(gas.species.front().thermo.reference_pressure / gas_constant) - log_T;
  for (std::size_t k = 0; k < gas.size(); ++k) g[k] = gibbs(gas.species[k].thermo, T, log_T) - log_concentration;
  const Temperature<One> at{T, log_T, g};
  double total = 0.0;
  for (const double c : C) total += c;
  for (const Reaction& reaction : gas.reactions) {
    const double M = reaction.kind == Reaction::Kind::elementary ? 0.0 : third_body(reaction, C, total);
    if constexpr (std::same_as<One, double>)
      visit(reaction, rate_of(reaction, at, T, M, C));
    else
      visit(reaction, rate_of(reaction, at, core::Dual<2>::variable(T.value, 0), core::Dual<2>::variable(M, 1), C));
  }
}

/// The derivatives of all w_k by the arguments of the rates: C_1 ... C_K, sum C, T.
class RateDerivatives {
public:
  explicit RateDerivatives(std::size_t species) : size_(species), numbers_(species * (species + 2), 0.0) {
    partials_.reserve(species + 2);
  }

  template <class One, class Two>
  void add(const Reaction& reaction, const Rate<One, Two>& rate, std::span<const double> C);
  /// The slopes of w_k in the directions of T and C.
  template <int N>
  void spread_over(const core::Dual<N>& T, std::span<const core::Dual<N>> C, std::span<core::Dual<N>> w) const;

private:
  struct Partial {
    std::size_t argument;
    double derivative;
  };

  std::size_t size_;
  std::vector<double> numbers_;   ///< [species][argument]
  std::vector<Partial> partials_; ///< of one reaction's q
};

template <class One, class Two>
void RateDerivatives::add(const Reaction& reaction, const Rate<One, Two>& rate, std::span<const double> C) {
  const double k = rate.k.value, inverse = rate.inverse_Kc.value, net = rate.net();
  partials_.clear();
  for (const Term& term : reaction.reactants)
    partials_.push_back({term.species, k * derivative_of_product(reaction.reactants, term, C)});
  if (reaction.reversible)
    for (const Term& term : reaction.products)
      partials_.push_back({term.species, -k * inverse * derivative_of_product(reaction.products, term, C)});
  const auto [by_T, by_M] = rate.k.derivatives;
  partials_.push_back({size_ + 1, by_T * net - k * rate.inverse_Kc.derivatives[0] * rate.backward});
  if (reaction.kind != Reaction::Kind::elementary) { // [M] = eff sum C + sum (eff_k - eff) C_k
    partials_.push_back({size_, by_M * net * reaction.efficiency});
    for (const auto& [species, efficiency] : reaction.efficiencies)
      partials_.push_back({species, by_M * net * (efficiency - reaction.efficiency)});
  }
  for (const Change& change : reaction.changes) {
    double* row = numbers_.data() + change.species * (size_ + 2);
    for (const Partial& partial : partials_) row[partial.argument] += change.moles * partial.derivative;
  }
}

template <int N>
void RateDerivatives::spread_over(const core::Dual<N>& T, std::span<const core::Dual<N>> C,
                                  std::span<core::Dual<N>> w) const {
  core::Dual<N> total(0.0);
  for (const auto& c : C) total += c;
  for (std::size_t k = 0; k < size_; ++k) {
    const double* row = numbers_.data() + k * (size_ + 2);
    for (std::size_t j = 0; j < size_; ++j) chain_along(w[k], row[j], C[j]);
    chain_along(w[k], row[size_], total);
    chain_along(w[k], row[size_ + 1], T);
  }
}

/// Rates of production, mol/(m^3 s), of all species at temperature T and concentrations C, mol/m^3.
template <class S>
void production(const Mechanism& gas, const S& T, std::span<const S> C, std::span<S> out) {
  std::ranges::fill(out, S(0.0));
  const auto add = [&out](const Reaction& reaction, double q) {
    for (const Change& change : reaction.changes) value_in(out[change.species]) += change.moles * q;
  };
  if constexpr (std::same_as<S, double>) {
    visit_rates(gas, T, C, [&](const Reaction& reaction, const auto& rate) { add(reaction, rate.progress()); });
  } else {
    std::vector<double> values(C.size());
    std::ranges::transform(C, values.begin(), [](const S& c) { return c.value; });
    RateDerivatives derivatives(C.size());
    visit_rates(gas, as_single_variable(T), std::span<const double>(values),
                [&](const Reaction& reaction, const auto& rate) {
                  add(reaction, rate.progress());
                  derivatives.add(reaction, rate, values);
                });
    derivatives.spread_over(T, C, out);
  }
}

} // namespace rhumb::combustion
