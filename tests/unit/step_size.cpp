#include <rhumb/bdf/step_size.hpp>

#include "grid_of_times.hpp"
#include <rhumb/bdf/coefficients.hpp>
#include <gtest/gtest.h>
#include <limits>

using namespace rhumb;
using bdf::expected_error;

namespace {

/// What the controllers are meant to do, in numbers (docs/reference/integrator.md). A change there is a change here.
namespace meant {
constexpr double half_the_tolerance = 2.0, floor = 1e-4;
constexpr double most_growth = 2.0, least_cut = 0.9, most_cut = 0.5, most_growth_at_start = 8.0;
constexpr double dead_band = 1.4, max_error_of_kept_step = 3.5, caution_at_start = 0.02;
constexpr double target[] = {0.0, 0.6, 0.5, 0.35, 0.25, 0.1}; // by order
} // namespace meant

const std::vector<double> even(bdf::past_step_count, 0.1);

/// The norm of phi_{k+2} with which a step of `factor` has `error` expected.
double norm_for(const std::vector<double>& steps, int order, double factor, double error) {
  return error / expected_error(steps, order, 1.0, factor);
}

class StepOfOrder : public testing::TestWithParam<int> {
protected:
  int order() const { return GetParam(); }
  double target() const { return meant::target[GetParam()]; }
  /// The smooth factor when the target belongs to the given factor.
  double chosen_for(double factor) const {
    return bdf::smooth_factor(even, order(), norm_for(even, order(), factor, target()));
  }
};
INSTANTIATE_TEST_SUITE_P(OneToFive, StepOfOrder, testing::Range(1, bdf::highest_order + 1));

} // namespace

TEST(WantedRatio, AimsAtHalfTheTolerance) {
  for (int order = 1; order <= bdf::highest_order; ++order)
    EXPECT_NEAR(bdf::wanted_ratio(0.3, order),
                std::pow(meant::half_the_tolerance * 0.3 + meant::floor, -1.0 / (order + 1)), 1e-14);
}

TEST(WantedRatio, IsBoundedWhereTheEstimateVanishes) {
  EXPECT_NEAR(bdf::wanted_ratio(0.0, 1), 100.0, 1e-9);
  EXPECT_NEAR(bdf::wanted_ratio(0.0, 3), 10.0, 1e-9);
}

TEST(DasslFactor, DoublesKeepsOrShrinks) {
  EXPECT_EQ(bdf::dassl_factor(50.0), 2.0);
  EXPECT_EQ(bdf::dassl_factor(2.0), 2.0);
  EXPECT_EQ(bdf::dassl_factor(1.99), 1.0);
  EXPECT_EQ(bdf::dassl_factor(1.01), 1.0);
  EXPECT_EQ(bdf::dassl_factor(1.0), 0.9);
  EXPECT_EQ(bdf::dassl_factor(0.95), 0.9);
  EXPECT_EQ(bdf::dassl_factor(0.7), 0.7);
  EXPECT_EQ(bdf::dassl_factor(0.2), 0.5);
}

TEST_P(StepOfOrder, ExpectedErrorOfAnEvenStepIsTheFormulasOwn) {
  EXPECT_NEAR(expected_error(even, order(), 3.0, 1.0), 3.0 / (order() + 1), 1e-12);
}

TEST_P(StepOfOrder, ExpectedErrorIsThatOfTheVeryStep) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 20; ++trial) {
    const auto steps = test::random_steps(random, bdf::past_step_count, 0.2);
    const auto times = test::times_of(steps);
    const double factor = test::random_steps(random, 2, 1.0)[1], h = factor * steps[0];
    double difference = 1.0; // phi*_{k+2}(n+1) where phi_{k+2}(n) = 1
    for (std::size_t i = 1; i <= static_cast<std::size_t>(order()) + 1; ++i)
      difference *= (h - times[i - 1]) / test::psi(times, i);
    const double constant = bdf::coefficients(steps, h, order()).error_constant();
    EXPECT_NEAR(expected_error(steps, order(), 1.0, factor), constant * difference, 1e-10 * constant * difference);
  }
}

TEST_P(StepOfOrder, SmoothFactorMeetsTheTargetOfItsOrder) {
  for (const double factor : {1.45, 1.6, 1.9}) EXPECT_NEAR(chosen_for(factor), factor, 1e-5);
}

TEST_P(StepOfOrder, SmoothFactorStaysWithinAHalfAndTwo) {
  for (const double just_beyond : {2.001, 2.01, 3.0}) EXPECT_DOUBLE_EQ(chosen_for(just_beyond), meant::most_growth);
  EXPECT_DOUBLE_EQ(bdf::smooth_factor(even, order(), 0.0), meant::most_growth);
  EXPECT_DOUBLE_EQ(bdf::smooth_factor(even, order(), 1e6), meant::most_cut);
}

