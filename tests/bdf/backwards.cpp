/// Integrations to an earlier time: they do what runs forwards of the mirrored problem do.

#include "problems.hpp"
#include "small_systems.hpp"
#include <rhumb/bdf/solve.hpp>
#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <gtest/gtest.h>
#include <numbers>

using namespace rhumb;
using dae::Kind;
using std::numbers::pi;

namespace {

/// x' = y, y' = -x, z = x^2 y: x = sin t, y = cos t; in s = sign t.
class Oscillator final : public test::Pointwise {
public:
  explicit Oscillator(double sign, double t0)
      : Pointwise({{.name = "x"}, {.name = "y"}, {.name = "z", .kind = Kind::index1}},
                  {std::sin(t0), std::cos(t0), std::sin(t0) * std::sin(t0) * std::cos(t0)},
                  {sign * std::cos(t0), -sign * std::sin(t0), 0.0}, [this, sign](double s, auto y, auto ydot, auto f) {
                    times.push_back(sign * s);
                    f[0] = sign * ydot[0] - y[1];
                    f[1] = sign * ydot[1] + y[0];
                    f[2] = y[2] - y[0] * y[0] * y[1];
                  }) {}
  std::vector<double> times;
};

double error_of(const Oscillator& system, bdf::Integrator& integrator, double t) {
  const auto y = integrator.new_vector();
  integrator.interpolate(t, y, nullptr);
  const auto x = system.first_point(y);
  const double s = std::sin(t), c = std::cos(t);
  return std::max({std::abs(x[0] - s), std::abs(x[1] - c), std::abs(x[2] - s * s * c)});
}

} // namespace

/// To the last bit on one rank; on several, rounding of the sums over ranks may decide a step.
TEST(Backwards, ARunTakesTheStepsOfTheMirroredProblem) {
  const bool one_rank = core::size_of(PETSC_COMM_WORLD) == 1;
  for (const auto test : {bdf::ErrorTest::standard, bdf::ErrorTest::exclude, bdf::ErrorTest::filter,
                          bdf::ErrorTest::strong, bdf::ErrorTest::automatic}) {
    SCOPED_TRACE(static_cast<int>(test));
    Oscillator there(1.0, 2.0), mirrored(-1.0, 2.0);
    auto options = test::with_tolerance(1e-6);
    options.error_test = test;
    bdf::Integrator back(there, options), forth(mirrored, options);
    back.stop_at(-4.0);
    forth.stop_at(4.0);
    back.start(2.0, -4.0);
    forth.start(-2.0, 4.0);
    double worst = 0.0;
    while (back.time() > -4.0) {
      const auto a = back.step().step;
      if (one_rank) {
        const auto b = forth.step().step;
        ASSERT_EQ(a.t, -b.t);
        EXPECT_EQ(a.h, -b.h);
        EXPECT_EQ(a.order, b.order);
      }
      EXPECT_LT(back.time(), back.previous_time());
      worst = std::max(worst, error_of(there, back, 0.3 * back.time() + 0.7 * back.previous_time()));
    }
    EXPECT_EQ(back.time(), -4.0) << "a limit is hit exactly";
    if (one_rank) {
      EXPECT_EQ(back.statistics().residual_evals, forth.statistics().residual_evals);
    }
    EXPECT_LT(worst, 5e-5);
    EXPECT_GE(*std::ranges::min_element(there.times), -4.0) << "nothing is evaluated beyond it";
    EXPECT_LE(*std::ranges::max_element(there.times), 2.0) << "nor before the start";
  }
}

TEST(Backwards, IndexTwoHasItsExactSolution) {
  const auto system = problems::hessenberg2(PETSC_COMM_WORLD, core::Options());
  const auto options = test::with_tolerance(1e-6);
  bdf::Integrator integrator(*system, options);
  integrator.stop_at(0.1);
  integrator.start(1.5, 0.1);
  integrator.advance(0.1);
  EXPECT_EQ(integrator.time(), 0.1);
  const auto truth = integrator.new_vector();
  system->exact(0.1, truth);
  core::check(VecAXPY(truth, -1.0, integrator.state()));
  PetscReal error = 0.0;
  core::check(VecNorm(truth, NORM_INFINITY, &error));
  EXPECT_LT(error, 1e-3);
  EXPECT_LT(integrator.statistics().steps, 400);
}

