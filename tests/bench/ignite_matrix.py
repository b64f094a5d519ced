"""CPU time of rhumb-ignite's hydrogen case with exact matrices (dual numbers) and with coloured differences."""

import resource
import sys

import driver


def measure(matrix):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = driver.run("rhumb-ignite", "apps/ignite/hydrogen.yaml", "-matrix", matrix, "-quiet",
                     timeout=1200)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if run.code != 0:
        sys.exit(run.errors)
    s = run.summary
    print(f"{matrix:12s} {s['steps']:6d} {s['residual_evals']:10d} {s['jacobian_evals']:9d} {seconds:8.2f}"
          f" {1e3 * s['results']['flame_radius'][-1]:10.4f}")
    return seconds


def main():
    print("matrix        steps  residuals Jacobians  CPU (s)  flame (mm)")
    exact, differences = measure("exact"), measure("differences")
    print(f"differences take {differences / exact:.1f} times the CPU time")


main()
