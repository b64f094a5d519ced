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
CASES = driver.SOURCE / "apps" / "mesh"
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

    def test_the_default_mesh_equation_takes_few_steps(self):
        summary, front, _ = self.solve("-dae_rtol", "1e-6")
        self.assertLessEqual(summary["steps"], 400)
        self.assertLessEqual(summary["residual_evals"], 800)
        self.assertLess(front, 0.015)

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

    def test_nodes_are_inserted_and_deleted_where_the_error_in_space_asks_for_it(self):
        words = ("-dae_rtol", "1e-7", "-mesh_equation", "rate", "-n_max", "60")
        coarse, front, _ = self.solve(*words, "-regrid_error", "0.01")
        self.assertLess(front, 0.006)
        self.assertLess(coarse["results"]["nodes_end"], coarse["results"]["nodes_max"])
        fine, front, _ = self.solve(*words, "-regrid_error", "0.003")
        self.assertLess(front, 0.006)
        self.assertGreater(fine["results"]["nodes_max"], coarse["results"]["nodes_max"] + 5)

    def test_output_before_a_regridding_has_the_mesh_of_its_time(self):
        times = [0.2404 + 2e-5 * k for k in range(220)]
        run = mesh("-problem", "reaction", "-dae_rtol", "1e-7", "-mesh_equation", "rate", "-regrid_error", "0.003",
                   "-n_max", "60", "-out_times", ",".join(f"{t:.6f}" for t in times))
        self.assertEqual(run.code, 0, run.errors)
        numbers = set()
        for snapshot in sorted((run.folder / "snapshots").glob("*.h5")):
            with h5py.File(snapshot) as stored:
                x, T = stored["mesh/points"][:, 0], stored["fields/T"][...]
                self.assertEqual(x.shape, T.shape)
                self.assertTrue((numpy.diff(x) > 0).all() and x[0] == 0 and abs(x[-1] - 1) < 1e-12)
                numbers.add(len(x))
        self.assertGreater(len(numbers), 1)
        moved = numpy.diff(run.summary["results"]["front"])
        self.assertLess(numpy.abs(numpy.diff(moved)).max(), 0.05 * moved.max())  # no jump at a regridding

    def test_the_second_formulation_is_the_worst_without_penalty(self):
        """BCP Table 6.5.1, in the forms of (6.5.7) to (6.5.9) as they are printed."""
        words = ("-dae_rtol", "1e-6", "-mesh_equation", "rate", "-theta", 0, "-rate_lambda", 0, "-regrid_error",
                 0.001, "-n_max", 30)
        runs = [self.solve(*words, "-rate_case", case)[0] for case in (1, 2, 3)]
        for count in "residual_evals", "jacobian_evals":
            self.assertGreater(runs[1][count], 1.2 * max(runs[0][count], runs[2][count]))
        self.assertGreater(runs[1]["convergence_failures"], runs[0]["convergence_failures"] + 5)
        self.assertGreater(runs[1]["convergence_failures"], runs[2]["convergence_failures"] + 5)

    def test_with_penalty_the_other_two_beat_petzolds_counts(self):
        for case, limit in ((1, 624), (3, 614)):
            summary, front, _ = self.solve("-dae_rtol", "1e-6", "-mesh_equation", "rate", "-theta", 0, "-regrid_error",
                                           0.001, "-n_max", 30, "-rate_case", case)
            self.assertLess(summary["steps"], limit)
            self.assertLess(front, 0.01)
            self.assertLessEqual(summary["results"]["nodes_max"], 32)

    def test_the_summary_says_what_stands_against_the_wanted_error(self):
        good, _, _ = self.solve("-dae_rtol", "1e-7")
        self.assertNotIn("advice", good["results"])
        strict, _, _ = self.solve("-dae_rtol", "1e-7", "-error_wanted", 1e-4)
        self.assertIn("the mesh is too coarse for an error of 0.0001", strict["results"]["advice"])
        self.assertIn("-dae_rtol 1e-07 is too loose", strict["results"]["advice"])
        loose, front, _ = self.solve("-dae_rtol", "1e-5")
        self.assertGreater(front, 0.05)
        self.assertIn("-dae_rtol 1e-05 is too loose for an error of 0.01", loose["results"]["advice"])
        self.assertNotIn("coarse", loose["results"]["advice"])
        coarse = driver.run("rhumb-mesh", "-problem", "reaction", "-dae_rtol", "1e-7", "-n", 12)
        self.assertIn("the mesh is too coarse for an error of 0.01", coarse.output)

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
            for equation, theta, coarse in (("fixed", 0, 80), ("mmpde6", 1 / 6, 320)):
                with self.subTest(m=m, equation=equation):
                    words = ("-symmetry", m, "-mesh_equation", equation, "-theta", theta)
                    order = math.log2(self.error(*words, "-n", coarse) / self.error(*words, "-n", 2 * coarse))
                    self.assertGreater(order, 1.9)
                    self.assertLess(order, 2.1)

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
        for count in "steps", "residual_evals", "jacobian_evals":
            self.assertLessEqual(moving.summary[count], 1.5 * fixed.summary[count], count)
        places = [h5py.File(f)["mesh/points"][:, 0] for f in sorted((moving.folder / "snapshots").glob("*.h5"))]
        self.assertLess(numpy.abs(places[-1] - places[0]).max(), 5e-3)

    def test_case_files_run(self):
        for case in sorted(CASES.glob("*.yaml")):
            with self.subTest(case.name):
                run = driver.run("rhumb-mesh", case, "-check")
                self.assertEqual(run.code, 0, run.errors)

    def test_two_components_may_run_against_each_other(self):
        moving, fixed = mesh(CASES / "two_pulses.yaml"), mesh(CASES / "two_pulses.yaml", "-mesh_equation", "fixed")
        for run in moving, fixed:
            self.assertEqual(run.code, 0, run.errors)
        self.assertLess(moving.summary["results"]["error_max"], 0.06)
        self.assertGreater(fixed.summary["results"]["error_max"], 0.3)

    def test_a_boundary_layer_of_a_thousandth_needs_forty_cells(self):
        moving, fixed = mesh(CASES / "boundary_layer.yaml"), mesh(CASES / "boundary_layer.yaml", "-mesh_equation", "fixed")
        for run in moving, fixed:
            self.assertEqual(run.code, 0, run.errors)
        self.assertLess(moving.summary["results"]["error_end"], 0.005)
        self.assertGreater(fixed.summary["results"]["error_end"], 0.3)

    def test_monitors_of_curvatures_and_of_the_users_own_serve(self):
        run = mesh("-problem", "wave", "-monitor", "curvature")
        self.assertEqual(run.code, 0, run.errors)
        self.assertLess(run.summary["results"]["error_max"], 0.005)
        run = mesh(CASES / "boundary_layer.yaml", "-monitor", "own", "-own_monitor", "1 + 30*abs(ux1)/(1 + abs(ux1))")
        self.assertEqual(run.code, 0, run.errors)
        self.assertLess(run.summary["results"]["smallest_cell"], 0.01)  # of 0.025

    def test_formulas_may_have_algebraic_rows_coupled_rates_and_a_symmetry(self):
        """u1 = e^-t x^2 with x^-m (x^m u_x)_x = 2 (1 + m) e^-t, u2 = u1^2 from a row without a rate."""
        for m in 0, 1, 2:
            words = ["-problem", "pdepe", "-components", 2, "-symmetry", m, "-c1", "ut1 + 0.5*ut2", "-f1", "ux1",
                     "-s1", f"(-u1 - u2 - {2 * (1 + m)}*exp(-t))", "-c2", "0", "-f2", "0", "-s2", "u2 - u1^2",
                     "-initial1", "x^2", "-initial2", "x^4", "-exact1", "exp(-t)*x^2", "-exact2", "exp(-2*t)*x^4",
                     "-right_p1", "u1 - exp(-t)", "-right_q1", "0", "-right_p2", "u2 - u1^2", "-right_q2", "0",
                     "-t_end", 1]
            for equation in "fixed", "mmpde6", "dorfi":
                with self.subTest(m=m, equation=equation):
                    run = mesh(*words, "-mesh_equation", equation)
                    self.assertEqual(run.code, 0, run.errors)
                    self.assertLess(run.summary["results"]["error_max"], 2e-3)


