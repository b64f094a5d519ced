"""What a program changes between two solves, and what must not change within one."""

import unittest

from programs import Case


class TwoMatrices(Case):
    """A matrix for products and another one for the preconditioner, which must not be made anew within a solve."""

    def test_the_preconditioner_is_kept_over_steps(self):
        answer = self.solve("two_matrices", 1, "-two", "-shell", "-ts_view")
        setups = answer.number("set-ups")
        self.assertEqual(answer.number("setups"), setups)
        self.assertLess(setups, answer.number("steps") / 5)
        self.assertGreater(answer.number("Amat"), answer.number("steps") / 2)

    def test_newton_needs_no_more_iterations_than_with_one_matrix(self):
        one, two = (self.solve("two_matrices", 1, *words, "-ksp_type", "gmres", "-pc_type", "lu")
                    for words in ([], ["-two"]))
        self.assertLessEqual(two.number("newton"), one.number("newton"))
        self.assertGreater(two.number("linear"), two.number("newton"))  # the factors are older than the operator
        self.assertAlmostEqual(two.number("u"), one.number("u"), delta=1e-8)

    def test_incomplete_factors_may_take_the_place_of_their_matrix(self):
        answer = self.solve("two_matrices", 1, "-two", "-ksp_type", "gmres", "-pc_type", "ilu", "-pc_factor_levels", 0)
        self.assertAlmostEqual(answer.number("u"), 0.999585986, delta=1e-8)


if __name__ == "__main__":
    unittest.main()
