"""Error over tolerance: problems, error tests and rtol = atol from 1e-3 to 1e-9, as a table and a picture.

    ./run bench honesty [--tolerances 3,6,9] [--only heat] [--picture out/honesty.png]

The error is the one that a problem reports against its exact or published solution. Where it knows none, it is that of the named
figures at the end against a run of the same discretization with a tolerance of 1e-11. A number in brackets means
that the test does not claim this problem. Lines that leave their bounds (50 tolerances, 500 for sieber with c = 1e4) are named at
the end; with --strict the command then ends with 1.
"""

import argparse
import os
import pathlib
import sys
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import driver  # noqa: E402

FINE = 1e-11  # tolerance of reference runs
STEPS = 20000
INDEX1 = ("automatic", "standard", "filter", "strong")
HIGHER = ("automatic", "filter", "strong")
MOST = 50.0


@dataclass(frozen=True)
class Case:
    name: str
    words: tuple            # of the driver
    keys: tuple             # of run.json's results
    tests: tuple = INDEX1
    most: float = MOST      # tolerances
    unclaimed: tuple = ()   # tests that are not made for the problem
    reference: bool = False  # keys are figures to compare with a fine run, not errors
    program: str = "rhumb-dae"
    weighted: bool = False  # the error is in tolerances already
    atol: float = 1.0       # over rtol; a figure's own tolerance has none where this is not 1


def dae(name, *words, keys, **more):
    return Case(name, ("-problem", *words), keys, **more)


CASES = (
    dae("robertson", "robertson", keys=("max_weighted_error",), weighted=True),
    dae("linear", "linear", keys=("error_differential", "error_algebraic")),
    dae("pendulum, index 1", "pendulum", keys=("z_error",)),
    dae("pendulum, index 2", "pendulum", "-form", "index2", keys=("z_error",), tests=HIGHER),
    dae("pendulum, stabilized", "pendulum", "-form", "stabilized", keys=("z_error",), tests=HIGHER),
    dae("pendulum, index 3", "pendulum", "-form", "index3", keys=("z_error",), tests=("projected",)),
    dae("hessenberg2, p", "hessenberg2", keys=("p_error",), tests=HIGHER),
    dae("sieber1, c = 1", "sieber1", "-c", 1, keys=("x3_error_max",)),
    dae("sieber1, c = 1e4", "sieber1", "-c", 1e4, keys=("x3_error_max",), most=500.0, unclaimed=("standard",)),
    dae("sieber2, c = 1", "sieber2", "-c", 1, keys=("x3_error_max",), tests=HIGHER),
    dae("sieber2, c = 1e4", "sieber2", "-c", 1e4, keys=("x3_error_max",), tests=HIGHER, most=500.0,
        unclaimed=("automatic", "filter")),
    dae("moving geometry", "moving_geometry", keys=("x1_error_max", "x2_error_max"), unclaimed=("filter", "strong")),
    dae("bounce", "bounce", keys=("h_error",), tests=("automatic",)),
    dae("drag", "drag", keys=("state_error",)),
    dae("food web", "foodweb", "-n", 12, "-t_end", 0.1, keys=("c1_mean", "c2_mean", "c1_bottom_left"), reference=True),
    Case("heat, exact.yaml", (str(driver.SOURCE / "apps/heat/exact.yaml"), "-n", "16,16"), ("error_max", "error_l2"),
         tests=("automatic",), reference=True, program="rhumb-heat"),
    *(Case(f"heat, {pc}", (str(driver.SOURCE / "apps/heat/exact.yaml"), "-n", "16,16", "-dae_pc_type", pc),
           ("error_max", "error_l2"), tests=("automatic",), reference=True, program="rhumb-heat")
      for pc in ("lu", "ilu", "jacobi", "sor", "hypre")),
    *(dae(f"food web, {pc}", "foodweb", "-n", 12, "-t_end", 0.1, "-dae_pc_type", pc, keys=("c1_mean", "c2_mean", "c1_bottom_left"),
          tests=("automatic",), reference=True) for pc in ("ilu", "jacobi")),
    Case("reaction, fixed mesh", ("-problem", "reaction", "-n", 100, "-mesh_equation", "fixed", "-t_end", 0.27),
         ("ignition_time", "integral_T"), tests=INDEX1, reference=True, program="rhumb-mesh"),
    Case("ignition delay", (str(driver.SOURCE / "apps/ignite/delay.yaml"),), ("ignition_delay", "T"), tests=INDEX1,
         reference=True, program="rhumb-ignite", atol=1e-5),
    Case("flow, Taylor-Green", ("-problem", "taylor_green", "-dim", 2, "-n", "16,16"), ("kinetic_energy", "enstrophy"),
         tests=("automatic",), reference=True, program="rhumb-flow"),
)


