"""What is written of elements of any order: linear cells that fill the mesh, with the field at their corners."""

import unittest

import numpy as np

import rhumb_read
import rhumb_section
from heat_mesh import heat, mesh

FORMULA = "1 + x - 2*y"


def volumes(shape, points, cells):
    if shape in ("Tetrahedron", "Hexahedron"):
        nodes = rhumb_section.tetrahedra(shape, cells)
        return np.linalg.det(points[nodes[:, 1:]] - points[nodes[:, :1]]) / 6
    parts = []
    for k in range(1, cells.shape[1] - 1):
        a, b = points[cells[:, k]] - points[cells[:, 0]], points[cells[:, k + 1]] - points[cells[:, 0]]
        parts.append(0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]))
    return np.concatenate(parts)


class Written(unittest.TestCase):
    def setUp(self):
        self.runs = []

    def start(self, name, order, ranks=2):
        """The first snapshot."""
        run = heat(*mesh(name), "-order", order, "-initial", FORMULA, "-t_end", "1e-9", ranks=ranks)
        self.assertEqual(run.code, 0, run.errors)
        self.runs.append(run)  # whose folders live as long
        return rhumb_read.open_run(run.folder).snapshots[0]

    def test_cells_fill_the_mesh_without_overlap_and_carry_the_field(self):
        for name, order, whole, exactly in (("square", 3, 1.0, 1e-12), ("square_quads", 2, 1.0, 1e-12),
                                            ("cube", 2, 1.0, 1e-12), ("cube", 3, 1.0, 1e-12), ("cube_hexahedra", 3, 1.0, 1e-12),
                                            ("cylinder2d", 2, 2.2 * 0.41 - np.pi * 0.05**2, 1e-4),
                                            ("sphere", 2, 4 / 3 * np.pi, 0.1)):
            with self.subTest(mesh=name, order=order):
                snapshot = self.start(name, order)
                sizes = volumes(snapshot.mesh.shape, snapshot.mesh.points, snapshot.mesh.topology)
                self.assertGreater(sizes.min(), 0.0)
                self.assertAlmostEqual(sizes.sum(), whole, delta=exactly)
                x, y, _ = snapshot.mesh.points.T
                np.testing.assert_allclose(snapshot.field("T").values, 1 + x - 2 * y, rtol=0, atol=1e-12)

    def test_files_do_not_depend_on_the_ranks(self):
        one, two = self.start("sphere", 2, ranks=1), self.start("sphere", 2, ranks=2)
        np.testing.assert_allclose(one.mesh.points, two.mesh.points, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(one.mesh.topology, two.mesh.topology)

    def test_the_plane_that_is_drawn_goes_through_all_cells(self):
        for name in ("cube", "cube_hexahedra"):
            found = self.start(name, 2).mesh
            x, y, z = found.points.T
            places, triangles, values = rhumb_section.section(found.points, rhumb_section.tetrahedra(found.shape, found.topology),
                                                              x - 2 * y + z, 0.4)
            np.testing.assert_allclose(values, places[:, 0] - 2 * places[:, 1] + 0.4, rtol=0, atol=1e-8)
            a, b = (places[triangles[:, i]] - places[triangles[:, 0]] for i in (1, 2))
            self.assertAlmostEqual(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / 2, 1.0, places=6)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
