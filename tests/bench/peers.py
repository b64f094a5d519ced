"""Work and precision, Rhumb against SUNDIALS IDA, PETSc's TS and DASPK, on the same residual, Jacobian and preconditioner.

    ./run bench peers [problem ...] [--full] [--json FILE]

Each code solves each problem in a process of its own, so that its peak memory is its own. Errors are weighted as the
tolerances are, see tests/bench/peers/peers.hpp. Ratios compare Rhumb with the best of IDA and TS at equal error, and with
DASPK, interpolated on log-log curves of work over error. The figures go to FILE (default out/bench_peers.json);
postprocess/plot_work.py draws them.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(os.environ["RHUMB_BUILD"]) / "tests/bench/bench_peers"
DATA = pathlib.Path(__file__).resolve().parents[1] / "data"

# One process needs no launcher and no network.
QUICK_START = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self", "OMP_NUM_THREADS": "1"}
PEERS = [("ida", "all"), ("ida", "suppress"), ("ts", "bdf2"), ("ts", "bdf3"), ("ts", "bdf4"), ("ts", "bdf5"), ("ts", "rosw"),
         ("daspk", "all"), ("daspk", "suppress")]
# Where GMRES solves, IDA may also multiply with the matrix, as Rhumb and TS do; its own way is to difference F.
KRYLOV_PEERS = [("ida", "matrix")]
# Codes that a build may lack: what each comes with.
OPTIONAL = {"ida": "SUNDIALS (Debian: libsundials-dev)", "daspk": "GNU Octave's library (Debian: octave-dev)"}
# name: words of the program, error tests of ours, tolerances of a short and of a full run
PROBLEMS = {
    "robertson": (["-problem", "robertson", "-floor", "1e-4,1e-10,1e-2"], ["automatic"], range(3, 8), range(2, 10)),
    "pendulum_index1": (["-problem", "pendulum", "-form", "index1"], ["automatic", "exclude"], range(4, 10), range(3, 12)),
    "pendulum_stabilized": (["-problem", "pendulum", "-form", "stabilized"], ["automatic", "strong"], range(4, 9), range(3, 11)),
    "sieber1": (["-problem", "sieber1", "-c", "1e4"], ["automatic", "strong"], range(2, 8), range(2, 10)),
    "sieber2": (["-problem", "sieber2", "-c", "1e4"], ["automatic", "strong"], range(2, 8), range(2, 10)),
    "foodweb": (["-problem", "foodweb", "-n", "20", "-floor", "1,1e4"], ["automatic"], range(3, 8), range(3, 9)),
    "heat_ilu": (["-problem", "heat", "-n", "60,60"], ["automatic"], range(3, 8), range(2, 10)),
    "heat_hypre": (["-problem", "heat", "-n", "60,60", "-preconditioner", "hypre"], ["automatic"], range(3, 8), range(2, 10)),
    "heat_3d": (["-problem", "heat", "-n", "20,20,20"], ["automatic"], range(3, 8), range(2, 10)),
    "reaction": (["-problem", "reaction"], ["automatic"], range(4, 8), range(4, 9)),
}
WORK = ("steps", "residuals", "cpu_seconds")  # what is compared at equal error
COLUMNS = [("error", "10.2e"), ("steps", "8d"), ("residuals", "10d"), ("setups", "8d"), ("newton", "8d"), ("linear", "8d"),
           ("cpu_seconds", "9.4f"), ("peak_mib", "8.1f")]


def run(words, code, variant, tolerances, timeout):
    """The figures of one process, a dictionary per tolerance; {"failed": why} where it gave up or took too long."""
    words = [PROGRAM, *words, "-code", code, "-variant", variant, "-rtol", ",".join(f"{rtol:g}" for rtol in tolerances)]
    try:
        lines = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout,
                               env={**os.environ, **QUICK_START}).stdout
        missing = "stopped without a message"
    except subprocess.TimeoutExpired as late:
        lines, missing = (late.stdout or b"").decode(), f"longer than {timeout} s for all"
    figures_of = [json.loads(line) for line in lines.splitlines() if line.startswith("{")] # DASPK talks
    found = {figures["rtol"]: figures for figures in figures_of}
    return [found.get(rtol, {"rtol": rtol, "failed": missing}) for rtol in tolerances]


def truth(name, words, folder, timeout):
    """Words that name the truth: a kept solution where the problem has no exact one."""
    file = pathlib.Path(folder) / f"{name}.txt"
    if name == "robertson":
        rows = json.loads((DATA / "robertson_reference.json").read_text())["rows"]
        file.write_text("\n".join(" ".join(map(repr, row[1:])) for row in rows) + "\n")
    elif name in ("foodweb", "reaction"):
        if "failed" in (done := run([*words, "-save", file], "rhumb", "automatic", [1e-10], 10 * timeout)[0]):
            sys.exit(f"{name}: no reference solution: {done['failed']}")
    else:
        return []
    return ["-truth", file]


def work_at(curve, error, key):
    """The work that this error costs, linear between the points in logarithms; None outside them."""
    points = sorted((p["error"], max(p[key], 1e-6)) for p in curve)
    for (e0, w0), (e1, w1) in zip(points, points[1:]):
        if e0 <= error <= e1 and e0 < e1:
            part = math.log(error / e0) / math.log(e1 / e0)
            return math.exp(math.log(w0) + part * math.log(w1 / w0))
    return None


def usable(curve):
    return [p for p in curve if "failed" not in p and 0.0 < p["error"] < 1.0]


def ratios(curves, key, codes):
    """Ours over the best of these codes at the errors that ours reached; the median over them."""
    ours = [usable(curve) for label, curve in curves.items() if label.startswith("rhumb")]
    peers = [usable(curve) for label, curve in curves.items() if label.split()[0] in codes]
    found = []
    for error in sorted(p["error"] for curve in ours for p in curve):
        mine = [w for curve in ours if (w := work_at(curve, error, key))]
        best = [w for curve in peers if (w := work_at(curve, error, key))]
        if mine and best:
            found.append(min(mine) / min(best))
    return statistics.median(found) if found else None


def row(label, figures):
    rtol = figures["rtol"]
    if "failed" in figures:
        print(f"  {label:16s} {rtol:7.0e}  failed: {figures['failed'][:90]}")
    else:
        print(f"  {label:16s} {rtol:7.0e} " + " ".join(format(figures[key], form) for key, form in COLUMNS))
    sys.stdout.flush()


def measure(name, full, missing, timeout):
    words, tests, short, long = PROBLEMS[name]
    peers = PEERS + (KRYLOV_PEERS if name == "foodweb" or name.startswith("heat") else [])
    codes = [("rhumb", test) for test in tests] + [peer for peer in peers if peer[0] not in missing]
    print(f"\n{name}\n  {'code':16s} {'rtol':>7s} " + " ".join(f"{key[:8]:>{int(form.split('.')[0].rstrip('d'))}s}" for key, form in COLUMNS))
    curves = {}
    with tempfile.TemporaryDirectory(prefix="rhumb-bench-") as folder:
        words = [*words, *truth(name, words, folder, timeout)]
        for code, variant in codes:
            tolerances = [float(f"1e-{k}") for k in (long if full else short)]
            curves[f"{code} {variant}"] = curve = run(words, code, variant, tolerances, timeout)
            for figures in curve:
                row(f"{code} {variant}", figures)
    return curves


def print_ratios(ratios_of):
    """A line per problem, and the medians."""
    form = lambda value: f"{'-':>10s}" if value is None else f"{value:10.2f}"
    print(f"\nRhumb over the best peer at equal error (median over errors)\n  {'':22s} {'IDA and TS':>32s} {'DASPK':>32s}\n"
          f"  {'problem':22s}" + 2 * f" {'steps':>10s} {'residuals':>10s} {'CPU':>10s}")
    for name, ratio in ratios_of.items():
        print(f"  {name:22s} " + " ".join(form(value) for value in ratio.values()))
    columns = zip(*(ratio.values() for ratio in ratios_of.values()))
    medians = [statistics.median(found) if (found := [v for v in column if v is not None]) else None for column in columns]
    print(f"  {'median':22s} " + " ".join(form(value) for value in medians))


def best_at(curves, code, error, key):
    """The least work of a code's variants at this error, and which it was; None where none has points on both sides."""
    found = [(work, label.split()[1]) for label, curve in curves.items()
             if label.split()[0] == code and (work := work_at(usable(curve), error, key))]
    return min(found) if found else None


