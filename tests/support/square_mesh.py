"""Writes Gmsh files of triangles for tests: a polygon's inside, with points shaken so that no two cells are alike."""

import numpy as np
from scipy.spatial import Delaunay


def write(path, points, triangles, edges):
    """`edges`: {name: [(a, b), ...]} of point indices along the boundary."""
    names = list(edges)
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(names) + 1)]
    lines += [f'1 {i + 1} "{name}"' for i, name in enumerate(names)] + [f'2 {len(names) + 1} "body"']
    lines += ["$EndPhysicalNames", "$Nodes", str(len(points))]
    lines += [f"{i + 1} {x:.17g} {y:.17g} 0" for i, (x, y) in enumerate(points)]
    elements = [(1, i + 1, cell) for i, name in enumerate(names) for cell in edges[name]]
    elements += [(2, len(names) + 1, cell) for cell in triangles]
    lines += ["$EndNodes", "$Elements", str(len(elements))]
    for number, (kind, group, cell) in enumerate(elements, 1):
        lines.append(f"{number} {kind} 2 {group} {group} " + " ".join(str(int(node) + 1) for node in cell))
    path.write_text("\n".join(lines + ["$EndElements", ""]))
    return path


def square(path, cells, shake=0.2, seed=1, corners=((0, 0), (1, 0), (1, 1), (0, 1)), names="bottom right top left"):
    """A quadrilateral with straight sides, `cells` along each of them."""
    random = np.random.default_rng(seed)
    grid = np.array([(i / cells, j / cells) for j in range(cells + 1) for i in range(cells + 1)])
    inside = np.all((grid > 1e-9) & (grid < 1 - 1e-9), axis=1)
    grid[inside] += shake / cells * random.uniform(-1, 1, (inside.sum(), 2))
    a, b, c, d = np.array(corners, float)
    s, t = grid[:, :1], grid[:, 1:]
    points = (1 - s) * (1 - t) * a + s * (1 - t) * b + s * t * c + (1 - s) * t * d
    triangles = [cell for cell in Delaunay(points).simplices if area(points[cell]) > 1e-9]
    n = cells + 1
    along = {"bottom": [(i, i + 1) for i in range(cells)], "top": [(cells * n + i, cells * n + i + 1) for i in range(cells)],
             "left": [(i * n, (i + 1) * n) for i in range(cells)],
             "right": [(i * n + cells, (i + 1) * n + cells) for i in range(cells)]}
    return write(path, points, triangles, {name: along[name] for name in names.split()})


def area(corners):
    (ax, ay), (bx, by), (cx, cy) = corners
    return abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2
