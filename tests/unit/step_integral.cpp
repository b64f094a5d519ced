#include <rhumb/core/step_integral.hpp>

#include <rhumb/core/failure.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <initializer_list>

namespace {

using rhumb::core::StepIntegral;

TEST(StepIntegral, IsExactForAQuarticOnceItHasFivePoints) {
  StepIntegral integral;
  const auto f = [](double t) { return 5.0 * std::pow(t, 4) - 2.0 * t; };
  const auto F = [](double t) { return std::pow(t, 5) - t * t; };
  double before = 0.0, start = 0.0;
  int points = 0;
  for (double t = 0.0, h = 0.05; t < 2.0; t += h, h *= 1.3) {
    integral.add(t, f(t));
    if (++points == 5) {
      before = integral.value(t);
      start = t;
    }
    if (points <= 5) continue;
    EXPECT_NEAR(integral.value(t) - before, F(t) - F(start), 1e-12);
    const double inside = t - 0.3 * h / 1.3; // in the last step
    EXPECT_NEAR(integral.value(inside) - before, F(inside) - F(start), 1e-12);
  }
}

TEST(StepIntegral, RoundingInTinyFirstStepsIsNotBlownUp) {
  StepIntegral integral;
  double noise = 1e-4;
  for (const double t : {0.0, 1e-8, 2e-8, 4e-8}) integral.add(t, 1.0 + (noise = -noise));
  integral.add(0.1, 1.0);
  EXPECT_NEAR(integral.value(0.1), 0.1, 1e-5);
}

TEST(StepIntegral, BackwardsIsMinusForwards) {
  StepIntegral forth, back;
  const std::initializer_list<double> times{0.0, 0.1, 0.25, 0.4, 0.7, 1.0, 1.4};
  for (const double t : times) forth.add(t, std::exp(-t));
  for (const double t : times) back.add(-t, std::exp(-t));
  EXPECT_EQ(back.value(-1.4), -forth.value(1.4));
  EXPECT_EQ(back.value(-1.1), -forth.value(1.1));
  const double before = back.value(-1.4);
  back.add(-1.0, 1.0); // taken back
  back.add(-1.5, 1.0);
  EXPECT_NEAR(back.value(-1.5) - before, -0.5, 1e-14);
}

TEST(StepIntegral, GoesOnFromItsMemory) {
  StepIntegral whole, first;
  for (const double t : {0.0, 0.1, 0.3}) {
    whole.add(t, std::exp(t));
    first.add(t, std::exp(t));
  }
  StepIntegral second;
  const auto numbers = first.saved_state();
  EXPECT_TRUE(second.restore_state(numbers).empty());
  for (const double t : {0.4, 0.6}) {
    whole.add(t, std::exp(t));
    second.add(t, std::exp(t));
  }
  EXPECT_EQ(second.value(0.6), whole.value(0.6));
}

TEST(StepIntegral, DoesNotLookBackBeyondAJump) {
  StepIntegral integral;
  for (const double t : {0.0, 0.1, 0.15, 0.4, 0.6, 1.0}) integral.add(t, 1.0);
  integral.add(1.0, 1.0); // the same again is no jump
  EXPECT_NEAR(integral.value(0.8), 0.8, 1e-14);
  integral.add(1.0, 5.0);
  integral.add(2.0, 5.0);
  EXPECT_NEAR(integral.value(2.0), 6.0, 1e-14);
}

TEST(StepIntegral, RejectsValuesThatNoneHasSaved) {
  StepIntegral integral;
  EXPECT_THROW(integral.restore_state(std::vector<double>{1.0}), rhumb::core::BadInput);
  std::vector<double> values(StepIntegral::state_size, 0.0);
  values[1] = 1e9; // points
  EXPECT_THROW(integral.restore_state(values), rhumb::core::BadInput);
}

} // namespace
