/// Consistent start values: found, or refused with the field that resists.

#include "small_systems.hpp"
#include <rhumb/core/failure.hpp>
#include <gtest/gtest.h>

using namespace rhumb;
using dae::Kind;

namespace {

/// u' = -u + a with a from `constraint`; u(0) = 2, and a and u' wrong.
test::Pointwise with_constraint(std::function<double(double u, double a)> constraint, double a_start) {
  return {{{.name = "u"}, {.name = "a", .kind = Kind::index1}},
          {2.0, a_start},
          {77.0, 55.0},
          [constraint](double, auto y, auto ydot, auto f) {
            f[0] = ydot[0] + y[0] - y[1];
            f[1] = constraint(y[0], y[1]);
          }};
}

} // namespace

TEST(StartFind, AlgebraicValuesAndSlopesAreFound) {
  auto system = with_constraint([](double u, double a) { return a * a * a + a - u; }, 17.0);
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  const auto y = system.first_point(integrator.state()), ydot = system.first_point(integrator.derivative());
  EXPECT_EQ(y[0], 2.0) << "differential values are kept";
  EXPECT_NEAR(y[1], 1.0, 2e-8) << "a hundredth of a tolerance";
  EXPECT_NEAR(ydot[0], -1.0, 2e-8);
  EXPECT_NO_THROW(integrator.advance(1.0));
}

TEST(StartFind, AnImpossibleStartIsRefusedWithTheFieldNamed) {
  auto system = with_constraint([](double u, double a) { return a * a + u; }, 1.0);
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  const std::string text = test::message_of<core::BadInput>([&] { integrator.start(0.0, 1.0); });
  EXPECT_NE(text.find("no consistent values were found at t = 0"), std::string::npos) << text;
  EXPECT_NE(text.find("field 'a'"), std::string::npos) << text;
}

TEST(StartFind, AConstraintThatIsGivenTwiceIsNamed) {
  // x' = v + l + m, 0 = x - sin t, and that again.
  test::Pointwise system({{.name = "x"}, {.name = "l", .kind = Kind::index2}, {.name = "m", .kind = Kind::index2}},
                         {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, [](double t, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] - y[1] - y[2];
                           f[1] = y[0] - std::sin(t);
                           f[2] = 3.0 * f[1];
                         });
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  const std::string text = test::message_of<core::BadInput>([&] { integrator.start(0.0, 1.0); });
  EXPECT_NE(text.find("the equations of field l, m are not independent"), std::string::npos) << text;
  EXPECT_NE(text.find("leave field l, m undetermined"), std::string::npos) << text;
  EXPECT_EQ(text.find("0 tolerances"), std::string::npos) << text;
}

TEST(StartFind, AnEquationThatIsNeverSetIsNamed) {
  for (const Kind kind : {Kind::differential, Kind::index1, Kind::index2}) {
    test::Pointwise system({{.name = "u"}, {.name = "forgotten", .kind = kind}}, {1.0, 0.0}, {0.0, 0.0},
                           [](double, auto y, auto ydot, auto f) { f[0] = ydot[0] + y[0] - y[1]; });
    bdf::Integrator integrator(system, test::with_tolerance(1e-6));
    const std::string text = test::message_of<std::runtime_error>([&] {
      integrator.start(0.0, 1.0);
      integrator.advance(1.0);
    });
    EXPECT_NE(text.find("the residual never sets the equations of field forgotten"), std::string::npos) << text;
  }
}

namespace {

/// A mass on a circle without gravity, index 3; `radial` is the part of the velocity that the constraint forbids.
test::Pointwise on_a_circle(double radial) {
  return {{{.name = "x"}, {.name = "y"}, {.name = "u"}, {.name = "v"}, {.name = "lambda", .kind = Kind::index3}},
          {1.0, 0.0, radial, 1.0, 1.0},
          {radial, 1.0, -1.0, 0.0, 0.0},
          [](double, auto y, auto ydot, auto f) {
            f[0] = ydot[0] - y[2];
            f[1] = ydot[1] - y[3];
            f[2] = ydot[2] + y[0] * y[4];
            f[3] = ydot[3] + y[1] * y[4];
            f[4] = y[0] * y[0] + y[1] * y[1] - 1.0;
          }};
}

std::string refusal_on_a_circle(double radial, double tolerance, bdf::Start start = bdf::Start::find) {
  auto system = on_a_circle(radial);
  bdf::IntegratorOptions options = test::with_tolerance(tolerance);
  options.error_test = bdf::ErrorTest::projected;
  options.start = start;
  bdf::Integrator integrator(system, options);
  return test::message_of<core::BadInput>([&] { integrator.start(0.0, 10.0); });
}

} // namespace

