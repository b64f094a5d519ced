"""A run that writes all the time is killed (-9) at random moments: every finished file stays readable and the run goes on.

    kill.py               a few kills, as in the suite
    kill.py --kills 200   many; prints what it found
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py

import driver

FAULTY = driver.BUILD / "tests" / "failure" / "faulty-decay"
WORDS = ["-unknowns", "40", "-dae_rtol", "1e-8", "-out_dt", "0.02", "-checkpoint_dt", "1e-4", "-quiet"]
kills = 6


def finished_files(folder):
    return [path for path in folder.rglob("*.h5") if path.is_file()]


def read_all(path):
    with h5py.File(path, "r") as file:
        file.visititems(lambda _, item: item[()] if isinstance(item, h5py.Dataset) else None)


class Killed(unittest.TestCase):
    def setUp(self):
        self.random = random.Random()
        self.count = {"killed": 0, "files": 0, "unreadable": 0, "restarts": 0}

    def start(self, folder, ranks):
        command = [str(FAULTY), *WORDS, "-out", str(folder)]
        if ranks > 1:
            command = [shutil.which("mpirun"), "-n", str(ranks), *command]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                start_new_session=True)

    def kill_at_random(self, folder, ranks):
        """Waits for the first checkpoint, then some time, then kills all processes of the run."""
        process = self.start(folder, ranks)
        while process.poll() is None and not finished_files(folder / "checkpoints"):
            time.sleep(0.001)
        time.sleep(self.random.uniform(0.0, 2.5))
        if process.poll() is not None:
            self.assertEqual(process.returncode, 0)
            return False
        for pid in processes_with(str(folder)):
            os.kill(pid, signal.SIGKILL)
        process.kill()
        process.wait()
        return True

    def once(self, folder, ranks):
        if not self.kill_at_random(folder, ranks):
            return
        self.count["killed"] += 1
        for path in finished_files(folder):
            self.count["files"] += 1
            try:
                read_all(path)
            except OSError as error:
                self.count["unreadable"] += 1
                self.fail(f"{path}: {error}")
        if (folder / "run.json").exists():
            json.loads((folder / "run.json").read_text())
        after = driver.run(FAULTY, *WORDS, "-checkpoint_dt", "0.5", "-restart", folder, ranks=ranks if ranks > 1 else None, out=folder)
        self.assertEqual(after.code, 0, after.errors)
        self.assertEqual(after.summary["t"], 1.0)
        self.assertEqual(len(list((folder / "snapshots").glob("*.h5"))), 51)
        self.assertEqual([], [path for path in folder.rglob("*.tmp")])
        self.count["restarts"] += 1

    def test_finished_files_stay_readable_and_the_run_goes_on(self):
        for number in range(kills):
            with tempfile.TemporaryDirectory(prefix="rhumb-kill-") as name:
                ranks = 1 + number % 2
                with self.subTest(number=number, ranks=ranks):
                    self.once(pathlib.Path(name) / "out", ranks)
        print(self.count, file=sys.stderr)
        self.assertGreater(self.count["killed"], 0)
        self.assertEqual(self.count["restarts"], self.count["killed"])


def processes_with(word):
    """Processes started with this word on their command line."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if word in (entry / "cmdline").read_bytes().decode(errors="replace").split("\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=kills)
    known, rest = parser.parse_known_args()
    kills = known.kills
    unittest.main(argv=[sys.argv[0], *rest])
