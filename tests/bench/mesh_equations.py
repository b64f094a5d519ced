"""Steps, residuals and errors of the mesh equations on the single-step reaction: the tables of docs/guide/moving_mesh.md.

    ./run bench mesh_equations

The front's error is the worst at the times of the reference, the ignition's that of its time, relative.
"""

import json
import sys

import driver

CASE = json.loads((driver.SOURCE / "tests/data/single_step_reaction_reference.json").read_text())["cases"][0]


def run(*words):
    run = driver.run("rhumb-mesh", "-problem", "reaction", *words, "-quiet", timeout=900)
    if run.code != 0:
        sys.exit(run.errors)
    return run.summary


def front_error(results):
    places = {o["t"]: o["x_front_T1p5"] for o in CASE["out"]}
    return max(abs(x - places[t]) for t, x in zip(results["front_times"], results["front"]))


def equations():
    print("rtol 1e-7, 30 cells\n")
    print("| mesh equation | steps | residuals | front | ignition |\n|---|---|---|---|---|")
    local = ("-regrid_error", "0.005", "-n_min", "30", "-n_max", "30")
    cases = [(name, ("-mesh_equation", name)) for name in ("mmpde6", "mmpde5", "mmpde4", "dorfi", "rate")]
    for name, words in [*cases, ("rate, " + " ".join(local), ("-mesh_equation", "rate", *local))]:
        s = run("-dae_rtol", "1e-7", *words)
        ignition = abs(s["results"]["ignition_time"] / CASE["t_ign_T0_1p5"] - 1.0)
        regrids = f", {s['results']['regrids']:.0f} regriddings" if s["results"].get("regrids") else ""
        print(f"| {name}{regrids} | {s['steps']} | {s['residual_evals']} | {front_error(s['results']):.2g} | {ignition:.1e} |",
              flush=True)
    print()


def rate_cases():
    """As BCP Table 6.5.1."""
    print("rtol 1e-6, -mesh_equation rate -theta 0 -n_max 30 -regrid_error 0.001\n")
    print("| case | lambda | NODES | STEPS | FNS | JACS | ETF | CTF | regriddings | front |\n|---|---|---|---|---|---|---|---|---|---|")
    cases = [(str(case), penalty, ("-mesh_equation", "rate", "-theta", "0", "-n_max", "30", "-regrid_error", "0.001",
                                   "-rate_case", case, "-rate_lambda", penalty))
             for penalty in ("0", "0.2") for case in (1, 2, 3)]
    for name, penalty, words in [*cases, ("fixed", "", ("-mesh_equation", "fixed", "-n", "29"))]:
        s = run("-dae_rtol", "1e-6", *words)
        regrids = f"{s['results']['regrids']:.0f}" if s["results"].get("regrids") else ""
        print(f"| {name} | {penalty} | {s['results']['nodes_max']:.0f} | {s['steps']} | {s['residual_evals']} | {s['jacobian_evals']} "
              f"| {s['error_test_failures']} | {s['convergence_failures']} | {regrids} | {front_error(s['results']):.2g} |",
              flush=True)


equations()
rate_cases()
