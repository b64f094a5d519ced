"""SIE figure 5: what kappa of the strong error test does to hessenberg2. Prints error and steps, and draws them.

    RHUMB_BUILD=build python3 tests/bench/kappa.py [picture.png]
"""

import os
import sys

import matplotlib
import matplotlib.ticker

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import driver  # noqa: E402

KAPPAS = [0.0] + [10.0**k for k in range(-2, 8)]


def main():
    errors, steps = [], []
    print("| kappa | largest error of q | steps |")
    print("|---|---|---|")
    for kappa in KAPPAS:
        done = driver.run("rhumb-dae", "-problem", "hessenberg2", "-dae_error_test", "strong", "-dae_kappa", kappa, "-quiet")
        if done.code:
            sys.exit(done.errors)
        errors.append(done.summary["results"]["q_error"])
        steps.append(done.summary["steps"])
        print(f"| {kappa:g} | {errors[-1]:.2e} | {steps[-1]} |", flush=True)
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    places = [1e-3, *KAPPAS[1:]]  # the first stands for zero
    axes.loglog(places, errors, "o-", color="tab:blue")
    axes.set_xlabel("kappa of the strong error test")
    axes.set_ylabel("largest error of q", color="tab:blue")
    axes.grid(alpha=0.3)
    right = axes.twinx()
    right.loglog(places, steps, "s--", color="tab:orange")
    right.set_ylabel("steps", color="tab:orange")
    axes.set_xticks([1e-3, 1e-1, 1e1, 1e3, 1e5, 1e7], ["0", "0.1", "10", "1e3", "1e5", "1e7"])
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.set_title("hessenberg2 (SIE 7.3): accuracy of the differentiated variable against steps")
    path = sys.argv[1] if len(sys.argv) > 1 else "kappa.png"
    figure.savefig(path, dpi=120)
    print(f"picture: {path}")


if __name__ == "__main__":
    main()
