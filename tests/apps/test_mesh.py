"""rhumb-mesh: fronts and ignition against references, orders in space, ranks, restarts, what is refused."""

import json
import math
import pathlib
import tempfile
import unittest

import driver
import h5py
import numpy

DATA = driver.SOURCE / "tests" / "data"
FRONT_TIMES = (0.2404, 0.242, 0.245)


def reaction_reference():
    case = json.loads((DATA / "single_step_reaction_reference.json").read_text())["cases"][0]
    return case["t_ign_T0_1p5"], {o["t"]: o["x_front_T1p5"] for o in case["out"]}


def mesh(*words, **more):
    run = driver.run("rhumb-mesh", *words, "-quiet", **more)
    return run


class Reaction(unittest.TestCase):
    """BCP section 6.5; 30 cells, where a uniform mesh needs 360."""

    def solve(self, *words):
        run = mesh("-problem", "reaction", *words)
        self.assertEqual(run.code, 0, run.errors)
        ignition, fronts = reaction_reference()
        results = run.summary["results"]
        self.assertEqual(results["front_times"], list(FRONT_TIMES))
        worst = max(abs(x - fronts[t]) for t, x in zip(FRONT_TIMES, results["front"]))
        return run.summary, worst, abs(results["ignition_time"] / ignition - 1.0)

    def test_thirty_cells_of_mmpde6_follow_the_front(self):
        summary, front, ignition = self.solve("-dae_rtol", "1e-7")
        self.assertLess(front, 0.006)
        self.assertLess(ignition, 2e-5)
        self.assertEqual(summary["results"]["nodes_max"], 31)

    def test_thirty_cells_of_rate_with_regridding_follow_the_front(self):
        summary, front, ignition = self.solve("-dae_rtol", "1e-7", "-mesh_equation", "rate")
        self.assertLess(front, 0.006)
        self.assertLess(ignition, 2e-5)
        self.assertGreater(summary["results"]["regrids"], 0)

    def test_the_other_mesh_equations_follow_it_too(self):
        for words in (["mmpde4"], ["mmpde5"], ["dorfi"], ["rate", "-rate_case", 2], ["rate", "-rate_case", 3]):
            with self.subTest(words):
                _, front, _ = self.solve("-dae_rtol", "1e-7", "-mesh_equation", *words)
                self.assertLess(front, 0.012)

    def test_a_fixed_mesh_of_the_same_size_does_not(self):
        _, front, _ = self.solve("-dae_rtol", "1e-7", "-mesh_equation", "fixed")
        self.assertGreater(front, 0.1)

    def test_the_number_of_nodes_may_change(self):
        summary, front, _ = self.solve("-dae_rtol", "1e-7", "-mesh_equation", "rate", "-regrid_share", "0.04",
                                       "-n_max", "60")
        self.assertLess(front, 0.01)
        self.assertGreater(summary["results"]["nodes_max"], 31)

    def test_a_mean_floor_is_an_unknown_of_the_system(self):
        summary, front, _ = self.solve("-dae_rtol", "1e-7", "-monitor_floor", "mean", "-tau", "1e-4")
        self.assertEqual(summary["unknowns"], 4 * 31)
        self.assertLess(front, 0.03)


class Burgers(unittest.TestCase):
    def test_forty_cells_keep_the_front_and_the_maximum(self):
        reference = {o["t"]: o for o in json.loads((DATA / "burgers_reference.json").read_text())["data"]
                     if o["eps"] == 1e-3}
        run = mesh("-problem", "burgers", "-eps", "1e-3", "-n", 40)
        self.assertEqual(run.code, 0, run.errors)
        results = run.summary["results"]
        self.assertEqual(len(results["front_times"]), len(reference))
        for t, x, highest in zip(results["front_times"], results["front"], results["highest"]):
            exact = reference[t]
            if exact["x_u_half"] is not None:
                self.assertLess(abs(x - exact["x_u_half"]), 1e-3, t)
            self.assertLess(abs(highest / exact["u_max"] - 1.0), 0.01, t)


class Orders(unittest.TestCase):
    def error(self, *words):
        run = mesh("-problem", "wave", "-dae_rtol", "1e-8", *words)
        self.assertEqual(run.code, 0, run.errors)
        return run.summary["results"]["error_max"]

    def test_fixed_and_moving_meshes_are_of_order_two_in_every_symmetry(self):
        for m in 0, 1, 2:
            for equation, theta, coarse in (("fixed", 0, 40), ("mmpde6", 1 / 6, 160)):
                with self.subTest(m=m, equation=equation):
                    words = ("-symmetry", m, "-mesh_equation", equation, "-theta", theta)
                    order = math.log2(self.error(*words, "-n", coarse) / self.error(*words, "-n", 2 * coarse))
                    self.assertGreater(order, 1.8)
                    self.assertLess(order, 2.4)

    def test_shared_balances_are_of_order_four_on_a_uniform_mesh(self):
        words = ("-mesh_equation", "fixed", "-dae_rtol", "1e-9")
        self.assertGreater(math.log2(self.error(*words, "-n", 40) / self.error(*words, "-n", 80)), 3.5)