def tolerance_words(case, tolerance):
    if case.name != "robertson":
        return ["-dae_rtol", tolerance, "-dae_atol", case.atol * tolerance]
    return ["-dae_rtol", tolerance, "-dae_atol_y1", 1e-4 * tolerance, "-dae_atol_y2", 1e-10 * tolerance,
            "-dae_atol_y3", 1e-2 * tolerance]


def results(case, test, tolerance):
    """Those of run.json; None where the run failed."""
    done = driver.run(case.program, *case.words, *tolerance_words(case, tolerance), "-dae_error_test", test, "-dae_max_steps",
                      STEPS, "-quiet", timeout=900)
    return done.summary["results"] if done.code == 0 else None


def error(case, found, reference, tolerance):
    """In tolerances."""
    if case.weighted:
        return found[case.keys[0]]
    if not case.reference:
        return max(abs(found[key]) for key in case.keys) / tolerance
    beside = 1.0 if case.atol == 1.0 else 0.0
    return max(abs(found[key] - reference[key]) / (tolerance * (abs(reference[key]) + beside)) for key in case.keys)


def measure(case, tolerances):
    """{test: [error in tolerances, or None]}"""
    reference = results(case, case.tests[0], FINE) if case.reference else None
    if case.reference and reference is None:
        sys.exit(f"{case.name}: the reference run failed")
    table = {}
    for test in case.tests:
        row = [results(case, test, tolerance) for tolerance in tolerances]
        table[test] = [None if found is None else error(case, found, reference, tolerance)
                       for found, tolerance in zip(row, tolerances)]
    return table


def cell(value, claimed):
    text = "failed" if value is None else f"{value:.2g}"
    return text if claimed else f"({text})"


def draw(lines, tolerances, path):
    names = list(dict.fromkeys(name for name, _, _ in lines))
    figure, axes = plt.subplots(figsize=(8, 0.36 * len(names) + 1.6), layout="constrained")
    markers = {"automatic": "o", "standard": "s", "filter": "^", "strong": "D", "projected": "P"}
    axes.axvspan(0.05, MOST, color="tab:green", alpha=0.08)
    for position, test in enumerate(markers):
        points = [(value, names.index(name) + 0.14 * (position - 2), tolerance) for name, its_test, row in lines
                  if its_test == test for value, tolerance in zip(row, tolerances) if value]
        if points:
            x, y, tolerance = zip(*points)
            axes.scatter(x, y, marker=markers[test], s=16, label=test, alpha=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(f"error in tolerances, rtol = atol = {tolerances[0]:.0e} ... {tolerances[-1]:.0e}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", ncols=5, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    print(f"\npicture: {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tolerances", default="3,4,5,6,7,8,9", help="minus their exponents")
    parser.add_argument("--picture", type=pathlib.Path, default=pathlib.Path("out/honesty.png"))
    parser.add_argument("--strict", action="store_true", help="end with 1 where a line leaves its bounds")
    parser.add_argument("--only", default="", help="cases whose names contain this")
    options = parser.parse_args()
    tolerances = [float(f"1e-{k}") for k in options.tolerances.split(",")]
    print("| problem | test | " + " | ".join(f"{tolerance:.0e}" for tolerance in tolerances) + " |")
    print("|---|---|" + "---|" * len(tolerances))
    lines, beyond = [], []
    for case in (case for case in CASES if options.only in case.name):
        for test, row in measure(case, tolerances).items():
            claimed = test not in case.unclaimed
            lines.append((case.name, test, row))
            print(f"| {case.name} | {test} | " + " | ".join(cell(value, claimed) for value in row) + " |", flush=True)
            if claimed and any(value is None or not value <= case.most for value in row):
                beyond.append(f"{case.name}, {test}")
    draw(lines, tolerances, options.picture)
    print("beyond their bounds: " + ("; ".join(beyond) if beyond else "none"))
    if beyond and options.strict:
        sys.exit(1)


if __name__ == "__main__":
    main()
