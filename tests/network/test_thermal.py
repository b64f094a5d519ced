"""Pipes with temperatures: closed forms, balances of energy, machines, ranks, restarts, bad input."""

import math
import pathlib
import tempfile
import unittest

import h5py
import numpy

import driver

R, GAMMA = 8.31446261815324 / 0.0185, 1.3
CP = R * GAMMA / (GAMMA - 1)
GROUND, WARM, FLOW, TRANSFER, DIAMETER, LENGTH = 283.15, 323.15, 100.0, 2.0, 0.6, 50e3
FLUID = "fluid: {equation: ideal, molar_mass: 0.0185, heat_ratio: 1.3, temperature: 283.15}\n"
LINE = FLUID + """nodes: {field: {x: 0}, town: {x: 50}}
pipes: {line: {from: field, to: town, length: 50000, diameter: 0.6, friction: 0.011}}
supplies: {gas: {node: field, pressure: 60e5, temperature: 323.15}}
demands: {users: {node: town, flow: 100}}
"""
# Two supplies that differ, a hill, a compressor at its power after a while, a demand that changes.
JUNCTION = FLUID + """nodes: {cold: {x: 0}, hot: {x: 0, y: 1}, mixed: {x: 1}, hill: {x: 2, height: 500}, boosted: {x: 3, height: 500}, town: {x: 4}}
pipes:
  c: {from: cold, to: mixed, length: 10000, diameter: 0.5}
  h: {from: hot, to: mixed, length: 10000, diameter: 0.5}
  up: {from: mixed, to: hill, length: 20000, diameter: 0.6}
  down: {from: boosted, to: town, length: 20000, diameter: 0.6}
compressors: {booster: {from: hill, to: boosted, outlet_pressure: 62e5, power: 4.5e6}}
supplies:
  one: {node: cold, pressure: 60e5, temperature: 280}
  two: {node: hot, flow: 40, temperature: 330}
demands: {users: {node: town, flow: [[0, 80], [3600, 80], [7200, 130]]}}
"""


