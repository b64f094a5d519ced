"""Steps and errors of the error tests, and of the two controllers: the tables of docs/reference/error_tests.md and docs/reference/integrator.md.

    ./run bench error_tests [error_tests sieber2 index3 controllers equal_error]

A run that needs more than the limit of steps (RHUMB_STEP_LIMIT, or 20000) is stopped there and shown as such.
"""

import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import driver  # noqa: E402

LIMIT = int(os.environ.get("RHUMB_STEP_LIMIT", "20000"))
TOLERANCES = (1e-2, 1e-4, 1e-6, 1e-8)
TESTS = ("standard", "exclude", "filter", "strong")


def run(*words):
    """The summary, or why there is no result."""
    done = driver.run("rhumb-dae", *words, "-dae_max_steps", LIMIT, "-quiet", timeout=900)
    if done.code == 0:
        return done.summary, ""
    if "limit of steps" in done.errors:
        return None, f"over {LIMIT}"
    return None, f"exit {done.code}"


def cell(summary, why, key, tolerance):
    """Steps and error in tolerances."""
    if summary is None:
        return why
    return f"{summary['steps']} / {summary['results'][key] / tolerance:.2g}"


def error_test_table(problem, words, key):
    print("| tolerance | " + " | ".join(TESTS) + " |")
    print("|---|" + "---|" * len(TESTS))
    for tolerance in TOLERANCES:
        cells = [cell(*run("-problem", problem, *words, "-dae_rtol", tolerance, "-dae_atol", tolerance,
                           "-dae_error_test", test), key, tolerance) for test in TESTS]
        print(f"| {tolerance:.0e} | " + " | ".join(cells) + " |", flush=True)
    print()


def error_tests():
    for c in (1, 100, 1e4):
        print(f"sieber1, c = {c:g}: steps / largest error of x3 in tolerances\n")
        error_test_table("sieber1", ["-c", c], "x3_error_max")
    print("sieber2: steps / largest error of x3 in tolerances\n")
    error_test_table("sieber2", [], "x3_error_max")


def sieber2():
    """`strong` where x3 sees the error enlarged ten thousand times."""
    print("sieber2, c = 1e4, strong: steps / largest error of x3 in tolerances\n")
    cells = [cell(*run("-problem", "sieber2", "-c", 1e4, "-dae_rtol", tolerance, "-dae_atol", tolerance, "-dae_error_test",
                       "strong"), "x3_error_max", tolerance) for tolerance in TOLERANCES]
    print("| " + " | ".join(f"{tolerance:.0e}" for tolerance in TOLERANCES) + " |\n" + "|---" * len(cells) + "|")
    print("| " + " | ".join(cells) + " |\n", flush=True)


def index3():
    print("pendulum as it stands, projected\n")
    print("| tolerance | steps | residuals | error of z in tolerances | error of lambda in tolerances |\n|---|---|---|---|---|")
    for k in range(4, 10):
        tolerance = float(f"1e-{k}")
        summary, why = run("-problem", "pendulum", "-form", "index3", "-dae_error_test", "projected", "-dae_rtol", tolerance,
                           "-dae_atol", tolerance)
        if summary is None:
            print(f"| 1e-{k} | {why} | | | |")
            continue
        errors = [f"{summary['results'][key] / tolerance:.2g}" for key in ("z_error", "lambda_error")]
        print(f"| 1e-{k} | {summary['steps']} | {summary['residual_evals']} | " + " | ".join(errors) + " |", flush=True)
    print()


