"""CPU time of rhumb-ignite's hydrogen case with exact matrices (dual numbers) and with coloured differences.

    ./run bench ignite_matrix

The least processor time of three runs of each, in turns.
"""

import resource
import sys

import driver

REPEATS = 3


def measure(matrix):
    """Processor seconds and the run's summary."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = driver.run("rhumb-ignite", "apps/ignite/hydrogen.yaml", "-matrix", matrix, "-quiet", timeout=1200)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if run.code != 0:
        sys.exit(run.errors)
    return seconds, run.summary


def main():
    least = {}
    for matrix in REPEATS * ("exact", "differences"):
        seconds, s = measure(matrix)
        if matrix not in least or seconds < least[matrix][0]:
            least[matrix] = seconds, s
    print("matrix        steps  residuals Jacobians  CPU (s)  flame (mm)")
    for matrix, (seconds, s) in least.items():
        print(f"{matrix:12s} {s['steps']:6d} {s['residual_evals']:10d} {s['jacobian_evals']:9d} {seconds:8.2f}"
              f" {1e3 * s['results']['flame_radius'][-1]:10.4f}")
    print(f"differences take {least['differences'][0] / least['exact'][0]:.2f} times the CPU time")


main()
