"""Runs a driver as a user would and gives back what it left behind.

    run = driver.run("rhumb-dae", "-problem", "robertson", ranks=2)
    run.code, run.output, run.errors, run.summary["results"], run.folder
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

BUILD = pathlib.Path(os.environ.get("RHUMB_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))
PATIENCE = int(os.environ.get("RHUMB_TEST_PATIENCE", "10"))  # how many times slower a machine may be
SOURCE = pathlib.Path(os.environ.get("RHUMB_SOURCE", pathlib.Path(__file__).resolve().parents[2]))


@dataclass
class Run:
    code: int
    output: str
    errors: str
    folder: pathlib.Path
    _temporary: object = None  # the folder lives as long as the Run

    @property
    def summary(self):
        """run.json; a test that asks for it fails when it is not there."""
        return json.loads((self.folder / "run.json").read_text())


def compiler_flags():
    """Those of Rhumb's own build: who links a sanitized library must be sanitized."""
    cache = (BUILD / "CMakeCache.txt").read_text()
    return re.search(r"^CMAKE_CXX_FLAGS:\w+=(.*)$", cache, re.MULTILINE).group(1)


def sanitized():
    return "-fsanitize=address" in compiler_flags()


def environment_of_strangers():
    """For programs not built here that load a library of ours: a sanitizer has to come first, and what such a program
    loses itself is not looked for."""
    if not sanitized():
        return {}
    found = subprocess.run(["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return {"LD_PRELOAD": found.stdout.strip(), "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def path(name):
    return BUILD / "apps" / name


def descendants(process):
    """The process and all below it: ranks may stand in other process groups than mpirun."""
    found = [process]
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            found += descendants(int(child))
    return found


def run(name, *words, ranks=None, out=None, timeout=240, environment=None, where=SOURCE):
    """Runs the driver in the folder `where`; `ranks=None` is without mpirun. The run folder is a temporary one unless
    `out` is given."""
    temporary = None
    if out is None:
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        out = pathlib.Path(temporary.name) / "out"
    command = [str(path(name)), *map(str, words), "-out", str(out)]
    if ranks is not None:
        command = [shutil.which("mpirun"), "-n", str(ranks), *command]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=timeout * PATIENCE,
                          stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
    return Run(done.returncode, done.stdout, done.stderr, pathlib.Path(out), temporary)