def controllers():
    cases = [("robertson", "1e-4", ["-problem", "robertson", "-dae_rtol", 1e-4, "-dae_atol_y1", 1e-8, "-dae_atol_y2",
                                    1e-14, "-dae_atol_y3", 1e-6], "max_weighted_error")]
    for form, test in (("index1", "exclude"), ("stabilized", "exclude")):
        for tolerance in (1e-5, 1e-8, 1e-10, 1e-12):
            cases.append((f"pendulum {form}", f"{tolerance:.0e}",
                          ["-problem", "pendulum", "-form", form, "-dae_error_test", test, "-dae_rtol", tolerance,
                           "-dae_atol", tolerance], "z_error"))
    cases.append(("foodweb 80", "1e-5", ["-problem", "foodweb", "-n", 80, "-dae_rtol", 1e-5, "-dae_atol", 1e-5,
                                         "-dae_error_test", "exclude"], None))
    print("| problem | tolerance | controller | steps | residuals | error | failed tests | reductions a step |")
    print("|---|---|---|---|---|---|---|---|")
    for name, tolerance, words, key in cases:
        for controller in ("smooth", "dassl"):
            summary, why = run(*words, "-dae_controller", controller)
            if summary is None:
                print(f"| {name} | {tolerance} | {controller} | {why} | | | | |", flush=True)
                continue
            error = f"{summary['results'][key]:.2e}" if key else ""
            reductions = summary.get("reductions")
            each = f"{reductions / summary['steps']:.1f}" if reductions else ""
            print(f"| {name} | {tolerance} | {controller} | {summary['steps']} | {summary['residual_evals']} | {error} | "
                  f"{summary['error_test_failures']} | {each} |", flush=True)


def equal_error():
    """Work of the two controllers at the same error: a line through log(work) over log(error) of many tolerances each."""
    def same(tolerance):
        return ["-dae_rtol", tolerance, "-dae_atol", tolerance]

    def robertson(tolerance):
        return ["-problem", "robertson", "-dae_rtol", tolerance, "-dae_atol_y1", 1e-4 * tolerance, "-dae_atol_y2",
                1e-10 * tolerance, "-dae_atol_y3", 1e-2 * tolerance]

    def problem(*words):
        return lambda tolerance: ["-problem", *words, *same(tolerance)]

    cases = [("robertson", robertson, "max_weighted_error"),
             ("pendulum index1, exclude", problem("pendulum", "-dae_error_test", "exclude"), "z_error"),
             ("pendulum index1, standard", problem("pendulum"), "z_error"),
             ("pendulum stabilized", problem("pendulum", "-form", "stabilized"), "z_error"),
             ("linear", problem("linear"), "error_differential"),
             ("sieber1 c = 100, strong", problem("sieber1", "-c", 100, "-dae_error_test", "strong"), "x3_error_max"),
             ("sieber2 c = 100, strong", problem("sieber2", "-c", 100, "-dae_error_test", "strong"), "x3_error_max")]
    tolerances = [10.0 ** (-k / 4) for k in range(12, 37)]
    print("| problem | steps | residuals | matrices |")
    print("|---|---|---|---|")
    for name, words, key in cases:
        clouds = {}
        for controller in ("smooth", "dassl"):
            rows = []
            for tolerance in tolerances:
                summary, _ = run(*words(tolerance), "-dae_controller", controller)
                if summary is None:
                    continue
                error = summary["results"][key] * (tolerance if key == "max_weighted_error" else 1.0)
                rows.append([error, summary["steps"], summary["residual_evals"], summary["jacobian_evals"]])
            clouds[controller] = numpy.log(numpy.array(rows))
        middle = numpy.mean([cloud[:, 0].mean() for cloud in clouds.values()])
        ratios = []
        for column in (1, 2, 3):
            smooth, dassl = (numpy.polyval(numpy.polyfit(clouds[c][:, 0], clouds[c][:, column], 1), middle)
                             for c in ("smooth", "dassl"))
            ratios.append(numpy.exp(smooth - dassl))
        print(f"| {name} | " + " | ".join(f"{r:.2f}" for r in ratios) + " |", flush=True)


PARTS = (error_tests, sieber2, index3, controllers, equal_error)

if __name__ == "__main__":
    names = [part.__name__ for part in PARTS]
    wanted = sys.argv[1:] or names
    if unknown := set(wanted) - set(names):
        sys.exit(f"no part '{unknown.pop()}'; there are {', '.join(names)}")
    for part in PARTS:
        if part.__name__ in wanted:
            part()
