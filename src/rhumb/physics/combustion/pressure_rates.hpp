#pragma once
/// Rates that depend on the pressure by a table.
///
/// Arrhenius rates at several pressures ("PLOG"), between which log k is linear in log p; the sum of those that are
/// given for the same pressure:
///   log k = log k_i + (log k_{i+1} - log k_i) (log p - log p_i)/(log p_{i+1} - log p_i).
/// Chebyshev polynomials phi_n in the reduced variables, -1 ... 1 over the ranges of the fit:
///   log10 k = sum a_nm phi_n(T~) phi_m(p~),
///   T~ = (2/T - 1/T_min - 1/T_max)/(1/T_max - 1/T_min),   p~ = (2 log p - log p_min - log p_max)/log(p_max/p_min).
/// Outside the table's range both keep the value at its end: polynomials beyond their range have no meaning.

#include <rhumb/physics/combustion/mechanism.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::combustion {

/// k(T).
template <class S>
S arrhenius(const Arrhenius& rate, const S& T, const S& log_T) {
  using std::exp;
  return rate.A * exp(rate.b * log_T - rate.activation_temperature / T);
}

template <class One>
One rate_at_pressure(const RatesAtPressure& at, const One& T, const One& log_T) {
  One sum(0.0);
  for (const Arrhenius& rate : at.rates) sum += arrhenius(rate, T, log_T);
  return sum;
}

/// k(T, log p) of a table of Arrhenius rates.
template <class One, class Two>
Two interpolated_rate(const std::vector<RatesAtPressure>& table, const One& T1, const One& log_T, const Two& T,
                      const Two& log_p) {
  using std::exp;
  using std::log;
  const auto above = std::ranges::upper_bound(table, value_of(log_p), {}, &RatesAtPressure::log_pressure);
  if (above == table.begin()) return chain_to(rate_at_pressure(table.front(), T1, log_T), T);
  const RatesAtPressure& low = *(above - 1);
  if (above == table.end()) return chain_to(rate_at_pressure(low, T1, log_T), T);
  const Two from = chain_to(log(rate_at_pressure(low, T1, log_T)), T),
            to = chain_to(log(rate_at_pressure(*above, T1, log_T)), T);
  return exp(from + (to - from) * ((log_p - low.log_pressure) / (above->log_pressure - low.log_pressure)));
}

/// sum c_n phi_n(x), by Clenshaw's recurrence; `coefficient(n)` gives c_n.
template <class S, class Coefficient>
S chebyshev_sum(std::size_t terms, const S& x, const Coefficient& coefficient) {
  S next(0.0), after(0.0);
  for (std::size_t n = terms; n-- > 1;) {
    const S here = 2.0 * x * next - after + coefficient(n);
    after = next;
    next = here;
  }
  return x * next - after + coefficient(0);
}

/// x in [-1, 1]; outside the nearest of these, without a derivative.
template <class S>
S within_the_range(const S& x) {
  return value_of(x) < -1.0 ? S(-1.0) : value_of(x) > 1.0 ? S(1.0) : x;
}

/// k(T, log p) of a Chebyshev polynomial.
template <class Two>
Two chebyshev_rate(const Chebyshev& fit, const Two& T, const Two& log_p) {
  using std::exp;
  const double cold = 1.0 / fit.lowest_temperature, hot = 1.0 / fit.highest_temperature;
  const double low = std::log(fit.lowest_pressure), high = std::log(fit.highest_pressure);
  const Two x = within_the_range(Two((2.0 / T - (cold + hot)) / (hot - cold)));
  const Two y = within_the_range(Two((2.0 * log_p - (low + high)) / (high - low)));
  const Two exponent = chebyshev_sum(fit.coefficients.size(), x, [&](std::size_t n) {
    const auto& row = fit.coefficients[n];
    return chebyshev_sum(row.size(), y, [&row](std::size_t m) { return row[m]; });
  });
  return exp(std::log(10.0) * exponent);
}

} // namespace rhumb::combustion
