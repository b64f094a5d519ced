/// Declared kinds that contradict the equations, and those that only seem to.

#include "small_systems.hpp"
#include <rhumb/core/failure.hpp>
#include <gtest/gtest.h>

using namespace rhumb;
using dae::Kind;

namespace {

/// x = sin t is given and z = x': index 2.
test::Pointwise index_two(Kind kind) {
  return {
      {{.name = "x"}, {.name = "z", .kind = kind}}, {0.0, 1.0}, {1.0, 0.0}, [](double t, auto y, auto ydot, auto f) {
        f[0] = ydot[0] - y[1];
        f[1] = y[0] - std::sin(t);
      }};
}

/// x = sin t is given, v = x', a = v': index 3.
test::Pointwise index_three(Kind kind) {
  return {{{.name = "x"}, {.name = "v"}, {.name = "a", .kind = kind}},
          {0.0, 1.0, 0.0},
          {1.0, 0.0, 0.0},
          [](double t, auto y, auto ydot, auto f) {
            f[0] = ydot[0] - y[1];
            f[1] = ydot[1] - y[2];
            f[2] = y[0] - std::sin(t);
          }};
}

/// x' = z and 0 = s(t) (z - cos t) + x - sin t, whose solution is x = sin t, z = cos t whatever s is: index 1 where
/// s > 0, index 2 where s = 0.
test::Pointwise weakly_determined(std::function<double(double t)> s) {
  return {{{.name = "x"}, {.name = "z", .kind = Kind::index1}},
          {0.0, 1.0},
          {1.0, 0.0},
          [s](double t, auto y, auto ydot, auto f) {
            f[0] = ydot[0] - y[1];
            f[1] = s(t) * (y[1] - std::cos(t)) + y[0] - std::sin(t);
          }};
}

test::Pointwise oscillator(Kind kind_of_velocity) {
  return {{{.name = "x"}, {.name = "v", .kind = kind_of_velocity}},
          {0.0, 1.0},
          {1.0, 0.0},
          [](double, auto y, auto ydot, auto f) {
            f[0] = ydot[0] - y[1];
            f[1] = ydot[1] + y[0];
          }};
}

std::string refusal_of(dae::System& system, bdf::IntegratorOptions options = test::with_tolerance(1e-6)) {
  bdf::Integrator integrator(system, std::move(options));
  return test::message_of<core::BadInput>([&] { integrator.start(0.0, 10.0); });
}

void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  EXPECT_FALSE(text.empty()) << "nothing was refused";
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
}

} // namespace

TEST(Kinds, AnIndexTwoVariableOfALowerKindIsRefused) {
  auto right = index_two(Kind::index2), algebraic = index_two(Kind::index1),
       differential = index_two(Kind::differential);
  EXPECT_EQ(refusal_of(right), "");
  expect_words(refusal_of(algebraic), {"field 'z' is declared of index 1 but behaves like index 2", "grows like 1/h",
                                       "Kind::index2", "check_kinds = false"});
  expect_words(refusal_of(differential), {"field 'z' is declared differential but behaves like index 2"});
}

TEST(Kinds, AConstraintMixedIntoOtherEquationsIsSeen) {
  for (const Kind kind : {Kind::index1, Kind::index2}) {
    test::Pointwise system({{.name = "x"}, {.name = "z", .kind = kind}}, {0.0, 1.0}, {1.0, 0.0},
                           [](double t, auto y, auto ydot, auto f) {
                             const double balance = ydot[0] - y[1], constraint = y[0] - std::sin(t);
                             f[0] = balance + constraint;
                             f[1] = balance - 2.0 * constraint;
                           });
    bdf::IntegratorOptions options = test::with_tolerance(1e-6);
    options.start = bdf::Start::given; // no row is a constraint that a start could project onto
    const std::string text = refusal_of(system, options);
    EXPECT_EQ(text.find("field 'z' is declared of index 1 but behaves like index 2") != std::string::npos,
              kind == Kind::index1)
        << text;
  }
}

TEST(Kinds, AnIndexThreeVariableOfALowerKindIsRefused) {
  for (const Kind kind : {Kind::differential, Kind::index1, Kind::index2}) {
    auto system = index_three(kind);
    expect_words(refusal_of(system), {"field 'a' is declared", "behaves like index 3", "grows like 1/h^2",
                                      "constraint differentiated", "ErrorTest::projected"});
  }
}

TEST(Kinds, VelocitiesOfAnIndexThreeSystemAreDifferentialAllTheSame) {
  auto system = index_three(Kind::index3);
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.error_test = bdf::ErrorTest::projected;
  EXPECT_EQ(refusal_of(system, options), "");
}

TEST(Kinds, ADifferentialVariableCalledAlgebraicIsRefused) {
  auto right = oscillator(Kind::differential);
  EXPECT_EQ(refusal_of(right), "");
  for (const Kind kind : {Kind::index1, Kind::index2}) {
    auto system = oscillator(kind);
    expect_words(refusal_of(system), {"field 'v' is declared of index", "behaves like a differential variable",
                                      "falls like h", "Kind::differential"});
  }
}

