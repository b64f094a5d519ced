#include <rhumb/bdf/diagnosis.hpp>

#include <gtest/gtest.h>

using namespace rhumb::bdf;

namespace {

/// An error test that kept failing after `steps` good steps; the step was cut to `cut` and the error fell to `fallen`.
Evidence failing_tests(long steps, double cut, double fallen) {
  Evidence e;
  e.last = Outcome::error_too_large;
  e.failures.error_test = 10;
  e.t = 0.5;
  e.first_h = 0.1;
  e.h = 0.1 * cut;
  e.steps = steps;
  e.tests = {{0.1, 40.0}, {0.05, 40.0}, {0.1 * cut, 40.0 * fallen}};
  e.worst_field = "pressure";
  e.worst_place = "x = 0.25";
  e.worst_size = 40.0;
  return e;
}

Evidence ending_with(Outcome outcome, long steps = 20) {
  Evidence e;
  e.last = outcome;
  e.steps = steps;
  e.t = 0.5;
  return e;
}

void expect_words(const Evidence& e, std::initializer_list<const char*> words) {
  const std::string text = explain(e);
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
  EXPECT_EQ(text.find(".."), std::string::npos) << text;
}

} // namespace

TEST(Diagnose, AnErrorThatDoesNotFallAfterSmoothStepsIsADiscontinuity) {
  EXPECT_EQ(diagnose(failing_tests(20, 1e-3, 1.0)), Cause::discontinuity);
  EXPECT_EQ(diagnose(failing_tests(4, 1e-3, 1.0)), Cause::discontinuity);
  expect_words(failing_tests(20, 1e-3, 1.0),
               {"discontinuity between t = 0.5 and 0.6, after 20 smooth steps", "40 tolerances at h = 0.1",
                "40 at h = 0.0001", "event", "Largest error: field 'pressure' at x = 0.25"});
}

TEST(Explain, OptionsAreSpelledAsTheCallerDoesAndLeftOutWhereItHasNone) {
  const OptionSpelling one_option = [](NamedOption option) {
    return std::string(option == NamedOption::h_max ? "--longest-step" : "");
  };
  const std::string text = explain(ending_with(Outcome::newton_diverged), one_option);
  EXPECT_NE(text.find("a smaller --longest-step"), std::string::npos) << text;
  EXPECT_EQ(text.find("PCLU"), std::string::npos) << text;
  const std::string sign = explain(ending_with(Outcome::constraint_violated), one_option);
  EXPECT_EQ(sign.find("how far below zero"), std::string::npos) << sign;
}

TEST(Diagnose, AnErrorThatDoesNotFallSoonAfterTheStartIsIndexThree) {
  for (const long steps : {1L, 3L}) EXPECT_EQ(diagnose(failing_tests(steps, 1e-3, 1.0)), Cause::index_three);
  expect_words(failing_tests(2, 1e-3, 1.0), {"index 3", "does not fall", "differentiate the constraint", "fixed step"});
}

TEST(Diagnose, AnErrorThatDoesNotFallInTheFirstStepIsAnInconsistentStart) {
  EXPECT_EQ(diagnose(failing_tests(0, 1e-3, 1.0)), Cause::inconsistent_start);
  Evidence e = failing_tests(0, 1e-3, 1.0);
  expect_words(e, {"inconsistent start", "'pressure'", "40 tolerances"});
  EXPECT_EQ(explain(e).find("Start::find"), std::string::npos) << "start values were sought";
  e.seeks_start = false;
  expect_words(e, {"Start::find"});
}

TEST(Diagnose, AWrongKindIsTheCauseWhateverElseIsSeen) {
  Evidence e = failing_tests(20, 1e-3, 1.0);
  e.wrong_kind = {"field 'p' is declared of index 1 but behaves like index 2", "kind = Kind::index2"};
  EXPECT_EQ(diagnose(e), Cause::wrong_kind);
  e.too_many_steps = true;
  EXPECT_EQ(diagnose(e), Cause::wrong_kind);
  expect_words(e,
               {"Likely cause: field 'p' is declared of index 1 but behaves like index 2. Try: kind = Kind::index2"});
}

TEST(Diagnose, AFieldOfIndexThreeSaysSo) {
  Evidence e = failing_tests(20, 0.5, 0.01);
  e.has_index3 = true;
  EXPECT_EQ(diagnose(e), Cause::index_three);
}

TEST(Diagnose, TheStepMustHaveBeenCutToAHundredth) {
  EXPECT_EQ(diagnose(failing_tests(20, 0.0105, 1.0)), Cause::tolerance);
  EXPECT_EQ(diagnose(failing_tests(20, 0.0095, 1.0)), Cause::discontinuity);
}

