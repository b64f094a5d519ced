"""What runs leave behind: live and stored ones look the same; fields, plots, sweeps, Ctrl-C."""

import contextlib
import io
import os
import pathlib
import signal
import tempfile
import unittest

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import rhumb  # noqa: E402
from petsc4py import PETSc  # noqa: E402

PLATE = {"problem": "plate", "n": (8, 6), "k": "1", "initial": "300 + x*y"}


class Fields(unittest.TestCase):
    def test_values_stand_at_their_coordinates(self):
        first = rhumb.Heat(**PLATE).run(t_end=0.1)[0].field("T")
        x, y = first.coordinates
        np.testing.assert_allclose(first.values, 300 + np.outer(y, x), rtol=1e-12)
        self.assertEqual(first.unit, "K")
        self.assertEqual(np.max(first), first.values.max())

    def test_faces_have_their_own_coordinates(self):
        run = rhumb.Flow(problem="cavity", re=100, n=(6, 8)).run(t_end=0.1)
        u, v = run.field("u"), run.field("v")
        self.assertEqual(u.values.shape, tuple(c.size for c in u.coordinates[::-1]))
        self.assertEqual(v.values.shape, tuple(c.size for c in v.coordinates[::-1]))
        self.assertEqual((u.coordinates[0][0], v.coordinates[1][-1]), (0.0, 1.0))

    def test_points_of_a_moving_mesh_come_with_the_solution(self):
        run = rhumb.Mesh(problem="burgers").run(t_end=0.3)
        first, last = run[0].field("u"), run[-1].field("u")
        self.assertGreater(np.abs(first.coordinates - last.coordinates).max(), 1e-3)
        self.assertEqual(last.values.shape[0], len(last.coordinates))

    def test_triangles_have_points_and_cells(self):
        mesh = pathlib.Path(os.environ["RHUMB_SOURCE"]) / "meshes"
        file = next(iter(sorted(mesh.glob("*.msh"))))
        state = rhumb.Heat(mesh=file, k="1", initial="300 + x").run(t_end=1e-3)[0]
        field = state.field("T")
        np.testing.assert_allclose(field.values, 300 + field.coordinates[:, 0], rtol=1e-12)
        self.assertGreater(len(state.mesh.cells), 10)
        state.plot("T")

    def test_a_field_that_is_not_there_is_named_with_the_nearest(self):
        with self.assertRaisesRegex(rhumb.BadInput, "no field 'TT'; nearest: 'T'"):
            rhumb.Heat(**PLATE).run(t_end=0.1).field("TT")


