"""The example with an own boundary: second order against its exact solution, on any number of ranks."""

import math
import unittest

import driver


def error(n, **more):
    run = driver.run("burgers", "-n", n, "-dae_rtol", "1e-7", "-dae_atol", "1e-8", "-quiet", **more)
    if run.code != 0:
        raise AssertionError(f"exit code {run.code}\n{run.errors}")
    return run.summary["results"]["error_max"]


class Burgers(unittest.TestCase):
    def test_the_error_falls_as_the_square_of_the_spacing(self):
        self.assertAlmostEqual(math.log2(error(400) / error(800)), 2.0, delta=0.1)

    def test_two_ranks_give_the_same_error(self):
        self.assertAlmostEqual(error(400, ranks=2) / error(400), 1.0, delta=1e-3)

    def test_two_dimensions_are_refused(self):
        run = driver.run("burgers", "-n", "10,10")
        self.assertEqual(run.code, 2)
        self.assertIn("one dimension", run.errors)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