def print_equal_error(problems):
    """Work for a given error, as the tables of docs/measured/benchmarks.md."""
    codes = ("rhumb", "ida", "ts", "daspk")
    print("\n| problem | error |" + 2 * " Rhumb | IDA | TS | DASPK |" + "\n|" + 10 * "---|")
    for name, curves in problems.items():
        title = name
        for error in (10.0 ** -k for k in range(1, 10)):
            rows = [[best_at(curves, code, error, key) for code in codes] for key in ("residuals", "cpu_seconds")]
            if not rows[0][0] or not any(rows[0][1:]):
                continue
            cells = [f"{found[0] * scale:.0f} ({found[1]})" if found else "-"
                     for row, scale in zip(rows, (1.0, 1e6)) for found in row]
            print(f"| {title} | {error:.0e} | " + " | ".join(cells) + " |")
            title = ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("problems", nargs="*", help=" ".join(PROBLEMS))
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("out/bench_peers.json"))
    wish = parser.parse_args()
    for name in wish.problems:
        if name not in PROBLEMS:
            sys.exit(f"no problem '{name}'; there are {', '.join(PROBLEMS)}")
    missing = [code for code in OPTIONAL if "failed" in run(["-problem", "pendulum"], code, "all", [1e-3], 60)[0]]
    for code in missing:
        print(f"{OPTIONAL[code]} was not found when this was built: {code.upper()} is left out")
    command = "./run bench peers " + " ".join(sys.argv[1:])
    result = {"date": datetime.date.today().isoformat(), "command": command.strip(), "problems": {}, "ratios": {}}
    for name in wish.problems or PROBLEMS:
        curves = measure(name, wish.full, missing, timeout=60 if wish.full else 20)
        result["problems"][name] = curves
        result["ratios"][name] = {f"{key} / {' '.join(codes)}": ratios(curves, key, codes)
                                  for codes in (("ida", "ts"), ("daspk",)) for key in WORK}
    print_equal_error(result["problems"])
    print_ratios(result["ratios"])
    wish.json.parent.mkdir(parents=True, exist_ok=True)
    wish.json.write_text(json.dumps(result, indent=1))
    print(f"figures in {wish.json}; draw them: python3 postprocess/plot_work.py {wish.json}")


if __name__ == "__main__":
    main()
