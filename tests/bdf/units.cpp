/// What is measured: no unit of time, no variable left out in silence.

#include "small_systems.hpp"
#include <gtest/gtest.h>

using namespace rhumb;
using bdf::ErrorTest;
using dae::Kind;

namespace {

/// A pendulum of length 1 with its constraint on velocities (index 2), in a time whose unit is 1/`unit` of the plain
/// one.
test::Pointwise pendulum(double unit) {
  return {{{.name = "x"}, {.name = "y"}, {.name = "u"}, {.name = "v"}, {.name = "lambda", .kind = Kind::index2}},
          {1.0, 0.0, 0.0, 0.0, 0.0},
          {0.0, 0.0, 0.0, -1.0 / unit, 0.0},
          [unit](double, auto y, auto ydot, auto f) {
            f[0] = unit * ydot[0] - y[2];
            f[1] = unit * ydot[1] - y[3];
            f[2] = unit * ydot[2] + y[4] * y[0];
            f[3] = unit * ydot[3] + y[4] * y[1] + 1.0;
            f[4] = y[0] * y[2] + y[1] * y[3];
          }};
}

struct Swung {
  long steps;
  test::Numbers y;
};

Swung swing(double unit, ErrorTest error_test, double tolerance) {
  auto system = pendulum(unit);
  bdf::IntegratorOptions options = test::with_tolerance(tolerance);
  options.error_test = error_test;
  options.max_steps = 5000;
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 3.0 * unit);
  integrator.stop_at(3.0 * unit);
  integrator.advance(3.0 * unit);
  return {integrator.statistics().steps, system.first_point(integrator.state())};
}

class TimeInAnotherUnit : public testing::TestWithParam<ErrorTest> {};

/// x follows cos t by what z (index 2) does; w = sin 50 t (index 1) has nothing to do with them.
test::Pointwise slow_and_fast() {
  return {{{.name = "x"}, {.name = "z", .kind = Kind::index2}, {.name = "w", .kind = Kind::index1}},
          {1.0, 1.0, 0.0},
          {0.0, 0.0, 0.0},
          [](double t, auto y, auto ydot, auto f) {
            f[0] = ydot[0] + y[0] - y[1];
            f[1] = y[0] - std::cos(t);
            f[2] = y[2] - std::sin(50.0 * t);
          }};
}

} // namespace

TEST_P(TimeInAnotherUnit, ChangesNeitherStepsNorErrors) {
  // With a time of 3e6 `filter` took more than 20000 steps where it takes 115 with a time of 3; `strong` lost 500
  // tolerances with a time of 3e-6.
  constexpr double tolerance = 1e-6;
  const test::Numbers exact = swing(1.0, ErrorTest::exclude, 1e-10).y;
  const auto error = [&](const test::Numbers& y) {
    double largest = 0.0;
    for (std::size_t i = 0; i < 4; ++i) largest = std::max(largest, std::abs(y[i] - exact[i]));
    return largest;
  };
  const Swung plain = swing(1.0, GetParam(), tolerance);
  EXPECT_LT(error(plain.y), 30.0 * tolerance);
  for (const double unit : {1e-6, 1e-3, 1e3, 1e6}) {
    const Swung other = swing(unit, GetParam(), tolerance);
    EXPECT_LE(10 * std::abs(other.steps - plain.steps), plain.steps) << unit;
    EXPECT_LT(error(other.y), 2.0 * error(plain.y)) << unit;
    EXPECT_GT(error(other.y), 0.5 * error(plain.y)) << unit;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryErrorTest, TimeInAnotherUnit,
                         testing::Values(ErrorTest::automatic, ErrorTest::exclude, ErrorTest::filter,
                                         ErrorTest::strong));

TEST(AVariableOfIndexTwo, DoesNotTakeVariablesOfIndexOneOutOfTheErrorTest) {
  // w was off by 4.6e6 tolerances.
  auto system = slow_and_fast();
  constexpr double tolerance = 1e-6;
  bdf::Integrator integrator(system, test::with_tolerance(tolerance));
  integrator.start(0.0, 1.0);
  test::Numbers y(3);
  const auto at = integrator.new_vector();
  for (double t = 0.1; t < 1.01; t += 0.1) {
    integrator.advance(t);
    integrator.interpolate(t, at, nullptr);
    EXPECT_NEAR(system.first_point(at)[2], std::sin(50.0 * t), 20.0 * tolerance) << t;
  }
  EXPECT_EQ(integrator.uncontrolled_fields(), std::vector<std::string>{"z"});
}

TEST(UncontrolledFields, AreThoseThatTheUserLeavesOut) {
  auto system = slow_and_fast();
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.error_test = ErrorTest::exclude;
  EXPECT_EQ(bdf::Integrator(system, options).uncontrolled_fields(), (std::vector<std::string>{"z", "w"}));
  options.exclude = bdf::Exclude::higher_index;
  EXPECT_EQ(bdf::Integrator(system, options).uncontrolled_fields(), std::vector<std::string>{"z"});
  options.error_test = ErrorTest::filter;
  EXPECT_TRUE(bdf::Integrator(system, options).uncontrolled_fields().empty());
}

TEST(ASystemWithoutDifferentialVariables, IsMeasuredAllTheSame) {
  // Nothing was measured, and the step doubled without end.
  test::Pointwise system({{.name = "w", .kind = Kind::index1}}, {0.0}, {0.0},
                         [](double t, auto y, auto, auto f) { f[0] = y[0] - std::sin(50.0 * t); });
  bdf::IntegratorOptions options = test::with_tolerance(1e-4);
  options.error_test = ErrorTest::exclude;
  bdf::Integrator integrator(system, options);
  EXPECT_TRUE(integrator.uncontrolled_fields().empty());
  integrator.start(0.0, 1.0);
  const auto at = integrator.new_vector();
  for (double t = 0.1; t < 1.01; t += 0.1) {
    integrator.advance(t);
    integrator.interpolate(t, at, nullptr);
    EXPECT_NEAR(system.first_point(at)[0], std::sin(50.0 * t), 2e-3) << t;
  }
}