TEST(Backwards, EventsComeInTheOrderOfTheIntegration) {
  Oscillator system(1.0, 10.0);
  system.event_list = {{.name = "x", .direction = dae::Event::Direction::any},
                       {.name = "rises", .direction = dae::Event::Direction::rising}};
  system.event_function = [](double, auto y, auto, auto g) { g[0] = g[1] = y[0]; };
  bdf::Integrator integrator(system, test::with_tolerance(1e-8));
  integrator.start(10.0, 0.5);
  const auto all = integrator.advance(0.5).events;
  ASSERT_EQ(all.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(all[i].t, static_cast<double>(3 - i) * pi, 1e-6);
  EXPECT_EQ(all[0].names.size(), 2u) << "sin t falls with t at 3 pi, and so rises on the way back";
  EXPECT_EQ(all[1].names.size(), 1u);
  EXPECT_EQ(all[2].names.size(), 2u);
}

TEST(Backwards, AnEventMayChangeTheStateAndStopTheRun) {
  Oscillator system(1.0, 10.0);
  system.event_list = {{.name = "x"}};
  system.event_function = [](double, auto y, auto, auto g) { g[0] = y[0]; };
  int seen = 0;
  system.event_action = [&](double, auto, Vec y, Vec) {
    core::check(VecScale(y, -1.0)); // half a turn, so that what follows is the same solution with another sign
    return ++seen == 2 ? dae::AfterEvent::stop : dae::AfterEvent::restart;
  };
  bdf::Integrator integrator(system, test::with_tolerance(1e-8));
  integrator.start(10.0, 0.0);
  const auto all = integrator.advance(0.0);
  EXPECT_TRUE(all.stopped);
  EXPECT_NEAR(integrator.time(), 2.0 * pi, 1e-6);
  EXPECT_NEAR(system.first_point(integrator.state())[1], 1.0, 1e-5);
}

TEST(Backwards, BreaksAreMetFromTheirOtherSide) {
  std::vector<double> times;
  test::Pointwise system({{.name = "y"}}, {std::exp(1.0) + 1.0}, {0.0}, [&](double t, auto y, auto ydot, auto f) {
    times.push_back(t);
    f[0] = ydot[0] - y[0] + (t < 1.0 ? 0.0 : 1.0); // y = e^(t-1) + 1 behind the jump and 2 e^(t-1) before it
  });
  auto options = test::with_tolerance(1e-8);
  options.break_times = {1.0, 5.0};
  bdf::Integrator integrator(system, options);
  integrator.start(2.0, 0.0);
  const auto all = integrator.advance(0.0);
  ASSERT_EQ(all.events.size(), 1u);
  EXPECT_EQ(all.events[0].t, std::nextafter(1.0, 0.0));
  EXPECT_NEAR(system.first_point(integrator.state())[0], 2.0 * std::exp(integrator.time() - 1.0), 1e-6);
  EXPECT_TRUE(std::ranges::find(times, 1.0) != times.end());
}

TEST(Backwards, ACheckpointGoesOnToTheSameBits) {
  const auto options = test::with_tolerance(1e-7);
  Oscillator first(1.0, 0.0), second(1.0, 0.0);
  bdf::Integrator whole(first, options), continued(second, options);
  whole.start(0.0, -20.0);
  for (int i = 0; i < 30; ++i) whole.step();
  const auto kept = whole.checkpoint_state();
  continued.resume(kept.scalars, kept.vectors);
  for (int i = 0; i < 30; ++i) {
    whole.step();
    continued.step();
    EXPECT_EQ(whole.time(), continued.time());
  }
  EXPECT_LT(whole.time(), whole.previous_time());
  EXPECT_EQ(test::local_values(whole.state()), test::local_values(continued.state()));
}

TEST(Backwards, ASmallSystemIsSolvedAndKnownAtAnyTime) {
  const auto rate = [](double, auto y, auto f) { f[0] = -2.0 * y[0]; };
  const auto s = solve({.rate = rate, .y = {1.0}}, {1.0, -1.0}, {.rtol = 1e-8, .atol = 1e-10});
  ASSERT_TRUE(s.done()) << s.message;
  EXPECT_EQ(s.t, -1.0);
  for (const double t : {1.0, 0.7, 0.0, -0.999, -1.0}) EXPECT_NEAR(s(t)[0], std::exp(2.0 - 2.0 * t), 1e-5);
  EXPECT_THROW(s(1.1), core::BadInput);
  EXPECT_THROW(s(-1.1), core::BadInput);
}

TEST(Backwards, WhatDoesNotGoIsSaid) {
  Oscillator system(1.0, 0.0);
  auto options = test::with_tolerance(1e-6);
  bdf::Integrator integrator(system, options);
  EXPECT_THROW(integrator.start(1.0, 1.0), core::BadInput);
  integrator.start(1.0, -1.0);
  const std::string message = test::message_of<core::BadInput>([&] { integrator.advance(1.5); });
  EXPECT_NE(message.find("backwards"), std::string::npos) << message;
  options.adjoint.record = true;
  bdf::Integrator recorded(system, options);
  EXPECT_THROW(recorded.start(1.0, -1.0), core::BadInput);
}
