"""rhumb.solve and rhumb.solve_ode: results, views, exceptions, Ctrl-C, memory."""

import gc
import os
import resource
import signal
import tracemalloc
import unittest

import numpy as np
import rhumb
import scipy.sparse


def decay(t, y):
    return -y


class Results(unittest.TestCase):
    def test_the_solution_is_there_at_the_steps_at_wanted_times_and_between(self):
        s = rhumb.solve_ode(decay, (0, 2), [1.0, 3.0], rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(s.y, np.array([[1.0], [3.0]]) * np.exp(-s.t), rtol=1e-6)
        self.assertEqual((s.t[0], s.t[-1], s.status, s.success), (0.0, 2.0, 0, True))
        at = rhumb.solve_ode(decay, (0, 2), [1.0, 3.0], rtol=1e-8, atol=1e-12, t_eval=[0, 0.3, 2], dense_output=True)
        np.testing.assert_allclose(at.y, s.sol([0, 0.3, 2]), rtol=1e-12)
        np.testing.assert_allclose(at(0.7), s(0.7), rtol=1e-12)

    def test_a_smaller_tolerance_gives_a_smaller_error(self):
        errors = [abs(rhumb.solve_ode(decay, (0, 1), [1.0], rtol=rtol, atol=rtol).y_end[0] - np.exp(-1)) for rtol in (1e-3, 1e-5, 1e-7)]
        self.assertLess(errors[1], errors[0] / 10)
        self.assertLess(errors[2], errors[1] / 10)

    def test_a_function_may_fill_its_result_in_place(self):
        def F(t, y, yp, out):
            out[:] = yp + y

        filled = rhumb.solve(F, (0, 1), [1.0])
        returned = rhumb.solve(lambda t, y, yp: yp + y, (0, 1), [1.0])
        np.testing.assert_array_equal(filled.y, returned.y)

    def test_algebraic_values_and_rates_at_the_start_are_found(self):
        s = rhumb.solve(lambda t, y, yp: [yp[0] + y[1], y[1] - y[0] ** 2], (0, 1), [1.0, 7.0], rtol=1e-7)
        self.assertAlmostEqual(s.y[1, 0], 1.0, places=6)
        self.assertAlmostEqual(s.y_end[0], 0.5, places=5)  # y' = -y^2

    def test_matrices_of_all_sorts_give_the_same_solution(self):
        n = 30
        laplacian = scipy.sparse.diags([1, -2, 1], [-1, 0, 1], shape=(n, n), format="csr") * n**2
        y0 = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
        settings = {"rtol": 1e-6, "t_eval": [0.05]}
        def f(t, y):
            return laplacian @ y

        def F(t, y, yp):
            return yp - laplacian @ y

        reference = rhumb.solve_ode(f, (0, 0.05), y0, **settings).y
        runs = [rhumb.solve_ode(f, (0, 0.05), y0, jac=lambda t, y: laplacian.toarray(), **settings),
                rhumb.solve_ode(f, (0, 0.05), y0, jac=lambda t, y: laplacian, **settings),
                rhumb.solve_ode(f, (0, 0.05), y0, jac_sparsity=laplacian, **settings),
                rhumb.solve(F, (0, 0.05), y0, jac=lambda t, y, yp, alpha: alpha * scipy.sparse.identity(n) - laplacian, **settings)]
        for s in runs:
            np.testing.assert_allclose(s.y, reference, rtol=1e-5)
        self.assertLess(runs[2].statistics["residual_evals_jacobian"], 10 * runs[2].njev)  # three colours

    def test_parameters_reach_all_functions(self):
        seen = set()

        def event(t, y, p):
            seen.add(p.k)
            return y[0] - 0.5

        s = rhumb.solve_ode(lambda t, y, p: -p.k * y, (0, 1), [1.0], params={"k": 2.0}, events=[event], rtol=1e-6,
                            jac=lambda t, y, p: [[-p.k]])
        self.assertAlmostEqual(s.y_end[0], np.exp(-2), places=5)
        self.assertAlmostEqual(s.t_events[0][0], np.log(2) / 2, places=5)
        self.assertEqual(seen, {2.0})
        listed = rhumb.solve_ode(lambda t, y, p: -p[0] * y, (0, 1), [1.0], params=[2.0], rtol=1e-6)
        self.assertAlmostEqual(listed.y_end[0], np.exp(-2), places=5)

    def test_sensitivities_of_a_decay_are_exact(self):
        settings = {"params": {"k": 2.0, "a": 3.0}, "rtol": 1e-8, "atol": 1e-10}
        f, y0 = (lambda t, y, p: -p.k * y), (lambda p: [p.a])
        t = np.array([0.0, 0.25, 1.0])
        s = rhumb.solve_ode(f, (0, 1), y0, sensitivities=True, t_eval=t, dense_output=True, **settings)
        np.testing.assert_allclose(s.sensitivities["k"][0], -3 * t * np.exp(-2 * t), atol=1e-6)
        np.testing.assert_allclose(s.sensitivities["a"][0], np.exp(-2 * t), atol=1e-6)
        np.testing.assert_allclose(s.sensitivity("k", 0.7), [-2.1 * np.exp(-1.4)], atol=1e-6)
        steps = rhumb.solve_ode(f, (0, 1), y0, sensitivities="k", sensitivity_errors=True, **settings)
        self.assertEqual(steps.sensitivities["k"].shape, steps.y.shape)
        np.testing.assert_allclose(steps.sensitivities["k"][0], -3 * steps.t * np.exp(-2 * steps.t), atol=1e-6)
        listed = rhumb.solve_ode(lambda t, y, p: -p[0] * y, (0, 1), [1.0], params=[2.0], sensitivities=[0], rtol=1e-8)
        self.assertAlmostEqual(listed.sensitivity("p0", 1.0)[0], -np.exp(-2), places=5)

    def test_sensitivities_of_what_is_not_there_are_rejected(self):
        settings = {"params": {"rate": 1.0}}
        with self.assertRaisesRegex(rhumb.BadInput, "nearest: 'rate'"):
            rhumb.solve_ode(lambda t, y, p: -p.rate * y, (0, 1), [1.0], sensitivities=["rats"], **settings)
        with self.assertRaisesRegex(rhumb.BadInput, "there are no params"):
            rhumb.solve_ode(lambda t, y: -y, (0, 1), lambda p: [1.0])
        with self.assertRaisesRegex(ValueError, "no parameter"):
            rhumb.solve_ode(lambda t, y, p: -p.rate * y, (0, 1), [1.0], **settings).sensitivity("rate", 1.0)

    def test_a_terminal_event_ends_the_run(self):
        def half(t, y):
            return y[0] - 0.5
        half.terminal = True
        s = rhumb.solve_ode(decay, (0, 9), [1.0], events=half, rtol=1e-8)
        self.assertEqual((s.status, s.success), (1, True))
        self.assertAlmostEqual(s.t_end, np.log(2), places=6)
        self.assertAlmostEqual(s.y_events[0][0, 0], 0.5, places=6)

    def test_a_run_that_cannot_go_on_is_a_solution_that_says_so(self):
        s = rhumb.solve_ode(lambda t, y: y**2, (0, 2), [1.0])  # infinite at t = 1
        self.assertFalse(s.success)
        self.assertEqual(s.status, -1)
        self.assertTrue(s.message)
        self.assertAlmostEqual(s.t_end, 1.0, places=2)
        self.assertGreater(len(s.t), 5)

    def test_options_of_petsc_reach_the_solver(self):
        s = rhumb.solve_ode(decay, (0, 1), [1.0, 2.0], options={"dae_pc_type": "none", "dae_ksp_type": "gmres"})
        self.assertGreater(s.statistics["linear_iterations"], 0)


class BadInput(unittest.TestCase):
    def rejects(self, pattern, *arguments, **settings):
        with self.assertRaisesRegex(rhumb.BadInput, pattern):
            rhumb.solve(lambda t, y, yp: yp + y, *arguments, **settings)

    def test_messages_say_what_and_the_nearest(self):
        self.rejects("nearest: 'index2'", (0, 1), [1.0], kinds=["indx2"])
        self.rejects("kinds has 1 entries, y0 has 2", (0, 1), [1.0, 2.0], kinds=["index1"])
        self.rejects("yp0 has 1 values", (0, 1), [1.0, 2.0], yp0=[0.0])
        self.rejects("its end later than its start", (1, 0), [1.0])
        self.rejects("t_eval must be ascending", (0, 1), [1.0], t_eval=[0.5, 2.0])
        self.rejects("atol has the shape", (0, 1), [1.0], atol=[1e-3, 1e-3])
        self.rejects("dae_pc_type", (0, 1), [1.0], options={"dae_pc_tpe": "lu"})
        self.rejects("jac_sparsity", (0, 1), np.ones(3000))

    def test_a_result_of_the_wrong_size_is_named(self):
        with self.assertRaisesRegex(ValueError, "F returned 3 values, expected 1"):
            rhumb.solve(lambda t, y, yp: [1, 2, 3], (0, 1), [1.0])
        with self.assertRaisesRegex(ValueError, "f returned None"):
            rhumb.solve_ode(lambda t, y: None, (0, 1), [1.0])

    def test_the_state_cannot_be_changed_by_a_function(self):
        def F(t, y, yp):
            y[0] = 5

        with self.assertRaisesRegex(ValueError, "read-only"):
            rhumb.solve(F, (0, 1), [1.0])


class Exceptions(unittest.TestCase):
    def test_an_exception_in_any_function_comes_out_as_it_is(self):
        class Mine(Exception):
            pass

        def fails_late(t, *_):
            if t > 0.3:
                raise Mine("here")
            return -_[0]

        with self.assertRaisesRegex(Mine, "here"):
            rhumb.solve_ode(fails_late, (0, 1), [1.0])
        with self.assertRaisesRegex(Mine, "here"):
            rhumb.solve_ode(decay, (0, 1), [1.0], events=[lambda t, y: fails_late(t, y)[0]])
        with self.assertRaisesRegex(Mine, "here"):
            rhumb.solve_ode(decay, (0, 1), [1.0], jac=lambda t, y: fails_late(1.0))

    def test_recoverable_makes_the_step_smaller(self):
        def f(t, y):
            if y[0] < 0:
                raise rhumb.Recoverable("no root of a negative number")
            return [-np.sqrt(y[0])]

        s = rhumb.solve_ode(f, (0, 1.9), [1.0], rtol=1e-3, first_step=1.8)  # y = (1 - t/2)^2
        self.assertTrue(s.success, s.message)
        self.assertAlmostEqual(s.y_end[0], 0.05**2, places=2)

    def test_a_solve_inside_a_solve_changes_neither(self):
        def f(t, y):
            inner = rhumb.solve_ode(decay, (0, 1), [1.0]).y_end[0]
            return [-inner * y[0]]

        s = rhumb.solve_ode(f, (0, 1), [1.0], rtol=1e-6)
        self.assertAlmostEqual(s.y_end[0], np.exp(-rhumb.solve_ode(decay, (0, 1), [1.0]).y_end[0]), places=5)

    def test_ctrl_c_stops_at_the_end_of_a_step_with_the_solution_kept(self):
        def f(t, y):
            if t > 0.5:
                os.kill(os.getpid(), signal.SIGINT) if not sent else None
                sent.append(t)
            return -y

        sent = []
        with self.assertRaises(KeyboardInterrupt) as caught:
            rhumb.solve_ode(f, (0, 1e6), [1.0], max_step=0.1)
        solution = caught.exception.solution
        self.assertEqual(solution.status, -2)
        self.assertLess(solution.t_end, 1.0)
        self.assertAlmostEqual(solution.y_end[0], np.exp(-solution.t_end), places=3)
        rhumb.solve_ode(decay, (0, 1), [1.0])  # it is forgotten
        with self.assertRaises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                pass


class Memory(unittest.TestCase):
    def test_a_thousand_solves_leave_nothing_behind(self):
        def resident():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        def some(count):
            for _ in range(count):
                rhumb.solve_ode(lambda t, y, p: -p.k * y, (0, 1), np.ones(50), params={"k": 1.0}, events=[lambda t, y, p: y[0] - 0.5])

        some(100)
        before = resident()
        some(1000)
        self.assertLess(resident() - before, 2**20)

    def test_a_large_field_is_never_copied(self):
        size = 1_000_000
        field = 8 * size
        y0 = np.ones(size)
        diagonal = scipy.sparse.identity(size, format="csr")
        bases = []

        def f(t, y, out):
            bases.append(y.base is not None and out.base is not None and not y.flags.owndata)
            np.negative(y, out=out)

        from rhumb import _rhumb, _solve
        functions = _solve._functions(f, y0, jac=None, kinds=None, signs=None)
        functions.is_rate = True
        _solve._set_pattern(functions, diagonal, 0.0)
        self.assertTrue(np.shares_memory(functions.y, y0))
        request = _rhumb.SolveRequest()
        request.t0, request.t1, request.rtol, request.atol = 0.0, 0.1, 1e-2, np.array([1e-2])
        request.t_eval, request.dense_output = np.array([0.1]), False
        tracemalloc.start()
        result = _rhumb.solve(functions, request)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertTrue(all(bases))
        np.testing.assert_allclose(result.y_eval[0, ::1000], np.exp(-0.1), rtol=1e-2)
        self.assertLess(peak, 1.01 * field)  # the result itself, interpolated into its place

    def test_a_view_that_a_callback_keeps_stays_valid(self):
        kept = []
        rhumb.solve_ode(lambda t, y: (kept.append(y), -y)[1], (0, 1), np.ones(1000))
        gc.collect()
        self.assertTrue(all(np.isfinite(view).all() for view in kept))


if __name__ == "__main__":
    unittest.main()
