/// Derivatives of formulas by duals: exact, in all directions at once, and zero where nothing moves.
#include "formula_cases.hpp"
#include <rhumb/core/formula_functions.hpp>
#include <cmath>
#include <set>

using formula_cases::dual;
using formula_cases::parsed;
using formula_cases::value;
using rhumb::core::Dual;

namespace {

struct Case {
  std::string function; ///< empty: an operator
  std::string text;
};

/// Every function and operator, of x and y near (0.7, 0.3), where all are smooth.
const std::vector<Case> cases{
    {"sin", "sin(x*y)"},
    {"cos", "cos(x*y)"},
    {"tan", "tan(x*y)"},
    {"asin", "asin(x*y)"},
    {"acos", "acos(x*y)"},
    {"atan", "atan(x*y)"},
    {"sinh", "sinh(x*y)"},
    {"cosh", "cosh(x*y)"},
    {"tanh", "tanh(x*y)"},
    {"asinh", "asinh(x*y)"},
    {"acosh", "acosh(1 + x*y)"},
    {"atanh", "atanh(x*y)"},
    {"exp", "exp(x*y)"},
    {"expm1", "expm1(x*y)"},
    {"log", "log(x*y)"},
    {"ln", "ln(x*y)"},
    {"log1p", "log1p(x*y)"},
    {"log2", "log2(x*y)"},
    {"log10", "log10(x*y)"},
    {"cbrt", "cbrt(x*y)"},
    {"erf", "erf(x*y)"},
    {"erfc", "erfc(x*y)"},
    {"floor", "floor(x*y)"},
    {"ceil", "ceil(x*y)"},
    {"round", "round(x*y)"},
    {"rint", "rint(x*y)"},
    {"sign", "sign(x*y)"},
    {"step", "step(x*y)"},
    {"pow", "pow(x, y)"},
    {"atan2", "atan2(x, y)"},
    {"hypot", "hypot(x, y)"},
    {"sqrt", "sqrt(x*y)"},
    {"abs", "abs(-x*y)"},
    {"min", "min(x^2, y^2, 3)"},
    {"max", "max(x^2, y^2, -3)"},
    {"sum", "sum(x, y^2, x*y)"},
    {"avg", "avg(x, y^2, x*y)"},
    {"if", "if(x > y, x^2*y, y)"},
    {"", "x + y"},
    {"", "x - y"},
    {"", "x*y"},
    {"", "x/y"},
    {"", "-x"},
    {"", "!x"},
    {"", "2 + x*(y + 1) - 3"},
    {"", "2 - x"},
    {"", "3*x"},
    {"", "x*3"},
    {"", "x/3"},
    {"", "3/x"},
    {"", "x^2"},
    {"", "x^3"},
    {"", "x^4"},
    {"", "x^2.5"},
    {"", "2.5^x"},
    {"", "x^y"},
    {"", "atan2(x, 2)"},
    {"", "atan2(2, x)"},
    {"", "(x < y) + (x <= y) + (x > y) + (x >= y) + (x == y) + (x != y) + (x && y) + (x || y)"},
    {"", "x < y ? x : y*x"},
    {"", "148*(300/x)^1.3"},
    {"", "min(x, 2)"},
    {"", "max(0.1, y)"},
    {"", "x > 0 ? 2 : x"},
    {"", "y"},
    {"", "7"},
};

} // namespace

TEST(FormulaDerivative, OfEveryFunctionIsThatOfDifferences) {
  std::set<std::string> tested;
  const double x = 0.7, y = 0.3, e = 1e-5;
  for (const auto& [function, text] : cases) {
    tested.insert(function);
    const auto result = dual(text, x, y);
    EXPECT_NEAR(result.value, value(text, x, y), 1e-15 * std::abs(result.value)) << text;
    const double by_x = (value(text, x + e, y) - value(text, x - e, y)) / (2.0 * e);
    const double by_y = (value(text, x, y + e) - value(text, x, y - e)) / (2.0 * e);
    EXPECT_NEAR(result.derivatives[0], by_x, 1e-8 * (1.0 + std::abs(by_x))) << text;
    EXPECT_NEAR(result.derivatives[1], by_y, 1e-8 * (1.0 + std::abs(by_y))) << text;
  }
  for (const auto& function : rhumb::core::formula::functions())
    EXPECT_TRUE(tested.contains(function.name)) << function.name << " has no test";
}

