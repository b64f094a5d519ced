"""The DFG benchmark 3D-1Z: a cylinder across a square channel at Re 20, on hexahedra curved along the cylinder.

    ./run bench dfg_3d [fineness ...]

Prints drag, lift and the difference of pressures beside those of the literature, with unknowns, steps, CPU and memory. The
mesh is made here: four blocks between the cylinder and a rectangle around it, one block before and one behind; 4 n cells go
around the cylinder, n being the fineness.
"""

import itertools
import math
import pathlib
import resource
import sys
import tempfile

import driver

LENGTH, HEIGHT, CENTRE, RADIUS = 2.5, 0.41, (0.5, 0.2), 0.05
RECTANGLE = (0.3, 0.7)  # along x, around the cylinder
NAMES = ("inflow", "outflow", "walls", "cylinder")
REFERENCE = {"cd": 6.18533, "cl": 0.009401, "dp": 0.1710}  # of 3D-1Z
# Gmsh's order of the nodes of a hexahedron of 27 and of a quadrilateral of 9, as places in a cell of 2 x 2 x 2.
CORNERS = ((0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2))
EDGES = ((0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7))
FACES = ((0, 3, 2, 1), (0, 1, 5, 4), (0, 4, 7, 3), (1, 2, 6, 5), (2, 3, 7, 6), (4, 5, 6, 7))


def middle(corners):
    return tuple(sum(CORNERS[c][d] for c in corners) // len(corners) for d in range(3))


def face_nodes(face):
    around = [CORNERS[c] for c in face]
    return [*around, *(middle((face[i], face[(i + 1) % 4])) for i in range(4)), middle(face)]


HEXAHEDRON = [*CORNERS, *map(middle, EDGES), *map(middle, FACES), (1, 1, 1)]


def graded(s, ratio):
    """[0, 1] to itself, the last part `ratio` times as long as the first."""
    return s if ratio == 1.0 else (ratio ** s - 1.0) / (ratio - 1.0)


def around(quarter):
    """From the cylinder (t = 0) to a side of the rectangle; s runs to the left of the outward normal."""
    low, high = (RECTANGLE[0], 0.0), (RECTANGLE[1], HEIGHT)
    rim = ((high[0], low[1]), (high[0], high[1]), (low[0], high[1]), (low[0], low[1]))
    begin, end = rim[quarter], rim[(quarter + 1) % 4]

    def place(t, s):
        angle = (2 * quarter - 1 + 2 * s) * math.pi / 4
        t = graded(t, 4.0)
        return tuple((1 - t) * (c + RADIUS * circle) + t * ((1 - s) * a + s * b)
                     for c, circle, a, b in zip(CENTRE, (math.cos(angle), math.sin(angle)), begin, end))
    return place


def blocks(n):
    """Of the plane: cells in both directions, the place of (s, t), and what its four sides are (lower and upper in each)."""
    radial = max(3, 2 * n // 3)
    yield from (((radial, n), around(q), ("cylinder", {1: "walls", 3: "walls"}.get(q), None, None)) for q in range(4))
    left, right = RECTANGLE[0], LENGTH - RECTANGLE[1]
    yield (n // 2, n), lambda s, t: (left * s, HEIGHT * t), ("inflow", None, "walls", "walls")
    yield (3 * n // 2, n), lambda s, t: (RECTANGLE[1] + right * graded(s, 4.0), HEIGHT * t), (None, "outflow", "walls", "walls")


class Mesh:
    def __init__(self, n):
        self.numbers, self.places, self.cells, self.sides = {}, [], [], []
        for (ns, nt), place, names in blocks(n):
            for i, j, k in itertools.product(range(ns), range(nt), range(n)):
                def node(at):
                    x, y = place((i + at[0] / 2) / ns, (j + at[1] / 2) / nt)
                    return self.number((x, y, HEIGHT * (k + at[2] / 2) / n))
                self.cells.append([node(at) for at in HEXAHEDRON])
                ends = ((2, i == 0, names[0]), (3, i == ns - 1, names[1]), (1, j == 0, names[2]), (4, j == nt - 1, names[3]),
                        (0, k == 0, "walls"), (5, k == n - 1, "walls"))
                self.sides += [(name, [node(at) for at in face_nodes(FACES[face])]) for face, there, name in ends
                               if there and name]

    def number(self, place):
        key = tuple(round(x, 9) for x in place)
        if key not in self.numbers:
            self.places.append(place)
            self.numbers[key] = len(self.places)
        return self.numbers[key]

    def write(self, file):
        groups = [(2, name) for name in NAMES] + [(3, "fluid")]
        elements = [(10, 1 + NAMES.index(name), nodes) for name, nodes in self.sides] + [(12, 5, nodes) for nodes in self.cells]
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups))]
        lines += [f'{dimension} {i + 1} "{name}"' for i, (dimension, name) in enumerate(groups)]
        lines += ["$EndPhysicalNames", "$Nodes", str(len(self.places))]
        lines += [f"{i + 1} {x:.15g} {y:.15g} {z:.15g}" for i, (x, y, z) in enumerate(self.places)]
        lines += ["$EndNodes", "$Elements", str(len(elements))]
        lines += [f"{i + 1} {kind} 2 {group} {group} " + " ".join(map(str, nodes))
                  for i, (kind, group, nodes) in enumerate(elements)]
        file.write_text("\n".join([*lines, "$EndElements", ""]))


def measured(n, words):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "cylinder3d.msh"
        mesh = Mesh(n)
        mesh.write(file)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = driver.run(
            "rhumb-flow", "-mesh", file, "-nu", "0.001", "-boundaries", ",".join(NAMES), "-bc_inflow_type", "inflow",
            "-bc_inflow_u", f"16*0.45*y*z*({HEIGHT}-y)*({HEIGHT}-z)/{HEIGHT}^4", "-bc_outflow_type", "outflow",
            "-bc_walls_type", "wall", "-bc_cylinder_type", "wall", "-body", "cylinder", "-body_speed", "0.2", "-body_length",
            "0.1", "-body_area", 0.1 * HEIGHT, "-pressure_pair", f"0.45,0.2,{HEIGHT / 2},0.55,0.2,{HEIGHT / 2}", "-speed",
            "0.45", "-t_end", "20", "-dae_rtol", "1e-4", "-quiet", *words, timeout=3000)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.code != 0:
        sys.exit(run.errors)
    return len(mesh.cells), run.summary, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    fineness = [int(word) for word in sys.argv[1:] if word.isdigit()] or [4, 6]
    words = [word for word in sys.argv[1:] if not word.isdigit()]
    print("| cells | unknowns | cd | cl | dp | steps | Newton | Krylov per Newton | failures | us per unknown and step | "
          "bytes per unknown |\n|---|---|---|---|---|---|---|---|---|---|---|")
    for n in fineness:
        cells, s, seconds = measured(n, words)
        values = " | ".join(f"{s['results'][name]:.6g} ({100 * (s['results'][name] / exact - 1):+.2g} %)"
                            for name, exact in REFERENCE.items())
        print(f"| {cells} | {s['unknowns']} | {values} | {s['steps']} | {s['newton_iterations']} | "
              f"{s['linear_iterations'] / s['newton_iterations']:.1f} | {s['convergence_failures']} | "
              f"{1e6 * seconds / s['unknowns'] / s['steps']:.1f} | {s['peak_rss_mib'] * 2 ** 20 / s['unknowns']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
