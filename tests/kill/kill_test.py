"""kill -9 at random moments of a run that writes all the time: every finished file can be read, and the run continues.

    kill_test.py                  # a few kills, as in the suite
    kill_test.py --count 200      # the full count; prints how it went
"""

import argparse
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
import xml.etree.ElementTree as xml

import h5py

import driver

COUNT = 6
SEED = 20

# Small steps, a snapshot for each, and a checkpoint for each or for every eighth: nearly all of the time goes into files.
OUT_DT = 0.0005
WORDS = ("-problem", "foodweb", "-dae_h_max", OUT_DT, "-out_dt", OUT_DT, "-quiet")
APP = "rhumb-dae"


def kill_all(process):
    for one in reversed(driver.descendants(process.pid)):
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


def command(out, ranks, *words):
    launcher = [] if ranks == 1 else [shutil.which("mpirun"), "-n", str(ranks)]
    return [*launcher, str(driver.path(APP)), *map(str, WORDS), *map(str, words), "-out", str(out)]


def start_and_kill(out, ranks, delay, checkpoint_dt):
    """Lets a run go on for `delay` after its first checkpoint, then kills it."""
    process = subprocess.Popen(command(out, ranks, "-t_end", 1, "-checkpoint_dt", checkpoint_dt), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    limit = time.monotonic() + 120
    while not any((out / "checkpoints").glob("*.h5")):
        if process.poll() is not None or time.monotonic() > limit:
            kill_all(process)
            raise RuntimeError(f"the run wrote no checkpoint; it ended with {process.returncode}")
        time.sleep(0.001)
    time.sleep(delay)
    if process.poll() is not None:
        raise RuntimeError(f"the run ended with {process.returncode} before it could be killed")
    kill_all(process)


def read_through(file):
    """Reads every dataset and attribute."""
    def read(_, item):
        dict(item.attrs)
        if isinstance(item, h5py.Dataset):
            item[()]

    with h5py.File(file) as stored:
        stored.visititems(read)


def unreadable(out):
    """The finished files that cannot be read, with the reason."""
    bad = []
    for file in [*out.rglob("*.h5"), *out.rglob("*.xdmf")]:
        try:
            xml.parse(file) if file.suffix == ".xdmf" else read_through(file)
        except Exception as reason:  # any failure to read counts
            bad.append(f"{file.name}: {reason}")
    return bad


def newest_time(out):
    with h5py.File(max((out / "checkpoints").glob("*.h5"))) as stored:
        return float(stored.attrs["time"])


def restart(out, ranks):
    """Continues a little beyond the newest checkpoint. Returns what went wrong, or nothing."""
    end = newest_time(out) + 0.002
    done = subprocess.run(command(out, ranks, "-restart", out, "-t_end", repr(end)), capture_output=True, text=True,
                          timeout=240 * driver.PATIENCE, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        return f"restart ended with {done.returncode}: {done.stderr}"
    with h5py.File(out / "series.h5") as stored:
        times = stored["series/time"][()]
        if abs(times[-1] - end) > 1e-9 or (times[1:] <= times[:-1]).any():
            return f"after the restart to {end} the series is {times}"
        if (times[1:] - times[:-1] > 1.001 * OUT_DT).any() or times[0] != 0.0:
            return f"after the restart to {end} the series has gaps: {times}"
        if list(stored["snapshots"]) != sorted(file.stem for file in (out / "snapshots").glob("*.h5")):
            return "the series does not list the snapshots that are there"
    return ""


def kill_once(numbers, ranks):
    """What went wrong: files that cannot be read, and the failure of the restart."""
    with tempfile.TemporaryDirectory(prefix="rhumb-kill-") as temporary:
        out = pathlib.Path(temporary) / "out"
        start_and_kill(out, ranks, numbers.uniform(0.0, 0.3), OUT_DT * numbers.choice((1, 8)))
        bad = unreadable(out)
        drafts = len(list(out.rglob("*.tmp")))
        problem = restart(out, ranks)
        bad += unreadable(out)
        return bad, problem, drafts


class Kill(unittest.TestCase):
    def test_finished_files_survive_and_the_run_continues(self):
        numbers = random.Random(SEED)
        kills, bad, restarts, drafts = 0, 0, 0, 0
        for k in range(COUNT):
            ranks = 1 + k % 2
            with self.subTest(kill=k, ranks=ranks):
                files, problem, left = kill_once(numbers, ranks)
                kills, bad, restarts, drafts = kills + 1, bad + len(files), restarts + (not problem), drafts + (left > 0)
                self.assertEqual(files, [])
                self.assertEqual(problem, "")
        print(f"{kills} kills of {COUNT}, {drafts} of them in the middle of a file: {bad} unreadable finished files, "
              f"{restarts} of {kills} restarts worked")
        self.assertEqual(kills, COUNT)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    words, rest = parser.parse_known_args()
    COUNT, SEED = words.count, words.seed
    unittest.main(argv=[sys.argv[0], *rest])
