"""rhumb-mesh -balance: contents of moving volumes, fronts that move into zero; defaults on domains of any length."""

import pathlib
import tempfile
import unittest

import driver
import h5py
import numpy

BARENBLATT = {
    2: ("0.015*u1*ux1", "max(0, 1 - x^2/0.09)", "(1+t)^(-1/3)*max(0, 1 - x^2/(0.09*(1+t)^(2/3)))"),
    4: ("0.015*u1^3*ux1", "max(0, 1 - x^2/0.05)^(1/3)", "(1+t)^(-1/5)*max(0, 1 - x^2/(0.05*(1+t)^(2/5)))^(1/3)"),
}


def barenblatt(m, *words):
    flux, initial, exact = BARENBLATT[m]
    return driver.run("rhumb-mesh", "-quiet", "-problem", "pdepe", "-n", 40, "-f1", flux, "-initial1", initial,
                      "-exact1", exact, *words)


class Barenblatt(unittest.TestCase):
    """The porous medium equation: a front with compact support moves into u = 0, where diffusion stops."""

    def test_forty_moving_volumes_have_half_the_error_of_fixed_ones_and_are_never_negative(self):
        for m in 2, 4:
            with self.subTest(m=m):
                times = ("-out_dt", 0.05)  # where the front stands in a fixed cell decides its error
                fixed = barenblatt(m, "-mesh_equation", "fixed", *times).summary["results"]
                run = barenblatt(m, "-balance", "nonnegative", *times)
                self.assertEqual(run.code, 0, run.errors)
                moving = run.summary["results"]
                for error in "error_end", "error_max":
                    self.assertLess(moving[error], 0.5 * fixed[error])
                self.assertGreaterEqual(moving["lowest_u1"], 0.0)
                self.assertLess(abs(moving["integral_u1"] - moving["integral_start_u1"]), 1e-8)

    def test_where_points_are_balanced_the_cause_of_the_failure_is_named(self):
        run = barenblatt(4)
        self.assertEqual(run.code, 3)
        for text in ("a negative value turns diffusion backwards: u1 = -", "-balance nonnegative"):
            self.assertIn(text, run.errors)
        self.assertNotIn("-dae_rtol", run.summary["results"]["advice"])

    def test_fronts_to_both_sides_are_alike(self):
        run = barenblatt(2, "-lower", -1, "-n", 80, "-balance", "nonnegative")
        self.assertEqual(run.code, 0, run.errors)
        self.assertLess(run.summary["results"]["error_end"], 0.01)
        self.assertGreaterEqual(run.summary["results"]["lowest_u1"], 0.0)
        with h5py.File(sorted((run.folder / "snapshots").glob("*.h5"))[-1]) as file:
            x, u = file["mesh/points"][:, 0], numpy.ravel(next(iter(file["fields"].values())))
        self.assertLess(numpy.abs(u - numpy.interp(-x, x, u)).max(), 1e-4)


def pulse(length, *words):
    width, spread = length / 40, length * length / 20000
    text = f"""problem: pdepe
upper: {length}
n: 100
f1: {spread}*ux1 - {0.5 * length}*u1
initial1: exp(-((x - {0.2 * length})/{width})^2)
left_p1: u1
left_q1: 0
right_p1: u1
right_q1: 0
"""
    with tempfile.TemporaryDirectory() as folder:
        case = pathlib.Path(folder) / "pulse.yaml"
        case.write_text(text)
        return driver.run("rhumb-mesh", case, "-quiet", *words)


class Domains(unittest.TestCase):
    def test_the_mesh_follows_a_pulse_on_domains_of_any_length(self):
        steps = []
        for length in 1e-3, 200.0, 1e4:
            run = pulse(length)
            self.assertEqual(run.code, 0, run.errors)
            self.assertLess(run.summary["results"]["smallest_cell"], 0.2 * length / 100)
            steps.append(run.summary["steps"])
        self.assertLessEqual(max(steps) - min(steps), 3)

    def test_where_the_mesh_does_not_follow_the_advice_is_its_monitor(self):
        stiff = pulse(200.0, "-monitor_alpha", 1e4, "-n", 40)
        self.assertIn("try -monitor_alpha 1000", stiff.summary["results"]["advice"])


class Refused(unittest.TestCase):
    def test_what_moving_volumes_cannot_be_combined_with_is_said(self):
        for words, text in ((("-mesh_equation", "fixed"), "a fixed mesh has no moving volumes"),
                            (("-mesh_equation", "rate"), "the rate mesh needs u at points"),
                            (("-monitor_floor", "mean"), "-monitor_floor mean is for points"),
                            (("-theta", 0.1), "balances of volumes need 0")):
            run = barenblatt(2, "-balance", "volumes", *words)
            self.assertEqual(run.code, 2)
            self.assertIn(text, run.errors)


if __name__ == "__main__":
    unittest.main()
