/// What formulas mean.
#include "formula_cases.hpp"
#include <rhumb/core/formula_functions.hpp>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

using formula_cases::parsed;
using formula_cases::refusal;
using formula_cases::value;

TEST(Formula, ReadsNumbersAsTheyAreWrittenEverywhere) {
  EXPECT_EQ(value("42"), 42.0);
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("5."), 5.0);
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value("1E+3"), 1e3);
  EXPECT_EQ(value("2.5e3"), 2500.0);
  EXPECT_EQ(value("1.e2"), 100.0);
  EXPECT_EQ(value(" \t\n7\r\n"), 7.0);
  EXPECT_EQ(value("0.1234567890123456789"), 0.1234567890123456789);
}

TEST(Formula, HasThePrecedenceOfMathematics) {
  EXPECT_EQ(value("1 + 2*3 - 4/2"), 5.0);
  EXPECT_EQ(value("2*3^2"), 18.0);
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("(-2)^2"), 4.0);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2^-1^2"), 0.5);
  EXPECT_EQ(value("2*-3"), -6.0);
  EXPECT_EQ(value("2 - -3"), 5.0);
  EXPECT_EQ(value("--3"), 3.0);
  EXPECT_EQ(value("+3 - +2"), 1.0);
  EXPECT_EQ(value("-x", 3.0), -3.0);
  EXPECT_EQ(value("1 + 1 < 3"), 1.0);
  EXPECT_EQ(value("1 < 2 && 3 < 2"), 0.0);
  EXPECT_EQ(value("1 || 0 && 0"), 1.0);
  EXPECT_EQ(value("(1 || 0) && 0"), 0.0);
  EXPECT_EQ(value("!1 || 1"), 1.0);
  EXPECT_EQ(value("!0 + 1"), 2.0);
  EXPECT_EQ(value("1 < 2 ? 3 + 4 : 5"), 7.0);
  EXPECT_EQ(value("0 || 1 ? 2 : 3"), 2.0);
}

TEST(Formula, GroupsEqualOperatorsAsMathematicsDoes) {
  EXPECT_EQ(value("1 - 2 - 3"), -4.0);
  EXPECT_EQ(value("16/4/2"), 2.0);
  EXPECT_EQ(value("16/4*2"), 8.0);
  EXPECT_EQ(value("2^3^2"), 512.0);
  EXPECT_EQ(value("0 ? 1 : 0 ? 2 : 3"), 3.0);
  EXPECT_EQ(value("1 ? 0 ? 1 : 2 : 3"), 2.0);
}

TEST(Formula, ComparesToOneAndZero) {
  EXPECT_EQ(value("x < 2", 1.0), 1.0);
  EXPECT_EQ(value("x < 2", 2.0), 0.0);
  EXPECT_EQ(value("x <= 2", 2.0), 1.0);
  EXPECT_EQ(value("x > 2", 2.0), 0.0);
  EXPECT_EQ(value("x >= 2", 2.0), 1.0);
  EXPECT_EQ(value("x == 2", 2.0), 1.0);
  EXPECT_EQ(value("x != 2", 2.0), 0.0);
  EXPECT_EQ(value("2 && -3"), 1.0);
  EXPECT_EQ(value("0 || 0"), 0.0);
  EXPECT_EQ(value("!x", 5.0), 0.0);
  EXPECT_EQ(value("!x", 0.0), 1.0);
}

TEST(Formula, KnowsItsFunctions) {
  struct Row {
    const char* text;
    double wanted;
  };
  const double x = 0.7, y = 0.3;
  for (const auto& [text, wanted] : std::initializer_list<Row>{
           {"sin(x)", std::sin(x)},
           {"cos(x)", std::cos(x)},
           {"tan(x)", std::tan(x)},
           {"asin(x)", std::asin(x)},
           {"acos(x)", std::acos(x)},
           {"atan(x)", std::atan(x)},
           {"atan2(y, x)", std::atan2(y, x)},
           {"sinh(x)", std::sinh(x)},
           {"cosh(x)", std::cosh(x)},
           {"tanh(x)", std::tanh(x)},
           {"asinh(x)", std::asinh(x)},
           {"acosh(1 + x)", std::acosh(1.0 + x)},
           {"atanh(x)", std::atanh(x)},
           {"exp(x)", std::exp(x)},
           {"expm1(x)", std::expm1(x)},
           {"log(x)", std::log(x)},
           {"ln(x)", std::log(x)},
           {"log1p(x)", std::log1p(x)},
           {"log2(x)", std::log2(x)},
           {"log10(x)", std::log10(x)},
           {"sqrt(x)", std::sqrt(x)},
           {"cbrt(x)", std::cbrt(x)},
           {"erf(x)", std::erf(x)},
           {"erfc(x)", std::erfc(x)},
           {"pow(x, y)", std::pow(x, y)},
           {"x^y", std::pow(x, y)},
           {"x^1.3", std::pow(x, 1.3)},
           {"x^2", x * x},
           {"x^3", x * x * x},
           {"x^4", (x * x) * (x * x)},
           {"x^1", x},
           {"x^0", 1.0},
           {"hypot(x, y)", std::hypot(x, y)},
           {"abs(-x)", x},
           {"min(x, y)", y},
           {"min(x)", x},
           {"min(3, x, 2, y, 1)", y},
           {"max(x, y)", x},
           {"max(x, 3, y)", 3.0},
           {"sum(x, y, 1)", x + y + 1.0},
           {"avg(x, y)", (x + y) / 2.0},
           {"floor(-x)", -1.0},
           {"ceil(x)", 1.0},
           {"round(2.5)", 3.0},
           {"rint(x)", 1.0},
           {"sign(-x)", -1.0},
           {"sign(0)", 0.0},
           {"step(-x)", 0.0},
           {"step(0)", 1.0},
           {"if(x < y, 10, 20)", 20.0},
           {"if(x > y, x, y)", x},
       })
    EXPECT_DOUBLE_EQ(value(text, x, y), wanted) << text;
}

