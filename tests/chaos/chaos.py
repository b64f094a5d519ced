"""Everything that can happen to a run from outside, at random moments, again and again, until it is done: single ranks
and the launcher are killed, processes stop and go on, signals and wall limits come, the disk is full, read-only, broken
or slow. At the end the run must be the run that nobody disturbed: the same steps and the same fields, bit for bit.

    chaos.py                       # a few chains, as in the suite
    chaos.py --count 500           # prints how it went; --jobs 2 runs chains side by side

Waiting for the disk takes most of the time: with TMPDIR=/dev/shm there are many more chains in an hour.
"""

import argparse
import collections
import concurrent.futures
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

COUNT = 4
SEED = 2026
JOBS = 1
MOST_FAULTS = 5  # in one chain; then the run is left alone
FAULTY = driver.BUILD / "tests" / "failure" / "faulty-decay"
DISK = driver.BUILD / "tests" / "chaos" / "libdisk_faults.so"

# Ranks, driver and words: factored and iterative solvers, events, moving meshes, snapshots and checkpoints all the time.
CASES = ((1, "rhumb-dae", "-problem", "robertson", "-t_end", 40, "-out_dt", 1, "-checkpoint_dt", 0.1),
         (2, "rhumb-dae", "-problem", "foodweb", "-n", 12, "-t_end", 0.1, "-out_dt", 0.002, "-checkpoint_dt", 0.002),
         (1, "rhumb-dae", "-problem", "bounce", "-out_dt", 0.05, "-checkpoint_dt", 0.1),
         (1, "rhumb-heat", "apps/heat/exact.yaml", "-n", "12,12", "-out_dt", 0.02, "-checkpoint_dt", 0.05),
         (2, "rhumb-heat", "apps/heat/exact.yaml", "-n", "12,12", "-out_dt", 0.02, "-checkpoint_dt", 0.05),
         (2, "rhumb-flow", "-n", "8,8", "-out_dt", 0.5, "-checkpoint_dt", 0.5),
         (1, "rhumb-mesh", "-problem", "burgers", "-out_dt", 0.05, "-checkpoint_dt", 0.05),
         (3, FAULTY, "-unknowns", 9, "-dae_ksp_type", "spigmr", "-dae_pc_type", "bjacobi", "-out_dt", 0.01, "-checkpoint_dt",
          0.01, "-pause", 0.002))

DISKS = ("full", "readonly", "broken", "slow")
KILLS = ("kill_all", "kill_rank", "kill_launcher", "pause", "pause_rank", "SIGTERM", "SIGUSR1", "wall_limit")


def ranks_of(process, ranks):
    """The processes that compute: the launcher's children, or the process itself."""
    if ranks == 1:
        return [process.pid]
    try:
        tasks = list(pathlib.Path(f"/proc/{process.pid}/task").glob("*/children"))
        return [int(child) for task in tasks for child in task.read_text().split()] or [process.pid]
    except OSError:  # ended in between
        return [process.pid]


def send(targets, number):
    for one in targets:
        try:
            os.kill(one, number)
        except ProcessLookupError:
            pass


def wait_for_end_of(processes, limit=60):
    """Orphans of a killed launcher end by themselves, sooner or later. Returns whether they did."""
    until = time.monotonic() + limit * driver.PATIENCE
    while time.monotonic() < until:
        alive = [one for one in processes if alive_and_no_zombie(one)]
        if not alive:
            return True
        time.sleep(0.02)
    send(alive, signal.SIGKILL)
    time.sleep(1)
    return False


def alive_and_no_zombie(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (OSError, IndexError):
        return False


def command(case, out, *more):
    ranks, app, *words = case
    launcher = [] if ranks == 1 else [shutil.which("mpirun"), "-n", str(ranks)]
    return [*launcher, *map(str, (driver.path(app), *words, *more, "-quiet", "-out", out))]


def start(case, out, more, environment=None):
    return subprocess.Popen(command(case, out, *more), cwd=driver.SOURCE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})})


def fields_of(out):
    """Times and fields of all snapshots, as bytes."""
    found = []
    for file in sorted((out / "snapshots").glob("*.h5")):
        with h5py.File(file) as stored:
            found.append((file.name, stored.attrs["time"], stored.attrs["step"],
                          {name: data[()].tobytes() for name, data in stored["fields"].items()}))
    return found


class Whole:
    """The run that nobody disturbs."""

    def __init__(self, case, folder):
        self.out = folder / "whole"
        began = time.monotonic()
        process = start(case, self.out, ())
        _, errors = process.communicate(timeout=300 * driver.PATIENCE)
        assert process.returncode == 0, errors
        self.seconds = time.monotonic() - began
        self.steps = (self.out / "steps.csv").read_bytes()
        self.fields = fields_of(self.out)
        self.summary = json.loads((self.out / "run.json").read_text())

    def compare(self, out):
        """What is not as it was."""
        if (out / "steps.csv").read_bytes() != self.steps:
            return "steps.csv differs"
        if fields_of(out) != self.fields:
            return "the snapshots differ"
        summary = json.loads((out / "run.json").read_text())
        for key in ("reason", "t", "steps", "newton_iterations", "order_histogram", "h_min", "h_max"):
            if summary[key] != self.summary[key]:
                return f"{key} of run.json is {summary[key]}, not {self.summary[key]}"
        with h5py.File(out / "series.h5") as one, h5py.File(self.out / "series.h5") as other:
            for name, data in other["series"].items():
                if one["series"][name][()].tobytes() != data[()].tobytes():
                    return f"{name} of series.h5 differs"
            if list(one["snapshots"]) != list(other["snapshots"]):
                return "series.h5 lists other snapshots"
        if list(out.rglob("*.tmp")) or (out / "run.lock").exists():
            return "drafts or a lock were left"
        return ""


