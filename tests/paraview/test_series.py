"""ParaView sees what the snapshots hold: the same times, points and values, for every kind of mesh."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

import driver
import rhumb_read

SAMPLES = driver.BUILD / "tests" / "io" / "sample_runs"
HERE = pathlib.Path(__file__).resolve().parent
# Elements of higher order are shown on split cells.
ELEMENTS = {f"elements on {name}": ("-mesh", driver.SOURCE / "meshes" / f"{name}.msh", "-order", order, "-initial", "x*y",
                                    "-t_end", "0.01", "-out_dt", "0.005")
            for name, order in (("square", 2), ("square_quads", 3), ("sphere", 2), ("cube_hexahedra", 2))}


@unittest.skipUnless(shutil.which("pvpython"), "pvpython is not installed (Debian packages paraview, python3-paraview)")
class ParaView(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def see(self, kind):
        out = self.folder / kind
        if kind in ELEMENTS:
            driver.run("rhumb-heat", *ELEMENTS[kind], "-quiet", out=out)
        else:
            subprocess.run([str(SAMPLES), kind, str(out), "4", "12"], check=True, timeout=60 * driver.PATIENCE)
        result = self.folder / "seen.json"
        done = subprocess.run(["pvpython", str(HERE / "read_series.py"), str(out / "series.xdmf"), str(result)],
                              capture_output=True, text=True, timeout=200 * driver.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return rhumb_read.open_run(out), json.loads(result.read_text())

    def check(self, kind):
        run, times = self.see(kind)
        np.testing.assert_array_equal([entry["time"] for entry in times], run.times)
        for snapshot, entry in zip(run.snapshots, times):
            self.check_points(snapshot, entry)
            for name in snapshot.fields:
                self.check_field(snapshot.field(name), entry)
        return times

    def check_points(self, snapshot, entry):
        mesh = snapshot.mesh
        expected = mesh.points
        if mesh.kind == "box":
            x, y = np.meshgrid(mesh.axes[0].points, mesh.axes[1].points if mesh.dimension == 2 else [0.0])
            expected = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
        np.testing.assert_allclose(entry["points"], expected, rtol=0, atol=1e-7)

    def check_field(self, field, entry):
        if field.location.startswith("face"):
            self.assertNotIn(field.name, {**entry["point_fields"], **entry["cell_fields"]})
            return
        shown = np.array(entry[f"{field.location}_fields"][field.name])
        expected = field.values.reshape(-1, field.components) if field.components > 1 else field.values.ravel()
        if field.components == 2:  # ParaView may add a third component
            self.assertTrue((shown[:, 2:] == 0.0).all())
            shown = shown[:, :2]
        np.testing.assert_array_equal(shown, expected)

    def test_reads_a_structured_and_staggered_run(self):
        times = self.check("box")
        self.assertEqual(times[0]["cells"], 12 * 9)

    def test_reads_a_line(self):
        self.assertEqual(self.check("line")[0]["cells"], 12)

    def test_reads_moving_points_whose_number_changes(self):
        times = self.check("moving")
        self.assertEqual([len(entry["points"]) for entry in times], [12, 13, 13, 13])

    def test_reads_triangles(self):
        self.assertEqual(self.check("triangles")[0]["cells"], 2 * 12 * 12)

    def test_reads_cells_of_several_shapes(self):
        self.assertEqual(self.check("mixed")[0]["cells"], 2 * 6 * 12 + 6 * 12)

    def test_reads_elements_of_higher_order_on_split_cells(self):
        self.assertEqual(self.check("elements on square_quads")[0]["cells"], 64 * 9)
        for kind in ELEMENTS:
            self.assertEqual(len(self.check(kind)), 3)


if __name__ == "__main__":
    unittest.main()