class Thermal(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def start(self, text, *words, **how):
        file = self.folder / "network.yaml"
        file.write_text(text)
        return driver.run("rhumb-pipes", "-network", file, "-thermal", "yes", *words, **how)

    def run_text(self, text, *words, **how):
        done = self.start(text, *words, **how)
        self.assertEqual(done.code, 0, done.errors)
        return done

    def results(self, text, *words, **how):
        return self.run_text(text, *words, **how).summary["results"]


class ClosedForms(Thermal):
    def test_gas_on_its_way_takes_the_temperature_of_the_ground(self):
        # T = T_g + (T_0 - T_g) exp(-pi D U x/(m c_p)); with upwinded cells each keeps 1/(1 + pi D U dx/(m c_p)) of it
        exact = GROUND + (WARM - GROUND) * math.exp(-math.pi * DIAMETER * TRANSFER * LENGTH / (FLOW * CP))
        errors = []
        for cells in (50, 100, 200):
            results = self.results(LINE, "-t_end", 10, "-cell_length", LENGTH / cells)
            part = math.pi * DIAMETER * TRANSFER * LENGTH / cells / (FLOW * CP)
            of_cells = GROUND + (WARM - GROUND) / ((1 + part / 2) ** 2 * (1 + part) ** (cells - 1))
            self.assertAlmostEqual(results["temperature_town"], of_cells, delta=1e-6)
            self.assertAlmostEqual(results["heat_in"] / (FLOW * CP * (results["temperature_town"] - WARM)), 1, delta=1e-9)
            errors.append(results["temperature_town"] - exact)
        self.assertLess(abs(errors[-1]), 1e-3 * (WARM - GROUND))
        for coarse, fine in zip(errors, errors[1:]):
            self.assertAlmostEqual(fine / coarse, 0.5, delta=0.01)

    def test_gas_of_one_temperature_flows_as_without_the_balance_of_energy(self):
        thermal = self.results(LINE.replace("temperature: 323.15", "temperature: 283.15"), "-t_end", 10)
        A = math.pi / 4 * DIAMETER**2
        weymouth = math.sqrt(60e5**2 - R * GROUND * 0.011 * LENGTH * FLOW**2 / (DIAMETER * A * A))
        self.assertAlmostEqual(thermal["temperature_town"], GROUND, delta=1e-9)
        self.assertAlmostEqual(thermal["pressure_town"] / weymouth, 1, delta=1e-9)

    def test_a_vessel_that_empties_fast_cools_along_its_isentrope(self):
        gamma, gas, V, area, p0, T0 = 1.4, 8.31446261815324 / 0.02896, 10.0, 1e-3, 100e5, 290.0
        vessel = ("fluid: {equation: ideal, molar_mass: 0.02896, heat_ratio: 1.4, temperature: 290}\n"
                  "nodes: {vessel: {volume: 10, pressure: 100e5}}\nholes: {leak: {node: vessel, area: 1e-3, discharge: 1}}\n")
        t = 60.0
        results = self.results(vessel, "-start", "given", "-t_end", t, "-dae_rtol", 1e-8, "-dae_atol_P", 1e-2, "-dae_atol_rho", 1e-8)
        # p = p0 (1 + (g - 1)/2 ((g + 1)/2)^(-(g + 1)/(2 (g - 1))) A a0 t/V)^(-2 g/(g - 1)) while the hole is choked
        a0 = math.sqrt(gamma * gas * T0)
        slope = (gamma - 1) / 2 * ((gamma + 1) / 2) ** (-(gamma + 1) / (2 * (gamma - 1))) * area * a0 / V
        exact = p0 * (1 + slope * t) ** (-2 * gamma / (gamma - 1))
        self.assertGreater(exact, 4e5)
        self.assertAlmostEqual(results["pressure_vessel"] / exact, 1, delta=1e-6)
        self.assertAlmostEqual(results["temperature_vessel"] / (T0 * (exact / p0) ** ((gamma - 1) / gamma)), 1, delta=1e-6)

    def test_streams_mix_a_hill_cools_and_a_compressor_heats(self):
        results = self.results(JUNCTION, "-t_end", 10, "-heat_transfer", 0)
        self.assertEqual(results["mode_booster"], "controlled")
        mixed = (40 * 280 + 40 * 330) / 80
        self.assertAlmostEqual(results["temperature_mixed"], mixed, delta=1e-6)
        hill = mixed - 9.80665 * 500 / CP
        self.assertAlmostEqual(results["temperature_hill"], hill, delta=1e-6)
        k = (GAMMA - 1) / GAMMA
        boosted = hill + hill / 0.8 * ((62e5 / results["pressure_hill"]) ** k - 1)
        self.assertGreater(boosted, hill + 5)
        self.assertAlmostEqual(results["temperature_boosted"], boosted, delta=1e-6)
        self.assertAlmostEqual(results["temperature_town"], boosted + 9.80665 * 500 / CP, delta=1e-6)


class Balances(Thermal):
    def test_energy_that_came_in_is_stored_to_rounding_where_walls_let_no_heat_pass(self):
        pipe = LINE.replace("flow: 100", "flow: [[0, 100], [3600, 100], [5400, 140]]").replace(
            "temperature: 323.15", "temperature: [[0, 323.15], [1800, 323.15], [1800, 300]]").replace("town: {x: 50}", "town: {x: 50, height: 300}")
        done = self.run_text(pipe, "-t_end", 20000, "-heat_transfer", 0, "-out_dt", 1000)
        with h5py.File(done.folder / "series.h5") as file:
            energy, energy_in, town = (file[f"series/{name}"][:] for name in ("energy", "energy_in", "temperature_town"))
        change = energy - energy[0]
        self.assertGreater(numpy.abs(change).max(), 0.01 * energy[0])
        self.assertLess(numpy.abs(change - (energy_in - energy_in[0])).max(), 1e-12 * energy.max())
        self.assertLess(done.summary["results"]["mass_defect"], 1e-12)
        # The colder gas arrives: with flux m' = 100 ... 140 kg/s it has to push out what was there (5.3e5 kg).
        self.assertAlmostEqual(town[0], 323.15 - 9.80665 * 300 / CP, delta=1e-4)
        self.assertLess(town[-1], town[0] - 10)

    def test_with_the_ground_what_came_in_and_its_heat_are_stored(self):
        line = LINE.replace("flow: 100", "flow: [[0, 100], [1800, 140]]")
        results = {}
        for end in (0.001, 5000):
            results[end] = self.results(line, "-t_end", end, "-integral", "heat = heat_in", "-dae_rtol", 1e-6)
        change, came = (results[5000][name] - results[0.001][name] for name in ("energy", "energy_in"))
        self.assertGreater(abs(results[5000]["heat"]), 1e9)
        self.assertAlmostEqual((change - came) / results[5000]["heat"], 1, delta=1e-4)

    def test_the_matrix_is_that_of_the_equations(self):
        self.run_text(JUNCTION, "-t_end", 5000, "-dae_check_jacobian", "true")


class AsWithoutTemperatures(Thermal):
    def test_a_compressor_at_its_power_is_an_event_that_knows_the_temperature(self):
        done = self.run_text(JUNCTION, "-t_end", 20000)
        results = done.summary["results"]
        self.assertEqual(done.summary["events"]["compressor booster: controlled -> limited"], 1)
        self.assertEqual(results["mode_booster"], "limited")
        k = (GAMMA - 1) / GAMMA
        work = R * results["temperature_hill"] / k * ((results["pressure_boosted"] / results["pressure_hill"]) ** k - 1)
        self.assertAlmostEqual(results["flow_booster"] * work / 0.8 / 4.5e6, 1, delta=1e-4)

    def test_several_ranks_get_the_same_numbers(self):
        alone = self.results(JUNCTION, "-t_end", 8000)
        together = self.results(JUNCTION, "-t_end", 8000, ranks=2)
        for name, value in alone.items():
            if name.startswith(("pressure_", "temperature_")):
                self.assertLess(abs(together[name] / value - 1), 2e-5, name)

    def test_a_continued_run_is_the_run_that_was_not_cut(self):
        whole = self.results(JUNCTION, "-t_end", 8000)
        out = self.folder / "cut"
        self.assertEqual(self.start(JUNCTION, "-t_end", 8000, "-dae_max_steps", 30, out=out).code, 3)
        self.assertEqual(self.results(JUNCTION, "-t_end", 8000, "-restart", out, out=out), whole)

    def test_sensitivities_are_those_of_differences(self):
        words = ("-t_end", 4000, "-dae_rtol", 1e-7)
        line = LINE.replace("flow: 100", "flow: [[0, 100], [1800, 140]]")
        found = self.results(line, *words)
        derivative = self.run_text(line, *words, "-sensitivity", "heat_transfer").summary["sensitivities"]["temperature_town"]["heat_transfer"]
        high, low = (self.results(line, *words, "-heat_transfer", 2 * f)["temperature_town"] for f in (1.01, 0.99))
        self.assertAlmostEqual(derivative / ((high - low) / 0.04), 1, delta=1e-3)
        self.assertLess(derivative, 0)
        self.assertGreater(found["temperature_town"], GROUND)

    def test_snapshots_hold_temperatures_of_points(self):
        done = self.run_text(LINE, "-t_end", 10, ranks=2)
        with h5py.File(sorted((done.folder / "snapshots").glob("*.h5"))[-1]) as file:
            T = file["fields/temperature"][:]
            self.assertEqual(T.shape[0], file["mesh/points"].shape[0])
        self.assertEqual(T[1], done.summary["results"]["temperature_town"])  # nodes come first
        self.assertTrue((numpy.diff(T[2:]) < 0).all())

    def test_what_has_no_balance_of_energy_is_refused(self):
        for text, words, message in ((LINE.replace("ideal", "papay"), (), "-thermal needs `equation: ideal`"),
                                     (LINE, ("-momentum", "convective"), "does not go with it"),
                                     (LINE, ("-heat_transfer", -1), "-heat_transfer"),
                                     (LINE.replace("friction: 0.011", "heat_transfer: -1"), (), "pipe line: heat_transfer must not be negative"),
                                     (LINE.replace("temperature: 323.15", "temperature: -3"), (), "temperature must be at least 1")):
            with self.subTest(message):
                failed = self.start(text, *words)
                self.assertEqual(failed.code, 2, failed.errors)
                self.assertIn(message, failed.errors)


if __name__ == "__main__":
    unittest.main()
