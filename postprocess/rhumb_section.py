"""A plane through cells in space: where it meets tetrahedra and hexahedra, and what a field is there."""

import numpy as np

# A hexahedron as six tetrahedra around the diagonal from its first node to the opposite one.
_HEXAHEDRON = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))


def tetrahedra(shape, topology):
    """[n, 4] nodes of the tetrahedra that the cells are made of."""
    if shape == "Hexahedron":
        return np.concatenate([topology[:, list(nodes)] for nodes in _HEXAHEDRON])
    return topology


def section(points, cells, values, z):
    """(places [n, 2], triangles [m, 3], values [n]) of the tetrahedra `cells` in the plane of that z."""
    extent = np.ptp(points[:, 2]) or 1.0
    height = points[:, 2] - (z + 1e-9 * extent)  # beside the plane if through nodes
    cells = np.take_along_axis(cells, np.argsort(height[cells], axis=1), axis=1)  # lowest node first
    below = (height[cells] < 0.0).sum(axis=1)
    ends, triangles = [], []
    count = 0
    for number, edges, faces in ((1, ((0, 1), (0, 2), (0, 3)), ((0, 1, 2),)), (3, ((0, 3), (1, 3), (2, 3)), ((0, 1, 2),)),
                                 (2, ((0, 2), (0, 3), (1, 3), (1, 2)), ((0, 1, 2), (0, 2, 3)))):
        cut = cells[below == number]
        ends.extend(cut[:, edge] for edge in map(list, edges))
        for face in faces:
            triangles.append(np.column_stack([count + corner * len(cut) + np.arange(len(cut)) for corner in face]))
        count += len(edges) * len(cut)
    # Neighbours share the places on their edges.
    (low, high), numbers = _unique(np.concatenate(ends))
    share = height[low] / (height[low] - height[high])
    places = points[low, :2] + share[:, None] * (points[high, :2] - points[low, :2])
    return places, numbers[np.concatenate(triangles)], values[low] + share * (values[high] - values[low])


def _unique(pairs):
    different, numbers = np.unique(pairs, axis=0, return_inverse=True)
    return different.T, numbers.ravel()