TEST(Diagnose, TheErrorShouldHaveFallenToATenth) {
  EXPECT_EQ(diagnose(failing_tests(20, 1e-3, 0.095)), Cause::tolerance);
  EXPECT_EQ(diagnose(failing_tests(20, 1e-3, 0.105)), Cause::discontinuity);
}

TEST(Diagnose, TwoFailedTestsProveNothing) {
  Evidence e = failing_tests(20, 1e-3, 1.0);
  e.tests.erase(e.tests.begin());
  e.tests.front().h = 0.1;
  EXPECT_EQ(diagnose(e), Cause::tolerance);
  expect_words(e, {"tolerances far off the scale of field 'pressure'", "atol"});
}

TEST(Diagnose, FailuresWithANameKeepIt) {
  EXPECT_EQ(diagnose(ending_with(Outcome::matrix_singular)), Cause::singular_matrix);
  EXPECT_EQ(diagnose(ending_with(Outcome::residual_failed)), Cause::residual_undefined);
  EXPECT_EQ(diagnose(ending_with(Outcome::constraint_violated)), Cause::lost_sign);
  EXPECT_EQ(diagnose(ending_with(Outcome::accepted)), Cause::tolerance);
  Evidence limit = ending_with(Outcome::matrix_singular);
  limit.too_many_steps = true;
  EXPECT_EQ(diagnose(limit), Cause::step_limit);
}

TEST(Diagnose, NewtonThatFailsAtTheStartIsAnInconsistentStart) {
  for (const Outcome outcome : {Outcome::newton_diverged, Outcome::linear_failed}) {
    EXPECT_EQ(diagnose(ending_with(outcome, 0)), Cause::inconsistent_start);
    EXPECT_EQ(diagnose(ending_with(outcome, 1)), Cause::newton);
  }
  expect_words(ending_with(Outcome::newton_diverged, 0), {"no error estimate was reached"});
}

TEST(Explain, SaysWhatHappened) {
  expect_words(ending_with(Outcome::error_too_large), {"no step beyond t = 0.5", "the error test kept failing"});
  expect_words(ending_with(Outcome::newton_diverged),
               {"Newton's iteration did not converge", "a smaller IntegratorOptions::h_max"});
  expect_words(ending_with(Outcome::linear_failed), {"GMRES did not reach its tolerance"});
  expect_words(ending_with(Outcome::residual_failed), {"the residual had no value", "region"});
  expect_words(ending_with(Outcome::matrix_singular), {"could not be factored", "no row is empty"});
  expect_words(ending_with(Outcome::constraint_violated), {"kept losing its sign", "bound"});
  expect_words(ending_with(Outcome::accepted), {"the step became too small"});
}

TEST(Explain, SaysWhyAMatrixIsSingular) {
  Evidence e = ending_with(Outcome::matrix_singular);
  e.singular = "the equations of field u, v depend on nothing";
  expect_words(e, {"a singular iteration matrix: the equations of field u, v depend on nothing. Try:"});
}

TEST(Explain, AnEquationThatIsNeverSetIsTheCauseWhateverElseIsSeen) {
  for (const Outcome outcome : {Outcome::matrix_singular, Outcome::newton_diverged, Outcome::error_too_large}) {
    Evidence e = ending_with(outcome);
    e.unset_rows = "u";
    EXPECT_EQ(diagnose(e), Cause::unset_rows);
    expect_words(e, {"the residual never sets the equations of field u", "every entry"});
  }
}

TEST(Explain, RepeatsWhatTheSystemSaid) {
  Evidence e = ending_with(Outcome::residual_failed);
  e.complaint = "negative density";
  expect_words(e, {"no value (NaN or Recoverable): negative density"});
}

TEST(Explain, CountsFailuresAndSteps) {
  Evidence e = failing_tests(20, 1e-3, 1.0);
  e.failures.convergence = 4;
  e.step_too_small = true;
  expect_words(e, {"10 error test failures, 4 convergence failures", "from 0.1 to 0.0001", "smallest that t + h"});
  e.step_too_small = false;
  EXPECT_EQ(explain(e).find("smallest that"), std::string::npos);
}

TEST(Explain, NamesTheLimitOfSteps) {
  Evidence e = ending_with(Outcome::accepted);
  e.too_many_steps = true;
  expect_words(e, {"the limit of steps was reached at t = 0.5", "IntegratorOptions::max_steps"});
}

