"""What a sweep back costs beside its run: CPU seconds of heat and of a cavity, with memory for every step and for a tenth.

    ./run bench adjoint [--only heat] [--n 128] [--repeat 1]

A run with -gradient records its steps and sweeps back over them; without, it does neither. The ratio of their CPU times is what a
gradient costs, the run included; programs' starts are in both. Steps are bounded by -dae_h_max, so that there are enough of them
for a tenth of their memory to hold anything.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import driver  # noqa: E402

CASES = {
    "heat": ("rhumb-heat", (str(driver.SOURCE / "apps/heat/square.yaml"), "-t_end", 0.32), 0.32 / 1000, "T_max", "k,rho"),
    "cavity": ("rhumb-flow", ("-t_end", 1, "-dae_rtol", 1e-5), 1 / 1000, "kinetic_energy", "re,bc_top_u"),
}


def cpu(name, words):
    """CPU seconds of the program and its summary."""
    before = os.times()
    done = driver.run(name, *words, "-quiet", timeout=1800)
    after = os.times()
    assert done.code == 0, done.errors
    return after.children_user + after.children_system - before.children_user - before.children_system, done.summary


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose name begins so")
    parser.add_argument("--n", type=int, default=64, help="cells in each direction")
    parser.add_argument("--steps", default="own,many", help="the run's own, or about a thousand by -dae_h_max")
    options = parser.parse_args()
    print("| case | steps | run, CPU s | all memory: ratio | a tenth: ratio | steps repeated | matrices | GMRES per step back |")
    print("|---|---|---|---|---|---|---|---|")
    for case, (name, words, h_max, figures, by) in CASES.items():
        if not case.startswith(options.only):
            continue
        for kind in options.steps.split(","):
            words_of = (*words, "-n", f"{options.n},{options.n}", *(("-dae_h_max", h_max) if kind == "many" else ()))
            plain, summary = cpu(name, words_of)
            gradient = ("-gradient", figures, "-with", by)
            steps, unknowns = summary["steps"], summary["unknowns"]
            all_of = 2 * 8 * steps * unknowns / 1e6
            whole, swept = cpu(name, (*words_of, *gradient))
            adjoint = swept["adjoint"]
            if adjoint["replayed_steps"]:
                print("there was no memory for all steps", file=sys.stderr)
            cells = [f"{case} {options.n}^2", steps, f"{plain:.1f}", f"{whole / plain:.2f}"]
            if kind == "many":
                few, again = cpu(name, (*words_of, *gradient, "-dae_adjoint_memory", f"{all_of / 10:.3f}MB"))
                assert again["gradients"] == swept["gradients"]
                cells += [f"{few / plain:.2f}", again["adjoint"]["replayed_steps"]]
            else:
                cells += ["", ""]
            cells += [adjoint["matrices"], f"{adjoint['linear_iterations'] / steps:.1f}"]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
