"""rhumb-mesh -dim 2: moving supports, blow-up, Gmsh meshes whose points move, restarts, smooth solutions."""

import math
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

import driver
import h5py
import numpy
import square_mesh

CASES = driver.SOURCE / "apps" / "mesh"


def solve(test, *words, code=0, **more):
    run = driver.run("rhumb-mesh", *words, "-quiet", **more)
    test.assertEqual(run.code, code, run.errors)
    return run


def plane(test, problem, *words, **more):
    return solve(test, "-dim", 2, "-problem", problem, *words, **more)


def snapshot(run, position=-1):
    with h5py.File(sorted((run.folder / "snapshots").glob("*.h5"))[position]) as file:
        fields = {name: numpy.ravel(values[...]) for name, values in file["fields"].items()}
        return file["mesh/points"][:, :2], file["mesh/topology"][...], fields


class Porous(unittest.TestCase):
    """Barenblatt's solution with m = 1: a quarter of a hill whose rim moves from 0.3 to 0.6 until t = 15."""

    def test_contents_are_kept_to_rounding_and_the_front_is_within_a_cell(self):
        results = plane(self, "porous", "-n", "20,20", "-front_times", 15).summary["results"]
        self.assertLess(abs(results["content_u"] - results["integral_start_u"]), 1e-12)
        self.assertLess(abs(results["integral_u"] - results["integral_start_u"]), 1e-4 * results["integral_u"])
        self.assertGreaterEqual(results["lowest_u"], -1e-8)  # Newton's rest
        self.assertLess(results["error_max"], 5e-3)
        level = 0.6 * math.sqrt(1.0 - 4.0 * 1e-3) / math.sqrt(2.0)  # where u = 1e-3, of the diagonal
        self.assertLess(abs(results["front"][0] - level), 1.0 / 20)

    def test_where_small_negative_values_may_stand_the_integral_is_kept_to_what_newton_leaves(self):
        words = ("-n", "12,12", "-t_end", 5, "-balance", "volumes")
        results = plane(self, "porous", *words).summary["results"]
        self.assertLess(abs(results["content_u"] - results["integral_start_u"]), 1e-12)
        self.assertLess(abs(results["integral_u"] - results["integral_start_u"]), 1e-7)

    def test_formulas_give_the_same(self):
        words = ("-n", "10,10", "-t_end", 3)
        case = plane(self, "porous", *words).summary
        text = solve(self, CASES / "porous.yaml", *words).summary
        self.assertEqual(case["steps"], text["steps"])
        for name in "integral", "lowest", "highest":
            self.assertAlmostEqual(case["results"][f"{name}_u"], text["results"][f"{name}_u1"], delta=1e-9)

    def test_contents_of_what_is_no_balance_are_refused(self):
        run = plane(self, "pde", "-c1", "2*ut1", "-initial1", "1", "-balance", "volumes", "-n", "4,4", code=2)
        self.assertIn("option -balance", run.errors)


class Blowup(unittest.TestCase):
    def test_the_time_of_blow_up_settles_under_refinement(self):
        times = []
        for n in 10, 20, 40:
            results = plane(self, "blowup", "-n", f"{n},{n}").summary["results"]
            self.assertGreater(results["highest_u"], 0.99e6)
            times.append(results["stopped_at"])
        self.assertLess(abs(times[2] - times[1]), 0.5 * abs(times[1] - times[0]))
        self.assertLess(abs(times[2] - times[1]), 0.01 * times[2])


