"""What is not there is said: an equation, an ignition, an option in the help."""

import re
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

    def test_help_lists_what_only_another_case_of_the_driver_reads(self):
        for name, word, said in (("rhumb-ignite", "stop_after", "-stop_after              with -problem delay: end the run"),
                                 ("rhumb-flow", "elements", "-order                   with -mesh: order of the velocity"),
                                 ("rhumb-flow", "bc_front", "-bc_front_type           with -dim 3: "),
                                 ("rhumb-heat", "bc_front", "-bc_front_type           with -n NX,NY,NZ: "),
                                 ("rhumb-heat", "elements", "-order                   with -mesh: "),
                                 ("rhumb-dae", "netlist", "with -problem circuit: ")):
            self.assertIn(said, driver.run(name, "-help", word).output)

    def test_every_option_of_the_reference_is_in_the_help(self):
        for name in ("dae", "flow", "heat", "ignite", "mesh", "pde", "pipes"):
            page = (driver.SOURCE / f"docs/reference/options/rhumb-{name}.md").read_text()
            known = set(re.findall(r"^  -(\w+)", driver.run(f"rhumb-{name}", "-help").output, re.MULTILINE))
            options = set(re.findall(r"^\| `-(\w+)` \|", page, re.MULTILINE)) - {"dae_atol_FIELD"}
            of_meshes = {option for option in options if re.match("bc_[a-z]+_", option)}  # there: -bc_BOUNDARY_type
            self.assertFalse(options - of_meshes - known, f"rhumb-{name}")

    def test_help_of_a_chosen_case_has_that_one_only(self):
        text = driver.run("rhumb-ignite", "-problem", "delay", "-help").output
        self.assertIn("-stop_after              end the run", text)
        self.assertNotIn("with -problem", text)


if __name__ == "__main__":
    unittest.main()