TEST(StartOfIndexThree, VelocitiesThatLeaveTheConstraintAreRefused) {
  // 0.1 is 0.1 / (1e-4 + 1e-4 * 0.1) = 909 tolerances.
  const std::string text = refusal_on_a_circle(0.1, 1e-4);
  for (const char* words : {"violates the derivative of the constraints", "field 'u' would have to change by 909 tol",
                            "stabilized", "Start::given"})
    EXPECT_NE(text.find(words), std::string::npos) << words << " is not in: " << text;
  EXPECT_NE(refusal_on_a_circle(1e-5, 1e-6), "");
}

TEST(StartOfIndexThree, VelocitiesAlongTheConstraintAreTaken) {
  for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) EXPECT_EQ(refusal_on_a_circle(0.0, tolerance), "");
  EXPECT_EQ(refusal_on_a_circle(0.5e-6, 1e-6), "") << "half a tolerance is no error";
}

TEST(StartOfIndexThree, TheStabilizedFormMovesVelocitiesOntoTheConstraint) {
  test::Pointwise system({{.name = "x"},
                          {.name = "y"},
                          {.name = "u"},
                          {.name = "v"},
                          {.name = "lambda", .kind = Kind::index2},
                          {.name = "mu", .kind = Kind::index2}},
                         {1.0, 0.0, 0.1, 1.0, 1.0, 0.0}, {0.1, 1.0, -1.0, 0.0, 0.0, 0.0},
                         [](double, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] - y[2] + y[0] * y[5];
                           f[1] = ydot[1] - y[3] + y[1] * y[5];
                           f[2] = ydot[2] + y[0] * y[4];
                           f[3] = ydot[3] + y[1] * y[4];
                           f[4] = y[0] * y[2] + y[1] * y[3];
                           f[5] = y[0] * y[0] + y[1] * y[1] - 1.0;
                         });
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  const auto y = system.first_point(integrator.state());
  EXPECT_NEAR(y[2], 0.0, 1e-7);
  EXPECT_NEAR(y[3], 1.0, 1e-7);
}

TEST(StartOfIndexThree, WhoSaysGivenIsNotAsked) {
  EXPECT_EQ(refusal_on_a_circle(0.1, 1e-4, bdf::Start::given), "");
}

TEST(StartFind, IndexTwoValuesAreMovedOntoTheConstraint) {
  // x' = v, v' = -g + lambda, 0 = v - cos t: v starts wrong.
  test::Pointwise system({{.name = "x"}, {.name = "v"}, {.name = "lambda", .kind = Kind::index2}}, {0.0, 0.5, 0.0},
                         {0.0, 0.0, 0.0}, [](double t, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] - y[1];
                           f[1] = ydot[1] + 9.81 - y[2];
                           f[2] = y[1] - std::cos(t);
                         });
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.5, 1.5);
  const auto y = system.first_point(integrator.state());
  EXPECT_NEAR(y[1], std::cos(0.5), 1e-9);
  EXPECT_NEAR(y[0], 0.0, 1e-7) << "the constraint does not act on x";
  EXPECT_NEAR(y[2], 9.81 - std::sin(0.5), 1e-4) << "the hidden constraint v' = -sin t, by differences";
}

TEST(StartFind, SlopesAloneAreFoundWithAShortArtificialStep) {
  // u' = -200 u: an artificial step of 1e-3 would leave a sixth of the error in each iteration, 1e-5 leaves 2e-3.
  test::Pointwise system({{.name = "u"}}, {1.0}, {0.0},
                         [](double, auto y, auto ydot, auto f) { f[0] = ydot[0] + 200.0 * y[0]; });
  system.jacobian_block = [](double, auto, double alpha) { return test::Numbers{alpha + 200.0}; };
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  EXPECT_NEAR(system.first_point(integrator.derivative())[0], -200.0, 2e-6);
  EXPECT_EQ(integrator.statistics().jacobian_evals, 1);
  EXPECT_LE(integrator.statistics().residual_evals, 6);
}