class OtherCases(unittest.TestCase):
    def test_fisher_and_flame_run(self):
        run = mesh("-problem", "fisher")
        self.assertEqual(run.code, 0, run.errors)
        self.assertLess(run.summary["results"]["error_max"], 0.05)
        run = mesh("-problem", "dwyer_sanders")
        self.assertEqual(run.code, 0, run.errors)
        fronts = run.summary["results"]["front"]
        self.assertEqual(fronts, sorted(fronts, reverse=True))  # it runs to the left
        self.assertLess(fronts[-1], 0.5)

    def test_a_users_own_formulas_have_their_solution(self):
        words = ["-problem", "pdepe", "-initial1", "sin(pi*x)", "-exact1", "exp(-pi^2*t)*sin(pi*x)", "-t_end", 0.1]
        for end in "left", "right":
            words += [f"-{end}_p1", "u1", f"-{end}_q1", "0"]
        for equation in "fixed", "mmpde6":
            run = mesh(*words, "-mesh_equation", equation)
            self.assertEqual(run.code, 0, run.errors)
            self.assertLess(run.summary["results"]["error_max"], 1e-3)

    def test_where_nothing_moves_the_mesh_stays_and_costs_little(self):
        words = ["-problem", "wave", "-amplitude", 0]
        moving, fixed = mesh(*words), mesh(*words, "-mesh_equation", "fixed")
        for run in moving, fixed:
            self.assertEqual(run.code, 0, run.errors)
        self.assertLess(moving.summary["steps"], 1.5 * fixed.summary["steps"] + 10)
        places = [h5py.File(f)["mesh/points"][:, 0] for f in sorted((moving.folder / "snapshots").glob("*.h5"))]
        self.assertLess(numpy.abs(places[-1] - places[0]).max(), 5e-3)

    def test_case_files_run(self):
        for case in sorted((driver.SOURCE / "apps" / "mesh").glob("*.yaml")):
            with self.subTest(case.name):
                run = driver.run("rhumb-mesh", case, "-check")
                self.assertEqual(run.code, 0, run.errors)


class Runs(unittest.TestCase):
    def test_one_two_and_four_ranks_agree(self):
        for words in (["-dae_rtol", "1e-5"], ["-dae_rtol", "1e-5", "-mesh_equation", "rate"]):
            fronts = []
            for ranks in 1, 2, 4:
                run = mesh("-problem", "reaction", *words, ranks=ranks)
                self.assertEqual(run.code, 0, run.errors)
                fronts.append(run.summary["results"]["front"])
            for other in fronts[1:]:
                self.assertLess(max(abs(a - b) for a, b in zip(fronts[0], other)), 1e-3)

    def test_a_continued_run_is_the_same_to_the_bit_also_across_a_regridding(self):
        words = ["-problem", "reaction", "-dae_rtol", "1e-5", "-mesh_equation", "rate", "-regrid_share", "0.05",
                 "-n_max", "50", "-t_end", "0.246", "-checkpoint_dt", "0.121"]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            whole = mesh(*words, out=folder / "whole")
            self.assertEqual(whole.code, 0, whole.errors)
            checkpoints = sorted((folder / "whole" / "checkpoints").glob("*.h5"))
            with h5py.File(checkpoints[0]) as before:
                self.assertAlmostEqual(before.attrs["time"], 0.242, delta=1e-3)
            rest = mesh(*words, "-restart", checkpoints[0], out=folder / "rest")
            self.assertEqual(rest.code, 0, rest.errors)
            self.assertEqual(whole.summary["steps"], rest.summary["steps"])
            self.assertEqual(whole.summary["results"], rest.summary["results"])
            last = [h5py.File(sorted((folder / f / "snapshots").glob("*.h5"))[-1]) for f in ("whole", "rest")]
            for name in "mesh/points", "fields/T":
                self.assertTrue(numpy.array_equal(last[0][name][...], last[1][name][...]), name)

    def test_bad_input_is_refused(self):
        for words, said in ((["-n", 4], "-n"), (["-tau", 0], "-tau"), (["-tau", -1], "-tau"),
                            (["-mesh_equation", "mmpde7"], "mmpde6"), (["-monitor_scales", "1,2"], "-monitor_scales"),
                            (["-problem", "pdepe", "-monitor", "own", "-own_monitor", "x - 0.5"], "monitor"),
                            (["-problem", "pdepe", "-f1", "ux1 +"], "-f1"),
                            (["-mesh_equation", "rate", "-rate_case", 3, "-theta", 0.2], "-theta")):
            with self.subTest(words):
                run = mesh(*words)
                self.assertEqual(run.code, 2, run.errors)
                self.assertIn(said, run.errors)


if __name__ == "__main__":
    unittest.main()
