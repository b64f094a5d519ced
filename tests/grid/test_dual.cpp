#include <rhumb/core/dual.hpp>

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using rhumb::core::Dual;

namespace {

struct Case {
  std::string name;
  std::function<Dual<1>(Dual<1>)> dual;
  std::function<double(double)> plain;
};

/// Every function once, with the plain one beside it, inside its domain at 0.7.
const std::vector<Case>& functions() {
#define SAME(expression)                                                                                               \
  Case {                                                                                                               \
#expression, [](Dual<1> a) -> Dual<1> { using namespace rhumb::core; return expression; },                         \
        [](double a) -> double { using namespace std; return expression; }   \
  }
  static const std::vector<Case> cases{SAME(+a),
                                       SAME(-a),
                                       SAME(a + 2.0),
                                       SAME(2.0 + a),
                                       SAME(a - 2.0),
                                       SAME(2.0 - a),
                                       SAME(a * 3.0),
                                       SAME(3.0 * a),
                                       SAME(a / 3.0),
                                       SAME(3.0 / a),
                                       SAME(a * a),
                                       SAME(a / (a + 1.0)),
                                       SAME(exp(a)),
                                       SAME(expm1(a)),
                                       SAME(log(a)),
                                       SAME(log10(a)),
                                       SAME(sqrt(a)),
                                       SAME(cbrt(a)),
                                       SAME(sin(a)),
                                       SAME(cos(a)),
                                       SAME(tan(a)),
                                       SAME(atan(a)),
                                       SAME(sinh(a)),
                                       SAME(cosh(a)),
                                       SAME(tanh(a)),
                                       SAME(asin(a)),
                                       SAME(acos(a)),
                                       SAME(asinh(a)),
                                       SAME(acosh(a + 1.0)),
                                       SAME(atanh(a)),
                                       SAME(log1p(a)),
                                       SAME(log2(a)),
                                       SAME(erf(a)),
                                       SAME(erfc(a)),
                                       SAME(fabs(a)),
                                       SAME(fabs(-a)),
                                       SAME(pow(a, 2.5)),
                                       SAME(pow(2.5, a)),
                                       SAME(pow(a, a)),
                                       SAME(atan2(a, a * a)),
                                       SAME(hypot(a, a * a)),
                                       SAME(min(a, a * a)),
                                       SAME(max(a, a * a)),
                                       SAME(min(a, 0.5)),
                                       SAME(min(0.9, a)),
                                       SAME(max(a, 0.5)),
                                       SAME(max(0.9, a))};
#undef SAME
  return cases;
}

} // namespace

TEST(Dual, EveryFunctionHasThePlainValueAndTheDerivativeOfDifferences) {
  const double x = 0.7, e = 1e-5;
  for (const auto& [name, dual, plain] : functions()) {
    const auto result = dual(Dual<1>::variable(x, 0));
    const double difference = (plain(x + e) - plain(x - e)) / (2.0 * e);
    EXPECT_DOUBLE_EQ(result.value, plain(x)) << name;
    EXPECT_NEAR(result.derivatives[0], difference, 1e-8 * (1.0 + std::abs(difference))) << name;
  }
}

TEST(Dual, DirectionsDoNotMix) {
  const auto x = Dual<2>::variable(3.0, 0), y = Dual<2>::variable(5.0, 1);
  const auto f = x * x * y + y / x;
  EXPECT_DOUBLE_EQ(f.value, 45.0 + 5.0 / 3.0);
  EXPECT_DOUBLE_EQ(f.derivatives[0], 30.0 - 5.0 / 9.0);
  EXPECT_DOUBLE_EQ(f.derivatives[1], 9.0 + 1.0 / 3.0);
}

template <int N>
void expect_all_slopes() {
  Dual<N> x(3.0), y(5.0);
  for (std::size_t j = 0; j < x.derivatives.size(); ++j) {
    x.derivatives[j] = 1.0 + static_cast<double>(j);
    y.derivatives[j] = 10.0 - static_cast<double>(j * j);
  }
  auto sum = x;
  sum.add(0.5, y);
  const auto product = x * y, negative = -x;
  for (std::size_t j = 0; j < x.derivatives.size(); ++j) {
    EXPECT_DOUBLE_EQ(product.derivatives[j], 5.0 * x.derivatives[j] + 3.0 * y.derivatives[j]) << j;
    EXPECT_DOUBLE_EQ(negative.derivatives[j], -x.derivatives[j]) << j;
    EXPECT_DOUBLE_EQ(sum.derivatives[j], x.derivatives[j] + 0.5 * y.derivatives[j]) << j;
  }
}