class Stored(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def test_a_stored_run_is_the_live_one(self):
        heat = rhumb.Heat(**PLATE)
        live = heat.run(t_end=0.2, out_times=[0.05, 0.2])
        heat.run(t_end=0.2, out_times=[0.05, 0.2], out=self.folder)
        stored = rhumb.open(self.folder)
        self.assertEqual((stored.reason, stored.success, stored.t), (live.reason, live.success, live.t))
        self.assertEqual(stored.figures, live.figures)
        np.testing.assert_array_equal(stored.times, live.times)
        for name in live.series:
            np.testing.assert_array_equal(stored.series[name], live.series[name])
        for a, b in zip(live.states, stored.states):
            np.testing.assert_array_equal(a.field("T").values, b.field("T").values)
            for p, q in zip(a.field("T").coordinates, b.field("T").coordinates):
                np.testing.assert_array_equal(p, q)
        self.assertEqual(stored.at(0.06).t, 0.05)
        self.assertEqual(stored.statistics["steps"], live.statistics["steps"])
        self.assertGreater(stored.steps["h"].size, 3)

    def test_a_folder_can_be_written_again_while_its_result_lives(self):
        first = rhumb.Heat(**PLATE).run(t_end=0.1, out=self.folder)
        second = rhumb.Heat(**PLATE).run(t_end=0.2, out=self.folder)
        self.assertEqual((first.t, second.t, rhumb.open(self.folder).t), (0.1, 0.2, 0.2))

    def test_a_folder_without_a_run_is_refused(self):
        with self.assertRaisesRegex(FileNotFoundError, "neither run.json nor snapshots"):
            rhumb.open(self.folder)
        with self.assertRaisesRegex(FileNotFoundError, "no folder"):
            rhumb.open(self.folder + "/none")

    def test_ctrl_c_keeps_the_state_and_a_checkpoint_that_continues(self):
        class Circle(rhumb.System):
            field_names = ["x", "v"]
            interrupted_after = np.inf

            def create_vector(self):
                return PETSc.Vec().createMPI(2)

            def initial_values(self, t, y, ydot):
                y.array[:] = [1.0, 0.0]

            def residual(self, t, y, ydot, f):
                f.array[:] = [ydot[0] - y[1], ydot[1] + y[0]]

            def after_step(self, t, y, ydot):
                if t > self.interrupted_after:
                    self.interrupted_after = np.inf
                    os.kill(os.getpid(), signal.SIGINT)

        system = Circle()
        system.interrupted_after = 0.5
        with self.assertRaises(KeyboardInterrupt) as caught:
            system.run(t_end=5, rtol=1e-6, out=self.folder)
        result = caught.exception.solution
        self.assertEqual(result.reason, "signal")
        self.assertTrue(0.5 < result.t < 1.0)
        self.assertAlmostEqual(result.field("x").values[0], np.cos(result.t), places=4)
        again = system.run(t_end=5, rtol=1e-6, out=self.folder, restart=self.folder)
        whole = system.run(t_end=5, rtol=1e-6)
        np.testing.assert_array_equal(again.y.array_r, whole.y.array_r)


class Views(unittest.TestCase):
    def tearDown(self):
        plt.close("all")

    def test_fields_and_series_are_drawn(self):
        run = rhumb.Flow(problem="cavity", re=100, n=(8, 8)).run(t_end=0.1, out_dt=0.02)
        self.assertEqual(run.plot("kinetic_energy").get_ylabel(), "kinetic_energy")
        self.assertIn("t = 0.1", run.plot("p").get_title())
        rhumb.Mesh(problem="burgers").run(t_end=0.1).plot()
        with self.assertRaisesRegex(rhumb.BadInput, "no field or series 'q'"):
            run.plot("q")

    def test_xarray_has_the_coordinates(self):
        try:
            import xarray  # noqa: F401
        except ImportError:
            self.skipTest("without xarray")
        run = rhumb.Heat(**PLATE).run(t_end=0.2, out_times=[0.0, 0.1, 0.2])
        data = run.to_xarray()
        self.assertEqual(dict(data.sizes), {"time": 3, "y_point": 7, "x_point": 9})
        np.testing.assert_array_equal(data["T"].sel(time=0.1), run.at(0.1).field("T").values)
        flow = rhumb.Flow(problem="cavity", re=100, n=(6, 8)).run(t_end=0.1).to_xarray()
        self.assertEqual(flow["u"].dims, ("time", "y", "x_face"))

    def test_progress_is_a_line_at_the_end_where_nobody_watches(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            rhumb.Heat(**PLATE).run(t_end=0.1, progress=True)
        self.assertRegex(errors.getvalue(), r"^t = 0.1\d* of 0.1, \d+ steps, 0 s\n$")

    def test_a_sweep_has_a_row_of_each_combination(self):
        table = rhumb.sweep(lambda k: rhumb.Heat(**{**PLATE, "k": str(k)}), {"k": [1, 2]}, t_end=0.05)
        one = rhumb.Heat(**{**PLATE, "k": "2"}).run(t_end=0.05)
        self.assertEqual(table["T_max"][1], one.figures["T_max"])
        self.assertEqual(list(table["reason"]), ["done", "done"])
        with self.assertRaisesRegex(rhumb.BadInput, "nearest: 'T_max'"):
            table["T_mx"]


class Requests(unittest.TestCase):
    def test_error_bars_come_with_the_figures(self):
        run = rhumb.Heat(**PLATE).run(t_end=0.1, error_bars=True)
        bar = run.errors["T_max"]
        self.assertGreater(bar["total"], 0)
        self.assertLess(bar["total"], 0.1)

    def test_derivatives_of_figures_come_forward_and_by_a_sweep_back(self):
        plate = rhumb.Heat(**PLATE)
        with tempfile.TemporaryDirectory() as folder:
            run = plate.run(t_end=0.1, rtol=1e-6, sensitivity=("k",), gradient="T_max", with_="k", out=folder + "/out")
            stored = rhumb.open(folder + "/out")
            kept = stored.sensitivities["T_max"]["k"], stored.gradients["T_max"]["k"]
        forward, backward = run.sensitivities["T_max"]["k"], run.gradients["T_max"]["k"]
        self.assertAlmostEqual(backward / forward, 1, delta=1e-3)
        self.assertEqual(kept, (forward, backward))
        h = 1e-3
        more, less = (plate.run(t_end=0.1, rtol=1e-8, k=1 + d).figures["T_max"] for d in (h, -h))
        self.assertAlmostEqual((more - less) / (2 * h) / forward, 1, delta=1e-2)

    def test_what_is_no_run_is_refused(self):
        for options in ({"study": "sweep", "vary": "k=1,2"}, {"check": True}, {"help": True}):
            with self.assertRaises(rhumb.BadInput):
                rhumb.Heat(**PLATE).run(t_end=0.1, **options)

    def test_bad_input_leaves_nothing_behind(self):
        for _ in range(3):
            with self.assertRaisesRegex(rhumb.BadInput, "t_end"):
                rhumb.Heat(**PLATE).run(t_end=-1)
        self.assertTrue(rhumb.Heat(**PLATE).run(t_end=0.1).success)


if __name__ == "__main__":
    unittest.main()
