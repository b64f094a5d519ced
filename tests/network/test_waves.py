"""Waves in pipes against the method of characteristics."""

import math
import pathlib
import tempfile
import unittest

import h5py
import numpy

import driver


def series(done, name):
    with h5py.File(done.folder / "series.h5") as file:
        return file["series/time"][:], file[f"series/{name}"][:]


def characteristics(cells, L, D, friction, a, p0, flow, t_end):
    """A gas pipe with p_t = -a^2/A q_x, q_t = -A p_x - lambda a^2 q|q|/(2 D A p), p = p0 at the left and q = flow(t) at
    the right, from its steady state: along dx/dt = +-a, dp +- a/A dq = -+ lambda a^3 q|q|/(2 D A^2 p) dt, with the
    friction taken at both ends of the step."""
    A, dx = math.pi / 4 * D * D, L / cells
    dt = dx / a
    x = numpy.linspace(0, L, cells + 1)
    q = numpy.full(cells + 1, flow(0.0))
    p = numpy.sqrt(p0**2 - friction * a * a * flow(0.0) ** 2 / (D * A * A) * x)
    Z = a / A
    drag = lambda p, q: friction * a**3 * q * abs(q) / (2 * D * A * A * p)
    times, ends = [0.0], [p[-1]]
    for n in range(int(round(t_end / dt))):
        new_p, new_q = p.copy(), q.copy()
        for _ in range(4):  # fixed point: the friction at the end of the step
            plus = p[:-1] + Z * q[:-1] - dt / 2 * (drag(p[:-1], q[:-1]) + drag(new_p[1:], new_q[1:]))
            minus = p[1:] - Z * q[1:] + dt / 2 * (drag(p[1:], q[1:]) + drag(new_p[:-1], new_q[:-1]))
            new_p[1:-1], new_q[1:-1] = (plus[:-1] + minus[1:]) / 2, (plus[:-1] - minus[1:]) / (2 * Z)
            new_p[0], new_q[0] = p0, (p0 - minus[0]) / Z
            new_q[-1] = flow((n + 1) * dt)
            new_p[-1] = plus[-1] - Z * new_q[-1]
        p, q = new_p, new_q
        times.append((n + 1) * dt)
        ends.append(p[-1])
    return numpy.array(times), numpy.array(ends)


class Waves(unittest.TestCase):
    def test_the_response_of_a_long_pipe_is_that_of_characteristics(self):
        a = math.sqrt(8.31446261815324 / 0.0185 * 283.15)
        flow = lambda t: numpy.interp(t, [0, 100, 160], [100, 100, 60])
        times, exact = characteristics(2000, 50e3, 0.6, 0.011, a, 60e5, flow, 1500.0)
        change = exact.max() - exact[0]
        with tempfile.TemporaryDirectory() as folder:
            network = pathlib.Path(folder) / "line.yaml"
            text = (driver.SOURCE / "apps/pipes/networks/line.yaml").read_text()
            network.write_text(text[:text.index("demands")] + "demands:\n  users: {node: town, flow: [[0, 100], [100, 100], [160, 60]]}\n")
            errors = []
            for cells in (2000, 1000):
                done = driver.run("rhumb-pipes", network, "-t_end", "1500", "-out_dt", "10", "-cell_length", cells,
                                  "-dae_rtol", "1e-6", "-dae_max_order", "2")
                self.assertEqual(done.code, 0, done.errors)
                t, p = series(done, "pressure_town")
                errors.append(numpy.abs(p - numpy.interp(t, times, exact)).max() / change)
        self.assertGreater(change, 5e5)
        self.assertLess(errors[1], 1e-3)
        self.assertLess(errors[1], 0.5 * errors[0])

    def test_water_hammer_is_joukowskys_and_converges(self):
        rise = 1200 * 200 / (math.pi / 4 * 0.25)  # rho a dv = a dq/A
        errors = []
        for refine in (1, 2):
            done = driver.run("rhumb-pipes", "apps/pipes/hammer.yaml", "-t_end", "2.5", "-refine", refine)
            self.assertEqual(done.code, 0, done.errors)
            t, p = series(done, "pressure_turbine")
            # The valve closes between 0.5 and 0.9 s; the wave is back from the lake two seconds after.
            plateau = (t > 1.0) & (t < 2.4)
            errors.append(numpy.abs((p[plateau] - 20e5) / rise - 1).max())
        self.assertLess(errors[0], 1e-3)
        self.assertLess(errors[1], 0.25 * errors[0])


if __name__ == "__main__":
    unittest.main()
