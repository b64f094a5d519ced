"""A long run with very many snapshots: memory and open files of each rank over time, and how far they moved.

    soak.py [--seconds 600] [--ranks 2]

The run restarts nothing and reports every tenth of its time; the last line compares the second half with itself.
"""

import argparse
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import driver

# Small steps and a snapshot each, a checkpoint for every tenth; the snapshots are removed as they come, the index stays.
WORDS = ("-problem", "foodweb", "-n", "8", "-t_end", "1e6", "-dae_h_max", "0.5", "-out_dt", "0.5", "-checkpoint_dt", "5",
         "-dae_max_steps", "1000000000", "-quiet")
SAMPLES = 50


def resident_kib(process):
    return int(re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{process}/status").read_text()).group(1))


def open_files(process):
    return len(list(pathlib.Path(f"/proc/{process}/fd").iterdir()))


def ranks_of(process):
    found = []
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        found += [int(child) for child in task.read_text().split()]
    return found


def measure(seconds, ranks, out):
    launcher = [] if ranks == 1 else [shutil.which("mpirun"), "-n", str(ranks)]
    process = subprocess.Popen([*launcher, str(driver.path("rhumb-dae")), *WORDS, "-out", str(out)], stdin=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    samples, written = [], 0
    began = time.monotonic()
    try:
        for k in range(SAMPLES + 1):
            until = began + seconds * k / SAMPLES
            while time.monotonic() < until or not (out / "snapshots").exists():
                for file in sorted((out / "snapshots").glob("*.h5"))[:-50]:
                    written = max(written, int(file.stem))
                    file.unlink()
                if process.poll() is not None:
                    raise RuntimeError(f"the run ended with {process.returncode}")
                time.sleep(0.2)
            watched = [process.pid] if ranks == 1 else ranks_of(process.pid)
            samples.append((written, [resident_kib(one) for one in watched], [open_files(one) for one in watched]))
            if k % (SAMPLES // 10) == 0:
                print(f"{time.monotonic() - began:7.0f} s  {written:8} snapshots  resident {samples[-1][1]} kB  "
                      f"open files {samples[-1][2]}", flush=True)
    finally:
        process.send_signal(signal.SIGUSR1)  # which mpirun hands on
        process.wait(timeout=120)
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--ranks", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rhumb-soak-") as folder:
        samples = measure(given.seconds, given.ranks, pathlib.Path(folder) / "out")
    later = samples[len(samples) // 2:]
    for rank in range(given.ranks):
        memory = [sample[1][rank] for sample in later]
        files = [sample[2][rank] for sample in later]
        print(f"rank {rank}, snapshots {later[0][0]} to {later[-1][0]}: resident memory {min(memory)} to {max(memory)} kB "
              f"({100 * (max(memory) / min(memory) - 1):.2f} %), open files {min(files)} to {max(files)}")


if __name__ == "__main__":
    main()