TEST(FormulaDerivative, IsExactToRounding) {
  EXPECT_DOUBLE_EQ(dual("3*x^2 + sin(x)", 0.5).derivatives[0], 3.0 + std::cos(0.5));
  EXPECT_DOUBLE_EQ(dual("x^2", -1.5).derivatives[0], -3.0);
  EXPECT_DOUBLE_EQ(dual("x^0.5", 4.0).derivatives[0], 0.25);
  EXPECT_NEAR(dual("148*(300/x)^1.3", 350.0).derivatives[0] / (148.0 * std::pow(300.0, 1.3) * std::pow(350.0, -2.3)),
              -1.3, 1e-14);
}

TEST(FormulaDerivative, WhereASlopeIsInfiniteOtherDirectionsAreNot) {
  for (const char* text : {"sqrt(x) + y", "cbrt(x) + y", "x^0.5 + y", "log(x) + y", "asin(x + 1) + y",
                           "acosh(x + 1) + y", "atanh(x + 1) + y", "x^(0.5 + 0*t) + y"}) {
    const auto result = dual(text, 0.0, 2.0);
    EXPECT_TRUE(std::isinf(result.derivatives[0])) << text;
    EXPECT_EQ(result.derivatives[1], 1.0) << text;
  }
  for (const char* text : {"sqrt(x^2 + y^2)", "hypot(x, y)", "(x^2 + y^2)^0.5"}) {
    EXPECT_EQ(dual(text, 0.0, 0.0).derivatives[0], 0.0) << text;
    EXPECT_EQ(dual(text, 0.0, 0.0).derivatives[1], 0.0) << text;
  }
}

TEST(FormulaDerivative, ANegativeBaseHasPowersWithConstantExponents) {
  EXPECT_DOUBLE_EQ(dual("x^5", -2.0).derivatives[0], 80.0);
  EXPECT_DOUBLE_EQ(dual("x^(-1)", -2.0).derivatives[0], -0.25);
  EXPECT_DOUBLE_EQ(dual("x^(3 + 0*t)", -2.0).derivatives[0], 12.0);
  EXPECT_EQ(dual("x^(3 + 0*t)", -2.0).derivatives[1], 0.0);
}

TEST(FormulaDerivative, ComesFromTheBranchThatIsTaken) {
  EXPECT_EQ(dual("x > 0 ? sqrt(x) : 3*x", -1.0).derivatives[0], 3.0);
  EXPECT_EQ(dual("abs(x)", -2.0).derivatives[0], -1.0);
  EXPECT_EQ(dual("min(x, y)", 1.0, 2.0).derivatives[1], 0.0);
  EXPECT_EQ(dual("max(x, y)", 1.0, 2.0).derivatives[1], 1.0);
}

TEST(FormulaDerivative, TakesAnyNumberOfDirections) {
  using Many = Dual<7>;
  std::array<Many, 3> values{Many(2.0), Many(3.0), Many(0.0)};
  for (std::size_t j = 0; j < 7; ++j) {
    values[0].derivatives[j] = 1.0 + static_cast<double>(j);
    values[1].derivatives[j] = 5.0 - static_cast<double>(j);
  }
  const auto result = parsed("x^2*y + exp(x)")(std::span<const Many>(values));
  for (std::size_t j = 0; j < 7; ++j)
    EXPECT_DOUBLE_EQ(result.derivatives[j],
                     (12.0 + std::exp(2.0)) * values[0].derivatives[j] + 4.0 * values[1].derivatives[j]);
}
