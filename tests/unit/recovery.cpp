#include <rhumb/bdf/recovery.hpp>

#include <rhumb/bdf/step_size.hpp>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb::bdf;

namespace {

void expect(const Recovery& recovery, double factor, int order) {
  EXPECT_FALSE(recovery.give_up);
  EXPECT_DOUBLE_EQ(recovery.factor, factor);
  EXPECT_EQ(recovery.order, order);
}

FailureCounts tests(int count) {
  return {.error_test = count, .convergence = 0};
}
FailureCounts convergence(int count) {
  return {.error_test = 0, .convergence = count};
}

} // namespace

TEST(AfterErrorTest, TheFirstFailureFollowsTheEstimate) {
  // r = (2 * 0.99 + 1e-4)^(-1/4) = 0.843...
  expect(after_error_test(tests(1), 3, 0.99), 0.9 * wanted_ratio(0.99, 3), 3);
  EXPECT_NEAR(after_error_test(tests(1), 3, 0.99).factor, 0.9 * std::pow(1.9801, -0.25), 1e-12);
}

TEST(AfterErrorTest, TheFirstCutIsBetweenAQuarterAndNineTenths) {
  expect(after_error_test(tests(1), 3, 1e6), 0.25, 3);
  expect(after_error_test(tests(1), 3, 1e-6), 0.9, 3);
}

TEST(AfterErrorTest, TheSecondFailureQuartersTheStep) {
  expect(after_error_test(tests(2), 4, 0.99), 0.25, 4);
}

TEST(AfterErrorTest, FromTheThirdFailureTheOrderIsOne) {
  for (int count = 3; count < 10; ++count) expect(after_error_test(tests(count), 4, 0.99), 0.25, 1);
}

TEST(AfterErrorTest, TheTenthFailureIsTheLast) {
  EXPECT_FALSE(after_error_test(tests(9), 2, 1.0).give_up);
  EXPECT_TRUE(after_error_test(tests(10), 2, 1.0).give_up);
  EXPECT_TRUE(after_error_test(tests(11), 2, 1.0).give_up);
  expect({false, after_error_test(tests(10), 2, 1.0).factor, after_error_test(tests(10), 2, 1.0).order}, 1.0, 2);
}

TEST(LastFailedTest, IsRecentForAsManyStepsAsTheOrder) {
  const auto recent = [](int steps, int order) {
    return LastFailedTest{.order = 1, .steps_since = steps}.is_recent(order);
  };
  EXPECT_TRUE(recent(0, 1));
  EXPECT_FALSE(recent(1, 1));
  EXPECT_TRUE(recent(4, 5));
  EXPECT_FALSE(recent(5, 5));
  EXPECT_FALSE(LastFailedTest{}.is_recent(5)) << "there was none";
}

TEST(LastFailedTest, AnOrderThatHasFailedIsNotReturnedToForTenSteps) {
  const auto allows = [](int steps, int lower) {
    return LastFailedTest{.order = 2, .steps_since = steps}.allows(lower);
  };
  for (const int steps : {1, 10}) {
    EXPECT_FALSE(allows(steps, 1));
    EXPECT_FALSE(allows(steps, 2));
    EXPECT_TRUE(allows(steps, 3));
  }
  EXPECT_TRUE(allows(11, 1));
  EXPECT_TRUE(LastFailedTest{}.allows(1)) << "there was none";
}

TEST(AfterErrorTest, TheFirstStepOfAllIsCutAsTheEstimateSays) {
  expect(after_first_error_test(tests(1), 5000.0), 0.9 * wanted_ratio(5000.0, 1), 1);
  EXPECT_NEAR(after_first_error_test(tests(1), 5000.0).factor, 9e-3, 1e-6);
  expect(after_first_error_test(tests(3), 1e12), 1e-3, 1);
  expect(after_first_error_test(tests(9), 1.0), 0.25, 1);
  EXPECT_TRUE(after_first_error_test(tests(10), 1.0).give_up);
  EXPECT_TRUE(after_first_error_test(tests(11), 1.0).give_up);
  expect({false, after_first_error_test(tests(10), 1.0).factor, after_first_error_test(tests(10), 1.0).order}, 1.0, 1);
}

TEST(AfterConvergenceFailure, TheStepIsQuarteredAtTheSameOrder) {
  for (const Outcome outcome :
       {Outcome::newton_diverged, Outcome::linear_failed, Outcome::residual_failed, Outcome::matrix_singular})
    expect(after_convergence(outcome, convergence(1), 3, 0.5), 0.25, 3);
}

TEST(AfterConvergenceFailure, TheThirdFailureMakesTheOrderOne) {
  for (const Outcome outcome : {Outcome::newton_diverged, Outcome::residual_failed, Outcome::constraint_violated}) {
    EXPECT_EQ(after_convergence(outcome, convergence(2), 4, 0.5).order, 4);
    EXPECT_EQ(after_convergence(outcome, convergence(3), 4, 0.5).order, 1);
  }
}

TEST(AfterConvergenceFailure, TheTenthFailureIsTheLast) {
  for (const Outcome outcome : {Outcome::newton_diverged, Outcome::constraint_violated}) {
    EXPECT_FALSE(after_convergence(outcome, convergence(9), 3, 0.5).give_up);
    const Recovery last = after_convergence(outcome, convergence(10), 3, 0.5);
    EXPECT_TRUE(last.give_up);
    EXPECT_DOUBLE_EQ(last.factor, 1.0);
    EXPECT_EQ(last.order, 3);
  }
}

TEST(AfterALostSign, TheStepEndsBeforeTheZero) {
  expect(after_convergence(Outcome::constraint_violated, convergence(1), 3, 0.5), 0.45, 3);
}

TEST(AfterALostSign, TheCutIsBetweenATenthAndNineTenths) {
  expect(after_convergence(Outcome::constraint_violated, convergence(1), 3, 0.0), 0.1, 3);
  expect(after_convergence(Outcome::constraint_violated, convergence(1), 3, 1.0), 0.9, 3);
  expect(after_convergence(Outcome::constraint_violated, convergence(1), 3, 1.5), 0.9, 3);
}
