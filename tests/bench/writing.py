"""What writing costs: a run of the heat equation on 256 x 256 cells that stores 100 snapshots.

    ./run bench writing [repeats]

Prints wall seconds of the run, of its output (run.json's phases) and their ratio [at most 5 %], for runs of two lengths.
"""

import sys

import driver

LENGTHS = (("0.2", "0.002"), ("10.24", "0.1024"))


def once(t_end, out_dt):
    run = driver.run("rhumb-heat", "apps/heat/square.yaml", "-n", "256,256", "-t_end", t_end, "-out_dt", out_dt, "-quiet")
    if run.code != 0:
        sys.exit(f"rhumb-heat ended with {run.code}\n{run.errors}")
    summary = run.summary
    snapshots = list((run.folder / "snapshots").glob("*.h5"))
    return summary["wall_seconds"], summary["phases"]["output"], len(snapshots)


if __name__ == "__main__":
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print("  t_end  snapshots  wall s  output s  ratio")
    for t_end, out_dt in LENGTHS:
        for _ in range(repeats):
            wall, output, count = once(t_end, out_dt)
            print(f"{t_end:>7s}  {count:9d}  {wall:6.2f}  {output:8.3f}  {100 * output / wall:4.1f} %")