TEST(Dual, AllSlopesAreTakenWhateverTheirNumber) {
  expect_all_slopes<6>(); // by two
  expect_all_slopes<7>(); // by two, and one
  expect_all_slopes<8>(); // by four
}

TEST(Dual, AssigningOperatorsAgreeWithTheirBinaryOnes) {
  const auto x = Dual<1>::variable(3.0, 0);
  auto sum = x, difference = x, product = x, quotient = x;
  sum += 2.0 * x;
  difference -= x * x;
  product *= x;
  quotient /= x + 1.0;
  EXPECT_DOUBLE_EQ(sum.derivatives[0], 3.0);
  EXPECT_DOUBLE_EQ(difference.derivatives[0], -5.0);
  EXPECT_DOUBLE_EQ(product.derivatives[0], 6.0);
  EXPECT_DOUBLE_EQ(quotient.derivatives[0], 1.0 / 16.0);
}

TEST(Dual, ComparesByValueAlone) {
  const auto x = Dual<1>::variable(1.0, 0, 7.0), y = Dual<1>::variable(2.0, 0, -7.0);
  EXPECT_TRUE(x < y);
  EXPECT_TRUE(y >= 2.0);
  EXPECT_TRUE(x == Dual<1>(1.0));
  EXPECT_EQ(max(x, y).derivatives[0], -7.0);
  EXPECT_EQ(min(x, y).derivatives[0], 7.0);
}

TEST(Dual, APowerOfZeroHasTheSlopeOfThePolynomial) {
  EXPECT_EQ(pow(Dual<1>::variable(0.0, 0), 1.0).derivatives[0], 1.0);
  EXPECT_EQ(pow(Dual<1>::variable(0.0, 0), 0.0).derivatives[0], 0.0);
  EXPECT_EQ(pow(Dual<1>::variable(-2.0, 0), 2.0).derivatives[0], -4.0);
}

TEST(Dual, WhereTheSlopeIsInfiniteADirectionThatStandsStillHasNone) {
  const auto x = Dual<2>::variable(0.0, 0), one = Dual<2>::variable(1.0, 0);
  for (const auto& f : {sqrt(x), cbrt(x), pow(x, 0.5), pow(x, Dual<2>(0.5)), log(x), log2(x), log10(x), log1p(x - 1.0),
                        asin(one), acos(one), acosh(one), atanh(one)}) {
    EXPECT_TRUE(std::isinf(f.derivatives[0]));
    EXPECT_EQ(f.derivatives[1], 0.0);
  }
}

TEST(Dual, ALengthHasNoSlopeWhereItIsZero) {
  const auto x = Dual<2>::variable(0.0, 0), y = Dual<2>::variable(0.0, 1);
  for (const auto& f : {sqrt(x * x + y * y), hypot(x, y), hypot(x, Dual<2>(0.0))}) {
    EXPECT_EQ(f.derivatives[0], 0.0);
    EXPECT_EQ(f.derivatives[1], 0.0);
  }
}

TEST(Dual, APowerOfANegativeBaseNeedsOnlyAConstantExponent) {
  const auto x = Dual<2>::variable(-2.0, 0);
  EXPECT_DOUBLE_EQ(pow(x, Dual<2>(3.0)).derivatives[0], 12.0);
  EXPECT_EQ(pow(x, Dual<2>(3.0)).derivatives[1], 0.0);
  // Where the exponent moves in another direction, that one alone has no derivative.
  const auto both = pow(x, Dual<2>::variable(3.0, 1));
  EXPECT_DOUBLE_EQ(both.derivatives[0], 12.0);
  EXPECT_TRUE(std::isnan(both.derivatives[1]));
  const auto of_exponent = pow(-2.0, Dual<2>::variable(3.0, 1));
  EXPECT_EQ(of_exponent.value, -8.0);
  EXPECT_EQ(of_exponent.derivatives[0], 0.0);
}

TEST(Dual, APowerOfZeroStaysZeroWhateverItsPositiveExponent) {
  const auto b = Dual<2>::variable(1.5, 1);
  EXPECT_EQ(pow(0.0, b).derivatives[1], 0.0);
  const auto both = pow(Dual<2>::variable(0.0, 0), b);
  EXPECT_EQ(both.derivatives[0], 0.0);
  EXPECT_EQ(both.derivatives[1], 0.0);
}
