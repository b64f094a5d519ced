#include <rhumb/bdf/rate_test.hpp>

#include <gtest/gtest.h>

using rhumb::bdf::RateTest;
using Verdict = RateTest::Verdict;

namespace {

/// After a first correction of length 1 and a second one of `rate`: a remembered rate/(1 - rate).
RateTest having_seen(double rate) {
  RateTest test;
  test.begin_with_new_matrix();
  test.judge(0, 1.0, 1e-9);
  test.judge(1, rate, 1e-9);
  return test;
}

} // namespace

TEST(RateTest, ANewMatrixIsSupposedToHalveTheError) {
  RateTest test;
  EXPECT_EQ(test.contraction(), 0.0);
  test.begin_with_new_matrix();
  EXPECT_EQ(test.judge(0, 0.15, 0.15), Verdict::converged);
  EXPECT_EQ(test.judge(0, 0.1501, 0.15), Verdict::go_on);
}

TEST(RateTest, TheRateIsTheMeanOverTheIterationsAndBoundsWhatIsLeft) {
  RateTest test = having_seen(0.2);
  EXPECT_NEAR(test.contraction(), 0.25, 1e-15);
  test.judge(2, 0.01, 1e-9);
  EXPECT_NEAR(test.contraction(), 0.1 / 0.9, 1e-15) << "the root of 0.01";
  EXPECT_EQ(having_seen(0.2).judge(0, 0.6, 0.15), Verdict::converged);
  EXPECT_EQ(having_seen(0.2).judge(0, 0.61, 0.15), Verdict::go_on);
}

TEST(RateTest, ARateAboveNineTenthsDiverges) {
  RateTest test;
  test.judge(0, 1.0, 1e-3);
  EXPECT_EQ(test.judge(1, 0.89, 1e-3), Verdict::go_on);
  EXPECT_EQ(test.judge(1, 0.91, 1e-3), Verdict::diverged);
  EXPECT_EQ(test.judge(2, 0.80, 1e-3), Verdict::go_on) << "0.894 for each of two";
  EXPECT_EQ(test.judge(2, 0.82, 1e-3), Verdict::diverged);
}

TEST(RateTest, AnUnmeasurablyShortCorrectionIsTheLast) {
  RateTest test = having_seen(0.5);
  const double before = test.contraction();
  EXPECT_EQ(test.judge(0, 1e-4, 1.0), Verdict::converged);
  EXPECT_EQ(test.contraction(), before);
  test.doubt(1e6);
  EXPECT_EQ(test.judge(0, 0.99e-4, 1.0), Verdict::converged);
  EXPECT_EQ(test.judge(0, 1.01e-4, 1.0), Verdict::go_on);
}

TEST(RateTest, AGoodRateIsRememberedAsATwentieth) {
  EXPECT_EQ(having_seen(1e-3).judge(0, 2.99, 0.15), Verdict::converged);
  EXPECT_EQ(having_seen(1e-3).judge(0, 3.01, 0.15), Verdict::go_on);
}

TEST(RateTest, DoubtMakesTheRateNoBetter) {
  RateTest test = having_seen(0.2);
  test.doubt(0.1);
  EXPECT_NEAR(test.contraction(), 0.25, 1e-15);
  test.doubt();
  EXPECT_EQ(test.contraction(), 1.0);
}
