#pragma once
/// What the tests of formulas share: variables x, y, t, a value, a refusal.

#include <rhumb/core/failure.hpp>
#include <rhumb/core/formula.hpp>
#include <gtest/gtest.h>

namespace formula_cases {

inline rhumb::core::Formula parsed(std::string_view text) {
  return rhumb::core::parse_formula(text, {{"x", "y", "t"}, {{"nu", 0.01}}}, "option -f");
}

inline double value(std::string_view text, double x = 0.0, double y = 0.0, double t = 0.0) {
  const std::array<double, 3> values{x, y, t};
  return parsed(text)(std::span<const double>(values));
}

/// Derivatives by x and y.
inline rhumb::core::Dual<2> dual(std::string_view text, double x, double y = 0.0) {
  using Dual = rhumb::core::Dual<2>;
  const std::array<Dual, 3> values{Dual::variable(x, 0), Dual::variable(y, 1), Dual(0.0)};
  return parsed(text)(std::span<const Dual>(values));
}

/// The message; empty where the text is a formula.
inline std::string refusal(std::string_view text) {
  try {
    parsed(text);
  } catch (const rhumb::core::BadInput& error) {
    return error.what();
  }
  return "";
}

} // namespace formula_cases
