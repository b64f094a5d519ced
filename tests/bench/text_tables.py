"""BCP tables 6.2.1-6.2.4, 6.3.1-6.3.4 and SIE table 1: what rhumb-dae gives beside what is printed.

    RHUMB_BUILD=build python3 tests/bench/text_tables.py [table ...]
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import driver  # noqa: E402

START = 332.868734542  # of the drag problem, s
PENDULUM = ["z1", "z2", "z3", "z4", "lambda"]
TRAJECTORY = ["H", "xi", "latitude", "V", "gamma", "A", "beta", "alpha"]  # as relative_errors has them
TRAJECTORY_TRUTH = [14200.8114, 4.17108462, 2.33149735, 1433.29213, -10, 135, 26.3775452, 7.15558457]
DRAG = ["H", "xi", "latitude", "V", "gamma", "A", "beta"]
DRAG_TRUTH = [248938.336, 183.872404, 34.4379042, 23816.7047, -0.0968790848, 67.4966785, 61.5493127]

INDEX3_PENDULUM = {0.01: [2.6e-3, 4.8e-5, 2.7e-4, 2.5e-3, 1.9e-4], 0.005: [6.5e-4, 1.2e-5, 6.6e-5, 6.2e-4, 4.7e-5],
                   0.0025: [1.6e-4, 3.0e-6, 1.7e-5, 1.6e-4, 1.2e-5]}
# RTOL: G(3), G(2), G(1), STEPS, FNS
INDEX1_PENDULUM = {"1e-5": [.166e-5, .321e-4, -.363e-4, 43, 89], "1e-6": [.805e-8, -.163e-6, .542e-5, 53, 114],
                   "1e-7": [-.238e-8, -.474e-7, -.134e-6, 84, 164], "1e-8": [-.798e-8, -.484e-7, .119e-6, 90, 197],
                   "1e-9": [-.405e-11, -.153e-7, .251e-7, 116, 254],
                   "1e-10": [-.173e-10, -.236e-8, .286e-8, 155, 359],
                   "1e-11": [.128e-12, -.208e-9, .252e-9, 233, 524],
                   "1e-12": [-.284e-13, -.652e-11, .196e-10, 369, 642]}
# RTOL: G(1), G(2), STEPS, FNS; relative errors
STABILIZED = {"1e-5": ([.288e-6, -.437e-6, 35, 101], [2.8e-4, 5.4e-6, 2.2e-5, 3.1e-4, 8.6e-6]),
              "1e-6": ([.915e-7, -.840e-7, 45, 123], [2.3e-5, 3.7e-7, 1.4e-6, 2.2e-5, 4.2e-6]),
              "1e-7": ([.643e-9, -.151e-8, 80, 225], [2.8e-6, 5.2e-8, 6.0e-8, 2.8e-6, 1.3e-5])}
# form, RTOL: relative errors in the order of TRAJECTORY, and STEPS, FNS, JACS, ETF, CTF of table 6.3.2
PATH = {("index1", "1e-6"): ([3.20e-6, 3.96e-7, 1.37e-6, 8.76e-6, 4.20e-7, 3.11e-7, 8.02e-6, 1.43e-5], [155, 414, 22, 3, 0]),
        ("index1", "0.5e-6"): ([2.87e-6, 1.02e-6, 2.43e-6, 9.91e-7, 2.00e-7, 1.48e-7, 9.17e-7, 1.27e-7],
                               [152, 404, 24, 3, 0]),
        ("index1", "1e-8"): ([9.15e-8, 1.68e-8, 5.58e-8, 4.19e-8, 1.00e-8, 7.41e-9, 4.17e-8, 2.66e-8], [324, 810, 33, 12, 0]),
        ("index2", "1e-6"): ([5.99e-7, 2.19e-6, 6.23e-6, 3.06e-6, 0, 0, 2.81e-6, 5.32e-6], [66, 233, 24, 2, 1]),
        ("index2", "0.5e-6"): ([2.79e-6, 2.16e-7, 4.89e-7, 5.30e-7, 0, 0, 4.85e-7, 2.64e-6], [73, 253, 28, 0, 3]),
        ("index2", "1e-8"): ([0, 2.64e-8, 6.86e-8, 6.98e-9, 0, 0, 7.58e-9, 1.40e-8], [113, 400, 27, 3, 1]),
        ("inertial", "1e-6"): ([2.18e-6, 3.98e-7, 7.33e-7, 2.73e-6, 0, 0, 9.78e-7, 4.52e-6], [129, 421, 21, 4, 0]),
        ("inertial", "0.5e-6"): ([3.73e-7, 5.51e-8, 1.84e-7, 9.77e-8, 0, 0, 5.98e-5, 2.43e-5], [171, 547, 42, 12, 0]),
        ("inertial", "1e-8"): ([4.93e-8, 1.68e-8, 3.00e-8, 0, 0, 0, 1.48e-7, 7.97e-8], [207, 715, 49, 14, 0])}
DRAG_END = {0.2: [9.5e-6, 1.5e-6, 1.9e-5, 1.8e-5, 1.9e-3, 1.2e-5, 1.6e-3],
            0.1: [4.8e-6, 7.6e-7, 9.3e-6, 8.9e-6, 9.5e-4, 6.2e-6, 8.1e-4],
            0.05: [2.4e-6, 3.8e-7, 4.6e-6, 4.4e-6, 4.7e-4, 3.1e-6, 4.1e-4]}
DRAG_FIRST = {0.2: [3.1e-7, 5.3e-9, 3.7e-8, 3.8e-8, 2.1e-3, 1.1e-5, 1.2],
              0.1: [7.8e-8, 1.3e-9, 9.3e-9, 9.6e-9, 1.0e-3, 5.5e-6, 1.2],
              0.05: [2.0e-8, 3.3e-10, 2.3e-9, 2.4e-9, 5.2e-4, 2.7e-6, 1.2]}
# delta, error test: steps, rejected
SIEBER_TABLE_1 = {(-1000, "standard"): (278, 77), (-1000, "strong"): (344, 94), (-100000, "standard"): (24000, 7300),
                  (-100000, "strong"): (29600, 9800)}


def solve(*words):
    done = driver.run("rhumb-dae", *words, "-quiet")
    if done.code:
        sys.exit(done.errors)
    return done.summary


def tolerances(value):
    return ["-dae_rtol", value, "-dae_atol", value]


def index3_pendulum(h):
    return solve("-problem", "pendulum", "-form", "index3", "-fixed_step", h, "-fixed_order", 2)["results"]["relative_errors"]


def index1_pendulum(tolerance):
    run = solve("-problem", "pendulum", "-form", "index1", *tolerances(tolerance))
    return [*(run["results"][g] for g in ("g3", "g2", "g1")), run["steps"], run["residual_evals"]]


def stabilized_pendulum(tolerance):
    run = solve("-problem", "pendulum", "-form", "stabilized", "-dae_error_test", "exclude", *tolerances(tolerance))
    return [run["results"]["g1"], run["results"]["g2"], run["steps"], run["residual_evals"]], run["results"]["relative_errors"]


def path(form, tolerance):
    run = solve("-problem", "trajectory", "-form", form, *tolerances(tolerance))
    counts = [run[key] for key in ("steps", "residual_evals", "jacobian_evals", "error_test_failures", "convergence_failures")]
    return run["results"]["relative_errors"], counts


def drag(h, end):
    words = ["-problem", "drag", "-form", "index3", "-fixed_step", h, "-fixed_order", 1]
    return solve(*words, *([] if end is None else ["-t_end", repr(end)]))["results"]["relative_errors"]


# The order that the text's code chose, and what it left of Newton's iteration: 1e-4, where a tolerance is 1e-4 to 2e-4.
AS_THE_TEXT = ("-dae_max_order", 1, "-dae_newton_tolerance", 1e-3)


def sieber(delta, test, *words):
    run = solve("-problem", "moving_geometry", "-delta", delta, "-mu", 1, "-dae_error_test", test, *tolerances("1e-4"), *words)
    return run["steps"], run["error_test_failures"] + run["convergence_failures"]


def drag_truth():
    return solve("-problem", "drag", *tolerances("1e-11"))["results"]["values"]


def row(label, ours, printed, digits=".1e"):
    """Ours / printed, column by column."""
    def text(value):
        return str(value) if isinstance(value, int) else format(value, digits)

    print(f"| {label} | " + " | ".join(f"{text(a)} / {text(b)}" for a, b in zip(ours, printed)) + " |", flush=True)


def head(title, columns):
    print(f"\n{title}: ours / printed\n\n| | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")


def table_6_2_1():
    head("6.2.1, index-3 pendulum, two-step BDF, relative errors at t = 1", PENDULUM)
    for h, printed in INDEX3_PENDULUM.items():
        row(f"h = {h}", index3_pendulum(h), printed)


def table_6_2_2():
    head("6.2.2, drift of the index-1 pendulum", ["G(3)", "G(2)", "G(1)", "steps", "residuals"])
    for tolerance, printed in INDEX1_PENDULUM.items():
        row(tolerance, index1_pendulum(tolerance), printed)


def tables_6_2_3_and_4():
    rows = {tolerance: stabilized_pendulum(tolerance) for tolerance in STABILIZED}
    head("6.2.3, stabilized pendulum", ["G(1)", "G(2)", "steps", "residuals"])
    for tolerance, (ours, _) in rows.items():
        row(tolerance, ours, STABILIZED[tolerance][0])
    head("6.2.4, its relative errors at t = 1", PENDULUM)
    for tolerance, (_, ours) in rows.items():
        row(tolerance, ours, STABILIZED[tolerance][1])


def tables_6_3_1_and_2():
    rows = {key: path(*key) for key in PATH}
    head("6.3.1, prescribed path, relative errors at t = 300 s", TRAJECTORY)
    for key, (ours, _) in rows.items():
        row(" ".join(key), ours, PATH[key][0])
    head("6.3.2, its counts", ["steps", "residuals", "matrices", "error test failures", "Newton failures"])
    for key, (_, ours) in rows.items():
        row(" ".join(key), ours, PATH[key][1])


def table_6_3_3():
    head("6.3.3, drag problem, implicit Euler, relative errors at t = 419.868734542 s", DRAG)
    row("values", drag_truth(), DRAG_TRUTH, ".9g")
    for h, printed in DRAG_END.items():
        row(f"h = {h}", drag(h, None), printed)


def table_6_3_4():
    head("6.3.4, the same after one step", DRAG)
    for h, printed in DRAG_FIRST.items():
        row(f"h = {h}", drag(h, START + h), printed)


def sieber_1():
    head("SIE table 1, moving geometry, mu = 1, tolerance 1e-4", ["steps", "rejected"])
    for key, printed in SIEBER_TABLE_1.items():
        row(f"delta = {key[0]}, {key[1]}", sieber(*key), printed)
        if key[1] == "standard":
            row("... at order 1, Newton to 1e-3 tolerances", sieber(*key, *AS_THE_TEXT), printed)


TABLES = {"6.2.1": table_6_2_1, "6.2.2": table_6_2_2, "6.2.3": tables_6_2_3_and_4, "6.3.1": tables_6_3_1_and_2,
          "6.3.3": table_6_3_3, "6.3.4": table_6_3_4, "sieber": sieber_1}

if __name__ == "__main__":
    for name in sys.argv[1:] or TABLES:
        if name not in TABLES:
            sys.exit(f"no table '{name}'; there are {', '.join(TABLES)}")
        TABLES[name]()
