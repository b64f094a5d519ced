"""CPU time and error of rhumb-flow and OpenFOAM on the carried vortex and the cavity; OpenFOAM where it is installed.

The carried vortex: Re 100, 128 x 128, T = 1, error against the exact solution. The cavity: Re 1000, 128 x 128, t = 0 to
10 from rest, at the centres of the cells. Two references: rhumb-flow at rtol 1e-8 on the same grid, from which rhumb-flow
differs by its error in time and OpenFOAM by the other discretization, too; and rhumb-flow at rtol 1e-6 on twice as many
cells a side, which both must come near. One process each, one after the other. `./run bench flow_openfoam [cells]`.
"""

import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import driver
import h5py
import numpy as np

CELLS = int(sys.argv[1]) if len(sys.argv) > 1 else 128
HEADER = "FoamFile {{ version 2.0; format ascii; class {kind}; object {name}; }}\n"


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(action):
    before = cpu_seconds()
    answer = action()
    return answer, cpu_seconds() - before


def write(folder, path, text, kind="dictionary"):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEADER.format(kind=kind, name=file.name) + text)


def vectors(values):
    return "nonuniform List<vector>\n" + f"{len(values)}\n(\n" + "\n".join(
        f"({u:.15g} {v:.15g} 0)" for u, v in values) + "\n)"


def scalars(values):
    return "nonuniform List<scalar>\n" + f"{len(values)}\n(\n" + "\n".join(f"{p:.15g}" for p in values) + "\n)"


def block_mesh(length, patches):
    corners = " ".join(f"({x} {y} {z})" for z in (0, 0.1) for x, y in ((0, 0), (length, 0), (length, length), (0, length)))
    return (f"convertToMeters 1;\nvertices ({corners});\n"
            f"blocks (hex (0 1 2 3 4 5 6 7) ({CELLS} {CELLS} 1) simpleGrading (1 1 1));\nedges ();\n"
            f"boundary ({patches} flat {{ type empty; faces ((0 3 2 1) (4 5 6 7)); }});\n")


def common(folder, step, end, solver_loop):
    write(folder, "constant/transportProperties", f"transportModel Newtonian;\nnu {NU[0]};\n")
    write(folder, "constant/turbulenceProperties", "simulationType laminar;\n")
    write(folder, "system/controlDict",
          f"startFrom startTime; startTime 0; stopAt endTime; endTime {end}; deltaT {step}; writeControl runTime;\n"
          f"writeInterval {end}; writePrecision 12; timePrecision 8; runTimeModifiable false;\n")
    write(folder, "system/fvSchemes",
          "ddtSchemes { default backward; }\ngradSchemes { default Gauss linear; }\n"
          "divSchemes { default none; div(phi,U) Gauss linear; div((nuEff*dev2(T(grad(U))))) Gauss linear; }\n"
          "laplacianSchemes { default Gauss linear orthogonal; }\ninterpolationSchemes { default linear; }\n"
          "snGradSchemes { default orthogonal; }\n")
    solver = "{ solver GAMG; smoother DICGaussSeidel; tolerance 1e-7; relTol %s; }"
    write(folder, "system/fvSolution",
          f"solvers {{ p {solver % '0.05'}\n pFinal {solver % '0'}\n"
          " U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-7; relTol 0; }\n"
          " UFinal { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-7; relTol 0; } }\n" + solver_loop)


NU = [0.01]
# Where Debian's package keeps what a login shell would be told.
SURROUNDINGS = {"WM_PROJECT_DIR": "/usr/share/openfoam", **os.environ}


