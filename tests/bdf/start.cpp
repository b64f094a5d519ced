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
  EXPECT_NEAR(y[1], 1.0, 1e-9);
  EXPECT_NEAR(ydot[0], -1.0, 1e-8);
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
