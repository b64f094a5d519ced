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

std::vector<double> times(const bdf::StepOutcome& progress) {
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
  while (integrator.time() < 1e4 && !integrator.pending_event()) integrator.step();
  const long steps = integrator.statistics().steps;
  std::vector<bdf::EventReport> found;
  while (integrator.pending_event()) {
    EXPECT_EQ(integrator.time(), integrator.pending_event()->t);
    EXPECT_NEAR(system->first_point(integrator.state())[0], integrator.time(), 1e-6);
    found.push_back(integrator.step().events.at(0));
  }
  EXPECT_EQ(integrator.statistics().steps, steps) << "all in one step";
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].which, std::vector<int>{1});
  EXPECT_EQ(found[0].names, std::vector<std::string>{"b"});
  EXPECT_EQ(found[1].which, std::vector<int>{2});
  EXPECT_EQ(found[2].which, std::vector<int>{0});
  EXPECT_NEAR(found[0].t, 5000.1, 1e-9);
  EXPECT_NEAR(found[2].t, 5000.3, 1e-9);
  EXPECT_GT(integrator.time(), found[2].t) << "and on to the end of the step";
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
  const bdf::StepOutcome progress = integrator.advance(10.0);
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

TEST(EventsOnASolution, ALocatedEventHasChangedNothingUntilTheNextCall) {
  const auto system = ball();
  bdf::Integrator integrator(*system, test::with_tolerance(1e-8));
  integrator.start(0.0, 3.0);
  while (!integrator.pending_event()) integrator.step();
  const auto y = integrator.new_vector();
  const double t = 0.5 * (integrator.previous_time() + integrator.time());
  integrator.interpolate(t, y, nullptr);
  EXPECT_NEAR(system->first_point(y)[0], 1.0 - 5.0 * t * t, 1e-6);
  EXPECT_NEAR(system->first_point(y)[1], -10.0 * t, 1e-6); // it still falls
  EXPECT_LT(system->first_point(integrator.state())[1], 0.0);
  EXPECT_THROW(integrator.restart(), std::logic_error);
  const bdf::StepOutcome handled = integrator.step();
  EXPECT_EQ(handled.events.at(0).after, AfterEvent::restart);
  EXPECT_EQ(handled.events.at(0).names, std::vector<std::string>{"floor"});
  EXPECT_EQ(integrator.time(), handled.events.at(0).t);
  integrator.interpolate(integrator.time(), y, nullptr);
  EXPECT_GT(system->first_point(y)[1], 0.0);
}

TEST(EventsOnASolution, AdvanceLeavesAnEventBeyondItsTimeAlone) {
  const auto system = ball();
  bdf::Integrator integrator(*system, test::with_tolerance(1e-8));
  integrator.start(0.0, 3.0);
  const double t = std::sqrt(0.2) - 1e-9; // the step that passes it holds the bounce as well
  EXPECT_TRUE(integrator.advance(t).events.empty());
  ASSERT_TRUE(integrator.pending_event());
  const auto y = integrator.new_vector();
  integrator.interpolate(t, y, nullptr);
  EXPECT_NEAR(system->first_point(y)[1], -10.0 * t, 1e-6);
  EXPECT_EQ(integrator.advance(0.5).events.size(), 1U);
}

TEST(EventsOnASolution, ABallBouncesWhateverTheDirectionThatIsAskedFor) {
  // Restitution 0.9 from x = 1 with g = 1: two bounces at known times before t = 6; x stays where the root was found.
  for (const Direction direction : {Direction::falling, Direction::any}) {
    test::Pointwise system({{.name = "x"}, {.name = "v"}}, {1.0, 0.0}, {0.0, -1.0},
                           [](double, auto y, auto ydot, auto f) {
                             f[0] = ydot[0] - y[1];
                             f[1] = ydot[1] + 1.0;
                           });
    system.event_list = {{"floor", direction}};
    system.event_function = [](double, auto y, auto, auto g) { g[0] = y[0]; };
    system.event_action = [](double, auto, Vec y, Vec) {
      const core::Writable value(y);
      for (std::size_t i = 0; i < value.size(); i += 2) value[i + 1] *= -0.9;
      return AfterEvent::restart;
    };
    bdf::Integrator integrator(system, test::with_tolerance(1e-6));
    integrator.start(0.0, 6.0);
    integrator.stop_at(6.0);
    const double fall = std::sqrt(2.0), second = fall + 2.0 * 0.9 * fall, third = second + 2.0 * 0.81 * fall;
    const auto found = times(integrator.advance(6.0));
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NEAR(found[0], fall, 1e-5);
    EXPECT_NEAR(found[1], second, 1e-5);
    ASSERT_GT(third, 6.0);
    const double flight = 6.0 - second, speed = 0.81 * fall;
    EXPECT_NEAR(system.first_point(integrator.state())[0], speed * flight - 0.5 * flight * flight, 1e-4);
  }
}

