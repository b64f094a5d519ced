/// Runs that must fail, and what they say about it.

#include "small_systems.hpp"
#include <rhumb/core/failure.hpp>
#include <gtest/gtest.h>

using namespace rhumb;
using dae::Kind;

namespace {

std::string failure_of(dae::System& system, bdf::ErrorTest error_test = bdf::ErrorTest::standard) {
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.error_test = error_test;
  bdf::Integrator integrator(system, options);
  return test::message_of<core::SolverGaveUp>([&] {
    integrator.start(0.0, 1.0);
    integrator.advance(1.0);
  });
}

void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  EXPECT_FALSE(text.empty()) << "the run did not fail";
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
}

/// x = sin t is given, v = x', a = v': index 3. Whether the system says so is up to `kind`.
test::Pointwise index_three(Kind kind) {
  return {{{.name = "x"}, {.name = "v"}, {.name = "a", .kind = kind}},
          {0.0, 1.0, 0.0},
          {1.0, 0.0, 0.0},
          [](double t, auto y, auto ydot, auto f) {
            f[0] = y[0] - std::sin(t);
            f[1] = ydot[0] - y[1];
            f[2] = ydot[1] - y[2];
          }};
}

} // namespace

TEST(DiagnosisOfARun, IndexThreeThatSaysSoIsNamed) {
  auto system = index_three(Kind::index3);
  expect_words(failure_of(system), {"field 'a' is of index 3", "differentiated once", "fixed_step"});
}

TEST(DiagnosisOfARun, AJumpEndsTheRunWithItsTimeAndField) {
  test::Pointwise system({{.name = "u"}, {.name = "w", .kind = Kind::index1}}, {0.0, 0.0}, {0.0, 0.0},
                         [](double t, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] - y[1];
                           f[1] = y[1] - (t < 0.5 ? std::sin(t) : 2.0);
                         });
  const std::string text = failure_of(system);
  expect_words(
      text, {"no step beyond t = 0.5", "the error test kept failing", "a discontinuity between t = 0.5", "field 'w'"});
}

TEST(DiagnosisOfARun, TheStateIsThatOfTheLastGoodStep) {
  test::Pointwise system({{.name = "u"}}, {0.0}, {0.0}, [](double t, auto y, auto ydot, auto f) {
    f[0] = t < 0.5 ? ydot[0] - std::sin(t) : std::numeric_limits<double>::quiet_NaN() * y[0];
  });
  bdf::IntegratorOptions options = test::with_tolerance(1e-8);
  options.fixed_step = 0.01; // gives up at the first failure, with a whole step in the trial
  options.fixed_order = 3;
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 1.0);
  EXPECT_THROW(integrator.advance(1.0), core::SolverGaveUp);
  EXPECT_NEAR(integrator.time(), 0.49, 1e-9);
  EXPECT_NEAR(system.first_point(integrator.state())[0], 1.0 - std::cos(integrator.time()), 1e-4);
  EXPECT_NEAR(system.first_point(integrator.derivative())[0], std::sin(integrator.time()), 1e-4);
}

TEST(DiagnosisOfARun, ARowThatDependsOnNothingIsNamed) {
  test::Pointwise system({{.name = "u"}, {.name = "lost", .kind = Kind::index1}}, {1.0, 0.0}, {-1.0, 0.0},
                         [](double, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] + y[0];
                           f[1] = 0.0;
                         });
  expect_words(failure_of(system), {"singular iteration matrix", "the equations of field lost depend on nothing"});
}

TEST(DiagnosisOfARun, AConstraintThatIsGivenTwiceIsNamed) {
  test::Pointwise system({{.name = "u"}, {.name = "a", .kind = Kind::index1}, {.name = "b", .kind = Kind::index1}},
                         {1.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}, [](double, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] + y[1];
                           f[1] = y[1] + y[2] - y[0];
                           f[2] = 2.0 * f[1];
                         });
  expect_words(failure_of(system), {"singular iteration matrix", "the equations of field a, b are not independent",
                                    "leave field a, b undetermined"});
}