class Chain:
    def __init__(self, case, whole, numbers, out):
        self.case, self.whole, self.numbers, self.out = case, whole, numbers, out
        self.story = []

    def more(self):
        usable = any((self.out / "checkpoints").glob("*.h5"))
        return ("-restart", self.out) if usable else ()

    def expect(self, fault, code, errors):
        """A run may end well before its fault; killed under a launcher it has the launcher's code. Never a bug or a crash."""
        self.story.append(f"{fault}: {code}")
        allowed = {0}
        if fault in DISKS:
            allowed |= {4}
        elif fault in ("SIGTERM", "SIGUSR1"):
            # before the run listens a signal just ends it; mpirun has codes of its own for ranks that died
            allowed |= {5, -signal.SIGTERM, -signal.SIGUSR1} | ({1, 128 + 10, 128 + 15, 15, 10} if self.case[0] > 1 else set())
        elif fault == "wall_limit":
            allowed |= {5}
        elif fault.startswith("kill"):
            allowed |= {-signal.SIGKILL} | ({1, 137, 255} if self.case[0] > 1 else set())
        assert code in allowed, f"ended with {code}: {errors}"

    def disturbed(self, fault):
        """One link: the run, with one fault at a random moment."""
        moment = self.numbers.uniform(0.0, 1.1 * self.whole.seconds)
        more, environment = [*self.more()], None
        if fault in DISKS:
            environment = {"LD_PRELOAD": str(DISK), "RHUMB_DISK_FOLDER": str(self.out), "RHUMB_DISK_FAULT": fault,
                           "RHUMB_DISK_AFTER": str(int(10 ** self.numbers.uniform(0.0, 3.3)))}
        if fault == "wall_limit":
            more += ["-wall_limit", moment]
        process = start(self.case, self.out, more, environment)
        processes = [process.pid]
        if fault in KILLS and fault != "wall_limit":
            try:
                process.wait(timeout=moment)
            except subprocess.TimeoutExpired:
                processes += self.strike(fault, process)
        _, errors = process.communicate(timeout=300 * driver.PATIENCE)
        assert wait_for_end_of(processes), f"processes were left after {fault}"
        self.expect(fault, process.returncode, errors)
        return process.returncode == 0

    def strike(self, fault, process):
        launcher, ranks = process.pid, ranks_of(process, self.case[0])
        one = [self.numbers.choice(ranks)]
        if fault == "kill_all":
            send([launcher, *ranks], signal.SIGKILL)
        elif fault == "kill_rank":
            send(one, signal.SIGKILL)
        elif fault == "kill_launcher":
            send([launcher], signal.SIGKILL)
        elif fault.startswith("pause"):
            send(one if fault == "pause_rank" else ranks, signal.SIGSTOP)
            time.sleep(self.numbers.uniform(0.0, 0.5))
            send(ranks, signal.SIGCONT)
        else:
            send(one, getattr(signal, fault))
        return ranks

    def run(self):
        """What went wrong, or nothing."""
        try:
            done = False
            for _ in range(self.numbers.randint(1, MOST_FAULTS)):
                done = self.disturbed(self.numbers.choice(KILLS + DISKS))
                if done:
                    break
            if not done:
                process = start(self.case, self.out, self.more())
                _, errors = process.communicate(timeout=300 * driver.PATIENCE)
                self.story.append(f"left alone: {process.returncode}")
                assert process.returncode == 0, errors
            return self.whole.compare(self.out)
        except (AssertionError, OSError, subprocess.TimeoutExpired, KeyError) as problem:
            return f"{type(problem).__name__}: {problem}"


class Chaos(unittest.TestCase):
    def test_a_run_that_was_disturbed_and_continued_is_the_run_that_was_not(self):
        with tempfile.TemporaryDirectory(prefix="rhumb-chaos-") as name:
            folder = pathlib.Path(name)
            cases = CASES if COUNT >= len(CASES) else random.Random(SEED).sample(CASES, COUNT)
            wholes = []
            for k, case in enumerate(cases):
                (folder / str(k)).mkdir()
                wholes.append(Whole(case, folder / str(k)))
            faults, failures = collections.Counter(), []

            def chain(k):
                out = folder / f"chain{k}"
                one = Chain(cases[k % len(cases)], wholes[k % len(cases)], random.Random(SEED * 100_000 + k), out)
                problem = one.run()
                shutil.rmtree(out, ignore_errors=True)
                return k, one, problem

            with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
                for k, one, problem in pool.map(chain, range(COUNT)):
                    faults.update(link.split(":")[0] for link in one.story)
                    if problem:
                        failures.append(f"chain {k} ({' '.join(map(str, one.case))}; {', '.join(one.story)}): {problem}")
                        print(failures[-1], flush=True)
                    elif COUNT > 20 and k % 20 == 19:
                        print(f"{k + 1} chains, {len(failures)} failures", flush=True)
            links = ", ".join(f"{count} {fault}" for fault, count in sorted(faults.items()))
            print(f"{COUNT} chains, {sum(faults.values())} runs ({links}): {len(failures)} failures")
            self.assertEqual(failures, [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=JOBS)
    given, rest = parser.parse_known_args()
    COUNT, SEED, JOBS = given.count, given.seed, given.jobs
    unittest.main(argv=[sys.argv[0], *rest])
