/// Times at which F jumps: steps end there and begin anew, and nothing is evaluated across them.

#include "small_systems.hpp"
#include <algorithm>
#include <gtest/gtest.h>

using namespace rhumb;

namespace {

/// y' = -y + s, where s is 1 up to t = 1, 0 up to t = 2.5, and 1 again.
class Switched final : public test::Pointwise {
public:
  Switched()
      : Pointwise({{.name = "y"}}, {0.0}, {1.0}, [this](double t, auto y, auto ydot, auto f) {
          times.push_back(t);
          f[0] = ydot[0] + y[0] - (t < 1.0 || t >= 2.5 ? 1.0 : 0.0);
        }) {}
  std::optional<double> next_break(double t) const override {
    if (!says_when) return std::nullopt;
    for (const double at : {1.0, 2.5})
      if (at > t) return at;
    return std::nullopt;
  }
  static double exact(double t) {
    const double at_1 = 1.0 - std::exp(-1.0), at_end = at_1 * std::exp(-1.5);
    if (t <= 1.0) return 1.0 - std::exp(-t);
    if (t <= 2.5) return at_1 * std::exp(1.0 - t);
    return 1.0 - (1.0 - at_end) * std::exp(2.5 - t);
  }

  bool says_when = true;
  std::vector<double> times;
};

const auto options = test::with_tolerance(1e-7);

/// The largest of the times below t.
double last_before(std::vector<double> times, double t) {
  std::erase_if(times, [&](double at) { return at >= t; });
  return *std::ranges::max_element(times);
}
} // namespace

TEST(Breaks, StepsEndJustBeforeThemAndBeginAnewThere) {
  Switched system;
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 4.0);
  std::vector<double> begun_anew;
  while (integrator.time() < 4.0) {
    const auto outcome = integrator.step();
    for (const auto& event : outcome.events) {
      EXPECT_TRUE(event.which.empty());
      begun_anew.push_back(event.t);
      EXPECT_EQ(integrator.time(), event.t);
      EXPECT_EQ(integrator.order(), 1);
    }
  }
  EXPECT_EQ(begun_anew, (std::vector<double>{1.0, 2.5}));
  EXPECT_EQ(last_before(system.times, 1.0), std::nextafter(1.0, 0.0));
  EXPECT_EQ(integrator.statistics().restarts, 2);
  EXPECT_LE(integrator.statistics().error_test_failures, 3) << "one for each start";
  EXPECT_NEAR(test::local_values(integrator.state())[0], Switched::exact(integrator.time()), 20e-7);
}

TEST(Breaks, WithoutThemStepsFailAtTheJumps) {
  Switched system;
  system.says_when = false;
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 4.0);
  integrator.advance(4.0);
  EXPECT_GT(integrator.statistics().error_test_failures, 15);
}

TEST(Breaks, ThoseOfTheOptionsAreAsGood) {
  Switched system;
  system.says_when = false;
  auto given = options;
  given.break_times = {2.5, 1.0, 7.0};
  bdf::Integrator integrator(system, given);
  integrator.start(0.0, 4.0);
  integrator.advance(4.0);
  EXPECT_EQ(integrator.statistics().restarts, 2);
  EXPECT_LE(integrator.statistics().error_test_failures, 3);
}

TEST(Breaks, OutputUpToThemSeesTheStateBefore) {
  Switched system;
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 4.0);
  while (!integrator.pending_event()) integrator.step();
  ASSERT_EQ(integrator.time(), std::nextafter(1.0, 0.0));
  const auto y = integrator.new_vector(), ydot = integrator.new_vector();
  integrator.interpolate(integrator.time(), y, ydot);
  EXPECT_NEAR(test::local_values(ydot)[0], std::exp(-1.0), 1e-5);
  integrator.step();
  EXPECT_NEAR(test::local_values(integrator.derivative())[0], std::exp(-1.0) - 1.0, 1e-5);
}

TEST(Breaks, ALimitOfTheCallerIsKeptBeforeThem) {
  Switched system;
  bdf::Integrator integrator(system, options);
  integrator.stop_at(0.75);
  integrator.start(0.0, 4.0);
  integrator.advance(0.75);
  EXPECT_EQ(integrator.time(), 0.75);
  EXPECT_EQ(integrator.statistics().restarts, 0);
}

TEST(Breaks, AContinuedRunMeetsTheOneThatIsPending) {
  Switched first, second;
  bdf::Integrator whole(first, options), continued(second, options);
  whole.start(0.0, 4.0);
  while (!whole.pending_event()) whole.step();
  const bdf::CheckpointState state = whole.checkpoint_state();
  std::vector<core::VecHandle> copies;
  std::vector<std::pair<std::string, Vec>> vectors;
  for (const auto& [name, vector] : state.vectors) {
    copies.push_back(core::same_layout(vector));
    core::check(VecCopy(vector, copies.back()));
    vectors.emplace_back(name, copies.back());
  }
  continued.resume(state.scalars, vectors);
  continued.set_end(4.0);
  ASSERT_TRUE(continued.pending_event());
  EXPECT_EQ(continued.time(), std::nextafter(1.0, 0.0));
  whole.advance(4.0);
  continued.advance(4.0);
  EXPECT_EQ(test::local_values(whole.state()), test::local_values(continued.state()));
  EXPECT_EQ(whole.statistics().steps, continued.statistics().steps);
}
