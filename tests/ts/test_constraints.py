"""The index of constraints as the residual shows it, and what is said where a run cannot go on."""

import re
import unittest

from programs import BUILD, Case, run


class Constraints(Case):
    def refused(self, ranks, *words):
        answer = run([BUILD / "tests/ts/ts_constraints"], ranks, *words)
        self.assertNotEqual(answer.code, 0, answer.text)
        return answer.errors

    def test_a_constraint_of_index_3_is_refused_with_variable_steps(self):
        for ranks, *words in ((1,), (1, "-mass", 0.3), (2, "-mass", 0.3), (2, "-turned")):
            errors = self.refused(ranks, "-case", "position", *words)
            self.assertIn("variable 4 is of index 3 or higher (detected from the residual)", errors)
            self.assertIn("-ts_adapt_type none -ts_dt", errors)

    def test_what_the_refusal_advises_works(self):
        # x(1) of a pendulum of unit length that is let go at x = 1, by the classical Runge-Kutta method with 100,000 steps
        truth = 0.8795481324
        for words in (("-case", "velocity"), ("-case", "position", "-ts_rhumb_error_test", "projected"),
                      ("-case", "position", "-ts_adapt_type", "none", "-ts_rhumb_max_order", 2)):
            self.assertAlmostEqual(self.solve("constraints", 1, *words).number("first"), truth, delta=1e-5)

    def test_index_2_is_seen_through_a_mass_matrix(self):
        for answer in self.on_1_and_2_ranks("constraints", "-case", "velocity", "-mass", 0.3, "-ts_view"):
            self.assertIn("error test exclude", answer.text)
            self.assertLess(answer.number("steps"), 100)

    def test_a_constraint_that_holds_its_variable_only_later_starts_as_one_of_index_2(self):
        answer = self.solve("constraints", 1, "-case", "feedback")
        self.assertAlmostEqual(answer.number("last"), 0.0333553779, delta=2e-6)  # at tolerances of 1e-8
        # Where no other equation holds it, nothing determines it at the start.
        self.assertIn("no consistent values were found", self.refused(1, "-case", "product"))

    def test_index_2_is_seen_where_equations_have_another_order(self):
        answer = self.solve("constraints", 1, "-case", "velocity", "-turned")
        self.assertAlmostEqual(answer.number("first"), 0.8795481324, delta=1e-5)
        self.assertLess(answer.number("steps"), 100)

    def test_a_row_without_variables_is_not_taken_for_index_3(self):
        self.assertNotIn("of index 3", self.refused(1, "-case", "empty"))

    def test_after_an_event_three_evaluations_confirm_the_kinds(self):
        answers = [self.solve("constraints", 1, "-case", "velocity", "-ts_view", *words) for words in ([], ["-events"])]
        counts = [int(re.search(r"by (\d+) residual evaluations", answer.text).group(1)) for answer in answers]
        self.assertEqual(answers[1].number("events"), 5)
        self.assertEqual(counts[1] - counts[0], 3 * 5)
        for answer, probes in zip(answers, counts):
            seen = float(re.search(r"residual evaluations (\d+), Jac", answer.text).group(1))
            self.assertEqual(answer.number("calls"), seen + probes)


class Messages(Case):
    """The integrator's words name the options of Rhumb's drivers; a TS has others."""

    def options_in(self, text):
        return set(re.findall(r"(?<![\w-])-[a-z]\w+", text))

    def message(self, program, *words):
        answer = run([BUILD / "tests/ts" / f"ts_{program}"], 1, *words)
        self.assertNotEqual(answer.code, 0, answer.text)
        return re.search(r"Error Message.*?\n((?:.*\n)*?).*See https", answer.errors).group(1)

    def test_every_option_that_a_failure_names_exists(self):
        known = self.options_in(self.solve("constraints", 1, "-case", "velocity", "-help", "-pc_type", "lu").text)
        cases = (("constraints", "-case", "product", "-ts_rhumb_start", "given"),
                 ("constraints", "-case", "position"),
                 ("constraints", "-case", "velocity", "-ts_rhumb_operator", "product"),
                 ("constraints", "-case", "position", "-ts_rhumb_algebraic", "4"),
                 ("constraints", "-case", "feedback", "-ts_rhumb_algebraic", "2"))
        named = set()
        for case in cases:
            named |= self.options_in(self.message(*case))
        self.assertGreater(len(named), 2, named)
        self.assertLessEqual(named, known)


if __name__ == "__main__":
    unittest.main()
