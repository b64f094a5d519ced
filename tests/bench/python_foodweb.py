"""The food web on 80 x 80 points: its residual in numpy through rhumb.System, beside the C++ program with its matrix; CPU time, counts, error."""

import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np
import rhumb
from petsc4py import PETSc

import driver

TOLERANCES = {"dae_rtol": 1e-5, "dae_atol": 1e-5}
SPECIES = ("c1", "c2")


class FoodWeb(rhumb.System):
    """Prey c1 and predators c2 as in apps/dae/foodweb.cpp, on one rank, with a matrix by differences."""

    field_names = list(SPECIES)

    def __init__(self, n):
        super().__init__()
        self.n = n
        self.grid = PETSc.DMDA().create([n, n], dof=2, stencil_width=1, stencil_type=PETSc.DMDA.StencilType.STAR)
        x = np.linspace(0, 1, n)
        self.growth = 1 + 50 * np.outer(x, x) + 1000 * np.outer(np.sin(4 * np.pi * x), np.sin(4 * np.pi * x))
        self.bump = 16 * np.outer(x * (1 - x), x * (1 - x))
        self.per_area = (n - 1.0) ** 2
        self.padded = np.empty((n + 2, n + 2, 2))

    def create_vector(self):
        return self.grid.createGlobalVec()

    def create_matrix(self):
        return self.grid.createMatrix()

    def kinds(self):
        return ["differential", "index1"] * self.n**2

    def configure(self, pc, matrix):
        pc.setType("ilu")

    def initial_values(self, t, y, ydot):
        c = y.array.reshape(self.n, self.n, 2)
        c[..., 0], c[..., 1] = 10 + self.bump**2, 1e5
        ydot.set(0)

    def laplacian(self, c):
        """Beyond a side stands the mirror image of the point inside."""
        p = self.padded
        p[1:-1, 1:-1] = c
        p[0, 1:-1], p[-1, 1:-1], p[1:-1, 0], p[1:-1, -1] = c[1], c[-2], c[:, 1], c[:, -2]
        out = p[:-2, 1:-1] + p[2:, 1:-1]
        out += p[1:-1, :-2]
        out += p[1:-1, 2:]
        out -= 4 * c
        out *= self.per_area
        return out

    def residual(self, t, y, ydot, f):
        shape = self.n, self.n, 2
        c, rate, out = y.array_r.reshape(shape), ydot.array_r.reshape(shape), f.array.reshape(shape)
        lap, b = self.laplacian(c), self.growth
        prey, predator = c[..., 0], c[..., 1]
        out[..., 0] = rate[..., 0] - lap[..., 0] - prey * (b - prey - 0.5e-6 * predator)
        out[..., 1] = -0.05 * lap[..., 1] - predator * (1e4 * prey - b - predator)

    def figures(self, t, y, ydot):
        c = y.array_r.reshape(-1, 2)
        return {f"{name}_mean": c[:, k].mean() for k, name in enumerate(SPECIES)}


def from_python(n, t_end):
    web = FoodWeb(n)
    began = time.process_time()
    run = web.run(t_end=t_end, **TOLERANCES)
    return time.process_time() - began, run.statistics, run.figures


def from_program(n, t_end):
    with tempfile.TemporaryDirectory() as folder:
        words = [w for name, value in TOLERANCES.items() for w in (f"-{name}", str(value))]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([driver.path("rhumb-dae"), "-problem", "foodweb", "-n", str(n), "-t_end", str(t_end), "-quiet",
                        "-out", folder + "/out", *words], check=True, stdout=subprocess.DEVNULL)
        cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        summary = json.loads((pathlib.Path(folder) / "out" / "run.json").read_text())
    return cpu, summary, summary["results"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=80)
    parser.add_argument("--t_end", type=float, default=1.0)
    given = parser.parse_args()
    runs = {"C++": lambda: from_program(given.points, given.t_end),
            "numpy, differences": lambda: from_python(given.points, given.t_end)}
    print(f"{'':20} {'CPU s':>7} {'steps':>6} {'F':>6} {'matrices':>8} {'mean of c1':>12}")
    for name, run in runs.items():
        cpu, counts, figures = min((run() for _ in range(3)), key=lambda result: result[0])
        print(f"{name:20} {cpu:7.2f} {counts['steps']:6} {counts['residual_evals']:6} {counts['jacobian_evals']:8} "
              f"{figures['c1_mean']:12.8f}")


if __name__ == "__main__":
    main()
