"""Circuits beside ngspice on the same files: waveforms, steps, CPU.

    RHUMB_BUILD=build python3 tests/bench/circuits.py [circuit ...]

Difference: the largest between the two programs' voltages of the node over the whole run, and of each against its own run at
a hundredth of the tolerance. CPU is that of the whole process.
"""

import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import driver  # noqa: E402

CIRCUITS = driver.SOURCE / "apps/dae/spice/circuits"
NODES = {"amplifier": "v(c)", "gummel_poon": "v(out)", "rectifier": "v(p)", "transformer": "v(b)", "ring": "v(s3)"}
TIGHT = {"rhumb": ("-dae_rtol", "1e-8", "-dae_atol", "1e-11"), "ngspice": "\n.options reltol=1e-5 vntol=1e-8 abstol=1e-14\n"}


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rhumb(name, *words):
    """Times and voltages after every step, steps, CPU."""
    before = cpu_of_children()
    done = driver.run("rhumb-dae", "-problem", "circuit", "-netlist", CIRCUITS / f"{name}.cir", "-quiet", "-series_dt", "step",
                      *words)
    if done.code:
        sys.exit(done.errors)
    with h5py.File(done.folder / "series.h5") as file:
        return file["series/time"][:], file["series/" + NODES[name]][:], done.summary["steps"], cpu_of_children() - before


def ngspice(name, more=""):
    text = (CIRCUITS / f"{name}.cir").read_text()
    with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
        deck, raw = pathlib.Path(folder) / "deck.cir", pathlib.Path(folder) / "out.raw"
        deck.write_text(text.replace("\n.end\n", more + "\n.end\n"))
        before = cpu_of_children()
        subprocess.run(["ngspice", "-b", "-r", raw, deck], cwd=folder, check=True, capture_output=True,
                       stdin=subprocess.DEVNULL, env={**os.environ, "SPICE_ASCIIRAWFILE": "0"})
        used, data = cpu_of_children() - before, raw.read_bytes()
    begin = data.index(b"Binary:\n")
    head = data[:begin].decode()
    count, points = (int(re.search(rf"No. {what}:\s*(\d+)", head)[1]) for what in ("Variables", "Points"))
    names = [line.split()[1] for line in head.split("Variables:")[2].strip().splitlines()]
    values = numpy.frombuffer(data[begin + 8:], "<f8", count * points).reshape(points, count)
    return values[:, 0], values[:, names.index(NODES[name])], points, used


def difference(one, other):
    """At the times of `one`, over the largest voltage."""
    return numpy.abs(numpy.interp(one[0], other[0], other[1]) - one[1]).max() / numpy.abs(one[1]).max()


def compare(name):
    ours, theirs = rhumb(name), ngspice(name)
    ours_tight, theirs_tight = rhumb(name, *TIGHT["rhumb"]), ngspice(name, TIGHT["ngspice"])
    print(f"| {name}, {NODES[name]} | {ours[2]}, {ours[3]:.2f} s | {theirs[2]}, {theirs[3]:.2f} s | {difference(ours, theirs):.1e} | "
          f"{difference(ours_tight, theirs_tight):.1e} | {difference(ours, ours_tight):.1e} | {difference(theirs, theirs_tight):.1e} |",
          flush=True)


if __name__ == "__main__":
    if not shutil.which("ngspice"):
        sys.exit("ngspice is not installed")
    print("| circuit | Rhumb: steps, CPU | ngspice: points, CPU | difference | both tight | Rhumb, tight | ngspice, tight |\n"
          "|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or NODES:
        if name not in NODES:
            sys.exit(f"no circuit '{name}'; there are {', '.join(NODES)}")
        compare(name)
