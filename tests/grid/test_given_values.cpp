#include "grid/given_values.hpp"
#include <cmath>
#include <gtest/gtest.h>

using rhumb::grid::Expression;
using rhumb::grid::GivenValues;

namespace {
double slope_of(const char* formula, double t) {
  const Expression expression("value", formula, "xt");
  GivenValues given;
  const auto number = given.add(&expression, {2.0, 0.0, 0.0});
  return given.slope(number, t);
}
} // namespace

TEST(GivenValues, TheirSlopeIsRightWhateverTheTimeScale) {
  for (const double omega : {1e-3, 1.0, 6.283185307179586, 1e3, 1e5}) {
    const auto formula = "300 + 10*sin(" + std::to_string(omega) + "*t)";
    for (const double t : {0.0, 0.3, 7.0, 1e3})
      EXPECT_NEAR(slope_of(formula.c_str(), t), 10.0 * omega * std::cos(omega * t),
                  omega * (1e-5 + 1e-6 * omega * t) + 1e-6)
          << omega << ' ' << t;
  }
}

TEST(GivenValues, AFormulaThatBeginsNowHasTheSlopeOfWhatFollows) {
  EXPECT_NEAR(slope_of("t^1.5", 0.0), 0.0, 0.02);
  EXPECT_NEAR(slope_of("x*t", 5.0), 2.0, 1e-7);
}

TEST(GivenValues, WhatDoesNotMoveHasNone) {
  EXPECT_EQ(slope_of("x^2", 3.0), 0.0);
}
