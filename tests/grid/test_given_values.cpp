#include <rhumb/grid/given_values.hpp>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using rhumb::grid::Expression;
using rhumb::grid::GivenValues;

namespace {
double rate_of(const char* formula, double t) {
  const Expression expression("value", formula, "xt");
  GivenValues given;
  const auto index = given.add(&expression, {2.0, 0.0, 0.0});
  return given.rate(index, t);
}
} // namespace

TEST(GivenValues, TheirSlopeIsRightWhateverTheTimeScale) {
  for (const double omega : {1e-3, 1.0, 6.283185307179586, 1e3, 1e5}) {
    const auto formula = fmt::format("300 + 10*sin({}*t)", omega);
    for (const double t : {0.0, 0.3, 7.0, 1e3})
      EXPECT_NEAR(rate_of(formula.c_str(), t), 10.0 * omega * std::cos(omega * t), 1e-14 * omega * (1.0 + omega * t))
          << omega << ' ' << t;
  }
}

TEST(GivenValues, AFormulaThatBeginsNowHasTheSlopeOfWhatFollows) {
  EXPECT_EQ(rate_of("t^1.5", 0.0), 0.0);
  EXPECT_EQ(rate_of("x*t", 5.0), 2.0);
  EXPECT_EQ(rate_of("t < 5 ? 1 : 1 + 3*(t - 5)", 5.0), 3.0);
}

TEST(GivenValues, AnInfiniteSlopeIsTheOneThatAShortStepSees) {
  EXPECT_DOUBLE_EQ(rate_of("sqrt(t)", 0.0), 1e5);
  EXPECT_NEAR(rate_of("x + t^0.25", 0.0) / 1e7, std::sqrt(10.0), 1e-9);
}

TEST(GivenValues, FormulasThatAlternateKeepTheirPlaces) {
  const Expression first("value", "x + t", "xt"), still("value", "10*x", "xt"), second("value", "100*t", "xt");
  GivenValues given;
  std::vector<PetscInt> indices;
  for (const double x : {1.0, 2.0})
    for (const Expression* formula : {&first, &first, &still, &second, static_cast<const Expression*>(nullptr)})
      indices.push_back(given.add(formula, {x, 0.0, 0.0}));
  given.update(3.0);
  std::vector<double> values;
  for (const auto index : indices) values.push_back(given.value(index));
  EXPECT_EQ(values, (std::vector<double>{4.0, 4.0, 10.0, 300.0, 0.0, 5.0, 5.0, 20.0, 300.0, 0.0}));
}

TEST(GivenValues, WhatDoesNotMoveHasNone) {
  EXPECT_EQ(rate_of("x^2", 3.0), 0.0);
}
