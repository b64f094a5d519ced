"""Scalar series without snapshots: at -series_dt or after every step, in every driver, on one rank and on several; a run
that was cut, stopped or killed and continued has the rows and the extrema of the run in one go, bit for bit."""

import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

import h5py
import numpy as np

import driver

DRIVERS = (("rhumb-dae", "-problem", "robertson", "-t_end", "40"),
           ("rhumb-dae", "-problem", "bounce"),
           ("rhumb-heat", "apps/heat/exact.yaml", "-n", "12,12"),
           ("rhumb-flow", "-n", "8,8"),
           ("rhumb-mesh", "-problem", "burgers"))
FLOW = ("rhumb-flow", "-problem", "taylor_green", "-dim", "3", "-n", "8,8,8", "-re", "100", "-t_end", "3")


def rows(folder):
    with h5py.File(folder / "series.h5") as file:
        return {name: data[()] for name, data in file["series"].items()}


def steps(folder):
    return np.loadtxt(folder / "steps.csv", delimiter=",", skiprows=1, usecols=0, ndmin=1)


class Series(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.count = 0

    def done(self, *words, ranks=None, out=None, code=0):
        self.count += 1
        run = driver.run(*words, ranks=ranks, out=out or self.folder / f"run{self.count}")
        self.assertEqual(run.code, code, run.errors)
        return run

    def same_series(self, one, other):
        first, second = rows(one.folder), rows(other.folder)
        self.assertEqual(list(first), list(second))
        for name, values in first.items():
            self.assertEqual(values.tobytes(), second[name].tobytes(), name)
        self.assertEqual(one.summary["results"], other.summary["results"])

    def test_rows_stand_at_their_times_and_those_of_snapshots_among_them(self):
        for ranks in (None, 2, 3):
            with self.subTest(ranks=ranks):
                found = rows(self.done(*FLOW, "-series_dt", "0.25", "-out_dt", "1.5", ranks=ranks).folder)
                np.testing.assert_allclose(found["time"], np.arange(13) * 0.25, rtol=1e-13)
                self.assertEqual(list(found["snapshot"]), [0, -1, -1, -1, -1, -1, 1, -1, -1, -1, -1, -1, 2])
                self.assertTrue(np.isfinite(found["kinetic_energy"]).all())
                self.assertTrue((np.diff(found["kinetic_energy"]) < 0).all())
                self.assertTrue((np.diff(found["step"]) >= 0).all())

    def test_a_row_has_the_values_that_a_snapshot_has(self):
        with_snapshots = rows(self.done(*FLOW, "-out_dt", "0.25").folder)
        without = rows(self.done(*FLOW, "-series_dt", "0.25").folder)
        for name in set(with_snapshots) - {"snapshot"}:
            self.assertEqual(without[name].tobytes(), with_snapshots[name].tobytes(), name)

    def test_every_driver_has_a_row_for_every_step(self):
        for value, (app, *words) in (*(("step", one) for one in DRIVERS), ("0", DRIVERS[0])):
            with self.subTest(app=app, words=words, value=value):
                run = self.done(app, *words, "-series_dt", value)
                found, ends = rows(run.folder), np.minimum(steps(run.folder), run.summary["t_end"])
                self.assertEqual(len(found["time"]), 1 + len(ends))
                if "events" not in run.summary:  # whose steps end earlier, at the event
                    np.testing.assert_array_equal(found["time"], [run.summary["t_start"], *ends])
                self.assertGreater(len(set(found) - {"time", "step", "snapshot"}), 0, "has scalars")

    def test_extrema_of_the_whole_run_are_results_with_their_times(self):
        run = self.done(*FLOW, "-series_dt", "step")
        found, results = rows(run.folder), run.summary["results"]
        for name in ("kinetic_energy", "dissipation"):
            for extremum, at in (("min", found[name].argmin()), ("max", found[name].argmax())):
                self.assertEqual(results[f"{name}_{extremum}"], found[name][at])
                self.assertEqual(results[f"{name}_{extremum}_time"], found["time"][at])
        self.assertNotIn("kinetic_energy_max", self.done(*FLOW).summary["results"])
        unwritten = driver.run(*FLOW, "-series_dt", "step", out="none")
        self.assertEqual(unwritten.code, 0, unwritten.errors)

    def test_a_small_system_without_series_of_its_own_has_its_unknowns(self):
        run = self.done("rhumb-dae", "-problem", "robertson", "-t_end", "40", "-series_dt", "step")
        found = rows(run.folder)
        names = sorted(set(found) - {"time", "step", "snapshot"})
        self.assertEqual(len(names), 3)
        np.testing.assert_allclose(sum(found[name] for name in names), 1.0, rtol=1e-6)

    def test_a_run_that_was_cut_has_the_rows_of_the_run_in_one_go(self):
        numbers = random.Random(5)
        for app, *words in DRIVERS:
            for ranks, when in ((None, "step"), (2, "step"), (3, "0.03")):
                if ranks and "rhumb-dae" == app:
                    continue  # three unknowns are not for several ranks
                words_here = (app, *words, "-series_dt", when, "-out_dt", "0.07")
                with self.subTest(words=words_here, ranks=ranks):
                    whole = self.done(*words_here, ranks=ranks)
                    at = numbers.randrange(1, whole.summary["steps"] - 1)
                    cut = self.done(*words_here, "-dae_max_steps", at, ranks=ranks, code=3)
                    after = self.done(*words_here, "-restart", cut.folder, ranks=ranks, out=cut.folder)
                    self.same_series(whole, after)

    def test_killed_runs_lose_no_row(self):
        words = ("rhumb-dae", "-problem", "foodweb", "-n", "6", "-dae_h_max", "0.0005", "-series_dt", "step", "-t_end", "0.2")
        whole = self.done(*words)
        numbers = random.Random(7)
        for kill in range(3):
            out = self.folder / f"killed{kill}"
            process = subprocess.Popen([driver.path(words[0]), *words[1:], "-checkpoint_dt", "0.001", "-out", out],
                                       cwd=driver.SOURCE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            limit = time.monotonic() + 60 * driver.PATIENCE
            while not any((out / "checkpoints").glob("*.h5")) and time.monotonic() < limit:
                time.sleep(0.002)
            time.sleep(numbers.uniform(0.0, 0.2))
            process.send_signal(signal.SIGKILL)
            process.wait()
            with self.subTest(kill=kill):
                self.same_series(whole, self.done(*words, "-restart", out, out=out))

    def test_a_series_that_is_no_time_is_refused(self):
        for value in ("-1", "often", "nan", "1e-12"):
            run = driver.run(*FLOW, "-series_dt", value, out=self.folder / "refused")
            self.assertEqual(run.code, 2, run.output)
            self.assertIn("-series_dt", run.errors)


if __name__ == "__main__":
    unittest.main()
