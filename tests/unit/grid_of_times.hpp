#pragma once
/// Random steps and what they make of a function, straight from the definitions: times, divided differences, products.

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace rhumb::test {

/// Steps h_n, h_{n-1}, ... with ratios of neighbours within [1/2, 2], the newest being about `scale`.
inline std::vector<double> random_steps(std::mt19937& random, std::size_t count, double scale) {
  std::uniform_real_distribution<double> exponent(-1.0, 1.0);
  std::vector<double> steps;
  for (double h = scale; steps.size() < count; h *= std::exp2(exponent(random))) steps.push_back(h);
  return steps;
}

/// t_n = 0, t_{n-1}, ...: the ends of the steps, newest first.
inline std::vector<double> times_of(const std::vector<double>& steps) {
  std::vector<double> times{0.0};
  for (const double h : steps) times.push_back(times.back() - h);
  return times;
}

/// psi_i(n) = t_n - t_{n-i} for i >= 1.
inline double psi(const std::vector<double>& times, std::size_t i) {
  return times[0] - times[i];
}

/// phi_i(n) = psi_1(n) ... psi_{i-1}(n) [y_n, ..., y_{n-i+1}] for i = 1 .. count; entry 0 is unused.
template <class Function>
std::vector<double> modified_differences(const std::vector<double>& times, std::size_t count, Function&& y) {
  std::vector<double> table;
  for (std::size_t j = 0; j < count; ++j) table.push_back(y(times[j]));
  std::vector<double> phi{0.0};
  double product = 1.0;
  for (std::size_t i = 1; i <= count; ++i) {
    phi.push_back(product * table[0]);
    if (i == count) break;
    product *= psi(times, i);
    for (std::size_t j = 0; j + i < count; ++j) table[j] = (table[j] - table[j + 1]) / (times[j] - times[j + i]);
  }
  return phi;
}

/// The derivative at 0 of the polynomial with the given values at 0, -h, -2h, ...: the fixed-step BDF formula.
inline double fixed_step_bdf(const std::vector<double>& values, double h) {
  std::vector<double> difference = values;
  double derivative = 0.0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    for (std::size_t j = 0; j + i < values.size(); ++j) difference[j] -= difference[j + 1];
    derivative += difference[0] / static_cast<double>(i);
  }
  return derivative / h;
}

} // namespace rhumb::test
