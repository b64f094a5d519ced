"""rhumb-heat as a user meets it: its cases, bad input, several ranks."""

import json
import pathlib
import tempfile
import unittest

import driver

CASES = driver.SOURCE / "apps" / "heat"


def heat(*words, **more):
    return driver.run("rhumb-heat", *words, "-quiet", **more)


class Cases(unittest.TestCase):
    def good(self, *words, **more):
        run = heat(*words, **more)
        self.assertEqual(run.code, 0, run.errors)
        return run.summary

    def test_square_keeps_its_tolerance_against_the_exact_solution_on_the_grid(self):
        summary = self.good(CASES / "square.yaml", "-n", "32,32")
        self.assertLess(summary["results"]["error_max"], 5e-7)
        self.assertLess(abs(summary["results"]["energy_balance"]), 3e-6)

    def test_the_tolerance_is_kept_with_a_poor_preconditioner(self):
        summary = self.good(CASES / "square.yaml", "-n", "256,256", "-t_end", "0.05", "-watch_times", "0.01,0.02,0.04",
                            "-dae_rtol", "0", "-dae_atol", "1e-3", "-dae_pc_type", "ilu")
        self.assertLess(summary["results"]["error_max"], 3e-3)

    def test_loose_tolerances_are_kept_without_going_in_circles_between_orders(self):
        for tolerance in (3e-3, 1e-3, 3e-4):
            with self.subTest(tolerance=tolerance):
                summary = self.good(CASES / "square.yaml", "-n", "256,256", "-dae_rtol", 0, "-dae_atol", tolerance)
                self.assertLess(summary["results"]["error_max"], 2 * tolerance)
                self.assertLessEqual(summary["error_test_failures"], 5)

    def test_the_check_of_the_matrix_is_not_misled_where_the_temperature_is_zero(self):
        self.good(CASES / "square.yaml", "-n", "64,64", "-t_end", "1e-3", "-dae_check_jacobian")

    def test_manufactured_cases_have_the_errors_of_their_grid(self):
        for case, error in (("exact_1d", 1.12e-3), ("exact", 4.81e-5), ("exact_3d", 1.29e-2)):
            with self.subTest(case=case):
                results = self.good(CASES / f"{case}.yaml")["results"]
                self.assertLess(results["error_max"], error)
                self.assertGreater(results["error_max"], 0.98 * error)
                self.assertLess(abs(results["energy_balance"]), 1e-7)

    def test_slab_loses_what_it_radiates(self):
        results = self.good(CASES / "slab.yaml", "-n", "100")["results"]
        self.assertLess(abs(results["energy_balance"]), 1e-4)
        inside, middle, face = results["probes"]
        self.assertTrue(300 < face < middle < inside < 1500)

    def test_chip_is_hot_where_it_works(self):
        results = self.good(CASES / "chip.yaml", "-n", "160,48", "-t_end", "0.5")["results"]
        left, right, board = results["probes"]
        self.assertTrue(board < right and board < left)
        self.assertLess(abs(results["energy_balance"]), 1e-3)

    def test_cube_is_hottest_at_its_source(self):
        results = self.good(CASES / "cube.yaml", "-n", "16,16,16", "-t_end", "100")["results"]
        self.assertGreater(results["probes"][0], results["probes"][1])
        self.assertLess(abs(results["energy_balance"]), 1e-3)

    def test_a_probe_between_points_is_linear(self):
        summary = self.good("-n", "10,10", "-initial", "3*x+2*y", "-t_end", "1e-9", "-probes", "0.33,0.77,1,1")
        self.assertAlmostEqual(summary["results"]["probes"][0], 3 * 0.33 + 2 * 0.77, places=6)
        self.assertAlmostEqual(summary["results"]["probes"][1], 5.0, places=6)

    def test_materials_meet_with_the_flux_of_the_series_resistance(self):
        # Two layers held at 0 and 1: with the interface half way between points, T is exact at every point.
        results = self.good("-n", "9", "-k", "1", "-materials", "b", "-material_b_region", "x>0.5", "-material_b_k", "10",
                            "-bc_left_type", "dirichlet", "-bc_left_value", "0", "-bc_right_type", "dirichlet",
                            "-bc_right_value", "1", "-t_end", "200", "-exact",
                            "(x<0.5 ? x : 0.5+(x-0.5)/10)/0.55")["results"]
        self.assertLess(results["error_max"], 1e-5)


class Ranks(unittest.TestCase):
    def test_results_and_steps_do_not_depend_on_the_ranks(self):
        cases = (("square", ("-n", "64,64", "-probes", "0.3,0.4"), 1e-6),
                 ("square", ("-n", "128,128", "-t_end", "0.1", "-watch_times", "0.1", "-probes", "0.3,0.4"), 1e-6),
                 ("exact", ("-probes", "0.3,0.4"), 3e-8),
                 ("exact_3d", ("-t_end", "0.1", "-probes", "0.3,0.4,0.5"), 3e-8),
                 ("chip", ("-n", "160,48", "-t_end", "0.3"), 4e-3))
        for case, words, scale in cases:
            with self.subTest(case=case, words=words):
                runs = [heat(CASES / f"{case}.yaml", *words, ranks=n) for n in (1, 2, 4)]
                for run in runs:
                    self.assertEqual(run.code, 0, run.errors)
                steps = [run.summary["steps"] for run in runs]
                values = [run.summary["results"]["probes"][0] for run in runs]
                print(case, steps, values)
                self.assertLessEqual(max(steps) - min(steps), 1)
                self.assertLess(max(values) - min(values), 0.01 * scale)