TEST(Kinds, AConstraintThatLosesItsVariableAtTheStartAloneIsNotRefused) {
  // 0 = x z - sin t at x = 0: z does not stand in it there, and does everywhere else.
  test::Pointwise system({{.name = "x"}, {.name = "z", .kind = Kind::index1}}, {0.0, 1.0}, {1.0, 0.0},
                         [](double t, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] - y[1] * std::cos(t);
                           f[1] = y[0] * y[1] - std::sin(t);
                         });
  EXPECT_EQ(refusal_of(system), "");
}

TEST(Kinds, AVariableThatIsDeterminedWeaklyIsOfIndexOne) {
  // G^-1 grows like 1/h down to h = 1e-6 here.
  auto system = weakly_determined([](double) { return 1e-6; });
  EXPECT_EQ(refusal_of(system, test::with_tolerance(1e-3)), "");
}

TEST(Kinds, AMatrixThatOnlyServesAsAPreconditionerProvesNothing) {
  // 0 = z - x with a matrix that forgets z there.
  test::Pointwise system({{.name = "x"}, {.name = "z", .kind = Kind::index1}}, {1.0, 1.0}, {1.0, 0.0},
                         [](double, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] - y[1];
                           f[1] = y[1] - y[0];
                         });
  system.jacobian_block = [](double, auto, double alpha) { return test::Numbers{alpha, -1.0, -1.0, 0.0}; };
  EXPECT_EQ(refusal_of(system), "");
}

TEST(Kinds, ALazyDeclarationOfIndexOneIsLeftAlone) {
  // Counted in the error test as a differential variable is, it does no harm.
  test::Pointwise system({{.name = "x"}, {.name = "z"}}, {1.0, 1.0}, {-1.0, 0.0},
                         [](double, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] + y[1];
                           f[1] = y[1] - y[0];
                         });
  EXPECT_EQ(refusal_of(system), "");
}

TEST(Kinds, TheCheckLeavesARightRunAsItIs) {
  std::array<bdf::Statistics, 2> with_and_without;
  for (const bool check : {true, false}) {
    auto system = index_two(Kind::index2);
    bdf::IntegratorOptions options = test::with_tolerance(1e-6);
    options.check_kinds = check;
    bdf::Integrator integrator(system, options);
    integrator.start(0.0, 10.0);
    integrator.advance(10.0);
    with_and_without[check ? 0 : 1] = integrator.statistics();
  }
  const auto &with = with_and_without[0], &without = with_and_without[1];
  EXPECT_EQ(with.steps, without.steps);
  EXPECT_EQ(with.residual_evals, without.residual_evals);
  EXPECT_EQ(with.jacobian_evals, without.jacobian_evals);
  EXPECT_EQ(with.reductions, without.reductions);
  EXPECT_EQ(with.kind_check_matrices, 2);
  EXPECT_GT(with.kind_check_residuals, 2);
  EXPECT_EQ(without.kind_check_residuals, 0);
  EXPECT_EQ(without.kind_check_matrices, 0);
}

TEST(Kinds, AnOrdinaryEquationCostsTwoResiduals) {
  auto system = oscillator(Kind::differential);
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.0, 10.0);
  EXPECT_EQ(integrator.statistics().kind_check_residuals, 2);
  EXPECT_EQ(integrator.statistics().kind_check_matrices, 0);
}

TEST(Kinds, TheCheckCanBeSwitchedOff) {
  auto system = index_two(Kind::index1);
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.check_kinds = false;
  EXPECT_EQ(refusal_of(system, options), "");
}

TEST(Kinds, AnIndexThatRisesOnTheWayEndsTheRunSoonAndIsNamed) {
  auto system = weakly_determined([](double t) { return std::max(0.0, 0.5 - t); });
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.controller = bdf::Controller::dassl;   // the other one finds its way,
  options.error_test = bdf::ErrorTest::standard; // and so does the filter, which the automatic choice turns to
  bdf::Integrator integrator(system, options);
  const std::string text = test::message_of<core::SolverGaveUp>([&] {
    integrator.start(0.0, 2.0);
    integrator.advance(2.0);
  });
  expect_words(text, {"Likely cause: field 'z' is declared of index 1 but behaves like index 2", "Kind::index2"});
  EXPECT_EQ(text.find("discontinuity"), std::string::npos) << text;
  EXPECT_GT(integrator.time(), 0.5);
  EXPECT_LT(integrator.statistics().steps, 400);
}

TEST(Kinds, AnImpasseIsNotTakenForAWrongKind) {
  // z^2 = x ends where x = 0: dF/dz goes to 0 there, and z is of index 1 all the way.
  test::Pointwise system({{.name = "x"}, {.name = "z", .kind = Kind::index1}}, {1.0, 1.0}, {-1.0, 0.0},
                         [](double, auto y, auto ydot, auto f) {
                           f[0] = ydot[0] + 1.0;
                           f[1] = y[1] * y[1] - y[0];
                         });
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  const std::string text = test::message_of<core::SolverGaveUp>([&] {
    integrator.start(0.0, 2.0);
    integrator.advance(2.0);
  });
  EXPECT_NE(text, "");
  EXPECT_EQ(text.find("behaves like"), std::string::npos) << text;
}