TEST(EventsOnASolution, ARootWithinRoundingOfARestartIsNotLost) {
  const auto system = clock_system();
  system->event_list = {{"first"}, {"second"}};
  const double gap = 24.0 * std::numeric_limits<double>::epsilon();
  system->event_function = [gap](double, auto y, auto, auto g) {
    g[0] = y[0] - 1.0;
    g[1] = y[0] - 1.0 - gap;
  };
  int first = 0, second = 0;
  system->event_action = [&](double, std::span<const int> which, Vec y, Vec) {
    for (const int i : which) ++(i == 0 ? first : second);
    if (which[0] != 0) return AfterEvent::go_on;
    const core::Writable value(y);
    for (std::size_t i = 0; i < value.size(); ++i) value[i] += 2.0 * gap; // carries the state past the second root
    return AfterEvent::restart;
  };
  bdf::Integrator integrator(*system, test::with_tolerance(1e-6));
  integrator.start(0.0, 2.0);
  integrator.advance(2.0);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

TEST(EventsOnASolution, ARestartInTheStepThatEndsAtALimitGoesOnToTheLimit) {
  const auto system = clock_system();
  system->event_list = {{"nearly there"}};
  system->event_function = [](double, auto y, auto, auto g) { g[0] = y[0] - 0.9; };
  system->event_action = [](double, auto, Vec, Vec) { return AfterEvent::restart; };
  bdf::Integrator integrator(*system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  integrator.stop_at(1.0);
  EXPECT_EQ(times(integrator.advance(1.0)).size(), 1U);
  EXPECT_EQ(integrator.time(), 1.0);
  EXPECT_NEAR(system->first_point(integrator.state())[0], 1.0, 1e-9);
}

TEST(EventsOnASolution, ARestartAtOrBeyondTheEndGoesForwards) {
  for (const double root : {1.0, 1.0 - 1e-15, 1.25}) {
    const auto system = clock_system();
    system->event_list = {{"late"}};
    system->event_function = [root](double, auto y, auto, auto g) { g[0] = y[0] - root; };
    system->event_action = [](double, auto, Vec, Vec) { return AfterEvent::restart; };
    bdf::Integrator integrator(*system, test::with_tolerance(1e-6));
    integrator.start(0.0, 1.0);
    EXPECT_EQ(times(integrator.advance(2.0)).size(), 1U);
    EXPECT_GE(integrator.time(), 2.0);
    EXPECT_NEAR(system->first_point(integrator.state())[0], integrator.time(), 1e-6);
  }
}

TEST(EventsOnASolution, AnExceptionOfOneRankEndsAllRanks) {
  const auto system = clock_system();
  system->event_list = {{"faulty"}};
  system->event_function = [](double t, auto, auto, auto g) {
    int rank = 0;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    g[0] = 1.0;
    if (t > 0.5 && rank == 0) throw std::runtime_error("no event here");
  };
  bdf::Integrator integrator(*system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  EXPECT_THROW(integrator.advance(1.0), std::runtime_error);
}

/// The state at an event comes from the dense output, which knows no bounds, or from what the system makes of it.
TEST(Signs, AnEventThatLeavesAValueJustBeyondItsBoundDoesNotEndTheRun) {
  class Refilled : public test::Pointwise {
  public:
    Refilled()
        : Pointwise({{.name = "c", .sign = dae::Sign::nonnegative}}, {1.0}, {0.0},
                    [](double, auto, auto ydot, auto f) { f[0] = ydot[0]; }) {}
    std::vector<dae::Event> events() const override { return {{"at one"}}; }
    void event_values(double t, Vec, Vec, std::span<double> values) override { values[0] = t - 1.0; }
    dae::AfterEvent on_event(double, std::span<const int>, Vec y, Vec) override {
      core::check(VecSet(y, -1e-12));
      return dae::AfterEvent::restart;
    }
  };
  Refilled system;
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.0, 2.0);
  EXPECT_NO_THROW(integrator.advance(2.0));
}
