"""rhumb-mesh -dim 2: the mesh as part of the DAE in two dimensions; errors, ranks, what is refused."""

import math
import pathlib
import tempfile
import unittest

import driver
import h5py

APPS = pathlib.Path(__file__).parents[2] / "apps"


def burgers(*words, **more):
    return driver.run("rhumb-mesh", "-dim", 2, "-problem", "burgers", "-quiet", *words, **more)


class Burgers(unittest.TestCase):
    """A front across the unit square, u = 1/(1 + exp((x + y - t - 1/4)/(2 eps))), eps = 5e-3."""

    def solve(self, *words, **more):
        run = burgers(*words, **more)
        self.assertEqual(run.code, 0, run.errors)
        return run.summary

    def test_forty_cells_a_side_do_what_hundreds_do_when_they_stand_still(self):
        summary = self.solve("-eps", 5e-3, "-n", "40,40", "-t_end", 1)
        results = summary["results"]
        self.assertLess(results["error_l2"], 4e-4)
        self.assertLess(results["error_max"], 4e-3)
        self.assertLessEqual(summary["steps"], 250)
        self.assertGreater(results["smallest_volume"], 0.0)
        self.assertEqual(results["nodes"], 41 * 41)

    def test_a_moving_mesh_leaves_a_small_part_of_the_error_of_a_fixed_one(self):
        words = ("-n", "24,24", "-t_end", 0.5, "-dae_rtol", 1e-4, "-dae_atol", 1e-4)
        moving = self.solve(*words)["results"]
        fixed = self.solve(*words, "-mesh_equation", "fixed")["results"]
        self.assertLess(10.0 * moving["error_l2"], fixed["error_l2"])

    def test_a_front_five_times_as_sharp_takes_half_as_many_cells_more(self):
        words = ("-eps", 1e-3, "-n", "60,60", "-dae_rtol", 1e-4, "-dae_atol", 1e-4)
        results = self.solve(*words)["results"]
        self.assertLess(results["error_l2"], 1e-3)
        self.assertLess(results["error_max"], 0.02)
        self.assertGreater(results["smallest_volume"], 0.0)

    def test_errors_fall_with_the_square_of_the_cells_size(self):
        words = ("-eps", 0.02, "-dae_rtol", 1e-6, "-dae_atol", 1e-6)
        coarse, middle, fine = [self.solve(*words, "-n", f"{n},{n}")["results"]["error_l2"] for n in (12, 24, 48)]
        self.assertLess(3.2 * middle, coarse)
        self.assertLess(3.2 * fine, middle)

    def test_fixed_steps_have_their_order_while_the_mesh_moves(self):
        """From t = 0.25 of a strict run, for the first steps of a fixed run resolve nothing of the mesh's own start."""
        words = ("-eps", 0.02, "-n", "12,12", "-t_end", 0.5, *(f for name in ("rtol", "atol", "atol_x", "atol_y")
                                                               for f in (f"-dae_{name}", 1e-10)))

        def end(*more, **where):
            run = burgers(*words, *more, **where)
            self.assertEqual(run.code, 0, run.errors)
            with h5py.File(sorted((run.folder / "snapshots").glob("*.h5"))[-1]) as file:
                return file["fields/u"][...].ravel(), file["mesh/points"][...], run.summary

        with tempfile.TemporaryDirectory() as folder:
            strict = end("-checkpoint_dt", 0.25, out=pathlib.Path(folder) / "strict")
            checkpoint = sorted((pathlib.Path(folder) / "strict" / "checkpoints").glob("*.h5"))[0]
            with h5py.File(checkpoint) as file:
                self.assertLess(abs(file.attrs["time"] - 0.25), 0.005)
            for order in 1, 2, 3:
                errors = []
                for count in 50, 100:
                    u, points, summary = end("-restart", checkpoint, "-fixed_step", 0.25 / count, "-fixed_order", order)
                    errors.append((abs(u - strict[0]).max(), abs(points - strict[1]).max()))
                for coarse, fine in zip(*errors):
                    self.assertLess(abs(math.log2(coarse / fine) - order), 0.15, (order, errors))

    def test_two_ranks_find_what_one_finds(self):
        words = ("-n", "16,16", "-eps", 0.02, "-t_end", 0.5)
        one, two = self.solve(*words), self.solve(*words, ranks=2)
        self.assertLessEqual(abs(one["steps"] - two["steps"]), max(1, 0.03 * one["steps"]))
        for name in ("error_l2", "error_max", "integral_u"):
            self.assertLess(abs(one["results"][name] - two["results"][name]), 1e-4)