TEST(DiagnosisOfARun, AResidualWithoutValueIsNamedWithItsComplaint) {
  test::Pointwise system({{.name = "u"}}, {1.0}, {-2.0}, [](double, auto y, auto ydot, auto f) {
    if (y[0] < 0.5) throw core::Recoverable("u is below 0.5");
    f[0] = ydot[0] + 2.0;
  });
  expect_words(failure_of(system), {"no value", "u is below 0.5", "no step beyond t = 0.2"});
}

TEST(DiagnosisOfARun, AFieldThatMustLeaveItsBoundIsNamed) {
  test::Pointwise system({{.name = "mass", .sign = dae::Sign::nonnegative}}, {1.0}, {-2.0},
                         [](double, auto, auto ydot, auto f) { f[0] = ydot[0] + 2.0; });
  expect_words(failure_of(system), {"losing its sign", "field 'mass' wants to leave its bound"});
}

TEST(DiagnosisOfARun, APoleIsCalledBlowUpWithItsTime) {
  // u = 1 / (0.7 - t).
  test::Pointwise system({{.name = "w"}, {.name = "u"}}, {1.0, 1.0 / 0.7}, {0.0, 1.0 / 0.49},
                         [](double, auto y, auto ydot, auto f) {
                           f[0] = ydot[0];
                           f[1] = ydot[1] - y[1] * y[1];
                         });
  expect_words(failure_of(system),
               {"blow-up of field 'u', which grows without bound", "at about t = 0.6999", "end the run before"});
}

TEST(DiagnosisOfARun, AnImpasseIsNamedAndNothingIsAdvisedThatTheUserHas) {
  // x = 0.5 - t, z = sqrt(x): no solution beyond t = 0.5.
  test::Pointwise system({{.name = "x"}, {.name = "z", .kind = Kind::index1}}, {0.5, std::sqrt(0.5)}, {-1.0, 0.0},
                         [](double, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] + 1.0;
                           f[1] = y[1] * y[1] - y[0];
                         });
  const std::string text = failure_of(system);
  expect_words(text, {"the solution ends at about t = 0.5", "field 'z'", "impasse"});
  EXPECT_EQ(text.find("PCLU"), std::string::npos) << text;
}

TEST(DiagnosisOfARun, ANearlySingularMatrixIsNamedWithItsCondition) {
  int ranks = 1;
  core::check_mpi(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks > 1) GTEST_SKIP() << "rounding decides when such a run is given up";
  // Two constraints that say the same but for 1e-13: rounding in one of them moves a and b by many tolerances.
  constexpr double gap = 1e-13;
  test::Pointwise system({{.name = "x"}, {.name = "a", .kind = Kind::index1}, {.name = "b", .kind = Kind::index1}},
                         {1.0, 0.5, 0.5}, {-1.0, 0.0, 0.0}, [](double, auto y, auto ydot, auto f) {
                           const double wave = std::sin(37.0 * y[0]);
                           f[0] = ydot[0] + y[0];
                           f[1] = y[1] + y[2] - y[0] + std::sin(37.0 * (y[1] + y[2])) - wave;
                           f[2] = y[2] - y[0] + y[1] + std::sin(37.0 * y[1] + 37.0 * y[2]) - wave +
                                  gap * (y[2] - 0.5 * y[0]);
                         });
  system.jacobian_block = [](double, auto y, double alpha) -> test::Numbers {
    const double by_sum = 1.0 + 37.0 * std::cos(37.0 * (y[1] + y[2])), by_x = -1.0 - 37.0 * std::cos(37.0 * y[0]);
    return {alpha + 1.0, 0.0, 0.0, by_x, by_sum, by_sum, by_x - 0.5 * gap, by_sum, by_sum + gap};
  };
  expect_words(failure_of(system), {"nearly singular", "rounding alone may move y by"});
}

TEST(DiagnosisOfARun, AWellConditionedMatrixIsNotBlamed) {
  test::Pointwise system({{.name = "u"}, {.name = "w", .kind = Kind::index1}}, {0.0, 0.0}, {0.0, 0.0},
                         [](double t, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] - y[1];
                           f[1] = y[1] - (t < 0.5 ? std::sin(t) : 2.0);
                         });
  EXPECT_EQ(failure_of(system).find("nearly singular"), std::string::npos);
}
