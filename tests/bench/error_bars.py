"""True error over printed error: figures of heat, flow, reaction and ignition, rtol from 1e-3 to 1e-6, as a table.

    ./run bench error_bars [--tolerances 3,4,5,6] [--only heat] [--strict]

Of every figure that `-error_bars` prints with an error in time: the true error is the difference from a run of the same grid at a
tolerance of 1e-9. Where the exact solution is known the figure is its error, and error in time and space together are judged.
Figures whose true error is below 1e-11 of their value, or of what atol stands for, are left out: there the references themselves are rounding. With --strict
the command ends with 1 where less than 90 % of the ratios lie between 0.2 and 5, or one is above 20.
"""

import argparse
import math
import os
import sys
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import driver  # noqa: E402

FINE = 1e-9  # tolerance of reference runs
ROUNDING = 1e-11
WITHIN, BEYOND = (0.2, 5.0), 20.0
WANTED = 0.9


@dataclass(frozen=True)
class Case:
    name: str
    program: str
    words: tuple
    atol: float              # over rtol
    grids: tuple = ((),)
    exact: tuple = ()        # figures that are errors against a known solution
    left_out: tuple = ()     # figures that are no function of the solution alone: what solves and rounding left


def grids(*sizes):
    return tuple(("-n", f"{n},{n}") for n in sizes)


def case_file(name):
    return str(driver.SOURCE / "apps" / name)


DIVERGENCE = ("divergence", "divergence_l2", "divergence_max_over_steps", "start_change")
CASES = (
    Case("heat, square", "rhumb-heat", (case_file("heat/square.yaml"),), 1.0, grids(12, 24, 48)),
    Case("heat, exact", "rhumb-heat", (case_file("heat/exact.yaml"),), 1.0, grids(12, 24, 48), ("error_max", "error_l2")),
    Case("heat, chip", "rhumb-heat", (case_file("heat/chip.yaml"), "-t_end", 0.6), 100.0,
         (("-n", "40,12"), ("-n", "80,24"))),
    Case("flow, cavity", "rhumb-flow", ("-t_end", 2), 1.0, grids(12, 24), left_out=DIVERGENCE),
    Case("flow, channel", "rhumb-flow", (case_file("flow/channel.yaml"), "-t_end", 1), 1.0, (("-n", "24,8"), ("-n", "48,16")),
         left_out=DIVERGENCE),
    Case("flow, vortex", "rhumb-flow", ("-problem", "taylor_green", "-t_end", 1), 1.0, grids(12, 24), left_out=DIVERGENCE),
    Case("flow, DFG 2D-1", "rhumb-flow", (case_file("flow/dfg-2d-1.yaml"), "-t_end", 0.2), 1.0,
         left_out=DIVERGENCE),
    Case("reaction", "rhumb-pde", (case_file("pde/brusselator.yaml"), "-t_end", 2), 1.0, (("-n", 40), ("-n", 80))),
    Case("ignition delay", "rhumb-ignite", (case_file("ignite/delay.yaml"),), 1e-6, left_out=("mass_fractions_error",)),
)


def numbers(case, *words):
    done = driver.run(case.program, *case.words, *words, "-quiet", timeout=900)
    if done.code != 0:
        print(f"{case.name} {words}: exit {done.code}: {done.errors.strip()[-200:]}", file=sys.stderr)
        return None
    return done.summary


def tolerance_words(case, rtol):
    return ("-dae_rtol", f"{rtol:g}", "-dae_atol", f"{rtol * case.atol:g}")


def ratios(case, grid, tolerances):
    """[(figure, rtol, true error / printed error)]"""
    fine = numbers(case, *grid, *tolerance_words(case, FINE))
    if fine is None:
        return []
    out = []
    for rtol in tolerances:
        run = numbers(case, *grid, *tolerance_words(case, rtol), "-error_bars")
        if run is None:
            continue
        for figure, bar in run["errors"].items():
            value, truth = run["results"][figure], fine["results"].get(figure)
            whole = figure in case.exact
            printed = bar["total"] if whole else bar["time"]
            if figure in case.left_out or truth is None or printed is None:
                continue
            error = abs(value) if whole else abs(value - truth)
            if error <= ROUNDING * (abs(value) + case.atol) or not math.isfinite(error):
                continue
            out.append((figure, rtol, error / printed if printed > 0 else math.inf))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tolerances", default="3,4,5,6", help="minus their exponents")
    parser.add_argument("--only", default="", help="cases whose name begins so")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    tolerances = [float(f"1e-{k}") for k in options.tolerances.split(",")]
    print("| case | bars | median | 0.2 ... 5 | smallest | largest |\n|---|---|---|---|---|---|")
    everything, worst = [], []
    for case in CASES:
        if not case.name.startswith(options.only):
            continue
        found = []
        for grid in case.grids:
            for figure, rtol, ratio in ratios(case, grid, tolerances):
                found.append(ratio)
                if not WITHIN[0] <= ratio <= WITHIN[1]:
                    worst.append(f"{case.name} {' '.join(grid)}, {figure} at {rtol:.0e}: {ratio:.2g}")
        everything += found
        print(line(case.name, found), flush=True)
    print(line("all", everything))
    print("outside of 0.2 ... 5: " + ("; ".join(worst) if worst else "none"))
    good = sum(WITHIN[0] <= ratio <= WITHIN[1] for ratio in everything)
    if options.strict and (good < WANTED * len(everything) or max(everything, default=0) > BEYOND):
        sys.exit(1)


def line(name, found):
    if not found:
        return f"| {name} | 0 | | | | |"
    found = sorted(found)
    good = sum(WITHIN[0] <= ratio <= WITHIN[1] for ratio in found)
    return (f"| {name} | {len(found)} | {found[len(found) // 2]:.2f} | {100 * good / len(found):.0f} % | {found[0]:.2g} | "
            f"{found[-1]:.2g} |")


if __name__ == "__main__":
    main()
