/// What a user may rely on while steps are taken: limits, signs, counts.

#include "small_systems.hpp"
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <gtest/gtest.h>

using namespace rhumb;

namespace {

/// y' = -y, and the latest time at which it was evaluated.
struct Decay {
  std::shared_ptr<double> latest = std::make_shared<double>(0.0);
  test::Pointwise system{{{.name = "y"}}, {1.0}, {-1.0}, [seen = latest](double t, auto y, auto ydot, auto f) {
                           *seen = std::max(*seen, t);
                           f[0] = ydot[0] + y[0];
                         }};
};

/// A fast decay to zero, which BDF at loose tolerances passes: the field must be nonnegative or may be anything.
double smallest_accepted(dae::Sign sign, double slack = 0.0, double slack_of_options = 0.0) {
  test::Pointwise system({{.name = "y", .sign = sign, .sign_slack = slack}, {.name = "z"}}, {1.0, 0.0}, {-100.0, 1.0},
                         [](double t, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] + 100.0 * y[0];
                           f[1] = ydot[1] - std::cos(t);
                         });
  bdf::IntegratorOptions options = test::with_tolerance(1e-3);
  options.sign_slack = slack_of_options;
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 10.0);
  double smallest = 1.0;
  while (integrator.time() < 2.0) {
    integrator.step();
    smallest = std::min(smallest, system.first_point(integrator.state())[0]);
  }
  EXPECT_EQ(integrator.statistics().constraint_failures > 0, sign != dae::Sign::free);
  return smallest;
}

} // namespace

TEST(StopAt, NothingIsEvaluatedBeyondTheLimit) {
  Decay decay;
  bdf::Integrator integrator(decay.system, test::with_tolerance(1e-5));
  integrator.start(0.0, 10.0);
  for (const double limit : {0.37, 1.23, 4.0, 9.9}) {
    integrator.stop_at(limit);
    integrator.advance(limit);
    EXPECT_EQ(integrator.time(), limit);
    EXPECT_LE(*decay.latest, limit);
  }
  integrator.stop_at(std::nullopt);
  integrator.advance(10.0);
  EXPECT_GT(integrator.time(), 10.0) << "steps may pass the end where nothing is said";
}

TEST(StopAt, TheLastStepsAreNotSlivers) {
  Decay decay;
  bdf::Integrator integrator(decay.system, test::with_tolerance(1e-5));
  integrator.start(0.0, 10.0);
  integrator.stop_at(3.0);
  double before = 0.0, last = 0.0;
  while (integrator.time() < 3.0) {
    before = last;
    last = integrator.step().step.h;
  }
  EXPECT_GT(last, 0.3 * before);
}

TEST(Signs, AnAcceptedValueIsNeverNegative) {
  EXPECT_LT(smallest_accepted(dae::Sign::free), 0.0) << "else this test proves nothing";
  EXPECT_GE(smallest_accepted(dae::Sign::nonnegative), 0.0);
  EXPECT_GT(smallest_accepted(dae::Sign::positive), 0.0);
}

TEST(Signs, ASlackIsHowFarBelowZeroAValueMayGet) {
  const double slack = 1e-7, smallest = smallest_accepted(dae::Sign::nonnegative, slack);
  EXPECT_LT(smallest, 0.0);
  EXPECT_GE(smallest, -slack);
  EXPECT_EQ(smallest_accepted(dae::Sign::nonnegative, 0.0, slack), smallest);
}

TEST(MaxSteps, TheLimitOfStepsIsSaidAndTheStateIsKept) {
  Decay decay;
  bdf::IntegratorOptions options = test::with_tolerance(1e-8);
  options.max_steps = 7;
  bdf::Integrator integrator(decay.system, options);
  integrator.start(0.0, 10.0);
  const std::string text = test::message_of<core::SolverGaveUp>([&] { integrator.advance(10.0); });
  EXPECT_NE(text.find("the limit of steps was reached"), std::string::npos) << text;
  EXPECT_NE(text.find("IntegratorOptions::max_steps"), std::string::npos) << text;
  EXPECT_EQ(integrator.statistics().steps, 7);
  EXPECT_NEAR(decay.system.first_point(integrator.state())[0], std::exp(-integrator.time()), 1e-6);
}

