"""Processor time of a moving mesh against the coarsest uniform mesh that is no less accurate, in one run of this script.

    RHUMB_BUILD=build python3 tests/bench/mesh_efficiency.py

Time is that of the whole process, user and system, less that of the same command with -check, which starts up and
solves nothing; the smallest of three. A uniform mesh is refined until its error is no larger than the moving one's, or
until one run costs `ENOUGH` times as much, which then is a lower bound.
"""

import json
import pathlib
import resource
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import driver

REPEATS = 3
ENOUGH = 100.0
DATA = driver.SOURCE / "tests" / "data"


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(*words):
    """The run, and the smallest processor time of its process."""
    smallest = float("inf")
    for repeat in range(REPEATS):
        before = processor_seconds()
        run = driver.run("rhumb-mesh", *words, "-quiet", timeout=900)
        spent = processor_seconds() - before
        if run.code != 0:
            raise SystemExit(run.errors)
        smallest = min(smallest, spent)
        if spent > 5.0:
            break
    return run, smallest


def reaction_error(run):
    """The worst place of the front."""
    case = json.loads((DATA / "single_step_reaction_reference.json").read_text())["cases"][0]
    places = {o["t"]: o["x_front_T1p5"] for o in case["out"]}
    results = run.summary["results"]
    return max(abs(x - places[t]) for t, x in zip(results["front_times"], results["front"]))


def exact_error(run):
    return run.summary["results"]["error_max"]


CASES = [
    ("reaction", ["-problem", "reaction", "-dae_rtol", "1e-7"], 30, (100, 200, 300, 360, 480, 600), reaction_error, 5.0),
    ("burgers, eps = 1e-4", ["-problem", "burgers", "-start", "front", "-eps", "1e-4"], 60,
     (500, 1000, 2000, 4000, 8000, 16000), exact_error, 20.0),
]


def row(name, mesh, cells, run, error, seconds):
    summary = run.summary
    print(f"| {name} | {mesh} | {cells} | {summary['steps']} | {summary['residual_evals']} | {error:.2g} "
          f"| {seconds:.3f} |", flush=True)


def compare(name, words, cells, uniform, error_of, wanted):
    _, startup = timed(*words, "-check")
    run, spent = timed(*words, "-n", cells)
    moving_error, moving = error_of(run), spent - startup
    row(name, "moving", cells, run, moving_error, moving)
    for count in uniform:
        run, spent = timed(*words, "-mesh_equation", "fixed", "-n", count)
        error = error_of(run)
        row(name, "uniform", count, run, error, spent - startup)
        ratio = (spent - startup) / moving
        if error <= moving_error or ratio > ENOUGH:
            break
    bound = "" if error <= moving_error else "more than "
    print(f"\n{name}: the uniform mesh costs {bound}{ratio:.1f} times as much (wanted: {wanted:g})\n", flush=True)
    return ratio >= wanted


def main():
    print("| case | mesh | cells | steps | residuals | error | processor seconds |\n|---|---|---|---|---|---|---|")
    return 0 if all([compare(*case) for case in CASES]) else 1


if __name__ == "__main__":
    sys.exit(main())
