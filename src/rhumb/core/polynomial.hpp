#pragma once
/// The polynomial through (times, values) at t, in Lagrange's form. Pure.

#include <cstddef>
#include <span>

namespace rhumb::core {

inline double polynomial_at(std::span<const double> times, std::span<const double> values, double t) {
  double sum = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    double weight = 1.0;
    for (std::size_t j = 0; j < times.size(); ++j)
      if (j != i) weight *= (t - times[j]) / (times[i] - times[j]);
    sum += weight * values[i];
  }
  return sum;
}

} // namespace rhumb::core