TEST(Statistics, AddUp) {
  Decay decay;
  bdf::Integrator integrator(decay.system, test::with_tolerance(1e-6));
  integrator.start(0.0, 5.0);
  long steps = 0, newton = 0;
  while (integrator.time() < 5.0) {
    newton += integrator.step().step.newton;
    ++steps;
  }
  const bdf::Statistics s = integrator.statistics();
  EXPECT_EQ(s.steps, steps);
  EXPECT_EQ(s.newton_iterations, newton);
  long by_order = 0;
  for (const long count : s.order_histogram) by_order += count;
  EXPECT_EQ(by_order, steps);
  EXPECT_LE(s.h_min, s.h_max);
  EXPECT_GE(s.residual_evals, newton + s.residual_evals_jacobian);
}

TEST(HMax, BoundsEveryStep) {
  Decay decay;
  bdf::IntegratorOptions options = test::with_tolerance(1e-3);
  options.h_max = 0.05;
  bdf::Integrator integrator(decay.system, options);
  integrator.start(0.0, 10.0);
  integrator.advance(10.0);
  EXPECT_LE(integrator.statistics().h_max, 0.05);
}

TEST(DenseOutput, IsAsGoodAsTheSteps) {
  Decay decay;
  bdf::Integrator integrator(decay.system, test::with_tolerance(1e-6));
  integrator.start(0.0, 5.0);
  const auto y = integrator.new_vector(), ydot = integrator.new_vector();
  while (integrator.time() < 5.0) {
    integrator.step();
    const double t = 0.5 * (integrator.previous_time() + integrator.time());
    integrator.interpolate(t, y, ydot);
    EXPECT_NEAR(decay.system.first_point(y)[0], std::exp(-t), 2e-5);
    EXPECT_NEAR(decay.system.first_point(ydot)[0], -std::exp(-t), 1e-3);
  }
}

TEST(OptionsOutOfRange, AreRefused) {
  Decay decay;
  const auto rejected = [&](auto change) {
    bdf::IntegratorOptions options;
    change(options);
    return !test::message_of<core::BadInput>([&] { bdf::Integrator(decay.system, options); }).empty();
  };
  EXPECT_TRUE(rejected([](auto& o) { o.tolerances.rtol = -1.0; }));
  EXPECT_TRUE(rejected([](auto& o) { o.tolerances.atol = std::nan(""); }));
  EXPECT_TRUE(rejected([](auto& o) { o.max_order = 6; }));
  EXPECT_TRUE(rejected([](auto& o) { o.max_order = 0; }));
  EXPECT_TRUE(rejected([](auto& o) { o.h_max = 0.0; }));
  EXPECT_TRUE(rejected([](auto& o) { o.h0 = -1.0; }));
  EXPECT_TRUE(rejected([](auto& o) { o.kappa = -1.0; }));
  EXPECT_TRUE(rejected([](auto& o) { o.fixed_step = -1.0; }));
  EXPECT_TRUE(rejected([](auto& o) { o.fixed_order = 6; }));
  EXPECT_FALSE(rejected([](auto&) {}));
}

TEST(StopAt, ALimitIsHitExactlyFromBothSidesOfZero) {
  for (int i = 0; i < 200; ++i) {
    test::Pointwise system({{.name = "y"}}, {1.0}, {-1e-3},
                           [](double, auto y, auto ydot, auto f) { f[0] = ydot[0] + 1e-3 * y[0]; });
    const double from = -1000.0 - 0.37 * i, to = 0.1 + 0.001 * i;
    bdf::Integrator integrator(system, test::with_tolerance(1e-6));
    integrator.start(from, to);
    integrator.stop_at(to);
    ASSERT_NO_THROW(integrator.advance(to)) << "from " << from << " to " << to;
    ASSERT_EQ(integrator.time(), to);
  }
}

TEST(StopAt, ALimitThatIsSetBeforeTheStartIsMeasuredFromTheStart) {
  Decay decay;
  bdf::Integrator integrator(decay.system, test::with_tolerance(1e-6));
  integrator.stop_at(-50.0);
  integrator.start(-100.0, -50.0);
  EXPECT_GT(integrator.step().step.h, 0.0);
  EXPECT_GT(integrator.time(), -100.0);
}

TEST(StopAt, AFixedStepEndsAtTheLimit) {
  Decay decay;
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.fixed_step = 0.1;
  options.fixed_order = 2;
  bdf::Integrator integrator(decay.system, options);
  integrator.start(0.0, 1.0);
  integrator.stop_at(1.0);
  integrator.advance(1.0);
  EXPECT_EQ(integrator.time(), 1.0);
  EXPECT_EQ(integrator.statistics().steps, 10) << "the last step takes up what rounding left";
  integrator.stop_at(1.25);
  integrator.advance(1.25);
  EXPECT_EQ(integrator.time(), 1.25);
  EXPECT_LE(*decay.latest, 1.25);
  EXPECT_EQ(integrator.statistics().steps, 13);
}

