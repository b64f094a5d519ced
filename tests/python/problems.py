"""rhumb.System and the drivers' problems, on one rank and under mpirun: the same numbers, the same end for all ranks."""

import contextlib
import os
import pathlib
import resource
import unittest

import numpy as np
import rhumb
from petsc4py import PETSc

WORLD = PETSc.COMM_WORLD


class Decay(rhumb.System):
    field_names = ["u"]
    fails_at = np.inf

    def create_vector(self):
        return PETSc.Vec().createMPI(8)

    def initial_values(self, t, y, ydot):
        y.set(1.0)

    def residual(self, t, y, ydot, f):
        if t > self.fails_at and WORLD.rank == WORLD.size - 1:
            raise KeyError("only here")
        f.array[:] = ydot.array_r + y.array_r

    def figures(self, t, y, ydot):
        return {"mean": y.sum() / y.size, "name": "decay"}


class Systems(unittest.TestCase):
    def test_a_class_on_vectors_is_integrated(self):
        result = Decay().run(t_end=1, rtol=1e-7, atol=1e-10)
        self.assertTrue(result.success, result.message)
        self.assertAlmostEqual(result.figures["mean"], np.exp(-1), places=6)
        self.assertEqual(result.figures["name"], "decay")
        self.assertEqual(result.field("u").values.size, result.y.getLocalSize())

    def test_what_a_class_defines_is_used(self):
        class WithMatrix(Decay):
            calls = 0

            def jacobian(self, t, y, ydot, alpha, matrix):
                self.calls += 1
                matrix.zeroEntries()
                matrix.shift(alpha + 1.0)
                matrix.assemble()

            def events(self):
                return [("half", -1)]

            def event_values(self, t, y, ydot):
                return [y.max()[1] - 0.5]

            def on_event(self, t, which, y, ydot):
                return "stop"

        system = WithMatrix()
        result = system.run(t_end=9, rtol=1e-7)
        self.assertGreater(system.calls, 0)
        self.assertEqual(result.reason, "stopped_by_event")
        self.assertAlmostEqual(result.t, np.log(2), places=5)
        self.assertEqual([name for _, name in result.events], ["half"])

    def test_an_exception_on_one_rank_ends_all_with_it(self):
        system = Decay()
        system.fails_at = 0.3
        own = WORLD.rank == WORLD.size - 1
        with self.assertRaisesRegex(KeyError if own else rhumb.RemoteError, "only here"):
            system.run(t_end=1)

    def test_an_exception_before_the_first_step_ends_all_too(self):
        class Unmade(Decay):
            def create_vector(self):
                if WORLD.rank == WORLD.size - 1:
                    raise KeyError("only here")
                return super().create_vector()

        class Unstarted(Decay):
            def initial_values(self, t, y, ydot):
                raise KeyError("only here")

        with self.assertRaisesRegex((KeyError, rhumb.RemoteError), "only here"):
            Unstarted().run(t_end=1)
        if WORLD.size == 1:  # else creating a parallel vector waits for all ranks, here as anywhere
            with self.assertRaisesRegex(KeyError, "only here"):
                Unmade().run(t_end=1)

    def test_a_loop_of_runs_keeps_its_memory(self):
        for _ in range(20):
            Decay().run(t_end=1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(200):
            Decay().run(t_end=1)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 4000)  # KiB

    def test_leaving_the_loop_ends_the_run_there(self):
        for step in Decay().steps(t_end=1):
            if step.t > 0.2:
                break
        self.assertAlmostEqual(step.y.max()[1], np.exp(-step.t), places=3)


class Problems(unittest.TestCase):
    def test_a_cavity_has_the_same_figures_on_any_number_of_ranks(self):
        result = rhumb.Flow(problem="cavity", re=100, n=(16, 16)).run(t_end=0.2, rtol=1e-7, atol=1e-8)
        self.assertEqual(result.reason, "done")
        self.assertAlmostEqual(result.figures["kinetic_energy"], 0.01175806727, places=10)

    def test_each_rank_has_its_part_of_a_field_with_its_places(self):
        field = rhumb.Heat(n=(16, 12), k="1", initial="300 + x + 2*y", problem="plate").run(t_end=0.01)[0].field("T")
        x, y = field.coordinates
        self.assertEqual(field.values.shape, (y.size, x.size))
        np.testing.assert_allclose(field.values, 300 + x[None, :] + 2 * y[:, None], rtol=1e-12)
        self.assertEqual(WORLD.tompi4py().allreduce(field.values.size), 17 * 13)

    def test_points_of_triangles_are_shared_out_too(self):
        mesh = pathlib.Path(os.environ["RHUMB_SOURCE"]) / "meshes" / "cylinder2d.msh"
        field = rhumb.Heat(mesh=mesh, k="1", initial="300 + x").run(t_end=1e-3)[0].field("T")
        np.testing.assert_allclose(field.values, 300 + field.coordinates[:, 0], rtol=1e-12)

    def test_an_option_changes_between_runs(self):
        flow = rhumb.Flow(problem="cavity", re=100, n=(8, 8))
        slow = flow.run(t_end=0.1).figures["kinetic_energy"]
        flow.options["re"] = 10
        self.assertNotAlmostEqual(flow.run(t_end=0.1).figures["kinetic_energy"], slow, places=4)

    def test_steps_are_those_of_the_run(self):
        heat = rhumb.Heat(n=(16, 16), k="1", initial="300 + x", problem="plate")
        steps = [step.t for step in heat.steps(t_end=0.1)]
        self.assertEqual(len(steps), heat.run(t_end=0.1).statistics["steps"])

    def test_a_misspelt_option_is_refused_with_the_nearest_name(self):
        with self.assertRaisesRegex(rhumb.BadInput, "did you mean -re"):
            rhumb.Flow(problem="cavity", ree=100).run(t_end=0.1)

    def test_a_page_of_text_runs_as_text_as_a_dict_and_as_a_file(self):
        page = (pathlib.Path(os.environ["RHUMB_SOURCE"]) / "apps" / "pde" / "wave.yaml")
        figures = rhumb.Pde(page).run().figures
        self.assertGreater(len(figures), 0)
        self.assertEqual(rhumb.Pde(page.read_text()).run().figures, figures)
        with self.assertRaisesRegex(rhumb.BadInput, "the text:2.*did you mean 'u'"):
            rhumb.Pde("fields: u\nequations: ['dt(u) = lap(uu)']\ninitial: {u: 1}\nn: 10\nupper: 1").run()

    def test_a_network_of_pipes_runs(self):
        with contextlib.chdir(os.environ["RHUMB_SOURCE"]):  # the case names its network from there
            self.assertTrue(rhumb.Pipes("apps/pipes/line.yaml").run(t_end=10).success)

    def test_moving_meshes_and_flames_run_too(self):
        self.assertTrue(rhumb.Mesh(problem="burgers").run(t_end=0.01).success)
        self.assertTrue(rhumb.Ignite(problem="onestep").run(t_end=1e-6).success)


if __name__ == "__main__":
    unittest.main()
