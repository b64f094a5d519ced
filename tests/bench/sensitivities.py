"""Counts at equal tolerance, Rhumb and SUNDIALS IDAS: Robertson's kinetics with sensitivities by its three rates, to
t = 4e10. The reference is IDAS at rtol 1e-10; how far Rhumb at rtol 1e-8 is from it is printed first."""

import os
import pathlib
import subprocess
import sys

import driver
import h5py

IDAS = pathlib.Path(os.environ["RHUMB_BUILD"]) / "tests/bench/bench_idas"
TIMES = [0.4 * 10**k for k in range(12)]
P = {"k1": 0.04, "k2": 1e4, "k3": 3e7}


def atols(rtol):
    return [1e-4 * rtol, 1e-10 * rtol, 1e-2 * rtol]


def idas(corrector, errors, rtol):
    done = subprocess.run([IDAS, corrector, errors, str(rtol), *map(str, atols(rtol))], capture_output=True, text=True, check=True)
    *rows, counts = [list(map(float, line.split())) for line in done.stdout.splitlines()]
    return [[row[1 + 3 * i: 4 + 3 * i] for i in range(3)] for row in rows], list(map(int, counts))


def rhumb(corrector, errors, rtol):
    options = [f"-dae_atol_y{i + 1}={atol}" for i, atol in enumerate(atols(rtol))]
    options = [part for option in options for part in option.split("=")] + (["-dae_sensitivity_errors"] if errors == "inside" else [])
    run = driver.run("rhumb-dae", "-problem", "robertson", "-sensitivity", ",".join(P), "-dae_sensitivity", corrector,
                     "-dae_rtol", rtol, "-out_times", ",".join(map(repr, TIMES)), *options)
    assert run.code == 0, run.errors
    rows = []
    for name in sorted((run.folder / "snapshots").glob("*.h5")):
        with h5py.File(name) as file:
            rows.append([[file[f"fields/s_y{j}_{p}"][0] for j in (1, 2, 3)] for p in P])
    s = run.summary
    return rows[-len(TIMES):], [s["steps"], s["residual_evals"], round(s["sensitivity_iterations"] / 3)]


def error(rows, reference):
    """The largest error of p dy/dp, over its largest size among the output times."""
    worst = 0.0
    for i in range(3):
        for j in range(3):
            size = max(abs(row[i][j]) for row in reference)
            worst = max(worst, *(abs(a[i][j] - b[i][j]) / size for a, b in zip(rows, reference)))
    return worst


def main():
    if not IDAS.exists():
        sys.exit("SUNDIALS with IDAS is not installed")
    reference, _ = idas("staggered", "inside", 1e-10)
    tight, _ = rhumb("staggered", "outside", 1e-8)
    print(f"Rhumb at rtol 1e-8 and IDAS at rtol 1e-10 differ by {error(tight, reference):.1e}")
    print("rtol   corrector     errors   code    steps  residuals  solves per parameter   error")
    for rtol in (1e-4, 1e-6):
        for corrector in ("staggered", "simultaneous"):
            for errors in ("inside", "outside"):
                for code, run in (("IDAS", idas), ("Rhumb", rhumb)):
                    rows, (steps, residuals, solves) = run(corrector, errors, rtol)
                    print(f"{rtol:.0e}  {corrector:12s}  {errors:7s}  {code:6s} {steps:6d} {residuals:10d} {solves:12d}"
                          f"           {error(rows, reference):.1e}")


if __name__ == "__main__":
    main()
