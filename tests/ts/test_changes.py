"""What a program changes between two solves, and what must not change within one."""

import math
import re
import unittest

from programs import Case


class ChangesBetweenSolves(Case):
    """One TS solves u' = -u twice; what the program changed in between must count."""

    def test_a_fixed_step_may_be_halved(self):
        for answer in self.on_1_and_2_ranks("changes", "-case", "dt", "-ts_adapt_type", "none", "-ts_rhumb_max_order", 1):
            self.assertEqual((answer.number("first_steps"), answer.number("second_steps")), (8, 16))
            self.assertAlmostEqual(answer.number("second_u"), 1.0625**-16, delta=1e-5)

    def test_with_an_adaptor_the_first_step_is_not_longer_than_the_new_one(self):
        answer = self.solve("changes", 1, "-case", "dt", "-u0", 0, "-ts_max_time", 1e12, "-ts_max_steps", 1)
        self.assertEqual((answer.number("first_time"), answer.number("second_time")), (0.125, 0.0625))
        answer = self.solve("changes", 1, "-case", "dt", "-u0", 0, "-ts_max_time", 1000, "-ts_monitor")
        self.assertEqual(re.findall(r"^1 TS dt \S+ time ([-+.\deE]+)", answer.text, re.M), ["0.125", "0.0625"])

    def test_a_limit_of_the_step_is_kept(self):
        answer = self.solve("changes", 1, "-case", "limits")
        self.assertLess(answer.number("first_steps"), 100)
        self.assertGreaterEqual(answer.number("second_steps"), 1000)

    def test_options_that_are_read_again_count(self):
        answer = self.solve("changes", 1, "-case", "options", "-again", "ts_rhumb_max_order 1")
        self.assertGreater(answer.number("second_steps"), 2 * answer.number("first_steps"))
        answer = self.solve("changes", 1, "-case", "options", "-again", "ts_rhumb_start steady")
        self.assertAlmostEqual(answer.number("second_u"), 0.0, delta=1e-9)  # what belongs to udot = 0
        answer = self.solve("changes", 1, "-case", "options", "-again", "pc_type jacobi -ksp_type spigmr", "-ts_view")
        self.assertEqual(re.findall(r"; linear solver (\w+)", answer.text), ["direct", "spigmr"])

    def test_another_function_begins_a_new_history(self):
        answer = self.solve("changes", 1, "-case", "function")
        self.assertLess(answer.number("second_error"), 1e-4)
        self.assertLess(answer.number("second_rejected") - answer.number("first_rejected"), 2)

    def test_a_jacobian_that_is_given_late_is_used(self):
        for answer in self.on_1_and_2_ranks("changes", "-case", "jacobian"):
            self.assertGreater(answer.number("jacobians"), 0)
            self.assertLess(answer.number("second_error"), 3e-5)

    def test_tighter_tolerances_count_from_the_next_step(self):
        for case in ("tolerances", "vector"):
            answer = self.solve("changes", 1, "-case", case)
            inherited = answer.number("first_error") * math.exp(-1)
            self.assertLess(abs(answer.number("second_error") - inherited), 1e-7)

    def test_the_end_may_be_moved(self):
        answer = self.solve("changes", 1, "-case", "later")
        self.assertEqual(answer.number("second_time"), 2.0)
        self.assertLess(answer.number("second_error"), 2e-5)
        self.assertLess(answer.number("second_steps") - answer.number("first_steps"), 15)  # no new start
        answer = self.solve("changes", 1, "-case", "sooner")
        self.assertEqual((answer.number("second_time"), answer.number("latest")), (0.5, 0.5))


class TwoMatrices(Case):
    """A matrix for products and another one for the preconditioner, which must not be made anew within a solve."""

    def test_the_preconditioner_is_kept_over_steps(self):
        answer = self.solve("two_matrices", 1, "-two", "-shell", "-ts_view")
        setups = answer.number("set-ups")
        self.assertEqual(answer.number("setups"), setups)
        self.assertLess(setups, answer.number("steps") / 5)
        self.assertGreater(answer.number("Amat"), answer.number("steps") / 2)

    def test_newton_needs_hardly_more_iterations_than_with_one_matrix(self):
        one, two = (self.solve("two_matrices", 1, *words, "-ksp_type", "gmres", "-pc_type", "lu")
                    for words in ([], ["-two"]))
        self.assertLessEqual(two.number("newton"), 1.05 * one.number("newton"))
        self.assertGreater(two.number("linear"), two.number("newton"))  # the factors are older than the operator
        self.assertAlmostEqual(two.number("u"), one.number("u"), delta=1e-8)

    def test_incomplete_factors_may_take_the_place_of_their_matrix(self):
        answer = self.solve("two_matrices", 1, "-two", "-ksp_type", "gmres", "-pc_type", "ilu", "-pc_factor_levels", 0)
        self.assertAlmostEqual(answer.number("u"), 0.999585986, delta=1e-8)


if __name__ == "__main__":
    unittest.main()
