#include "core/dual.hpp"

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
                                       SAME(fabs(a)),
                                       SAME(fabs(-a)),
                                       SAME(pow(a, 2.5)),
                                       SAME(pow(2.5, a)),
                                       SAME(pow(a, a)),
                                       SAME(atan2(a, a * a)),
                                       SAME(hypot(a, a * a)),
                                       SAME(min(a, a * a)),
                                       SAME(max(a, a * a))};
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
    EXPECT_NEAR(result.slope[0], difference, 1e-8 * (1.0 + std::abs(difference))) << name;
  }
}

TEST(Dual, DirectionsDoNotMix) {
  const auto x = Dual<2>::variable(3.0, 0), y = Dual<2>::variable(5.0, 1);
  const auto f = x * x * y + y / x;
  EXPECT_DOUBLE_EQ(f.value, 45.0 + 5.0 / 3.0);
  EXPECT_DOUBLE_EQ(f.slope[0], 30.0 - 5.0 / 9.0);
  EXPECT_DOUBLE_EQ(f.slope[1], 9.0 + 1.0 / 3.0);
}

template <int N>
void expect_all_slopes() {
  Dual<N> x(3.0), y(5.0);
  for (std::size_t j = 0; j < x.slope.size(); ++j) {
    x.slope[j] = 1.0 + static_cast<double>(j);
    y.slope[j] = 10.0 - static_cast<double>(j * j);
  }
  auto sum = x;
  sum.add(0.5, y);
  const auto product = x * y, negative = -x;
  for (std::size_t j = 0; j < x.slope.size(); ++j) {
    EXPECT_DOUBLE_EQ(product.slope[j], 5.0 * x.slope[j] + 3.0 * y.slope[j]) << j;
    EXPECT_DOUBLE_EQ(negative.slope[j], -x.slope[j]) << j;
    EXPECT_DOUBLE_EQ(sum.slope[j], x.slope[j] + 0.5 * y.slope[j]) << j;
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
  EXPECT_DOUBLE_EQ(sum.slope[0], 3.0);
  EXPECT_DOUBLE_EQ(difference.slope[0], -5.0);
  EXPECT_DOUBLE_EQ(product.slope[0], 6.0);
  EXPECT_DOUBLE_EQ(quotient.slope[0], 1.0 / 16.0);
}

TEST(Dual, ComparesByValueAlone) {
  const auto x = Dual<1>::variable(1.0, 0, 7.0), y = Dual<1>::variable(2.0, 0, -7.0);
  EXPECT_TRUE(x < y);
  EXPECT_TRUE(y >= 2.0);
  EXPECT_TRUE(x == Dual<1>(1.0));
  EXPECT_EQ(max(x, y).slope[0], -7.0);
  EXPECT_EQ(min(x, y).slope[0], 7.0);
}

TEST(Dual, APowerOfZeroHasTheSlopeOfThePolynomial) {
  EXPECT_EQ(pow(Dual<1>::variable(0.0, 0), 1.0).slope[0], 1.0);
  EXPECT_EQ(pow(Dual<1>::variable(0.0, 0), 0.0).slope[0], 0.0);
  EXPECT_EQ(pow(Dual<1>::variable(-2.0, 0), 2.0).slope[0], -4.0);
}