TEST(Formula, KnowsConstantsAndTheCallersNamesHideThem) {
  EXPECT_EQ(value("pi"), std::numbers::pi);
  EXPECT_EQ(value("e"), std::numbers::e);
  EXPECT_EQ(value("2*nu"), 0.02);
  const std::array<double, 2> values{3.0, 4.0};
  EXPECT_EQ(rhumb::core::parse_formula("e + pi", {{"e", "pi"}})(std::span<const double>(values)), 7.0);
  EXPECT_EQ(rhumb::core::parse_formula("min(min, sin)", {{"min", "sin"}})(std::span<const double>(values)), 3.0);
}

TEST(Formula, TakesAnyNamesOfFieldsAndParameters) {
  const rhumb::core::FormulaNames names{{"Y_H2O2", "CH2(S)", "u1", "T wall"}};
  const std::array<double, 4> values{1.0, 10.0, 100.0, 1000.0};
  const auto at = [&](const char* text) {
    return rhumb::core::parse_formula(text, names)(std::span<const double>(values));
  };
  EXPECT_EQ(at("Y_H2O2 + {CH2(S)} + u1 + {T wall}"), 1111.0);
  EXPECT_EQ(at("{u1}^2"), 1e4);
}

TEST(Formula, WhatIsOutsideAFunctionsDomainIsNotANumber) {
  for (const char* text : {"log(-1)", "log(x)", "sqrt(x)", "x^0.5", "asin(2)", "acosh(x)", "atanh(2)", "log1p(x - 1)",
                           "min(1, sqrt(x))", "min(sqrt(x), 1)", "max(1, log(x))", "sign(log(x))", "step(log(x))"})
    EXPECT_TRUE(std::isnan(value(text, -1.0))) << text;
  EXPECT_EQ(value("log(0)"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(value("1/x", 0.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value("x^3", -2.0), -8.0);
  EXPECT_EQ(value("x^-3", -2.0), -0.125);
  EXPECT_EQ(value("log(x) < 1", -1.0), 0.0) << "no comparison holds for what is not a number";
}

TEST(Formula, TheBranchThatIsNotTakenDoesNotCount) {
  EXPECT_EQ(value("x > 0 ? sqrt(x) : 0", -1.0), 0.0);
  EXPECT_EQ(value("if(x > 0, 1/x, 7)", 0.0), 7.0);
}

TEST(Formula, KnowsWhichVariablesItUses) {
  const auto formula = parsed("x*nu + sin(t)");
  EXPECT_TRUE(formula.uses(0));
  EXPECT_FALSE(formula.uses(1));
  EXPECT_TRUE(formula.uses(2));
  EXPECT_TRUE(parsed("y").uses(1));
  EXPECT_FALSE(parsed("2*sqrt(3)").uses(0));
  EXPECT_FALSE(parsed("1 ? 2 : x").uses(0));
  EXPECT_EQ(formula.text(), "x*nu + sin(t)");
}

TEST(Formula, LongSumsAreReadAndOnlyDeepNestsAreRefused) {
  std::string sum = "x";
  for (int i = 0; i < 5000; ++i) sum += "+x";
  EXPECT_EQ(value(sum, 1.0), 5001.0);
  std::string table = "0";
  for (int i = 200; i > 0; --i) table = fmt::format("x<{0}?{0}:{1}", i, table);
  EXPECT_EQ(value(table, 150.5), 151.0);
  EXPECT_EQ(value(table, 300.0), 0.0);
  EXPECT_NE(refusal(std::string(20000, '(') + "x"), "");
  const int deepest = rhumb::core::max_formula_nesting - 1; // the number inside is a level too
  EXPECT_EQ(value(std::string(deepest, '(') + "x" + std::string(deepest, ')'), 5.0), 5.0);
  EXPECT_EQ(value(std::string(deepest - 1, '-') + "x", 5.0), 5.0);
  for (const auto& text : {std::string(8000, '(') + "x" + std::string(8000, ')'), std::string(16000, '-') + "x",
                           std::string(16000, '!') + "x"})
    EXPECT_NE(refusal(text).find("nested more than 256 levels deep"), std::string::npos);
  std::string powers = "x", choices = "x", calls = "x";
  for (int i = 0; i < 2000; ++i) {
    powers += "^x";
    choices += "?x:x";
    calls = "sin(" + calls;
  }
  for (const auto& text : {powers, choices, calls})
    EXPECT_NE(refusal(text).find("nested more than 256 levels deep"), std::string::npos) << text.substr(0, 20);
}

TEST(Formula, TheFormulaThatNeedsTheMostTemporariesHasThem) {
  // Balanced trees of conditions, whose three operands all wait, and of products.
  std::string choices = "-x", products = "-x";
  while (choices.size() < rhumb::core::max_formula_length / 3 - 10) choices = fmt::format("({0}?{0}:{0})", choices);
  while (products.size() < rhumb::core::max_formula_length / 2 - 10) products = fmt::format("({0}*{0})", products);
  EXPECT_EQ(value(choices, 3.0), -3.0);
  EXPECT_EQ(value(products, 1.0), 1.0);
}
