"""The postprocess commands on run folders of every kind, written by tests/io/sample_runs, and on a driver's run."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import matplotlib.image
import numpy as np

import driver
import plot_profile
import rhumb_draw
import rhumb_read

COMMANDS = ("plot_field", "plot_profile", "plot_series", "plot_steps", "plot_sensitivities", "compare_runs", "animate")
SAMPLES = driver.BUILD / "tests" / "io" / "sample_runs"


def call(name, *words, code=0):
    """Runs a command of postprocess/ as a user would; returns its output."""
    script = driver.SOURCE / "postprocess" / f"{name}.py"
    done = subprocess.run([sys.executable, str(script), *map(str, words)], capture_output=True, text=True,
                          timeout=200 * driver.PATIENCE)
    if done.returncode != code:
        raise AssertionError(f"{name} {words} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def sample(kind, folder, ranks=1, snapshots=6):
    subprocess.run([shutil.which("mpirun"), "-n", str(ranks), str(SAMPLES), kind, str(folder), str(snapshots)],
                   check=True, capture_output=True, timeout=100 * driver.PATIENCE)
    return folder


class Postprocess(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        cls.folder = pathlib.Path(cls.temporary.name)
        for kind in ("plain", "box", "moving", "triangles", "mixed"):
            sample(kind, cls.folder / kind)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def drawn(self, name, *words):
        """The picture that a command draws: not small, not blank, with room for labels around it."""
        file = self.folder / "picture.png"
        file.unlink(missing_ok=True)
        self.assertIn(str(file), call(name, *words, "-o", file))
        pixels = matplotlib.image.imread(file)[..., :3]
        self.assertGreaterEqual(min(pixels.shape[:2]), 400)
        white = (pixels > 0.99).all(axis=-1)
        self.assertLess(white.mean(), 0.999, "blank")
        self.assertGreater(white.mean(), 0.1, "no room for labels")
        ink = ~white
        self.assertFalse(ink[0].any() or ink[-1].any() or ink[:, 0].any() or ink[:, -1].any(), "cut off at the border")
        return pixels

    def colours(self, pixels):
        return len(np.unique((pixels * 15).astype(int).reshape(-1, 3), axis=0))

    def test_every_command_explains_itself(self):
        for name in COMMANDS:
            with self.subTest(command=name):
                self.assertIn("usage:", call(name, "--help"))

    def test_parameters_are_ranked_by_how_much_a_figure_depends_on_them(self):
        run = driver.run("rhumb-dae", "-problem", "robertson", "-t_end", 40, "-sensitivity", "k1,k2,k3")
        self.drawn("plot_sensitivities", run.folder, "-y", "y3")
        by, k = run.summary["sensitivities"]["y3"], run.summary["sensitivity_parameters"]
        rows = [line.split() for line in call("plot_sensitivities", run.folder, "-y", "y3", "-o", self.folder / "bars.png").splitlines()]
        found = {row[0]: float(row[1]) for row in rows if row[0] in k}
        self.assertEqual(list(found), sorted(k, key=lambda name: -abs(k[name] * by[name])))
        for name, value in found.items():
            self.assertAlmostEqual(value / (k[name] * by[name] / run.summary["results"]["y3"]), 1, delta=1e-5)
        self.assertIn("no figure 'y4'", call("plot_sensitivities", run.folder, "-y", "y4", code=2))
        without = driver.run("rhumb-dae", "-problem", "robertson", "-t_end", 40)
        self.assertIn("ask for them with -sensitivity", call("plot_sensitivities", without.folder, code=2))

    def test_fields_are_drawn_on_every_kind_of_mesh(self):
        for kind, field in (("box", "temperature"), ("box", "pressure"), ("box", "velocity"), ("box", "u"),
                            ("triangles", "u"), ("mixed", "u"), ("mixed", "number")):
            with self.subTest(kind=kind, field=field):
                pixels = self.drawn("plot_field", self.folder / kind, "-f", field)
                self.assertGreater(self.colours(pixels), 20, "a field is drawn in colours")
        self.drawn("plot_field", self.folder / "moving")
        self.drawn("plot_field", self.folder / "plain", "-f", "b")

    def test_heat_on_meshes_is_drawn_in_the_plane_and_in_the_middle_plane_of_a_space(self):
        for mesh in ("square", "sphere", "cube_hexahedra"):
            run = driver.run("rhumb-heat", "-mesh", driver.SOURCE / "meshes" / f"{mesh}.msh", "-order", 2, "-initial", "x*x + y",
                             "-t_end", "1e-6", "-quiet")
            self.assertEqual(run.code, 0, run.errors)
            self.assertGreater(self.colours(self.drawn("plot_field", run.folder)), 20)

    def test_the_picture_depends_on_the_time(self):
        early = self.drawn("plot_field", self.folder / "box", "-f", "temperature", "-t", 0.0)
        late = self.drawn("plot_field", self.folder / "box", "-f", "temperature", "-t", 0.5)
        self.assertFalse(np.array_equal(early, late))

    def test_profiles_and_trajectories_are_drawn(self):
        self.drawn("plot_profile", self.folder / "moving")
        self.drawn("plot_profile", self.folder / "moving", "--trajectories")
        self.drawn("plot_profile", self.folder / "box", "-f", "temperature", "--along", "y", "--at", 0.25)
        self.drawn("plot_profile", self.folder / "box", "-f", "velocity", "--component", 1, "--times", "0,0.3")
        self.drawn("plot_profile", self.folder / "plain")

    def test_times_with_one_distance_keep_it(self):
        for stored, count, wanted in ((11, None, list(range(11))), (25, None, list(range(25))), (41, None, list(range(0, 41, 2))),
                                      (11, 8, [0, 2, 4, 6, 8, 10]), (12, 8, [1, 3, 5, 7, 9, 11]), (3, 1, [2]), (1, 8, [0])):
            with self.subTest(stored=stored, count=count):
                self.assertEqual(plot_profile.evenly(stored, count), wanted)

    def test_periodic_pictures_close(self):
        run = driver.run("rhumb-pde", "apps/pde/gray_scott.yaml", "-n", "24,16", "-t_end", 1, "-quiet")
        self.assertEqual(run.code, 0, run.errors)
        field = rhumb_read.open_run(run.folder)[-1].field("v")
        x, y = field.closed_coordinates
        closed = field.closed(field.values)
        self.assertEqual((field.values.shape, closed.shape), ((16, 24), (17, 25)))
        np.testing.assert_array_equal(closed[-1], closed[0])
        np.testing.assert_array_equal(closed[:, -1], closed[:, 0])
        self.assertAlmostEqual(x[-1] - x[0], 24 * (x[1] - x[0]), places=9)
        self.assertAlmostEqual(x[-1], y[-1], places=9)  # the whole square
        self.drawn("plot_field", run.folder, "-f", "v")
        self.drawn("plot_profile", run.folder, "-f", "v")
        open_sides = rhumb_read.open_run(self.folder / "box")[-1].field("temperature")
        self.assertEqual(open_sides.closed(open_sides.values).shape, open_sides.values.shape)

    def test_pictures_of_meshes_have_units(self):
        run = driver.run("rhumb-heat", "-mesh", driver.SOURCE / "meshes" / "square.msh", "-initial", "300 + x",
                         "-t_end", "1e-6", "-quiet")
        self.assertEqual(run.code, 0, run.errors)
        axes = rhumb_draw.draw_field(rhumb_read.open_run(run.folder)[-1].field("T"))
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("x [m]", "y [m]"))

    def test_steps_of_a_driver_are_drawn(self):
        run = driver.run("rhumb-dae", "-problem", "robertson", "-t_end", 40, "-out_dt", 10, "-quiet")
        self.assertEqual(run.code, 0, run.errors)
        self.drawn("plot_steps", run.folder, "--log-time")
        self.drawn("plot_profile", run.folder, "--log")
        steps = rhumb_read.open_run(run.folder).steps
        self.assertEqual(steps["t"].size, run.summary["steps"])
        self.assertAlmostEqual(steps["h"].sum(), steps["t"][-1], places=9)

    def test_an_animation_has_a_picture_per_snapshot(self):
        for kind in ("box", "moving", "mixed"):
            with self.subTest(kind=kind):
                file = self.folder / f"{kind}.gif"
                self.assertIn("6 pictures", call("animate", self.folder / kind, "-o", file))
                self.assertGreater(file.stat().st_size, 5000)

    def test_cells_are_shown(self):
        for kind in ("box", "moving", "triangles", "mixed"):
            with self.subTest(kind=kind):
                plain, cells = (self.drawn("plot_field", self.folder / kind, *words) for words in ((), ("--mesh",)))
                self.assertEqual(plain.shape, cells.shape)
                self.assertFalse(np.array_equal(plain, cells))

    def test_lines_of_a_fine_mesh_do_not_hide_the_field(self):
        run = driver.run("rhumb-mesh", "-dim", 2, "-problem", "burgers", "-n", "30,30", "-t_end", "1e-6", "-quiet")
        self.assertEqual(run.code, 0, run.errors)
        front = []
        for words in (), ("--mesh",):
            red, green, blue = np.moveaxis(self.drawn("plot_field", run.folder, *words)[:, :500], -1, 0)
            front.append(((green > 0.35) & (blue > 0.35) & (green - red > 0.15)).sum())  # viridis between its ends
        self.assertGreater(front[0], 500)
        self.assertGreater(front[1], 0.6 * front[0])

    def test_every_edge_is_drawn_once(self):
        for kind in "triangles", "mixed":
            field = rhumb_read.open_run(self.folder / kind)[-1].field("u")
            axes = rhumb_draw.draw_field(field)
            before = len(axes.collections)
            rhumb_draw.draw_mesh(axes, field)
            lines = axes.collections[before].get_segments()
            corners = {n for nodes in field.mesh.cells for n in nodes}
            self.assertEqual(len(lines), len(corners) + len(field.mesh.cells) - 1, "Euler: one part, no hole")
            self.assertEqual(len({tuple(sorted(map(tuple, line))) for line in lines}), len(lines))

    def test_an_animation_takes_what_a_picture_takes(self):
        whole, cut = self.folder / "whole.gif", self.folder / "cut.gif"
        call("animate", self.folder / "box", "-f", "temperature", "-o", whole)
        call("animate", self.folder / "box", "-f", "temperature", "--range=-1,1", "--mesh", "--lines", "temperature", "-o", cut)
        self.assertNotEqual(whole.read_bytes(), cut.read_bytes())
        self.assertIn("is no range", call("animate", self.folder / "box", "--range=1", code=2))

    def test_a_run_equals_itself_on_other_ranks(self):
        for kind in ("box", "moving", "mixed"):
            with self.subTest(kind=kind):
                other = sample(kind, self.folder / f"{kind}3", ranks=3)
                rows = json.loads(call("compare_runs", self.folder / kind, other, "--json", "--all"))
                self.assertEqual(len({row["time"] for row in rows}), 6)
                self.assertTrue(all(row["max"] == 0.0 for row in rows))
                call("compare_runs", self.folder / kind, other, "--tolerance", 0)

    def test_differences_are_measured_and_can_fail(self):
        other = self.folder / "changed"
        shutil.copytree(self.folder / "box", other)
        with h5py.File(other / "snapshots/000002.h5", "r+") as stored:
            stored["fields/pressure"][3, 4] += 0.5
            size = np.abs(stored["fields/pressure"][()]).max()
            count = stored["fields/pressure"].size
        rows = {row["field"]: row for row in json.loads(call("compare_runs", self.folder / "box", other, "--json"))}
        self.assertAlmostEqual(rows["pressure"]["max"], 0.5)
        self.assertAlmostEqual(rows["pressure"]["rms"], 0.5 / count**0.5)
        self.assertAlmostEqual(rows["pressure"]["relative"], 0.5 / size)
        self.assertAlmostEqual(rows["pressure"]["time"], 0.2)
        self.assertEqual(rows["temperature"]["max"], 0.0)
        call("compare_runs", self.folder / "box", other, "--tolerance", 1e-3, code=1)
        call("compare_runs", self.folder / "box", other, "--tolerance", 0.1)

    def test_lines_with_other_points_are_compared_by_interpolation(self):
        finer = self.folder / "finer"
        subprocess.run([str(SAMPLES), "moving", str(finer), "6", "400"], check=True, timeout=100 * driver.PATIENCE)
        rows = json.loads(call("compare_runs", self.folder / "moving", finer, "--json"))
        self.assertGreater(rows[0]["max"], 0.0)
        self.assertLess(rows[0]["max"], 2e-3)

    def test_what_the_user_got_wrong_is_one_line(self):
        for words in ((self.folder / "nowhere",), (self.folder / "box", "-f", "entropy"),
                      (self.folder / "box", "-s", 99), (self.folder / "box", "-f", "velocity", "--component", 5)):
            with self.subTest(words=words):
                text = call("plot_field", *words, "-o", self.folder / "x.png", code=2)
                self.assertEqual(text.count("\n"), 1, text)
        self.assertIn("cannot be compared", self.different_grids())

    def different_grids(self):
        coarse = self.folder / "coarse"
        subprocess.run([str(SAMPLES), "box", str(coarse), "6", "20"], check=True, timeout=100 * driver.PATIENCE)
        return call("compare_runs", self.folder / "box", coarse, code=2)


class Reader(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_times_fields_mesh_and_series_are_those_of_the_run(self):
        run = rhumb_read.open_run(sample("box", self.folder / "box", ranks=2))
        np.testing.assert_allclose(run.times, 0.1 * np.arange(6))
        self.assertEqual(run.at(0.32).number, 3)
        np.testing.assert_allclose(run.series["energy"], np.exp(-run.series["time"]))
        field = run[2].field("temperature")
        x, y = field.coordinates
        expected = 300.0 + 50.0 * np.sin(3.0 * x[None, :] + 0.2) * np.cos(2.0 * y[:, None])
        np.testing.assert_allclose(field.values, expected, rtol=1e-14)
        self.assertEqual((field.unit, field.long_name, field.location), ("K", "temperature of the gas", "point"))
        u = run[0].field("u")
        self.assertEqual(u.values.shape, (u.coordinates[1].size, u.coordinates[0].size))
        self.assertEqual(run[0].options["out"], str(self.folder / "box"))
        self.assertEqual(run.summary["steps"], 120)

    def test_cells_of_several_shapes_are_told_apart(self):
        run = rhumb_read.open_run(sample("mixed", self.folder / "mixed", ranks=3))
        cells = run[0].mesh.cells
        self.assertEqual(sorted({len(nodes) for nodes in cells}), [3, 4])
        centres = run[0].field("number").coordinates
        self.assertEqual(len(centres), len(cells))
        self.assertTrue((np.diff(centres[:, 1]) > -0.03).all(), "cells are in rows")

    def test_half_a_line_at_the_end_of_steps_is_left_out(self):
        sample("plain", self.folder / "plain")
        file = self.folder / "plain/steps.csv"
        file.write_text(file.read_text() + "0.5,0.")
        self.assertEqual(rhumb_read.open_run(self.folder / "plain").steps["t"].size, 120)


if __name__ == "__main__":
    unittest.main()