class GmshMeshes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.square = square_mesh.square(cls.folder / "square.msh", 16)
        cls.slanted = square_mesh.square(cls.folder / "slanted.msh", 10,
                                         corners=((0, 0), (1, 0.3), (1.2, 1.2), (0.1, 0.8)))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    FRONT = ("-eps", 0.02, "-t_end", 0.5, "-dae_rtol", 1e-4, "-dae_atol", 1e-4)

    def test_points_of_a_shaken_mesh_follow_a_front(self):
        words = ("-mesh", self.square, *self.FRONT)
        moving = plane(self, "burgers", *words).summary["results"]
        fixed = plane(self, "burgers", *words, "-mesh_equation", "fixed").summary["results"]
        self.assertGreater(moving["smallest_volume"], 0.0)
        self.assertLess(4.0 * moving["error_l2"], fixed["error_l2"])

    def test_one_two_and_three_ranks_find_the_same(self):
        runs = [plane(self, "burgers", "-mesh", self.square, *self.FRONT, ranks=ranks).summary for ranks in (1, 2, 3)]
        for other in runs[1:]:
            self.assertLessEqual(abs(other["steps"] - runs[0]["steps"]), 0.03 * runs[0]["steps"] + 1)
            for name in "error_l2", "error_max", "integral_u":
                self.assertLess(abs(runs[0]["results"][name] - other["results"][name]), 1e-3)

    def test_points_slide_along_straight_sides_and_corners_stay(self):
        words = ("-mesh", self.slanted, "-fx1", "0.01*ux1", "-fy1", "0.01*uy1", "-initial1",
                 "1/(1+exp(30*(x+y-0.9)))", "-t_end", 0.05)
        points, _, _ = snapshot(plane(self, "pde", *words))
        rest, _, _ = snapshot(plane(self, "pde", *words, "-mesh_equation", "fixed"))
        corners = numpy.array([(0, 0), (1, 0.3), (1.2, 1.2), (0.1, 0.8)])
        moved = numpy.linalg.norm(points - rest, axis=1)
        self.assertGreater(moved.max(), 0.03)
        for a, b in zip(corners, numpy.roll(corners, -1, axis=0)):
            normal = numpy.array([a[1] - b[1], b[0] - a[0]]) / numpy.linalg.norm(b - a)
            on_side = numpy.abs((rest - a) @ normal) < 1e-9
            self.assertEqual(on_side.sum(), 11)
            self.assertLess(numpy.abs((points[on_side] - a) @ normal).max(), 1e-9)
            self.assertGreater(moved[on_side].max(), 1e-3)
            self.assertLess(moved[numpy.linalg.norm(rest - a, axis=1) < 1e-9].max(), 1e-9)

    def test_where_the_solution_is_constant_no_point_moves(self):
        words = ("-mesh", self.slanted, "-initial1", "1", "-t_end", 1)
        points, _, _ = snapshot(plane(self, "pde", *words))
        rest, _, _ = snapshot(plane(self, "pde", *words, "-mesh_equation", "fixed"))
        self.assertLess(numpy.abs(points - rest).max(), 1e-8)

    def test_a_users_pde_in_cpp_takes_a_mesh_and_gives_the_same_as_formulas(self):
        words = ("-mesh", self.square, "-t_end", 0.2, "-quiet")
        compiled = driver.run("moving_front", *words)
        text = driver.run("rhumb-mesh", CASES / "moving_front.yaml", "-n", "", *words)
        self.assertEqual(compiled.code, 0, compiled.errors)
        self.assertEqual(text.code, 2)  # a box's -n and a mesh
        case = "\n".join(line for line in (CASES / "moving_front.yaml").read_text().splitlines() if line[:2] != "n:")
        (self.folder / "front.yaml").write_text(case)
        text = solve(self, self.folder / "front.yaml", *words)
        self.assertEqual(compiled.summary["steps"], text.summary["steps"])
        self.assertAlmostEqual(compiled.summary["results"]["error_l2"], text.summary["results"]["error_l2"], delta=1e-6)

    def test_what_does_not_go_with_a_mesh_is_said(self):
        quads = driver.SOURCE / "meshes" / "square_quads.msh"
        for words, code, text in ((("-mesh", quads), 2, "triangles"), (("-mesh", self.square, "-n", "4,4"), 2, "-n"),
                                  (("-mesh", self.folder / "none.msh"), 4, "none.msh")):
            with self.subTest(words):
                self.assertIn(text, plane(self, "burgers", *words, code=code).errors)
        run = plane(self, "pde", "-mesh", self.square, "-initial1", "1", "-held_sides", "wall", code=2)
        self.assertIn("there are bottom, right, top, left", run.errors)


class Flame(unittest.TestCase):
    def test_it_runs_past_the_corners_of_the_blocks_without_a_folded_cell(self):
        run = solve(self, CASES / "flame.yaml", "-t_end", 12, "-out_dt", 12)
        results = run.summary["results"]
        self.assertGreater(results["smallest_volume"], 0.0)
        points, _, fields = snapshot(run)
        middle = numpy.abs(points[:, 1] - 8.0) < 1.0
        burnt = points[middle & (fields["theta"] > 0.5), 0].max()
        self.assertGreater(burnt, 13.0)  # at a speed of about one from 7.5
        self.assertLess(burnt, 25.0)