class Runs(unittest.TestCase):
    def test_one_two_and_four_ranks_agree(self):
        for words, difference in ((["-dae_rtol", "1e-6"], 1e-6),
                                  (["-dae_rtol", "1e-7", "-mesh_equation", "rate"], 5e-4),
                                  (["-dae_rtol", "1e-6", "-mesh_equation", "rate", "-regrid_error", "0.003", "-n_max",
                                    "60"], 5e-4)):
            with self.subTest(words):
                fronts = []
                for ranks in 1, 2, 4:
                    run = mesh("-problem", "reaction", *words, ranks=ranks)
                    self.assertEqual(run.code, 0, run.errors)
                    fronts.append(run.summary["results"]["front"])
                for other in fronts[1:]:
                    self.assertLess(max(abs(a - b) for a, b in zip(fronts[0], other)), difference)

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

    def continued(self, whole, words, checkpoint, folder):
        rest = mesh(*words, "-restart", checkpoint, out=folder)
        self.assertEqual(rest.code, 0, rest.errors)
        self.assertEqual(whole.summary["steps"], rest.summary["steps"])
        self.assertEqual(whole.summary["results"], rest.summary["results"])
        last = [h5py.File(sorted((f / "snapshots").glob("*.h5"))[-1]) for f in (whole.folder, rest.folder)]
        for name in "mesh/points", "fields/T":
            self.assertTrue(numpy.array_equal(last[0][name][...], last[1][name][...]), name)

    def test_a_continued_run_with_a_later_end_is_the_same_to_the_bit(self):
        words = ["-problem", "reaction", "-dae_rtol", "1e-5", "-mesh_equation", "rate", "-regrid_error", "0.003",
                 "-n_max", "60", "-out_dt", "0.0005"]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            whole = mesh(*words, "-t_end", "0.25", out=folder / "whole")
            self.assertEqual(whole.code, 0, whole.errors)
            short = mesh(*words, "-t_end", "0.2415", "-checkpoint_dt", "0.1", out=folder / "short")
            self.assertEqual(short.code, 0, short.errors)
            self.assertGreater(short.summary["results"]["regrids"], 0)
            self.assertLess(short.summary["results"]["regrids"], whole.summary["results"]["regrids"])
            self.continued(whole, [*words, "-t_end", "0.25"], folder / "short", folder / "rest")

    def test_a_run_that_stopped_at_a_regridding_continues_to_the_bit(self):
        words = ["-problem", "reaction", "-dae_rtol", "1e-5", "-mesh_equation", "rate", "-regrid_error", "0.003",
                 "-n_max", "60", "-t_end", "0.245"]
        whole = mesh(*words)
        self.assertEqual(whole.code, 0, whole.errors)
        low, high = 1, whole.summary["steps"]  # the first step that ends with two regriddings behind it
        while low < high:
            middle = (low + high) // 2
            stopped = mesh(*words, "-dae_max_steps", middle)
            low, high = (low, middle) if stopped.summary["results"]["regrids"] >= 2 else (middle + 1, high)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            stopped = mesh(*words, "-dae_max_steps", low, out=folder / "stopped")
            self.assertEqual(stopped.summary["results"]["regrids"], 2)
            self.continued(whole, words, folder / "stopped", folder / "rest")

    def test_bad_input_is_refused(self):
        for words, said in ((["-n", 4], "-n"), (["-tau", 0], "-tau"), (["-tau", -1], "-tau"),
                            (["-mesh_equation", "mmpde7"], "mmpde6"), (["-monitor_scales", "1,2"], "-monitor_scales"),
                            (["-problem", "pdepe", "-initial1", "x", "-monitor", "own", "-own_monitor", "x - 0.5"], "monitor"),
                            (["-problem", "pdepe", "-f1", "ux1 +"], "-f1"),
                            (["-problem", "pdepe", "-f1", 7000 * "(" + "ux1" + 7000 * ")"], "levels deep"),
                            (["-problem", "pdepe", "-f1", 20000 * "(" + "ux1" + 20000 * ")"], "characters"),
                            (["-mesh_equation", "rate", "-rate_case", 3, "-theta", 0.2], "-theta"),
                            (["-regrid_error", 0.01], "-regrid_error"), (["-error_wanted", 0], "-error_wanted"),
                            (["-monitor_smoothing", 5], "-monitor_smoothing"),
                            (["-problem", "pdepe", "-initial1", "x", "-monitor", "own", "-own_monitor", "0"], "monitor"),
                            (["-mesh_equation", "rate", "-regrid_ratio", 0.5], "-regrid_ratio")):
            self.refused(words, said)

    def test_regridding_options_that_would_be_unused_are_refused(self):
        for equation in ("fixed", "mmpde6"):
            for words in (["-n_max", 60], ["-n_min", 20], ["-regrid_share", 0.05]):
                self.refused(["-problem", "reaction", "-mesh_equation", equation, *words], words[0])
        self.refused(["-mesh_equation", "fixed", "-regrid_ratio", 3], "-regrid_ratio")
        for words in (["-regrid_share", 0.05], ["-regrid_error", 0.01]):
            self.refused(["-mesh_equation", "rate", "-regrid_ratio", 0, *words], words[0])
        self.refused(["-mesh_equation", "rate", "-n_max", 60], "-n_max")

    def refused(self, words, said):
        with self.subTest(words):
            run = mesh(*words)
            self.assertEqual(run.code, 2, run.errors)
            self.assertIn(said, run.errors)


if __name__ == "__main__":
    unittest.main()