TEST(StopAt, AStepFromTheLimitItselfIsRefused) {
  Decay decay;
  bdf::Integrator integrator(decay.system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  integrator.stop_at(0.5);
  integrator.advance(0.5);
  const std::string text = test::message_of<core::BadInput>([&] { integrator.step(); });
  EXPECT_NE(text.find("stop_at"), std::string::npos) << text;
  integrator.stop_at(1.0);
  EXPECT_NO_THROW(integrator.advance(1.0));
}

TEST(GivingUp, LeavesAStepFromWhichToGoOn) {
  // F has no value in a gap that opens again: what the failures made of the step must not be what the next call uses.
  bool closed = true;
  test::Pointwise system({{.name = "u"}}, {0.0}, {1.0}, [&](double t, auto, auto ydot, auto f) {
    f[0] = closed && t > 0.5 ? std::numeric_limits<double>::quiet_NaN() : ydot[0] - std::cos(t);
  });
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  EXPECT_THROW(integrator.advance(1.0), core::SolverGaveUp);
  const double kept = integrator.time();
  closed = false;
  const long before = integrator.statistics().steps;
  ASSERT_NO_THROW(integrator.advance(1.0));
  EXPECT_GT(integrator.time(), kept);
  EXPECT_LT(integrator.statistics().steps - before, 100);
  EXPECT_NEAR(system.first_point(integrator.state())[0], std::sin(integrator.time()), 1e-4);
}

TEST(Signs, AFieldThatMustBePositiveAndBecomesZeroHasLostItsSign) {
  // Backward Euler with exact values: u' = -1 reaches 0 exactly at the end of a fixed step.
  test::Pointwise system({{.name = "u", .sign = dae::Sign::positive}}, {1.0}, {-1.0},
                         [](double, auto, auto ydot, auto f) { f[0] = ydot[0] + 1.0; });
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.fixed_step = 1.0;
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 2.0);
  EXPECT_THROW(integrator.step(), core::SolverGaveUp);
  EXPECT_EQ(integrator.time(), 0.0);
}

TEST(LibraryUse, WhatComesBeforeTheStartIsRefusedByName) {
  Decay decay;
  bdf::Integrator integrator(decay.system, test::with_tolerance(1e-6));
  const auto y = integrator.new_vector();
  const auto says_start = [](const std::string& text) { return text.find("call start") != std::string::npos; };
  EXPECT_TRUE(says_start(test::message_of<core::BadInput>([&] { integrator.advance(1.0); })));
  EXPECT_TRUE(says_start(test::message_of<core::BadInput>([&] { integrator.step(); })));
  EXPECT_TRUE(says_start(test::message_of<core::BadInput>([&] { integrator.restart(); })));
  EXPECT_TRUE(says_start(test::message_of<core::BadInput>([&] { integrator.interpolate(0.0, y, nullptr); })));
}

TEST(LibraryUse, AdvanceDoesNotGoBack) {
  Decay decay;
  bdf::Integrator integrator(decay.system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  integrator.advance(0.5);
  EXPECT_NO_THROW(integrator.advance(integrator.time()));
  const std::string text = test::message_of<core::BadInput>([&] { integrator.advance(0.25); });
  EXPECT_NE(text.find("advance(0.25)"), std::string::npos) << text;
}

TEST(LibraryUse, InterpolateRefusesTimesOutsideTheLastStep) {
  Decay decay;
  bdf::Integrator integrator(decay.system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  integrator.advance(0.5);
  const auto y = integrator.new_vector();
  const double from = integrator.previous_time(), to = integrator.time();
  for (const double t : {from, 0.5 * (from + to), to}) {
    integrator.interpolate(t, y, nullptr);
    EXPECT_NEAR(decay.system.first_point(y)[0], std::exp(-t), 1e-5);
  }
  for (const double t : {from - 1e-3, to + 1e-3, 100.0, std::numeric_limits<double>::quiet_NaN()}) {
    const std::string text = test::message_of<core::BadInput>([&] { integrator.interpolate(t, y, nullptr); });
    EXPECT_NE(text.find("dense output covers the last step"), std::string::npos) << text;
  }
}
