"""Drivers run on mutated input: case files, meshes, mechanisms, netlists, formulas.

    drivers.py [--runs N] [--seed S]

Every run is a process of its own with a short problem. An exit code other than 0, 2, 3, 4 or 5, and a run that does not
end, are findings; the inputs of a finding are kept and named.
"""

import argparse
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import driver

EDGES = ("0", "-0", "1", "-1", "2", "7", "100", "1e-300", "1e300", "1e400", "nan", "inf", "-inf", "2147483648",
         "9223372036854775808", "0,5", "true", "", "x", "'", '"', "{", "[", ":", "#", "\t", "\0", "é", "(((", "1e")
GOOD_CODES = {0, 2, 3, 4, 5}
SECONDS = 60  # of a run; -wall_limit ends those that are only long
# Starts faster without mpirun; then Open MPI's folder under TMPDIR must not be shared with other runs.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1"}
SHORT = ("-wall_limit", "2", "-quiet")

# Driver, its arguments, and which of the files beside them is mutated. {0}, {1} are the files in the scratch folder.
CASES = (
    ("rhumb-heat", ("apps/heat/square.yaml",), ("{0}", "-n", "8,8", "-t_end", "0.01")),
    ("rhumb-heat", ("apps/heat/slab.yaml",), ("{0}", "-t_end", "0.01")),
    ("rhumb-heat", ("meshes/square.msh", "apps/heat/square_mesh.yaml"), ("{1}", "-mesh", "{0}", "-t_end", "0.01")),
    ("rhumb-flow", ("apps/flow/cavity.yaml",), ("{0}", "-n", "8,8", "-t_end", "0.01")),
    ("rhumb-mesh", ("apps/mesh/burgers.yaml",), ("{0}", "-t_end", "0.01")),
    ("rhumb-ignite", ("apps/ignite/ozone.yaml",), ("-problem", "delay", "-mechanism", "{0}", "-mixture", "O2:1,O3:1",
                                                   "-T0", "1000", "-t_end", "1e-6")),
    ("rhumb-ignite", ("apps/ignite/delay.yaml",), ("{0}", "-t_end", "1e-6",
                                                   "-mechanism", str(driver.SOURCE / "apps/ignite/h2_air.yaml"))),
    ("rhumb-dae", ("apps/dae/lowpass.net",), ("-problem", "circuit", "-netlist", "{0}")),
    ("rhumb-dae", ("apps/dae/robertson.yaml",), ("{0}",)),
    ("rhumb-dae", ("apps/dae/pendulum.yaml",), ("{0}",)),
    ("rhumb-dae", ("apps/dae/spice/circuits/gummel_poon.cir",), ("-problem", "circuit", "-netlist", "{0}")),
    ("rhumb-dae", ("apps/dae/mechanism/slider_crank.yaml",), ("-problem", "mechanism", "-case", "{0}", "-t_end", "0.01")),
    ("rhumb-dae", ("apps/dae/mechanism/hopper.yaml",), ("-problem", "mechanism", "-case", "{0}", "-t_end", "0.1")),
    ("rhumb-pde", ("apps/pde/gray_scott.yaml",), ("{0}", "-n", "8,8", "-t_end", "0.1")),
    ("rhumb-pde", ("apps/pde/electrolyte.yaml",), ("{0}", "-n", "8", "-t_end", "0.001")),
    ("rhumb-pde", ("apps/pde/gierer_meinhardt.yaml",), ("{0}", "-mesh", str(driver.SOURCE / "meshes/square.msh"), "-t_end", "0.001")),
    ("rhumb-pipes", ("apps/pipes/networks/rupture.yaml",), ("{0}", "-t_end", "700")),
    ("rhumb-pipes", ("tests/network/small.net", "tests/network/small.scn"), ("{0}", "-scenario", "{1}", "-t_end", "10")),
    ("rhumb-pipes", ("tests/network/small.scn", "tests/network/small.net"), ("{1}", "-scenario", "{0}", "-t_end", "10")),
)


def mutated(text, rng):
    """One to three changes of lines, words or bytes."""
    for _ in range(rng.randint(1, 3)):
        separator = rng.choice(("\n", " ", ":"))
        parts = text.split(separator)
        i, j, kind = rng.randrange(len(parts)), rng.randrange(len(parts)), rng.randrange(6)
        if kind == 0:
            parts[i] = rng.choice(EDGES)
        elif kind == 1:
            parts.insert(i, parts[j])
        elif kind == 2:
            del parts[i]
        elif kind == 3:
            parts[i] = parts[j]
        elif kind == 4:
            at = rng.randint(0, len(parts[i]))
            parts[i] = parts[i][:at] + rng.choice(EDGES) + parts[i][at + rng.randint(0, 2):]
        else:
            parts = parts[:i + 1]
        text = separator.join(parts)
    return text


def run_once(case, rng, folder):
    """The exit code, or None for a run that did not end, and what it said."""
    program, files, words = case
    paths = []
    for number, file in enumerate(files):
        text = (driver.SOURCE / file).read_text()
        path = folder / f"input{number}{pathlib.Path(file).suffix}"
        path.write_text(mutated(text, rng) if number == 0 else text)
        paths.append(str(path))
    command = [str(driver.path(program)), *(word.format(*paths) for word in words), *SHORT]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=SECONDS * driver.PATIENCE, env={**os.environ, **ALONE, "TMPDIR": str(folder)})
    except subprocess.TimeoutExpired:
        return None, " ".join(command)
    return done.returncode, " ".join(command) + "\n" + done.stderr.decode(errors="replace")[-600:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    wanted, _ = parser.parse_known_args()
    rng = random.Random(wanted.seed)
    codes, findings = collections.Counter(), 0
    for number in range(wanted.runs):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="rhumb-fuzz-"))
        code, said = run_once(CASES[number % len(CASES)], rng, folder)
        codes[CASES[number % len(CASES)][0], code] += 1
        if code in GOOD_CODES:
            shutil.rmtree(folder)
        else:
            findings += 1
            print(f"run {number}: {'no end' if code is None else f'code {code}'} in {folder}\n{said}\n", flush=True)
    for (program, code), count in sorted(codes.items(), key=str):
        print(f"{program:14} code {code}: {count}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