class BadInput(unittest.TestCase):
    def refused(self, words, *said):
        run = heat(*words, "-t_end", "0.1")
        self.assertEqual(run.code, 2, run.errors)
        for text in said:
            self.assertIn(text, run.errors)

    def test_boundaries(self):
        self.refused(("-bc_left_type", "dirichelt"), "-bc_left_type", "did you mean dirichlet")
        self.refused(("-bc_left_type", "dirichlet"), "needs -bc_left_value")
        self.refused(("-bc_left_type", "convection", "-bc_left_h", "3"), "needs -bc_left_ambient")
        self.refused(("-bc_left_type", "periodic"), "-bc_right_type", "both sides")
        self.refused(("-n", "20", "-bc_top_type", "flux"), "-bc_top_type", "no side 'top'")
        self.refused(("-n", "20", "-symmetry", "sphere", "-bc_left_type", "flux", "-bc_left_value", "1"), "radius 0")
        self.refused(("-n", "9,9", "-symmetry", "sphere"), "-symmetry", "one dimension")

    def test_expressions_are_shown_with_the_place_of_the_mistake(self):
        self.refused(("-n", "20", "-initial", "sin(x)*y"), "-initial", "'y'", "\n  sin(x)*y\n         ^")
        self.refused(("-n", "20", "-initial", "sin(x)+foo*2"), "'foo'", "\n         ^")
        self.refused(("-n", "20", "-initial", "sin(x"), "bracket", "\n       ^")
        self.refused(("-n", "20", "-k", "0,5"), "use 0.5", "\n   ^")
        self.refused(("-n", "20", "-k", 8000 * "(" + "1" + 8000 * ")"), "-k", "nested more than 256 levels deep")
        self.refused(("-n", "20", "-k", 20000 * "(" + "1" + 20000 * ")"), "-k", "at most 16384 characters")
        self.refused(("-n", "20", "-rho", "1+t"), "-rho", "'t'", "\n    ^")
        self.refused(("-n", "20", "-bc_left_type", "dirichlet", "-bc_left_value", "2*T"), "-bc_left_value", "'T'")

    def test_values(self):
        self.refused(("-n", "20", "-k", "1-2*x"), "-k", "conductivity", "x = 0.5")
        self.refused(("-n", "20", "-k", "1-T", "-initial", "2"), "-k", "T = 2")
        self.refused(("-n", "20", "-initial", "log(x-2)"), "-initial", "finite")
        self.refused(("-n", "20", "-materials", "a"), "-material_a_region")
        self.refused(("-n", "20", "-probes", "2"), "-probes", "outside")
        self.refused(("-n", "20", "-upper", "-1"), "empty in x")
        self.refused(("-n", "20,20,20,20"), "-n")
        self.refused(("-n", "20", "-conductivity", "3"), "-conductivity")
        self.refused(("-n", "20", "-exact_profile", "x"), "-exact_profile")

    def test_a_value_that_is_refused_on_one_rank_ends_all(self):
        run = heat("-n", "20", "-k", "1-x^8", "-t_end", "0.1", ranks=2)
        self.assertEqual(run.code, 2, run.errors)
        self.assertIn("x = 1", run.errors)

    def test_a_conductivity_that_turns_negative_ends_the_run_with_what_and_where(self):
        for ranks in (1, 2):
            run = heat("-n", "20", "-k", "1-T", "-initial", "0.5+0.1*x", "-source", "10", "-t_end", "1", ranks=ranks)
            self.assertEqual(run.code, 3, run.errors)
            self.assertIn("-k: the heat conductivity must be positive", run.errors)
            self.assertIn("'1-T'", run.errors)

    def test_a_case_file_alone_is_enough(self):
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder) / "own.yaml"
            case.write_text("problem: own\nn: 20\nk: 2 + x\nbc:\n  left:\n    type: dirichlet\n    value: sin(t)\n"
                            "  right:\n    type: convection\n    h: 3\n    ambient: 1\nt_end: 0.5\n")
            run = heat(case)
            self.assertEqual(run.code, 0, run.errors)
            self.assertEqual(run.summary["problem"], "own")


class Restart(unittest.TestCase):
    def test_the_energy_account_and_the_errors_survive_a_restart(self):
        whole = heat(CASES / "square.yaml", "-n", "16,16")
        with tempfile.TemporaryDirectory() as folder:
            first = heat(CASES / "square.yaml", "-n", "16,16", "-t_end", "0.1", "-checkpoint_dt", "0.05", out=folder)
            self.assertEqual(first.code, 0, first.errors)
            second = heat(CASES / "square.yaml", "-n", "16,16", "-restart", folder)
            self.assertEqual(second.code, 0, second.errors)
        for name in ("error_max", "energy_balance", "energy_supplied"):
            self.assertAlmostEqual(json.loads(json.dumps(second.summary["results"][name])),
                                   whole.summary["results"][name], delta=1e-7)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
