"""Counts at equal tolerance, Rhumb and SUNDIALS IDA: Robertson's kinetics and the index-1 pendulum.

Both codes are given the Jacobian; counts of residual evaluations are therefore those of the Newton iteration.
"""

import json
import math
import os
import pathlib
import subprocess
import sys

import driver

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
IDA = pathlib.Path(os.environ["RHUMB_BUILD"]) / "tests/bench/bench_ida"


def ida(problem, rtol, atol):
    """Rows of t and y, steps, residual evaluations; None when IDA gives up."""
    done = subprocess.run([IDA, problem, str(rtol), *map(str, atol)], capture_output=True, text=True)
    if done.returncode != 0:
        return None
    *rows, counts = [list(map(float, line.split())) for line in done.stdout.splitlines()]
    return rows, int(counts[0]), int(counts[1])


def row(problem, tolerance, code, steps, residuals, error):
    print(f"{problem:10s} {tolerance:<9.0e} {code:6s} {steps:7d} {residuals:10d} {error:12.3e}")


def rhumb(problem, tolerance, words, key):
    run = driver.run("rhumb-dae", "-problem", problem, *words, "-quiet")
    if run.code != 0:
        sys.exit(f"rhumb-dae ended with {run.code}\n{run.errors}")
    summary = run.summary
    row(problem, tolerance, "rhumb", summary["steps"], summary["residual_evals"], summary["results"][key])


def robertson():
    """The error is the largest weighted RMS error at t = 0.4 * 10^k, in units of the tolerance."""
    reference = json.loads((DATA / "robertson_reference.json").read_text())["rows"]
    rtol, atol = 1e-4, [1e-8, 1e-14, 1e-6]
    rows, steps, residuals = ida("robertson", rtol, atol)
    error = max(
        math.sqrt(sum(((y - truth) / (rtol * abs(truth) + a)) ** 2 for y, truth, a in zip(mine[1:], true[1:], atol)) / 3)
        for mine, true in zip(rows, reference))
    row("robertson", rtol, "IDA", steps, residuals, error)
    rhumb("robertson", rtol, ["-dae_rtol", rtol, "-dae_atol_y1", atol[0], "-dae_atol_y2", atol[1], "-dae_atol_y3", atol[2]],
          "max_weighted_error")


def pendulum():
    """The error is the largest absolute one in positions and velocities at t = 1."""
    reference = json.loads((DATA / "pendulum_reference.json").read_text())
    truth = [float(reference[name]) for name in ("z1", "z2", "z3", "z4")]
    for tolerance in (1e-5, 1e-8, 1e-10, 1e-12):
        rows, steps, residuals = ida("pendulum", tolerance, [tolerance])
        row("pendulum", tolerance, "IDA", steps, residuals, max(abs(a - b) for a, b in zip(rows[-1][1:5], truth)))
        rhumb("pendulum", tolerance, ["-form", "index1", "-dae_error_test", "exclude", "-dae_rtol", tolerance,
                                      "-dae_atol", tolerance], "z_error")


if __name__ == "__main__":
    print(f"{'problem':10s} {'tolerance':9s} {'code':6s} {'steps':>7s} {'residuals':>10s} {'error':>12s}")
    robertson()
    pendulum()
