/// Events through the integrator: located on the dense output, handled in order of time.

#include "small_systems.hpp"
#include <gtest/gtest.h>

using namespace rhumb;
using Direction = dae::Event::Direction;
using dae::AfterEvent;

namespace {

/// y' = 1, y(0) = 0: y is the time.
std::unique_ptr<test::Pointwise> clock_system() {
  return std::make_unique<test::Pointwise>(std::vector<dae::Field>{{.name = "y"}}, test::Numbers{0.0},
                                           test::Numbers{1.0},
                                           [](double, auto, auto ydot, auto f) { f[0] = ydot[0] - 1.0; });
}

/// x = cos t, v = x' = -sin t.
std::unique_ptr<test::Pointwise> oscillator() {
  return std::make_unique<test::Pointwise>(std::vector<dae::Field>{{.name = "x"}, {.name = "v"}},
                                           test::Numbers{1.0, 0.0}, test::Numbers{0.0, -1.0},
                                           [](double, auto y, auto ydot, auto f) {
                                             f[0] = ydot[0] - y[1];
                                             f[1] = ydot[1] + y[0];
                                           });
}

std::vector<double> times(const bdf::Progress& progress) {
  std::vector<double> list;
  for (const auto& event : progress.events) list.push_back(event.t);
  return list;
}

const double half_pi = std::acos(0.0);

/// A ball that falls from 1 and leaves the floor as fast as it came: v changes its sign at x = 0.
std::unique_ptr<test::Pointwise> ball() {
  auto system =
      std::make_unique<test::Pointwise>(std::vector<dae::Field>{{.name = "x"}, {.name = "v"}}, test::Numbers{1.0, 0.0},
                                        test::Numbers{0.0, -10.0}, [](double, auto y, auto ydot, auto f) {
                                          f[0] = ydot[0] - y[1];
                                          f[1] = ydot[1] + 10.0;
                                        });
  system->event_list = {{"floor", Direction::falling}};
  system->event_function = [](double, auto y, auto, auto g) { g[0] = y[0]; };
  system->event_action = [](double, auto, Vec y, Vec) {
    const core::Writable value(y);
    for (std::size_t i = 0; i < value.size(); i += 2) {
      value[i] = 0.0;
      value[i + 1] *= -1.0;
    }
    return AfterEvent::restart;
  };
  return system;
}
} // namespace

TEST(EventsOnASolution, ThreeInOneStepComeInOrder) {
  const auto system = clock_system();
  system->event_list = {{"a"}, {"b"}, {"c"}};
  system->event_function = [](double, auto y, auto, auto g) {
    g[0] = y[0] - 5000.3;
    g[1] = 5000.1 - y[0];
    g[2] = y[0] - 5000.2;
  };
  bdf::Integrator integrator(*system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1e4);
  while (integrator.time() < 1e4) {
    const bdf::Progress progress = integrator.step();
    if (progress.events.empty()) continue;
    ASSERT_EQ(progress.events.size(), 3u) << "all in one step";
    EXPECT_EQ(progress.events[0].which, std::vector<int>{1});
    EXPECT_EQ(progress.events[1].which, std::vector<int>{2});
    EXPECT_EQ(progress.events[2].which, std::vector<int>{0});
    EXPECT_NEAR(progress.events[0].t, 5000.1, 1e-9);
    EXPECT_NEAR(progress.events[2].t, 5000.3, 1e-9);
    return;
  }
  ADD_FAILURE() << "no event";
}

TEST(EventsOnASolution, ARootAtTheStartAndAFunctionThatStaysAtZeroRaiseNothing) {
  const auto system = clock_system();
  system->event_list = {{"start"}, {"zero"}};
  system->event_function = [](double, auto y, auto, auto g) {
    g[0] = y[0];
    g[1] = 0.0;
  };
  bdf::Integrator integrator(*system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  EXPECT_TRUE(integrator.advance(1.0).events.empty());
}

TEST(EventsOnASolution, OnlyTheWantedDirectionCounts) {
  for (const auto& [direction, expected] : std::vector<std::pair<Direction, std::vector<double>>>{
           {Direction::falling, {1.0, 5.0}}, {Direction::rising, {3.0}}, {Direction::any, {1.0, 3.0, 5.0}}}) {
    const auto system = oscillator();
    system->event_list = {{"x", direction}};
    system->event_function = [](double, auto y, auto, auto g) { g[0] = y[0]; };
    bdf::Integrator integrator(*system, test::with_tolerance(1e-9));
    integrator.start(0.0, 10.0);
    integrator.stop_at(6.0 * half_pi);
    const auto found = times(integrator.advance(6.0 * half_pi));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i] * half_pi, 1e-6);
  }
}

TEST(EventsOnASolution, TheDerivativeIsThereToo) {
  const auto system = oscillator();
  system->event_list = {{"slope"}};
  system->event_function = [](double, auto, auto ydot, auto g) { g[0] = ydot[1]; }; // x'' = -cos t
  bdf::Integrator integrator(*system, test::with_tolerance(1e-9));
  integrator.start(0.0, 3.0);
  const auto found = times(integrator.advance(3.0));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0], half_pi, 1e-5);
}

TEST(EventsOnASolution, StopEndsTheRunAtTheEvent) {
  const auto system = oscillator();
  system->event_list = {{"x"}};
  system->event_function = [](double, auto y, auto, auto g) { g[0] = y[0]; };
  system->event_action = [](double, auto, Vec, Vec) { return AfterEvent::stop; };
  bdf::Integrator integrator(*system, test::with_tolerance(1e-9));
  integrator.start(0.0, 10.0);
  const bdf::Progress progress = integrator.advance(10.0);
  EXPECT_TRUE(progress.stopped);
  EXPECT_NEAR(integrator.time(), half_pi, 1e-6);
  EXPECT_EQ(integrator.time(), progress.events.back().t);
  const auto y = system->first_point(integrator.state());
  EXPECT_NEAR(y[0], 0.0, 1e-13);
  EXPECT_NEAR(y[1], -1.0, 1e-6);
}

TEST(EventsOnASolution, RestartTakesTheChangedState) {
  const auto system = ball();
  bdf::Integrator integrator(*system, test::with_tolerance(1e-8));
  integrator.start(0.0, 3.0);
  const auto found = times(integrator.advance(3.0));
  const double fall = std::sqrt(0.2); // 1 = 10 t^2 / 2
  ASSERT_EQ(found.size(), 3u);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], (1.0 + 2.0 * static_cast<double>(i)) * fall, 1e-6);
  EXPECT_EQ(integrator.statistics().restarts, 3);
}

TEST(EventsOnASolution, DenseOutputBeforeARestartBelongsToTheStepThatTheEventCut) {
  const auto system = ball();
  bdf::Integrator integrator(*system, test::with_tolerance(1e-8));
  integrator.start(0.0, 3.0);
  double before = 0.0;
  bdf::Progress progress;
  while (progress.events.empty()) {
    before = integrator.time();
    progress = integrator.step();
  }
  const auto y = integrator.new_vector();
  const double t = 0.5 * (before + integrator.time());
  integrator.interpolate(t, y, nullptr);
  EXPECT_NEAR(system->first_point(y)[0], 1.0 - 5.0 * t * t, 1e-6);
  EXPECT_NEAR(system->first_point(y)[1], -10.0 * t, 1e-6); // it still falls
  integrator.interpolate(integrator.time(), y, nullptr);
  EXPECT_GT(system->first_point(y)[1], 0.0);
}
