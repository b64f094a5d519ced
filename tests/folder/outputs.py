"""How much a run writes, that it says so before, and that it stops between any two files when it is told to."""

import json
import re
import shutil
import signal
import subprocess
import time
import unittest

import h5py

import driver
from scratch import FAULTY, Scratch


class WithSnapshots(Scratch):
    def snapshots(self, out=None):
        return sorted(((out or self.out) / "snapshots").glob("*.h5"))


class HowMuch(WithSnapshots):
    def test_more_output_times_than_a_disk_holds_are_refused_with_the_nearest(self):
        for dt in ("1e-30", "1e-09", "1e-300"):
            done = driver.run("rhumb-dae", "-problem", "robertson", "-out_dt", dt, out=self.out, timeout=60)
            self.assertEqual(done.code, 2, done.errors)
            self.assertIn(f"-out_dt {dt}", done.errors)
            nearest = re.search(r"nearest: -out_dt (\S+)", done.errors).group(1)
            check = driver.run("rhumb-dae", "-problem", "robertson", "-out_dt", nearest, "-check", out=self.out)
            self.assertEqual(check.code, 0, check.errors)

    def test_checkpoints_come_at_most_once_a_step_however_often_they_are_wanted(self):
        for dt in ("1e-9", "1e-300"):
            done = driver.run("rhumb-dae", "-problem", "robertson", "-checkpoint_dt", dt, out=self.out, timeout=120)
            self.assertEqual(done.code, 0, done.errors)
            newest = max((self.out / "checkpoints").glob("*.h5"))
            self.assertEqual(int(newest.stem), done.summary["steps"])

    def test_check_says_how_many_files_of_which_size(self):
        words = ("rhumb-heat", "apps/heat/exact.yaml", "-n", "40,40", "-t_end", "0.01", "-out_dt", "0.001",
                 "-checkpoint_dt", "0.001")
        check = driver.run(*words, "-check", out=self.out)
        count, size, unit = re.search(r"(\d+) snapshots of about (\S+) (KiB|MiB)", check.output).groups()
        about = re.search(r"checkpoints of about (\S+) (KiB|MiB)", check.output).groups()
        done = driver.run(*words, out=self.out)
        self.assertNotIn("warning", done.output)
        files = self.snapshots()
        self.assertEqual(int(count), len(files))
        scale = {"KiB": 1024, "MiB": 1024**2}
        self.assertAlmostEqual(float(size) * scale[unit] / files[1].stat().st_size, 1.0, delta=0.3)
        newest = max((self.out / "checkpoints").glob("*.h5"))
        self.assertAlmostEqual(float(about[0]) * scale[about[1]] / newest.stat().st_size, 1.0, delta=0.3)

    def test_a_run_warns_of_very_many_files(self):
        done = driver.run(FAULTY, "-out_dt", "1e-5", "-wall_limit", "0.1", out=self.out)
        self.assertRegex(done.output, r"warning: this run writes 100001 snapshots of about \S+ KiB, \S+ \S+ in all")


class Stopped(WithSnapshots):
    """Hundreds of output times lie in each of the last steps of this run."""

    COUNT = 1501
    WORDS = ("-out_dt", 1 / 1500, "-dae_rtol", "1e-2", "-dae_atol", "1e-2", "-quiet")

    def whole(self):
        done = driver.run(FAULTY, *self.WORDS, out=self.folder / "whole")
        self.assertEqual(done.code, 0, done.errors)
        self.assertGreater(self.COUNT / done.summary["steps"], 50, "many outputs in a step")
        return done

    def finished_as(self, whole):
        after = driver.run(FAULTY, *self.WORDS, "-restart", self.out, out=self.out)
        self.assertEqual(after.code, 0, after.errors)
        self.assertEqual(len(self.snapshots()), self.COUNT)
        for name in ("series.h5", "series.xdmf", "steps.csv"):
            self.assertEqual((self.out / name).read_bytes(), (whole.folder / name).read_bytes(), name)

    def test_a_signal_between_two_outputs_of_a_step_stops_the_run_and_none_is_lost(self):
        whole = self.whole()
        for number in (signal.SIGTERM, signal.SIGUSR1):
            shutil.rmtree(self.out, ignore_errors=True)
            process = subprocess.Popen([str(FAULTY), *map(str, self.WORDS), "-out", str(self.out)], stdin=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            while process.poll() is None and len(self.snapshots()) < 500:
                time.sleep(0.02)
            before = len(self.snapshots())
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60 * driver.PATIENCE), 5)
            self.assertLess(len(self.snapshots()) - before, 200, "files written after the signal")
            self.assertEqual(json.loads((self.out / "run.json").read_text())["reason"], "signal")
            self.finished_as(whole)

    def test_the_wall_limit_holds_between_two_outputs_too(self):
        whole = self.whole()
        done = driver.run(FAULTY, *self.WORDS, "-wall_limit", 0.3 * whole.summary["wall_seconds"], out=self.out)
        self.assertEqual((done.code, done.summary["reason"]), (5, "wall_limit"))
        reached = len(self.snapshots())
        self.assertLess(reached, self.COUNT)
        with h5py.File(self.snapshots()[-1]) as last:
            self.assertLess(last.attrs["time"], done.summary["t"], "outputs of the last step were left")
        self.finished_as(whole)


if __name__ == "__main__":
    unittest.main()