TEST(StartFind, SlopesAreFoundWhereTheyStandNonlinearlyInTheEquation) {
  // The rate has nothing to do with the artificial step here, and a short one must not pass for a small error.
  test::Pointwise system({{.name = "u"}}, {1.0}, {0.0},
                         [](double, auto, auto ydot, auto f) { f[0] = ydot[0] + 0.1 * ydot[0] * ydot[0] - 1.1; });
  system.jacobian_block = [](double, auto, double alpha) { return test::Numbers{alpha}; }; // at y' = 0
  bdf::Integrator integrator(system, test::with_tolerance(1e-4));
  integrator.start(0.0, 1.0);
  EXPECT_NEAR(system.first_point(integrator.derivative())[0], 1.0, 1e-8);
}

TEST(StartGiven, ValuesAreTakenAsTheyAre) {
  auto system = with_constraint([](double u, double a) { return a - u; }, 17.0);
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.start = bdf::Start::given;
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 1.0);
  EXPECT_EQ(system.first_point(integrator.state()), (test::Numbers{2.0, 17.0}));
  EXPECT_EQ(system.first_point(integrator.derivative()), (test::Numbers{77.0, 55.0}));
}

TEST(StartSteady, AllOfYIsFoundForTheGivenSlopes) {
  test::Pointwise system({{.name = "u"}}, {1.0}, {0.0},
                         [](double, auto y, auto ydot, auto f) { f[0] = ydot[0] + y[0] * y[0] - 9.0; });
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.start = bdf::Start::steady;
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 1.0);
  EXPECT_NEAR(system.first_point(integrator.state())[0], 3.0, 1e-9);
}

namespace {

/// u' = v - u^2, v' = a - v^3, 0 = a^3 + a - u - v, with what is not sought from (u, v) = (2, 1), (u', v') = (-3, 0).
test::Pointwise two_rates(test::Numbers start, test::Numbers rate) {
  return {{{.name = "u"}, {.name = "v"}, {.name = "a", .kind = Kind::index1}},
          std::move(start),
          std::move(rate),
          [](double, auto y, auto ydot, auto f) {
            f[0] = ydot[0] - y[1] + y[0] * y[0];
            f[1] = ydot[1] - y[2] + y[1] * y[1] * y[1];
            f[2] = y[2] * y[2] * y[2] + y[2] - y[0] - y[1];
          }};
}

struct Found {
  test::Numbers y, ydot;
};
Found start_with(test::Pointwise system, std::vector<std::string> given_slopes, bool own_matrix = false) {
  if (own_matrix)
    system.jacobian_block = [](double, auto y, double alpha) {
      return test::Numbers{alpha + 2.0 * y[0],     -1.0, 0.0, 0.0, alpha + 3.0 * y[1] * y[1], -1.0, -1.0, -1.0,
                           3.0 * y[2] * y[2] + 1.0};
    };
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.given_slopes = std::move(given_slopes);
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 1.0);
  const Found found{system.first_point(integrator.state()), system.first_point(integrator.derivative())};
  EXPECT_NO_THROW(integrator.advance(1.0));
  return found;
}

} // namespace

TEST(StartOfGivenSlopes, OfEachFieldTheValueOrTheSlopeIsGivenAndTheRestIsFound) {
  const double a = 1.2134116627622296; // a^3 + a = 3
  const double v_rate = a - 1.0;
  for (const bool own_matrix : {true, false}) {
    const Found values = start_with(two_rates({2.0, 1.0, 0.0}, {9.0, 9.0, 9.0}), {}, own_matrix); // problem 1
    EXPECT_NEAR(values.y[2], a, 1e-7);
    EXPECT_NEAR(values.ydot[0], -3.0, 1e-5);
    EXPECT_NEAR(values.ydot[1], v_rate, 1e-5);

    const Found mixed = start_with(two_rates({1.7, 1.0, 0.0}, {-3.0, 9.0, 9.0}), {"u"}, own_matrix);
    EXPECT_EQ(mixed.ydot[0], -3.0) << "what is given is kept";
    EXPECT_EQ(mixed.y[1], 1.0) << "what is given is kept";
    EXPECT_NEAR(mixed.y[0], 2.0, 1e-7);
    EXPECT_NEAR(mixed.y[2], a, 1e-7);
    EXPECT_NEAR(mixed.ydot[1], v_rate, 1e-5);

    const Found other = start_with(two_rates({2.0, 1.2, 0.0}, {9.0, v_rate, 9.0}), {"v"}, own_matrix);
    EXPECT_EQ(other.y[0], 2.0);
    EXPECT_NEAR(other.y[1], 1.0, 1e-6);
    EXPECT_NEAR(other.ydot[0], -3.0, 1e-5);

    const Found slopes =
        start_with(two_rates({1.8, 1.1, 1.0}, {-3.0, v_rate, 0.0}), {"u", "v"}, own_matrix); // problem 2
    EXPECT_NEAR(slopes.y[0], 2.0, 1e-6);
    EXPECT_NEAR(slopes.y[1], 1.0, 1e-6);
    EXPECT_NEAR(slopes.y[2], a, 1e-6);
  }
}