def foam(folder, program):
    for command in ("blockMesh", program):
        done = subprocess.run([command, "-case", str(folder)], capture_output=True, text=True, env=SURROUNDINGS)
        if done.returncode != 0:
            sys.exit(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")


def foam_velocity(folder, time):
    text = (folder / str(time) / "U").read_text()
    inside = re.search(r"internalField\s+nonuniform List<vector>\s+\d+\s*\((.*?)\n\)", text, re.S).group(1)
    numbers = np.array([line.strip(" ()").split() for line in inside.strip().splitlines()], dtype=float)
    return numbers[:, 0].reshape(CELLS, CELLS), numbers[:, 1].reshape(CELLS, CELLS)


def vortex(t):
    x = (np.arange(CELLS) + 0.5) * 2 * math.pi / CELLS
    x, y = np.meshgrid(x, x)
    decay = math.exp(-2 * 0.01 * t)
    return 1 + np.sin(x - t) * np.cos(y - t) * decay, 1 - np.cos(x - t) * np.sin(y - t) * decay, \
        0.25 * (np.cos(2 * (x - t)) + np.cos(2 * (y - t))) * decay ** 2


def root_mean_square(a, b):
    return math.sqrt(np.mean(a ** 2 + b ** 2) / 2)


def foam_vortex(step):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        NU[0] = 0.01
        pairs = (("left", "right", "(0 4 7 3)"), ("right", "left", "(1 2 6 5)"), ("bottom", "top", "(0 1 5 4)"),
                 ("top", "bottom", "(3 7 6 2)"))
        write(folder, "system/blockMeshDict", block_mesh(2 * math.pi, " ".join(
            f"{a} {{ type cyclic; neighbourPatch {b}; faces ({face}); }}" for a, b, face in pairs)))
        sides = "boundaryField { " + " ".join(f"{a} {{ type cyclic; }}" for a, _, _ in pairs) + " flat { type empty; } }\n"
        u, v, p = vortex(0)
        write(folder, "0/U", "dimensions [0 1 -1 0 0 0 0];\ninternalField " +
              vectors(list(zip(u.ravel(), v.ravel()))) + ";\n" + sides, "volVectorField")
        write(folder, "0/p", "dimensions [0 2 -2 0 0 0 0];\ninternalField " + scalars(p.ravel()) + ";\n" + sides,
              "volScalarField")
        common(folder, step, 1, "PIMPLE { nOuterCorrectors 2; nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; "
                                "pRefValue 0; }\n")
        _, seconds = timed(lambda: foam(folder, "pimpleFoam"))
        u, v = foam_velocity(folder, 1)
    exact = vortex(1)
    return root_mean_square(u - exact[0], v - exact[1]), seconds


def foam_cavity(steps):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        NU[0] = 0.001
        write(folder, "system/blockMeshDict", block_mesh(
            1, "lid { type wall; faces ((3 7 6 2)); } fixed { type wall; faces ((0 4 7 3) (1 2 6 5) (0 1 5 4)); }"))
        write(folder, "0/U", "dimensions [0 1 -1 0 0 0 0];\ninternalField uniform (0 0 0);\nboundaryField { lid { type "
              "fixedValue; value uniform (1 0 0); } fixed { type noSlip; } flat { type empty; } }\n", "volVectorField")
        write(folder, "0/p", "dimensions [0 2 -2 0 0 0 0];\ninternalField uniform 0;\nboundaryField { lid { type "
              "zeroGradient; } fixed { type zeroGradient; } flat { type empty; } }\n", "volScalarField")
        common(folder, 10 / steps, 10, "PISO { nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }\n")
        _, seconds = timed(lambda: foam(folder, "icoFoam"))
        return foam_velocity(folder, 10), seconds


def rhumb(*words):
    run, seconds = timed(lambda: driver.run("rhumb-flow", *words, "-quiet", timeout=3600))
    if run.code != 0:
        sys.exit(run.errors)
    return run, seconds


def cavity(rtol, cells=CELLS):
    run, seconds = rhumb("-problem", "cavity", "-re", "1000", "-n", f"{cells},{cells}", "-stretch", "0,0", "-t_end",
                         "10", "-out_times", "10", "-dae_rtol", rtol)
    with h5py.File(sorted((run.folder / "snapshots").glob("*.h5"))[-1]) as snapshot:
        u, v = (snapshot["fields/" + name][...] for name in "uv")
    return (0.5 * (u[:, 1:] + u[:, :-1]), 0.5 * (v[1:] + v[:-1])), seconds


def coarsened(field):
    """Means of four cells: values at the centres of cells twice as wide."""
    return 0.25 * (field[::2, ::2] + field[1::2, ::2] + field[::2, 1::2] + field[1::2, 1::2])


def row(problem, code, seconds, *errors):
    print(f"{problem:16s} {code:42s} {seconds:9.2f}" + "".join(f"{error:14.2e}" for error in errors), flush=True)


def main():
    installed = shutil.which("pimpleFoam") and shutil.which("icoFoam")
    print(f"{'problem':16s} {'code':42s} {'CPU s':>9s}{'L2 error':>14s}{'finer grid':>14s}")
    for rtol in ("1e-4", "1e-5"):
        run, seconds = rhumb("-problem", "taylor_green", "-n", f"{CELLS},{CELLS}", "-dae_rtol", rtol)
        errors = [run.summary["results"]["error_l2_" + name] for name in "uv"]
        row("carried vortex", f"rhumb-flow, rtol {rtol}", seconds, math.hypot(*errors) / math.sqrt(2))
    if installed:
        error, seconds = foam_vortex(0.01)
        row("carried vortex", "pimpleFoam, backward, 2 outer, step 0.01", seconds, error)
    same, _ = cavity("1e-8")
    finer, _ = cavity("1e-6", 2 * CELLS)
    finer = [coarsened(field) for field in finer]

    def distances(velocity):
        return [root_mean_square(velocity[0] - u, velocity[1] - v) for u, v in (same, finer)]

    velocity, seconds = cavity("1e-4")
    row("cavity, t = 10", "rhumb-flow, rtol 1e-4", seconds, *distances(velocity))
    if installed:
        velocity, seconds = foam_cavity(2000)
        row("cavity, t = 10", "icoFoam, backward, 2000 steps", seconds, *distances(velocity))
    else:
        print("OpenFOAM (Debian package openfoam) is not installed: nothing to compare with")


if __name__ == "__main__":
    main()
