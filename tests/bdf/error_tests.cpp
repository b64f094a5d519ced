/// What the error tests see: the same problems that the literature has against them.

#include "small_systems.hpp"
#include <gtest/gtest.h>

using namespace rhumb;
using bdf::ErrorTest;
using dae::Kind;

namespace {

/// SIE (7.1)-(7.3): x1 = sin t, x2 = cos t, and x3 = sin t sees the error of x1 enlarged c times.
struct Amplifier {
  explicit Amplifier(double c)
      : system({{.name = "x1"}, {.name = "x2"}, {.name = "x3", .kind = Kind::index1}}, {0.0, 1.0, 0.0}, {1.0, 0.0, 1.0},
               [c](double t, auto y, auto ydot, auto f) {
                 f[0] = ydot[0] - y[1];
                 f[1] = ydot[1] + y[0];
                 f[2] = std::expm1(y[2] - c * (y[0] - std::sin(t)) - std::sin(t));
               }) {
    system.points = 1;
    system.jacobian_block = [c](double t, auto y, double alpha) {
      const double slope = std::exp(y[2] - c * (y[0] - std::sin(t)) - std::sin(t));
      return test::Numbers{alpha, -1.0, 0.0, 1.0, alpha, 0.0, -c * slope, 0.0, slope};
    };
  }

  /// The largest error of x3 up to t = 10, in tolerances.
  double error(ErrorTest error_test, double tolerance) {
    bdf::Options options = test::with_tolerance(tolerance);
    options.error_test = error_test;
    options.max_steps = 5000;
    bdf::Integrator integrator(system, options);
    integrator.start(0.0, 10.0);
    double largest = 0.0;
    while (integrator.time() < 10.0) {
      integrator.step();
      largest = std::max(largest, std::abs(system.first_point(integrator.state())[2] - std::sin(integrator.time())));
    }
    statistics = integrator.statistics();
    return largest / tolerance;
  }

  test::Pointwise system;
  bdf::Statistics statistics;
};

/// x' = z while the switch is open, with z = -x (index 1); closed, x follows cos t and z is what that takes (index 2).
class Switch : public test::Pointwise {
public:
  Switch()
      : Pointwise({{.name = "x"}, {.name = "z", .kind = Kind::index1}}, {1.0, -1.0}, {-1.0, 1.0},
                  [this](double t, auto y, auto ydot, auto f) {
                    f[0] = ydot[0] - y[1];
                    f[1] = closed ? y[0] - std::cos(t) : y[1] + y[0];
                  }) {
    points = 1;
    event_list = {{"close"}};
    event_function = [](double t, auto, auto, auto g) { g[0] = t - 0.5; };
    event_action = [this](double, auto, Vec, Vec) {
      closed = true;
      return dae::AfterEvent::restart;
    };
  }
  Kind variable_kind(PetscInt local) const override {
    return local % 2 == 0 ? Kind::differential : closed ? Kind::index2 : Kind::index1;
  }
  bool closed = false;
};

} // namespace

TEST(Filter, ComparesTermsOfOneUnitWhenItChoosesTheOrder) {
  // Terms of unlike units sent the order in circles: 3769 steps and 6860 tolerances for the first of these.
  struct {
    double c, tolerance;
    long steps;
    double error;
  } const cases[] = {{100.0, 1e-4, 130, 100.0}, {100.0, 1e-6, 250, 200.0}, {1e4, 1e-6, 480, 500.0}};
  for (const auto& [c, tolerance, steps, error] : cases) {
    Amplifier amplifier(c);
    EXPECT_LT(amplifier.error(ErrorTest::filter, tolerance), error) << c << ", " << tolerance;
    EXPECT_LT(amplifier.statistics.steps, steps) << c << ", " << tolerance;
    EXPECT_LT(amplifier.statistics.error_test_failures, 20) << c << ", " << tolerance;
  }
}

TEST(Strong, KeepsItsPromiseWithGmres) {
  // The second solve's result is multiplied by alpha^2: with the tolerance of the first the error was 16,400.
  Amplifier amplifier(1e4);
  const double direct = amplifier.error(ErrorTest::strong, 1e-8);
  const test::PetscOptionsFor words("-dae_pc_type", "none");
  const double iterated = amplifier.error(ErrorTest::strong, 1e-8);
  EXPECT_GT(amplifier.statistics.linear_iterations, 0);
  EXPECT_LT(iterated, 3.0 * direct);
}

TEST(AnEventThatRaisesTheIndex, ChangesTheErrorTestAndNewton) {
  Switch system;
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.0, 2.0);
  EXPECT_NE(integrator.describe().find("standard"), std::string::npos) << integrator.describe();
  integrator.stop_at(2.0);
  integrator.advance(2.0);
  EXPECT_TRUE(system.closed);
  EXPECT_NE(integrator.describe().find("exclude"), std::string::npos) << integrator.describe();
  const auto y = system.first_point(integrator.state());
  EXPECT_NEAR(y[0], std::cos(2.0), 1e-6);
  EXPECT_NEAR(y[1], -std::sin(2.0), 1e-3);
  EXPECT_LT(integrator.statistics().steps, 200);
}