TEST_P(StepOfOrder, SmallGrowthIsNotWorthAChange) {
  EXPECT_EQ(chosen_for(meant::dead_band - 0.01), 1.0);
  EXPECT_EQ(chosen_for(1.02), 1.0);
  EXPECT_NEAR(chosen_for(meant::dead_band + 0.01), meant::dead_band + 0.01, 1e-5);
}

TEST_P(StepOfOrder, SmallExcessIsNotWorthACut) {
  const auto chosen = [&](double targets) {
    return bdf::smooth_factor(even, order(), norm_for(even, order(), 1.0, targets * target()));
  };
  EXPECT_EQ(chosen(meant::max_error_of_kept_step - 0.01), 1.0);
  EXPECT_LE(chosen(meant::max_error_of_kept_step + 0.01), meant::least_cut);
}

TEST_P(StepOfOrder, ACutFollowsThePowerOfTheOrderAndIsAtLeastATenth) {
  for (const double targets : {3.6, 5.0, 20.0, 1e3}) {
    const double norm = norm_for(even, order(), 1.0, targets * target());
    const double factor = std::clamp(std::pow(targets, -1.0 / (order() + 1)), meant::most_cut, meant::least_cut);
    EXPECT_NEAR(bdf::smooth_factor(even, order(), norm), factor, 1e-12);
  }
}

TEST_P(StepOfOrder, UnevenStepsBehindCountAsTheyAre) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 20; ++trial) {
    const auto steps = test::random_steps(random, bdf::past_step_count, 0.2);
    const double norm = norm_for(steps, order(), 1.6, target());
    const double factor = bdf::smooth_factor(steps, order(), norm);
    EXPECT_NEAR(factor, 1.6, 1e-4);
  }
}

TEST_P(StepOfOrder, TheFactorIsFoundToRounding) {
  for (const double wish : {1.41, 1.5, 1.57, 1.73, 1.91}) EXPECT_NEAR(chosen_for(wish), wish, 1e-13);
}

TEST_P(StepOfOrder, StartingFactorIsBetweenTwoAndEight) {
  const auto chosen = [&](double factor) {
    const double norm = norm_for(even, order(), factor, meant::caution_at_start * target());
    return bdf::starting_factor(bdf::Beginning::first, even, order(), norm);
  };
  for (const double below : {1.0, 1.99, 1.999}) EXPECT_EQ(chosen(below), meant::most_growth);
  EXPECT_NEAR(chosen(3.0), 3.0, 1e-4);
  EXPECT_NEAR(chosen(7.9), 7.9, 1e-4);
  EXPECT_DOUBLE_EQ(chosen(20.0), meant::most_growth_at_start);
}

TEST_P(StepOfOrder, StartingFactorIsTwoWhereTheStartMayComeAgain) {
  EXPECT_EQ(bdf::starting_factor(bdf::Beginning::again, even, order(), 0.0), meant::most_growth);
}

TEST(FirstStep, IsAThousandthOfTheInterval) {
  EXPECT_DOUBLE_EQ(bdf::first_step(2.0, 1.0), 2e-3);
  EXPECT_DOUBLE_EQ(bdf::first_step(1.0, 499.0), 1e-3);
  EXPECT_DOUBLE_EQ(bdf::first_step(1.0, 500.0), 1e-3);
}

TEST(FirstStep, ChangesTheSolutionByHalfATolerance) {
  EXPECT_DOUBLE_EQ(bdf::first_step(1.0, 510.0), 0.5 / 510.0);
  EXPECT_DOUBLE_EQ(bdf::first_step(1.0, 1e6), 0.5e-6);
}

TEST(FirstStep, LeavesRoomForTheRoundingOfPositionsInVelocities) {
  EXPECT_DOUBLE_EQ(bdf::least_first_step(1e6, 0.01), 1e9 * std::numeric_limits<double>::epsilon());
}

TEST(SmallestStep, IsFourRoundingsOfTheTime) {
  EXPECT_DOUBLE_EQ(bdf::smallest_step(8.0, 1.0), 32.0 * std::numeric_limits<double>::epsilon());
  EXPECT_DOUBLE_EQ(bdf::smallest_step(-8.0, 1.0), 32.0 * std::numeric_limits<double>::epsilon());
  EXPECT_EQ(bdf::smallest_step(0.0, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(bdf::smallest_step(1e-9, 0.5), 2.0 * std::numeric_limits<double>::epsilon());
}

TEST(RatioForCorrection, KeepsTheNextCorrectionBelowTheLimit) {
  EXPECT_DOUBLE_EQ(bdf::ratio_for_correction(8.0, 2.0, 1), 0.5);
  EXPECT_DOUBLE_EQ(bdf::ratio_for_correction(2.0, 16.0, 2), 2.0);
  EXPECT_DOUBLE_EQ(bdf::ratio_for_correction(0.05, 0.2, 1), 2.0);
}

TEST(RatioForCorrection, NoCorrectionIsNoLimit) {
  EXPECT_EQ(bdf::ratio_for_correction(0.0, 2.0, 1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(bdf::ratio_for_correction(-0.05, 2.0, 1), std::numeric_limits<double>::infinity());
}
