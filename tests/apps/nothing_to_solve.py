"""What is not there is said: an equation, an ignition, an option in the help."""

import unittest

import driver


class NothingToSolve(unittest.TestCase):
    def test_heat_without_an_equation_names_the_cases(self):
        for ranks in [1, 2]:
            run = driver.run("rhumb-heat", "-problem", "plate", "-n", "8,8", ranks=ranks)
            self.assertEqual(run.code, 2)
            for name in ["nothing to solve", "square.yaml", "chip.yaml"]:
                self.assertIn(name, run.errors)

    def test_heat_with_any_part_of_one_runs(self):
        for words in [("-initial", "x"), ("-source", "1"), ("-bc_left_type", "dirichlet", "-bc_left_value", "1")]:
            self.assertEqual(driver.run("rhumb-heat", "-n", "8,8", *words).code, 0)

    def test_a_moving_mesh_without_a_pde_is_refused(self):
        run = driver.run("rhumb-mesh", "-problem", "pdepe")
        self.assertEqual(run.code, 2, run.errors)
        self.assertIn("two_pulses.yaml", run.errors)

    def test_a_delay_that_is_over_before_ignition_says_so(self):
        run = driver.run("rhumb-ignite", "apps/ignite/delay.yaml", "-t_end", "1e-6")
        self.assertEqual(run.code, 0, run.errors)
        self.assertIsNone(run.summary["results"]["ignition_delay"])
        self.assertIn("no ignition until t = 1e-06 s", run.summary["results"]["remark"])

    def test_help_lists_the_mesh_of_every_driver_that_takes_one(self):
        for name in ["rhumb-heat", "rhumb-flow"]:
            self.assertIn("-mesh ", driver.run(name, "-help").output)


if __name__ == "__main__":
    unittest.main()
