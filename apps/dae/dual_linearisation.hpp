#pragma once
/// The derivatives of a small residual that is written for a generic scalar.

#include "small_problem.hpp"
#include <rhumb/core/dual.hpp>

namespace rhumb::problems {

/// residual(y, ydot, f) on arrays of n scalars of one type: dF/dy and dF/dy' of it into `at`.
template <std::size_t n, class Residual>
void linearise_by_duals(const Residual& residual, Values y, Values ydot, Linearisation& at) {
  using Scalar = core::Dual<static_cast<int>(n)>;
  for (Dense* matrix : {&at.dy, &at.dydot}) {
    std::array<Scalar, n> value, rate, f;
    for (std::size_t i = 0; i < n; ++i) {
      value[i] = y[i];
      rate[i] = ydot[i];
      (matrix == &at.dy ? value : rate)[i].derivatives[i] = 1.0;
    }
    residual(value, rate, f);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) (*matrix)(i, j) = f[i].derivatives[j];
  }
}

/// The same residual on plain numbers.
template <std::size_t n, class Residual>
void evaluate_generic(const Residual& residual, Values y, Values ydot, std::span<double> f) {
  std::array<double, n> value{}, rate{}, out{};
  std::copy_n(y.begin(), n, value.begin());
  std::copy_n(ydot.begin(), n, rate.begin());
  residual(value, rate, out);
  std::ranges::copy(out, f.begin());
}

} // namespace rhumb::problems