class OtherCases(unittest.TestCase):
    def solve(self, *words, **more):
        run = driver.run("rhumb-mesh", "-dim", 2, "-quiet", *words, **more)
        self.assertEqual(run.code, 0, run.errors)
        self.assertGreater(run.summary["results"]["smallest_volume"], 0.0)
        return run.summary

    def test_a_curved_front_is_sharper_than_on_four_times_as_many_fixed_cells(self):
        """A quarter circle; 80 x 80 fixed cells with central differences have errors of 9.6e-3 and 0.072."""
        results = self.solve("-problem", "curved", "-dae_rtol", 1e-4, "-dae_atol", 1e-4)["results"]
        self.assertLess(results["error_l2"], 4.5e-3)
        self.assertLess(results["error_max"], 0.03)

    def test_a_hill_that_is_turned_once_keeps_its_height(self):
        words = ("-problem", "turning", "-n", "20,20", "-dae_rtol", 1e-4, "-dae_atol", 1e-4)
        moving = self.solve(*words)["results"]
        fixed = self.solve(*words, "-mesh_equation", "fixed")["results"]
        self.assertLess(2.0 * moving["error_l2"], fixed["error_l2"])

    def test_the_reactions_front_is_that_of_a_fine_uniform_mesh(self):
        """100 x 100 fixed cells: 0.1897 of the diagonal at t = 0.29, 0.4088 at 0.3."""
        results = self.solve("-problem", "reaction", "-n", "20,20")["results"]
        self.assertLess(abs(results["front"][0] - 0.1897), 0.01)
        self.assertLess(abs(results["front"][-1] - 0.4088), 0.01)

    def test_a_users_pde_in_cpp_and_from_formulas_gives_the_same_numbers(self):
        words = ("-n", "16,16", "-t_end", 0.4, "-quiet")
        compiled = driver.run("moving_front", *words)
        text = driver.run("rhumb-mesh", APPS / "mesh" / "moving_front.yaml", *words)
        for run in compiled, text:
            self.assertEqual(run.code, 0, run.errors)
        self.assertEqual(compiled.summary["steps"], text.summary["steps"])
        for name in "error_l2", "error_max", "integral_u1", "smallest_volume":
            self.assertAlmostEqual(compiled.summary["results"][name], text.summary["results"][name], delta=1e-6)
        self.assertLess(compiled.summary["results"]["error_l2"], 0.02)


class Refused(unittest.TestCase):
    def test_formulas_and_sides_that_do_not_exist_are_named(self):
        for words, text in ((("-fx1", "ux2"), "ux2"), (("-held_sides", "left,up"), "no side 'up'"),
                            (("-initial1", "u1"), "u1"), ((), "nothing to solve")):
            with self.subTest(words):
                run = driver.run("rhumb-mesh", "-dim", 2, "-problem", "pde", "-quiet", *words)
                self.assertEqual(run.code, 2)
                self.assertIn(text, run.errors)

    def test_what_makes_no_sense_is_said_with_exit_code_2(self):
        for words, text in ((("-n", "40"), "-n"), (("-n", "40,40,40"), "-n"), (("-tau", -1), "-tau"),
                            (("-monitor", "arch"), "arc"), (("-monitor_scales", "1,2"), "monitor_scales")):
            with self.subTest(words):
                run = burgers(*words)
                self.assertEqual(run.code, 2)
                self.assertIn(text, run.errors)


if __name__ == "__main__":
    unittest.main()