namespace {
/// Steps that have shrunk to 1e-6 of the longest, and a field that grows from 1e6 to 1.1e6 within one of them.
Evidence ending_solution() {
  Evidence e = ending_with(Outcome::accepted);
  e.longest_h = 1.0;
  e.last_h = 1e-6;
  e.fastest_field = "growing";
  e.earlier_value = 1e6;
  e.fastest_value = 1.1e6;
  e.fastest_scale = 1.2e6;
  e.fastest_rate = 1e12;
  return e;
}
} // namespace

TEST(Diagnose, AFieldThatGrowsWithoutBoundIsBlowUp) {
  for (const Outcome last : {Outcome::accepted, Outcome::error_too_large, Outcome::newton_diverged,
                             Outcome::residual_failed, Outcome::matrix_singular}) {
    Evidence e = ending_solution();
    e.last = last;
    EXPECT_EQ(diagnose(e), Cause::blow_up);
  }
  expect_words(ending_solution(), {"blow-up of field 'growing', which grows without bound", "at about t = 0.5000011"});
}

TEST(Diagnose, AFieldWithARateWithoutBoundIsAtAnImpasse) {
  Evidence e = ending_solution();
  e.earlier_value = 1.095e6; // by less than a hundredth
  EXPECT_EQ(diagnose(e), Cause::impasse);
  e.earlier_value = -1e6;
  EXPECT_EQ(diagnose(e), Cause::impasse);
  e.earlier_value = 0.0;
  EXPECT_EQ(diagnose(e), Cause::impasse);
  e = ending_solution();
  e.fastest_scale = 2.1e6;
  EXPECT_EQ(diagnose(e), Cause::blow_up);
  e.fastest_scale = 2.3e6; // the field itself is small beside its tolerance
  EXPECT_EQ(diagnose(e), Cause::impasse);
  expect_words(e, {"the solution ends at about t = 0.5", "'growing'", "impasse"});
  e.last = Outcome::residual_failed;
  EXPECT_EQ(diagnose(e), Cause::residual_undefined);
  e.last = Outcome::constraint_violated;
  EXPECT_EQ(diagnose(e), Cause::lost_sign);
}

TEST(Diagnose, ASolutionEndsOnlyWhereItsStepsAndItsTimeScaleHaveShrunk) {
  const auto other = [](auto change) {
    Evidence e = ending_solution();
    change(e);
    return diagnose(e);
  };
  EXPECT_EQ(other([](Evidence& e) { e.steps = 3; }), Cause::tolerance);
  EXPECT_EQ(other([](Evidence& e) { e.last_h = 1.1e-3; }), Cause::tolerance);
  EXPECT_EQ(other([](Evidence& e) { e.last_h = 1e-3; }), Cause::blow_up);
  EXPECT_EQ(other([](Evidence& e) { e.fastest_rate = 1.1e9; }), Cause::tolerance);
  EXPECT_EQ(other([](Evidence& e) { e.fastest_rate = -1.3e9; }), Cause::blow_up);
  EXPECT_EQ(other([](Evidence& e) {
              e.fastest_value = 1.1e-3;
              e.earlier_value = 1e-3;
              e.fastest_scale = 2e-3;
            }),
            Cause::blow_up)
      << "small fields grow, too";
}

TEST(Explain, AdvisesNothingThatIsInUse) {
  Evidence e = ending_with(Outcome::newton_diverged);
  expect_words(e, {"a poor iteration matrix or a strong nonlinearity", "PCLU"});
  EXPECT_EQ(explain(e).find("check_jacobian"), std::string::npos) << "there is no matrix of its own to check";
  e.direct = true;
  EXPECT_EQ(explain(e).find("PCLU"), std::string::npos);
  EXPECT_EQ(explain(e).find("poor iteration matrix"), std::string::npos);
  e.has_jacobian = true;
  expect_words(e, {"a poor iteration matrix", "check_jacobian"});
}

TEST(Explain, LeavesOutEstimatesThatThereAreNot) {
  const std::string text = explain(ending_with(Outcome::accepted));
  EXPECT_NE(text.find("a very fast transient. Try"), std::string::npos) << text;
}

TEST(Explain, RoundingInANearlySingularMatrixIsNamedWhereItIsSeen) {
  Evidence e;
  e.last = Outcome::newton_diverged;
  e.condition = 3e13;
  e.rounding = 12.0;
  EXPECT_NE(explain(e).find("condition is about 3e+13"), std::string::npos) << explain(e);
  EXPECT_NE(explain(e).find("move y by 12 tolerances"), std::string::npos) << explain(e);
  e.rounding = 0.151; // beside what Newton may leave, 0.15
  EXPECT_NE(explain(e).find("nearly singular"), std::string::npos);
  e.rounding = 0.149;
  EXPECT_EQ(explain(e).find("nearly singular"), std::string::npos);
}
