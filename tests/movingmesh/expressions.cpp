/// Formulas of case files: values, exact derivatives, and what is refused.
#include "core/failure.hpp"
#include "physics/movingmesh/expression.hpp"

#include <gtest/gtest.h>

using rhumb::core::Dual;
using rhumb::movingmesh::Expression;

namespace {
double value(const std::string& text, double x = 0.0, double u = 0.0) {
  const std::array<double, 2> inputs{x, u};
  return Expression("f", text, {"x", "u"})(std::span<const double>(inputs));
}
double slope_in_u(const std::string& text, double x, double u) {
  const std::array<Dual<1>, 2> inputs{Dual<1>(x), Dual<1>::variable(u, 0)};
  return Expression("f", text, {"x", "u"})(std::span<const Dual<1>>(inputs)).slope[0];
}
std::string refusal(const std::string& text) {
  try {
    Expression("f", text, {"x", "u"});
  } catch (const rhumb::core::BadInput& error) {
    return error.what();
  }
  return "";
}
} // namespace

TEST(Expression, KnowsThePrecedenceOfOperators) {
  EXPECT_DOUBLE_EQ(value("1 + 2*3 - 4/2"), 5.0);
  EXPECT_DOUBLE_EQ(value("2^3^2"), 512.0);
  EXPECT_DOUBLE_EQ(value("-2^2"), -4.0);
  EXPECT_DOUBLE_EQ(value("2^-1"), 0.5);
  EXPECT_DOUBLE_EQ(value("(1 - 2) - 3"), -4.0);
  EXPECT_DOUBLE_EQ(value("1e-3*x", 2.0), 2e-3);
}

TEST(Expression, KnowsItsFunctions) {
  EXPECT_DOUBLE_EQ(value("sin(pi/6)"), 0.5);
  EXPECT_DOUBLE_EQ(value("max(min(x, 3), 1)", 5.0), 3.0);
  EXPECT_DOUBLE_EQ(value("if(x < 1, 10, 20)", 2.0), 20.0);
  EXPECT_DOUBLE_EQ(value("exp(log(7)) + sqrt(4) + abs(-1)"), 10.0);
}

TEST(Expression, GivesExactDerivatives) {
  EXPECT_DOUBLE_EQ(slope_in_u("x*u^2 + sin(u)", 3.0, 0.5), 3.0 + std::cos(0.5));
  EXPECT_DOUBLE_EQ(slope_in_u("u^2", 0.0, -1.5), -3.0);
  EXPECT_DOUBLE_EQ(slope_in_u("u^0.5", 0.0, 4.0), 0.25);
}

TEST(Expression, RefusesMistakesAndShowsThePlace) {
  EXPECT_NE(refusal("1 + ").find("^ here"), std::string::npos);
  EXPECT_NE(refusal("2*v").find("'v' is not known"), std::string::npos);
  EXPECT_NE(refusal("sin(x").find("')' is missing"), std::string::npos);
  EXPECT_NE(refusal("x)"), "");
  EXPECT_EQ(refusal("x*u"), "");
}
