"""A run that was cut and continued is the run that was not: the same steps and the same numbers, bit for bit, on the same
number of ranks; within the tolerance on another.

    restart.py               # every driver, cut once, as in the suite
    restart.py --cuts 5      # cut at five random steps each; all of them on other numbers of ranks
"""

import argparse
import csv
import pathlib
import random
import sys
import tempfile
import unittest

import h5py
import numpy

import driver

FAULTY = driver.BUILD / "tests" / "failure" / "faulty-decay"
CUTS = 1

# Every driver, with systems that are factored and systems that need GMRES, on one and on several ranks.
DRIVERS = (("rhumb-dae", "-problem", "robertson"),
           ("rhumb-dae", "-problem", "foodweb", "-n", "12"),
           ("rhumb-heat", "apps/heat/exact.yaml", "-n", "12,12"),
           ("rhumb-heat", "apps/heat/square.yaml", "-n", "64,64", "-t_end", "0.02"),
           ("rhumb-flow", "-n", "8,8"),
           ("rhumb-mesh", "-problem", "burgers"),
           ("fisher", "-n", "200", "-upper", "50", "-t_end", "4"),
           ("burgers", "-t_end", "0.5"),
           ("rhumb-heat", "apps/heat/square_mesh.yaml", "-order", "3", "-dae_rtol", "1e-6"),
           ("rhumb-heat", "apps/heat/square_mesh.yaml", "-refine", "2", "-dae_rtol", "1e-6"))


def last_fields(folder):
    """The fields of the newest snapshot."""
    with h5py.File(sorted((folder / "snapshots").glob("*.h5"))[-1]) as file:
        return {name: data[()] for name, data in file["fields"].items()}, file.attrs["time"]


def weighted_difference(run, other):
    """The largest root mean square difference of a field at the end, in units of the tolerance."""
    options = run.summary["options"]
    fields, time = last_fields(run.folder)
    others, other_time = last_fields(other.folder)
    assert time == other_time
    differences = []
    for name, values in fields.items():
        atol = float(options.get(f"dae_atol_{name}", options["dae_atol"]))
        weight = float(options["dae_rtol"]) * numpy.abs(values) + atol
        differences.append(numpy.sqrt(numpy.mean(((others[name] - values) / weight) ** 2)))
    return max(differences)