TEST(StartOfGivenSlopes, WhatCannotBeGivenIsRefusedInWords) {
  const auto refusal = [](std::vector<std::string> fields) {
    return test::message_of<core::BadInput>([&] {
      start_with(two_rates({2.0, 1.0, 0.0}, {0.0, 0.0, 0.0}), std::move(fields));
    });
  };
  EXPECT_NE(refusal({"w"}).find("no such field; there are u, v, a"), std::string::npos) << refusal({"w"});
  EXPECT_NE(refusal({"a"}).find("field 'a' has no slope in the equations"), std::string::npos) << refusal({"a"});
}

TEST(StartFind, AnAlgebraicValueKeepsTheSignOfItsField) {
  // (a - 1)(a + 0.3) = 0, from 0.3, where the slope leads to the root below zero.
  const auto root = [](dae::Sign sign) {
    test::Pointwise system({{.name = "u"}, {.name = "a", .kind = Kind::index1, .sign = sign}}, {2.0, 0.3}, {0.0, 0.0},
                           [](double, auto y, auto ydot, auto f) {
                             f[0] = ydot[0] + y[0];
                             f[1] = (y[1] - 1.0) * (y[1] + 0.3);
                           });
    bdf::Integrator integrator(system, test::with_tolerance(1e-6));
    integrator.start(0.0, 1.0);
    return system.first_point(integrator.state())[1];
  };
  EXPECT_NEAR(root(dae::Sign::free), -0.3, 1e-7);
  for (const dae::Sign sign : {dae::Sign::nonnegative, dae::Sign::positive})
    EXPECT_NE(test::message_of<core::BadInput>([&] { root(sign); }).find("field 'a'"), std::string::npos);
}

TEST(StartFind, GoesToAHundredthOfATolerance) {
  // exp(a) = 2 from a = 0: corrections 1, 0.26, 0.041, 8e-4, 3e-7, so four residuals do at a tolerance of 1e-3.
  const auto residuals = [](double tolerance) {
    auto system = with_constraint([](double u, double a) { return std::exp(a) - u; }, 0.0);
    system.jacobian_block = [](double, auto y, double alpha) {
      return test::Numbers{alpha + 1.0, -1.0, -1.0, std::exp(y[1])};
    };
    bdf::IntegratorOptions options = test::with_tolerance(tolerance);
    options.check_kinds = false;
    bdf::Integrator integrator(system, options);
    integrator.start(0.0, 1.0);
    EXPECT_NEAR(system.first_point(integrator.state())[1], std::log(2.0), 0.02 * tolerance);
    return integrator.statistics().residual_evals;
  };
  EXPECT_LT(residuals(1e-2), residuals(1e-9));
}

TEST(Start, AnEndAtTheStartIsRefused) {
  auto system = with_constraint([](double u, double a) { return a - u; }, 2.0);
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  EXPECT_THROW(integrator.start(1.0, 1.0), core::BadInput);
}

TEST(Start, AZeroToleranceOfAZeroValueIsRefused) {
  test::Pointwise system({{.name = "u"}}, {0.0}, {1.0}, [](double, auto, auto ydot, auto f) { f[0] = ydot[0] - 1.0; });
  bdf::IntegratorOptions options;
  options.tolerances.atol = 0.0;
  bdf::Integrator integrator(system, options);
  const std::string text = test::message_of<core::BadInput>([&] { integrator.start(0.0, 1.0); });
  EXPECT_NE(text.find("atol"), std::string::npos) << text;
}
