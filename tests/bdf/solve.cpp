/// Small systems from functions: the same integrator, with the solution in memory.

#include <rhumb/bdf/solve.hpp>
#include <rhumb/core/failure.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

using namespace rhumb;

namespace {

/// y1 and y3 of Robertson's problem, from two methods at tight tolerances (apps/dae/robertson.cpp has more).
struct Known {
  double t, y1, y3;
};
constexpr Known robertson_values[] = {{0.4, 0.9851721138609898, 0.014794022185220452},
                                      {4e3, 0.18320225777670662, 0.8167968479861706},
                                      {4e10, 5.208345176796916e-08, 0.9999999479163428}};

const auto robertson = [](double, auto y, auto ydot, auto f) {
  f[0] = ydot[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
  f[1] = ydot[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
  f[2] = y[0] + y[1] + y[2] - 1.0;
};

/// x'' = -x as a system of first order: (cos t, -sin t).
SmallSystem oscillator() {
  return {.rate =
              [](double, auto y, auto ydot) {
                ydot[0] = y[1];
                ydot[1] = -y[0];
              },
          .y = {1.0, 0.0}};
}

template <class Body>
std::string rejection(Body&& body) {
  try {
    body();
  } catch (const core::BadInput& bad) {
    return bad.what();
  }
  return "not rejected";
}

} // namespace

TEST(Solve, RobertsonFromOneFunctionHasThePublishedValues) {
  const auto s =
      solve({.residual = robertson, .y = {1.0, 0.0, 0.0}}, {0.0, 4e10}, {.rtol = 1e-6, .atols = {1e-8, 1e-12, 1e-8}});
  ASSERT_TRUE(s.done()) << s.message;
  for (const auto& known : robertson_values) {
    const auto y = s(known.t);
    EXPECT_NEAR(y[0], known.y1, 1e-4 * known.y1 + 1e-7) << known.t;
    EXPECT_NEAR(y[2], known.y3, 1e-4 * known.y3 + 1e-7) << known.t;
  }
  EXPECT_LT(s.statistics.steps, 1200);
}

TEST(Solve, TheSolutionIsThereAtAnyTimeWithinTheTolerance) {
  const auto s = solve(oscillator(), {0.0, 20.0}, {.rtol = 1e-8, .atol = 1e-8});
  ASSERT_TRUE(s.done()) << s.message;
  for (int i = 0; i <= 1000; ++i) {
    const double t = 0.02 * i;
    const auto y = s(t);
    EXPECT_NEAR(y[0], std::cos(t), 5e-6) << t;
    EXPECT_NEAR(y[1], -std::sin(t), 5e-6) << t;
  }
  EXPECT_EQ(s.times().front(), 0.0);
  EXPECT_GE(s.times().back(), 20.0);
  EXPECT_EQ(static_cast<long>(s.times().size()), s.statistics.steps + 1);
}

TEST(Solve, OutsideTheIntervalThereIsNoSolution) {
  const auto s = solve(oscillator(), {0.0, 1.0});
  EXPECT_NE(rejection([&] { s(-0.1); }).find("known from 0"), std::string::npos);
  EXPECT_NE(rejection([&] { s(1000.0); }), "not rejected");
}

/// The dense output of the trajectory is the integrator's own, also where an event has cut a step and changed y.
TEST(Solve, ABallBouncesWhereItShouldAndItsPathIsThere) {
  SmallSystem ball{.rate =
                       [](double, auto y, auto ydot) {
                         ydot[0] = y[1];
                         ydot[1] = -10.0;
                       },
                   .y = {5.0, 0.0},
                   .events = {{.name = "ground",
                               .value = [](double, auto y, auto) { return y[0]; },
                               .direction = dae::Event::Direction::falling,
                               .action =
                                   [](double, auto y, auto) {
                                     y[1] *= -0.5;
                                     return dae::AfterEvent::restart;
                                   }}}};
  const auto s = solve(ball, {0.0, 1.8}, {.rtol = 1e-9, .atol = 1e-9});
  ASSERT_TRUE(s.done()) << s.message;
  ASSERT_EQ(s.events.size(), 1U);
  EXPECT_EQ(s.events[0].name, "ground");
  EXPECT_NEAR(s.events[0].t, 1.0, 1e-8); // from height 5 with g = 10
  const auto path = [](double t) {
    return t <= 1.0 ? 5.0 - 5.0 * t * t : 5.0 * (t - 1.0) - 5.0 * (t - 1.0) * (t - 1.0);
  };
  for (int i = 0; i <= 180; ++i) EXPECT_NEAR(s(0.01 * i)[0], path(0.01 * i), 1e-6) << i;
}

TEST(Solve, AnEventMayEndTheRun) {
  auto swing = oscillator();
  swing.events = {{.name = "zero",
                   .value = [](double, auto y, auto) { return y[0]; },
                   .action = [](double, auto, auto) { return dae::AfterEvent::stop; }}};
  const auto s = solve(swing, {0.0, 10.0}, {.rtol = 1e-9, .atol = 1e-9});
  EXPECT_EQ(s.reason, "stopped_by_event");
  EXPECT_NEAR(s.t, 0.5 * std::numbers::pi, 1e-7);
  EXPECT_NEAR(s.y()[1], -1.0, 1e-7);
}

TEST(Solve, AnExactJacobianSavesTheDifferences) {
  SmallSystem by_differences{.residual = robertson, .y = {1.0, 0.0, 0.0}};
  SmallSystem exact = by_differences;
  exact.jacobian = [](double, auto y, auto, double alpha, auto j) {
    j[0] = alpha + 0.04, j[1] = -1e4 * y[2], j[2] = -1e4 * y[1];
    j[3] = -0.04, j[4] = alpha + 1e4 * y[2] + 6e7 * y[1], j[5] = 1e4 * y[1];
    j[6] = j[7] = j[8] = 1.0;
  };
  const SolveSettings settings{.rtol = 1e-5, .atols = {1e-8, 1e-12, 1e-8}};
  const auto a = solve(by_differences, {0.0, 400.0}, settings), b = solve(exact, {0.0, 400.0}, settings);
  ASSERT_TRUE(a.done() && b.done());
  EXPECT_GT(a.statistics.residual_evals_jacobian, 0);
  EXPECT_EQ(b.statistics.residual_evals_jacobian, 0);
  EXPECT_NEAR(a(400.0)[0], b(400.0)[0], 1e-4);
}

TEST(Solve, AFailureIsAValueWithItsDiagnosis) {
  const auto s = solve({.rate = [](double, auto y, auto ydot) { ydot[0] = y[0] * y[0]; }, .y = {1.0}}, {0.0, 2.0});
  EXPECT_FALSE(s.done());
  EXPECT_EQ(s.reason, "solver_gave_up");
  EXPECT_NE(s.message.find("blow"), std::string::npos) << s.message;
  EXPECT_NEAR(s.t, 1.0, 0.01); // y = 1 / (1 - t)
  EXPECT_NEAR(s(0.5)[0], 2.0, 0.01);
}

TEST(Solve, WhatContradictsItselfIsRejected) {
  EXPECT_NE(rejection([] { solve({.y = {1.0}}, {0.0, 1.0}); }).find("residual or its rate"), std::string::npos);
  auto two = oscillator();
  two.ydot = {1.0};
  EXPECT_NE(rejection([&] { solve(two, {0.0, 1.0}); }).find("2 variables has 1 rates"), std::string::npos);
  EXPECT_FALSE(solve(oscillator(), {1.0, 1.0}).done());
}

/// A run may ask for the solution of another one while it goes.
TEST(Solve, ARunInsideTheResidualOfAnotherChangesNothing) {
  const auto alone = solve(oscillator(), {0.0, 5.0}, {.rtol = 1e-6});
  SmallSystem outer{.rate =
                        [](double, auto y, auto ydot) {
                          const auto inner = solve(oscillator(), {0.0, 1.0}, {.rtol = 1e-3});
                          ydot[0] = y[1] + 0.0 * inner.y()[0];
                          ydot[1] = -y[0];
                        },
                    .y = {1.0, 0.0}};
  const auto around = solve(outer, {0.0, 5.0}, {.rtol = 1e-6});
  EXPECT_EQ(alone.statistics.steps, around.statistics.steps);
  EXPECT_EQ(alone.y(), around.y());
}

/// Events that only look on, several to a step, leave the dense output whole.
TEST(Solve, EventsThatChangeNothingLeaveThePathAsItIs) {
  auto swing = oscillator();
  for (const double level : {0.9, 0.5, 0.1, -0.3})
    swing.events.push_back({.name = "level", .value = [level](double, auto y, auto) { return y[0] - level; }});
  auto watched = oscillator(); // a system with events takes more care of its dense output
  watched.events.push_back({.name = "never", .value = [](double, auto y, auto) { return y[0] - 5.0; }});
  const SolveSettings settings{.rtol = 1e-7, .atol = 1e-7};
  const auto with = solve(swing, {0.0, 6.0}, settings), without = solve(watched, {0.0, 6.0}, settings);
  EXPECT_EQ(with.events.size(), 8U); // down and up again
  EXPECT_EQ(with.statistics.steps, without.statistics.steps);
  for (int i = 0; i <= 600; ++i) EXPECT_NEAR(with(0.01 * i)[0], without(0.01 * i)[0], 1e-12) << i;
}

TEST(Solve, SensitivitiesOfADecayAreExactAtAnyTime) {
  double rate = 2.0, start = 3.0; // y = start exp(-rate t)
  const auto s = solve({.rate = [&](double, auto y, auto ydot) { ydot[0] = -rate * y[0]; },
                        .y = {3.0},
                        .parameters = {{"rate", rate}, {"start", start}},
                        .initial_values = [&](auto y, auto) { y[0] = start; }},
                       {0.0, 2.0}, {.rtol = 1e-8, .atol = 1e-10, .sensitivities = {"start", "rate"}});
  ASSERT_TRUE(s.done()) << s.message;
  for (const double t : {0.0, 0.1234, 1.0, 2.0}) {
    EXPECT_NEAR(s.sensitivity("rate", t)[0], -t * 3.0 * std::exp(-2.0 * t), 1e-6) << t;
    EXPECT_NEAR(s.sensitivity("start", t)[0], std::exp(-2.0 * t), 1e-6) << t;
  }
  EXPECT_EQ(rate, 2.0); // put back
}

TEST(Solve, SensitivitiesJumpWhereAnEventDoes) {
  double bounce = 0.5, g = 10.0; // a ball from height 5 hits the ground at t = sqrt(10/g) = 1
  const auto hit = [&](double, auto y, auto) {
    y[1] *= -bounce;
    return dae::AfterEvent::restart;
  };
  const auto s =
      solve({.rate =
                 [&](double, auto y, auto ydot) {
                   ydot[0] = y[1];
                   ydot[1] = -g;
                 },
             .y = {5.0, 0.0},
             .events = {{"hit", [](double, auto y, auto) { return y[0]; }, dae::Event::Direction::falling, hit}},
             .parameters = {{"bounce", bounce}, {"g", g}}},
            {0.0, 1.5}, {.rtol = 1e-8, .atol = 1e-10, .sensitivities = {"bounce", "g"}});
  ASSERT_TRUE(s.done()) << s.message;
  // After it v = bounce sqrt(10 g) - g (t - sqrt(10/g)) = (bounce + 1) sqrt(10 g) - g t.
  EXPECT_NEAR(s.sensitivity("bounce", 1.25)[1], 10.0, 1e-4);
  EXPECT_NEAR(s.sensitivity("bounce", 1.25)[0], 2.5, 1e-4);
  EXPECT_NEAR(s.sensitivity("g", 1.25)[1], 1.5 * 0.5 - 1.25, 1e-4);
  EXPECT_NEAR(s.sensitivity("bounce", 0.5)[1], 0.0, 1e-12);
}

TEST(Solve, NamesOfSensitivitiesAreChecked) {
  double k = 1.0;
  const SmallSystem decay{
      .rate = [&](double, auto y, auto ydot) { ydot[0] = -k * y[0]; }, .y = {1.0}, .parameters = {{"decay", k}}};
  EXPECT_NE(rejection([&] {
              solve(decay, {0.0, 1.0}, {.sensitivities = {"decoy"}});
            }).find("did you mean 'decay'?"),
            std::string::npos);
  const auto s = solve(decay, {0.0, 1.0});
  EXPECT_NE(rejection([&] { s.sensitivity("decay", 0.5); }).find("no parameter 'decay'"), std::string::npos);
}