class Continued(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.random = random.Random(20240)

    def run_whole(self, app, *words, ranks=None):
        whole = driver.run(app, *words, ranks=ranks, out=self.folder / "whole")
        self.assertEqual(whole.code, 0, whole.errors)
        return whole

    def run_cut(self, app, *words, at, ranks=None, ranks_after=None):
        """Stops after `at` steps for want of more, then continues in the same folder."""
        out = self.folder / f"cut{at}"
        cut = driver.run(app, *words, "-dae_max_steps", at, ranks=ranks, out=out)
        self.assertEqual(cut.code, 3, cut.errors)
        self.assertEqual(cut.summary["steps"], at)
        after = driver.run(app, *words, "-restart", out, ranks=ranks_after or ranks, out=out)
        self.assertEqual(after.code, 0, after.errors)
        self.assertIn(str(out / "checkpoints"), after.output, "says which checkpoint was taken")
        return after

    def identical(self, app, *words, cuts=5, ranks=None):
        whole = self.run_whole(app, *words, ranks=ranks)
        steps = (whole.folder / "steps.csv").read_bytes()
        fields, time = last_fields(whole.folder)
        for at in self.random.sample(range(1, whole.summary["steps"] - 1), cuts):
            with self.subTest(app=app, ranks=ranks, at=at):
                after = self.run_cut(app, *words, at=at, ranks=ranks)
                self.assertEqual((after.folder / "steps.csv").read_bytes(), steps)
                for key in ("steps", "residual_evals", "newton_iterations", "pc_setups", "order_histogram", "h_min", "h_max"):
                    self.assertEqual(after.summary[key], whole.summary[key], key)
                if app != FAULTY:  # which counts the calls of this process
                    self.assertEqual(after.summary["results"], whole.summary["results"])
                self.assertEqual(len(list((after.folder / "snapshots").glob("*.h5"))),
                                 len(list((whole.folder / "snapshots").glob("*.h5"))))
                again, time_again = last_fields(after.folder)
                self.assertEqual(time, time_again)
                for name, values in fields.items():
                    self.assertEqual(values.tobytes(), again[name].tobytes(), name)

    def test_decay_on_one_rank(self):
        self.identical(FAULTY, "-out_dt", "0.1")

    def test_decay_on_two_ranks(self):
        self.identical(FAULTY, "-out_dt", "0.1", "-dae_ksp_type", "spigmr", "-dae_pc_type", "bjacobi", ranks=2)

    def test_every_driver_on_one_and_two_ranks(self):
        for app, *words in DRIVERS:
            for ranks in (None, 2):
                with self.subTest(app=app, words=words, ranks=ranks):
                    self.identical(app, *words, cuts=CUTS, ranks=ranks)
                    self.setUp()

    def test_small_systems_with_filter_and_strong_error_test(self):
        for problem in ("pendulum", "sieber1"):
            with self.subTest(problem=problem):
                self.identical("rhumb-dae", "-problem", problem, cuts=2)
                self.setUp()

    def test_every_driver_on_another_number_of_ranks_agrees_within_the_tolerance(self):
        for app, *words in DRIVERS[1:] if CUTS > 1 else DRIVERS[3:6]:  # three unknowns are not for three ranks
            whole = self.run_whole(app, *words)
            for ranks, ranks_after in ((2, 1), (1, 3)):
                at = self.random.randrange(whole.summary["steps"] // 4, whole.summary["steps"] - 1)
                with self.subTest(app=app, words=words, ranks=ranks, ranks_after=ranks_after, at=at):
                    after = self.run_cut(app, *words, at=at, ranks=ranks, ranks_after=ranks_after)
                    self.assertLess(weighted_difference(whole, after), 10)
            self.setUp()

    def test_another_number_of_ranks_goes_on_with_an_odd_number_of_unknowns(self):
        words = ["-unknowns", "9", "-dae_rtol", "1e-6", "-dae_atol", "1e-9"]
        whole = self.run_whole(FAULTY, *words, ranks=2)
        for ranks, ranks_after, at in ((2, 1, 20), (1, 3, 25)):
            with self.subTest(ranks=ranks, ranks_after=ranks_after):
                after = self.run_cut(FAULTY, *words, at=at, ranks=ranks, ranks_after=ranks_after)
                self.assertLess(weighted_difference(whole, after), 10)

    def test_a_run_that_is_done_goes_on_to_a_later_end(self):
        words = ("rhumb-heat", "apps/heat/exact.yaml", "-n", "12,12", "-out_dt", "0.05")
        whole = self.run_whole(*words, "-t_end", "0.3")
        out = self.folder / "done"
        first = driver.run(*words, "-t_end", "0.2", "-checkpoint_dt", "0.05", out=out)
        self.assertEqual((first.code, first.summary["reason"], first.summary["t"]), (0, "done", 0.2))
        after = driver.run(*words, "-t_end", "0.3", "-restart", out, out=out)
        self.assertEqual(after.code, 0, after.errors)
        self.assertEqual(after.summary["t"], 0.3)
        self.assertLess(weighted_difference(whole, after), 10)
        with h5py.File(out / "series.h5") as series:
            numpy.testing.assert_allclose(series["series/time"][()], numpy.arange(7) * 0.05, rtol=1e-12)

    def test_a_continued_run_goes_into_a_new_folder_when_told(self):
        self.run_whole(FAULTY)
        out = self.folder / "first"
        driver.run(FAULTY, "-dae_max_steps", "20", out=out)
        other = driver.run(FAULTY, "-restart", out, out=self.folder / "second")
        self.assertEqual(other.code, 0, other.errors)
        with open(other.folder / "steps.csv") as file:
            self.assertEqual(len(list(csv.DictReader(file))), other.summary["steps"] - 20)


class Refused(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.out = pathlib.Path(temporary.name) / "out"
        cut = driver.run(FAULTY, "-dae_max_steps", "20", "-checkpoint_dt", "0.001", out=self.out)
        self.assertEqual(cut.code, 3, cut.errors)
        self.checkpoints = sorted((self.out / "checkpoints").glob("*.h5"))

    def test_a_checkpoint_of_another_problem_or_size(self):
        before = {path: path.read_bytes() for path in self.out.rglob("*") if path.is_file()}
        for app, *words in ((FAULTY, "-unknowns", "7"), ("rhumb-dae", "-problem", "robertson")):
            done = driver.run(app, *words, "-restart", self.out, out=self.out)
            self.assertEqual(done.code, 2, done.errors)
            self.assertIn(str(self.out), done.errors)
        self.assertEqual({path: path.read_bytes() for path in self.out.rglob("*") if path.is_file()}, before,
                         "the folder stays as it was")

    def test_a_folder_without_checkpoints(self):
        for place in (self.out / "nowhere", self.out / "snapshots"):
            done = driver.run(FAULTY, "-restart", place)
            self.assertIn(done.code, (2, 4), done.errors)
            self.assertIn(str(place), done.errors)

    def test_a_damaged_checkpoint_gives_way_to_the_one_before(self):
        self.assertEqual(len(self.checkpoints), 2)
        damaged = bytearray(self.checkpoints[-1].read_bytes())
        damaged[len(damaged) // 2] ^= 1
        self.checkpoints[-1].write_bytes(damaged)
        done = driver.run(FAULTY, "-restart", self.out)
        self.assertEqual(done.code, 0, done.errors)
        self.assertIn(self.checkpoints[0].name, done.output)
        self.assertEqual(pathlib.Path(done.summary["restarted_from"]).name, self.checkpoints[0].name)
        alone = driver.run(FAULTY, "-restart", self.checkpoints[-1])
        self.assertEqual(alone.code, 4, alone.errors)
        self.assertIn(self.checkpoints[-1].name, alone.errors)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--cuts", type=int, default=CUTS)
    given, rest = parser.parse_known_args()
    CUTS = given.cuts
    unittest.main(argv=[sys.argv[0], *rest])