class Runs(unittest.TestCase):
    WORDS = ("-n", "12,12", "-eps", 0.02, "-dae_rtol", 1e-4, "-dae_atol", 1e-4)

    @staticmethod
    def entries(run):
        points, _, fields = snapshot(run)
        return [points, *fields.values()]

    def test_a_continued_run_is_the_same_to_the_bit(self):
        for problem, words in (("burgers", self.WORDS), ("porous", ("-n", "8,8"))):
            with self.subTest(problem), tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                end = 0.5 if problem == "burgers" else 4
                whole = plane(self, problem, *words, "-t_end", end, "-checkpoint_dt", 0.4 * end, out=folder / "whole")
                checkpoint = sorted((folder / "whole" / "checkpoints").glob("*.h5"))[0]
                rest = plane(self, problem, *words, "-t_end", end, "-restart", checkpoint, out=folder / "rest")
                self.assertEqual(whole.summary["steps"], rest.summary["steps"])
                self.assertEqual(whole.summary["results"], rest.summary["results"])
                for one, other in zip(self.entries(whole), self.entries(rest), strict=True):
                    self.assertTrue(numpy.array_equal(one, other))

    def test_a_run_that_was_killed_and_continued_is_the_same_to_the_bit(self):
        words = ("-dim", 2, "-problem", "burgers", *self.WORDS, "-t_end", 1, "-out_dt", 0.25, "-checkpoint_dt", 0.02,
                 "-quiet")
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            whole = driver.run("rhumb-mesh", *words, out=folder / "whole")
            out = folder / "killed"
            process = subprocess.Popen([str(driver.path("rhumb-mesh")), *map(str, words), "-out", str(out)],
                                       stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            limit = time.monotonic() + 60 * driver.PATIENCE
            while not any((out / "checkpoints").glob("*.h5")) and time.monotonic() < limit:
                time.sleep(0.001)
            process.kill()
            self.assertEqual(process.wait(), -signal.SIGKILL, "the run was over before it could be killed")
            rest = solve(self, *words[:-1], "-restart", out, out=out)
            self.assertEqual(whole.summary["steps"], rest.summary["steps"])
            self.assertEqual(whole.summary["results"], rest.summary["results"])
            for one, other in zip(self.entries(whole), self.entries(rest), strict=True):
                self.assertTrue(numpy.array_equal(one, other))

    def test_a_mesh_that_is_too_coarse_is_named_with_its_place_and_a_finer_one(self):
        advice = plane(self, "burgers", "-n", "8,8", "-t_end", 0.1).summary["results"]["advice"]
        for text in "the mesh is too coarse", "linear interpolation leaves", "about -n":
            self.assertIn(text, advice)
        results = plane(self, "burgers", "-n", "8,8", "-eps", 1, "-t_end", 0.1).summary["results"]
        self.assertNotIn("advice", results)

    def test_snapshots_and_series_show_the_quality_of_the_mesh(self):
        run = plane(self, "burgers", *self.WORDS, "-t_end", 0.2, "-out_dt", 0.1)
        with h5py.File(run.folder / "series.h5") as file:
            found = []
            file.visit(found.append)
        names = {name.rsplit("/", 1)[-1] for name in found}
        for name in "smallest_volume", "largest_volume", "equidistribution", "alignment", "worst_quality":
            self.assertIn(name, names)

    def test_the_index_for_paraview_names_what_is_there_with_points_that_move_and_cells_that_stay(self):
        run = plane(self, "burgers", *self.WORDS, "-t_end", 0.2, "-out_dt", 0.1)
        grids = xml.parse(run.folder / "series.xdmf").getroot().findall("./Domain/Grid/Grid")
        self.assertEqual([float(grid.find("Time").get("Value")) for grid in grids], [0.0, 0.1, 0.2])

        def read(item):
            file, name = item.text.split(":")
            with h5py.File(run.folder / file) as stored:
                values = stored[name][...]
            self.assertEqual(values.shape, tuple(map(int, item.get("Dimensions").split())))
            self.assertEqual(values.dtype.itemsize, int(item.get("Precision")))
            self.assertEqual(values.dtype.kind, {"Int": "i", "Float": "f"}[item.get("NumberType")])
            return values

        seen = []
        for grid in grids:
            cells, points = (read(grid.find(f"{part}/DataItem")) for part in ("Topology", "Geometry"))
            self.assertEqual((cells.shape, points.shape), ((2 * 12 * 12, 3), (13 * 13, 3)))
            self.assertEqual((cells.min(), cells.max()), (0, 13 * 13 - 1))
            fields = {field.get("Name"): (field.get("Center"), read(field.find("DataItem"))) for field in grid.findall("Attribute")}
            self.assertEqual(set(fields), {"u", "monitor"})
            for center, values in fields.values():
                self.assertEqual((center, values.shape), ("Node", (13 * 13,)))
            x, y, _ = points.T
            front = 1.0 / (1.0 + numpy.exp((x + y - float(grid.find("Time").get("Value")) - 0.25) / (2.0 * 0.02)))
            self.assertLess(numpy.abs(fields["u"][1] - front).max(), 0.02)  # points and values of the same time
            seen.append((cells, points))
        for one, other in zip(seen, seen[1:]):
            self.assertTrue(numpy.array_equal(one[0], other[0]))
            self.assertGreater(numpy.abs(one[1] - other[1]).max(), 0.01)

    def test_where_a_smooth_solution_stands_no_point_moves_by_more_than_a_hundredth_of_a_cell(self):
        solution = "0.5*sin(pi*x)*sin(pi*y)"
        words = ("-n", "20,20", "-fx1", "ux1", "-fy1", "uy1", "-s1", f"2*pi^2*{solution}", "-initial1", solution,
                 "-held_sides", "left,right,bottom,top", "-t_end", 1)
        moving = plane(self, "pde", *words)
        fixed = plane(self, "pde", *words, "-mesh_equation", "fixed")
        before, after = snapshot(moving, 0)[0], snapshot(moving)[0]
        self.assertLess(numpy.abs(after - before).max(), 0.01 / 20)
        self.assertLessEqual(moving.summary["steps"], 1.2 * fixed.summary["steps"] + 5)


if __name__ == "__main__":
    unittest.main()
