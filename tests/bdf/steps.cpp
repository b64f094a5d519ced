/// What a user may rely on while steps are taken: limits, signs, counts.

#include "core/failure.hpp"
#include "small_systems.hpp"
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
double smallest_accepted(dae::Sign sign, double slack = 0.0) {
  test::Pointwise system({{.name = "y", .sign = sign, .sign_slack = slack}, {.name = "z"}}, {1.0, 0.0}, {-100.0, 1.0},
                         [](double t, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] + 100.0 * y[0];
                           f[1] = ydot[1] - std::cos(t);
                         });
  bdf::Integrator integrator(system, test::with_tolerance(1e-3));
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
}

TEST(MaxSteps, TheLimitOfStepsIsSaidAndTheStateIsKept) {
  Decay decay;
  bdf::Options options = test::with_tolerance(1e-8);
  options.max_steps = 7;
  bdf::Integrator integrator(decay.system, options);
  integrator.start(0.0, 10.0);
  const std::string text = test::message_of<core::SolverGaveUp>([&] { integrator.advance(10.0); });
  EXPECT_NE(text.find("the limit of steps was reached"), std::string::npos) << text;
  EXPECT_NE(text.find("-dae_max_steps"), std::string::npos) << text;
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
  bdf::Options options = test::with_tolerance(1e-3);
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
  const auto refused = [&](auto change) {
    bdf::Options options;
    change(options);
    return !test::message_of<core::BadInput>([&] { bdf::Integrator(decay.system, options); }).empty();
  };
  EXPECT_TRUE(refused([](auto& o) { o.tolerances.rtol = -1.0; }));
  EXPECT_TRUE(refused([](auto& o) { o.tolerances.atol = std::nan(""); }));
  EXPECT_TRUE(refused([](auto& o) { o.max_order = 6; }));
  EXPECT_TRUE(refused([](auto& o) { o.max_order = 0; }));
  EXPECT_TRUE(refused([](auto& o) { o.h_max = 0.0; }));
  EXPECT_TRUE(refused([](auto& o) { o.h0 = -1.0; }));
  EXPECT_TRUE(refused([](auto& o) { o.kappa = -1.0; }));
  EXPECT_TRUE(refused([](auto& o) { o.fixed_step = -1.0; }));
  EXPECT_TRUE(refused([](auto& o) { o.fixed_order = 6; }));
  EXPECT_FALSE(refused([](auto&) {}));
}
