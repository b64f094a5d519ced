"""Machines of a network against closed forms: resistors, valves that choke and close, storages, ratios, check valves."""

import math
import pathlib
import tempfile
import unittest

import h5py
import numpy

import driver

R, T = 8.31446261815324 / 0.0185, 283.15
NETWORK = """fluid: {{equation: ideal, molar_mass: 0.0185, temperature: 283.15, heat_ratio: 1.3}}
nodes: {{a: {{x: 0}}, b: {{x: 1, volume: {volume}, pressure: {pressure}}}}}
{machine}
supplies: {{s: {{node: a, pressure: {supply}}}}}
demands: {{d: {{node: b, flow: {demand}}}}}
"""


class Machines(unittest.TestCase):
    def solve(self, machine, *words, supply="50e5", demand="20", volume=100, pressure="50e5"):
        with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
            file = pathlib.Path(folder) / "network.yaml"
            file.write_text(NETWORK.format(machine=machine, supply=supply, demand=demand, volume=volume, pressure=pressure))
            done = driver.run("rhumb-pipes", "-network", file, *words)
        self.assertEqual(done.code, 0, done.errors)
        self.assertLess(done.summary["results"]["mass_defect"], 1e-12)
        return done

    def test_a_resistor_takes_its_drag_of_the_dynamic_pressure(self):
        results = self.solve("resistors: {m: {from: a, to: b, drag: 40, diameter: 0.3}}", "-t_end", 10).summary["results"]
        rho = (50e5 + results["pressure_b"]) / 2 / (R * T)
        speed = 20 / rho / (math.pi / 4 * 0.09)
        self.assertGreater(50e5 - results["pressure_b"], 1e4)
        self.assertAlmostEqual((50e5 - results["pressure_b"]) / (40 * rho * speed**2 / 2), 1, delta=1e-4)

    def test_a_valve_is_choked_until_the_vessel_behind_it_has_the_critical_pressure(self):
        # The vessel fills linearly in time while the valve is choked.
        g, A, V, p0 = 1.3, 0.8 * 1e-3, 10.0, 5e5
        flow = A * 50e5 / math.sqrt(R * T) * math.sqrt(g) * (2 / (g + 1)) ** ((g + 1) / (2 * (g - 1)))
        critical = 50e5 * (2 / (g + 1)) ** (g / (g - 1))
        summary = self.solve("valves: {m: {from: a, to: b, area: 1e-3}}", "-start", "given", "-t_end", 200, "-dae_rtol", 1e-7,
                             demand="0", volume=10, pressure="5e5").summary
        self.assertEqual(summary["events"]["valve m: choked -> unchoked"], 1)
        exact = (critical - p0) * V / (R * T) / flow
        self.assertAlmostEqual(summary["event_times"]["valve m: choked -> unchoked"][0] / exact, 1, delta=1e-5)
        self.assertAlmostEqual(summary["results"]["pressure_b"] / 50e5, 1, delta=1e-4)

    def test_a_valve_that_closes_leaves_its_demand_to_the_storage(self):
        for valve in ("valves: {m: {from: a, to: b, opening: [[0, 1], [100, 1], [100, 0]]}}",
                      "valves: {m: {from: a, to: b, area: 0.5, opening: [[0, 1], [100, 1], [100, 0]]}}"):
            done = self.solve(valve, "-t_end", 400, "-out_dt", 20, demand="2")
            with h5py.File(done.folder / "series.h5") as file:
                t, p, q = (file[f"series/{name}"][:] for name in ("time", "pressure_b", "flow_m"))
            after = t > 100
            self.assertTrue((numpy.abs(q[t < 99] - 2) < 1e-3).all())
            self.assertTrue((numpy.abs(q[after]) < 1e-6).all())
            # V dp/dt = -R T q
            before = p[t < 99][-1]
            numpy.testing.assert_allclose(p[after], before - R * T * 2 / 100 * (t[after] - 100), rtol=1e-6)

    def test_a_compressor_keeps_its_ratio_while_the_supply_changes(self):
        done = self.solve("compressors: {m: {from: a, to: b, ratio: 1.4}}", "-t_end", 1000, "-out_dt", 50,
                          supply="[[0, 40e5], [300, 40e5], [600, 45e5]]", pressure="56e5")
        with h5py.File(done.folder / "series.h5") as file:
            a, b = file["series/pressure_a"][:], file["series/pressure_b"][:]
        self.assertGreater(a.max() - a.min(), 4e5)
        numpy.testing.assert_allclose(b, 1.4 * a, rtol=1e-6)

    def test_a_compressor_reaches_its_power_where_the_demand_needs_it(self):
        # p2 = 60 bar from 50 bar: q w(50, 60)/efficiency = power
        k, power = 0.3 / 1.3, 6e5
        work = R * T / k * ((60 / 50) ** k - 1) / 0.8
        summary = self.solve(f"compressors: {{m: {{from: a, to: b, outlet_pressure: 60e5, power: {power}}}}}", "-t_end", 1000,
                             "-dae_rtol", 1e-7, demand="[[0, 5], [1000, 25]]").summary
        self.assertEqual(summary["results"]["mode_m"], "limited")
        exact = 1000 * (power / work - 5) / 20
        self.assertAlmostEqual(summary["event_times"]["compressor m: controlled -> limited"][0] / exact, 1, delta=1e-5)

    def test_a_check_valve_lets_nothing_back_and_opens_again(self):
        done = self.solve("check_valves: {m: {from: a, to: b}}", "-t_end", 1000, "-out_dt", 10,
                          supply="[[0, 50e5], [200, 50e5], [300, 40e5], [500, 40e5], [600, 50e5]]", demand="1")
        with h5py.File(done.folder / "series.h5") as file:
            a, b, q = (file[f"series/{name}"][:] for name in ("pressure_a", "pressure_b", "flow_m"))
        # It closes at the instant at which the supply's pressure begins to fall faster than the demand empties the storage.
        self.assertEqual(done.summary["events"]["check valve m: closed -> open"], 1)
        self.assertGreater(q.min(), -1e-5)
        falling = self.solve("check_valves: {m: {from: a, to: b}}", "-t_end", 100, supply="[[0, 50e5], [100, 40e5]]", demand="1")
        self.assertEqual(falling.summary["results"]["mode_m"], "closed")
        self.assertGreater((b - a).min(), -1.0)
        self.assertGreater((b - a).max(), 5e5)


if __name__ == "__main__":
    unittest.main()
