/// Where F has no value: an exception or NaN, inside Newton, inside the error test, at the end of a step, at the start.

#include "small_systems.hpp"
#include <rhumb/core/failure.hpp>
#include <gtest/gtest.h>

using namespace rhumb;
using bdf::ErrorTest;

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// y' = -100 y, a fast decay that BDF at loose tolerances overshoots, and F is defined for y >= 0 only; z = sin t.
test::Pointwise decay_above_zero(bool by_exception) {
  return {{{.name = "y"}, {.name = "z"}}, {1.0, 0.0}, {-100.0, 1.0}, [=](double t, auto y, auto ydot, auto f) {
            if (y[0] < 0.0 && by_exception) throw core::Recoverable("y is negative");
            f[0] = y[0] < 0.0 ? no_value : ydot[0] + 100.0 * y[0];
            f[1] = ydot[1] - std::cos(t);
          }};
}

class DomainOfF : public testing::TestWithParam<std::tuple<ErrorTest, bool>> {};

/// Diagonal Jacobian alpha + 1 for both variables.
void give_diagonal_jacobian(test::Pointwise& system) {
  system.jacobian_block = [](double, auto, double alpha) { return test::Numbers{alpha + 1.0, 0.0, 0.0, alpha + 1.0}; };
}

} // namespace

TEST_P(DomainOfF, IsNotLeftByAnAcceptedStep) {
  auto system = decay_above_zero(std::get<bool>(GetParam()));
  bdf::IntegratorOptions options = test::with_tolerance(1e-3);
  options.error_test = std::get<ErrorTest>(GetParam());
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 2.0);
  while (integrator.time() < 2.0) {
    integrator.step();
    ASSERT_TRUE(std::isfinite(integrator.step_size()));
    ASSERT_GE(system.first_point(integrator.state())[0], 0.0) << "at t = " << integrator.time();
  }
  EXPECT_GT(integrator.statistics().convergence_failures, 0) << "else this test proves nothing";
  EXPECT_NEAR(system.first_point(integrator.state())[1], std::sin(integrator.time()), 0.05);
}

INSTANTIATE_TEST_SUITE_P(WithEveryTest, DomainOfF,
                         testing::Combine(testing::Values(ErrorTest::standard, ErrorTest::exclude, ErrorTest::filter,
                                                          ErrorTest::strong),
                                          testing::Bool()));

TEST(DomainOfF, AStartWithoutResidualIsRefusedByEverySolver) {
  for (const char* solver : {"preonly", "spigmr"}) {
    const test::PetscOptionsFor words("-dae_ksp_type", solver);
    test::Pointwise system({{.name = "u"}, {.name = "v"}}, {-1.0, 1.0}, {0.0, -1.0},
                           [](double, auto y, auto ydot, auto f) {
                             f[0] = ydot[0] + std::sqrt(y[0]);
                             f[1] = ydot[1] + y[1];
                           });
    give_diagonal_jacobian(system);
    bdf::Integrator integrator(system, test::with_tolerance(1e-6));
    const std::string text = test::message_of<core::SolverGaveUp>([&] { integrator.start(0.0, 2.0); });
    EXPECT_NE(text.find("the residual has no value"), std::string::npos) << solver << ": " << text;
  }
}

TEST(DomainOfF, ItsEndIsNamedByEverySolver) {
  for (const char* solver : {"preonly", "spigmr"}) {
    const test::PetscOptionsFor words("-dae_ksp_type", solver);
    test::Pointwise system({{.name = "u"}, {.name = "v"}}, {0.0, 1.0}, {1.0, -1.0},
                           [](double, auto y, auto ydot, auto f) {
                             f[0] = ydot[0] - 1.0 + 0.0 * std::sqrt(1.0 - y[0]);
                             f[1] = ydot[1] + y[1];
                           });
    give_diagonal_jacobian(system);
    bdf::Integrator integrator(system, test::with_tolerance(1e-6));
    integrator.start(0.0, 2.0);
    const std::string text = test::message_of<core::SolverGaveUp>([&] { integrator.advance(2.0); });
    EXPECT_NE(text.find("the residual had no value"), std::string::npos) << solver << ": " << text;
    EXPECT_NEAR(integrator.time(), 1.0, 1e-3) << solver;
  }
}

TEST(DomainOfF, AnOldComplaintDoesNotExplainANewFailure) {
  // Complains once, early; fails for good at t = 1 without a word.
  bool complained = false;
  test::Pointwise system({{.name = "u"}}, {0.0}, {1.0}, [&](double t, auto, auto ydot, auto f) {
    if (t > 0.1 && !complained) {
      complained = true;
      throw core::Recoverable("an early complaint");
    }
    f[0] = t > 1.0 ? no_value : ydot[0] - 1.0;
  });
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.0, 2.0);
  const std::string text = test::message_of<core::SolverGaveUp>([&] { integrator.advance(2.0); });
  EXPECT_NE(text.find("the residual had no value"), std::string::npos) << text;
  EXPECT_EQ(text.find("an early complaint"), std::string::npos) << text;
}
