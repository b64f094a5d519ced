"""Networks of pipes: steady states, account of mass, machines, ranks, restarts."""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import matplotlib.image
import numpy

import driver
import steady_judge

HERE = pathlib.Path(__file__).parent
SMALL = ("tests/network/small.net", "-scenario", "tests/network/small.scn")


def run(*words, **how):
    done = driver.run("rhumb-pipes", *words, **how)
    assert done.code == 0, done.errors
    return done


class Steady(unittest.TestCase):
    def test_a_pipe_of_an_ideal_gas_obeys_weymouth(self):
        RT, A, q = steady_judge.R / 0.0185 * 283.15, math.pi / 4 * 0.36, 100.0
        exact = math.sqrt(60e5**2 - RT * 0.011 * 50000 * q * q / (0.6 * A * A))
        for refine in (1, 4):
            results = run("apps/pipes/line.yaml", "-t_end", "1000", "-cell_length", "5000", "-refine", refine).summary["results"]
            self.assertLess(abs(results["pressure_town"] / exact - 1), 1e-9)
            self.assertLess(abs(results["flow_field"] / q - 1), 1e-9)

    def test_a_gas_that_expands_on_its_way_is_accelerated(self):
        # p1^2 - p2^2 = R T (q/A)^2 (lambda L/D + 2 ln(p1/p2))
        line = (driver.SOURCE / "apps/pipes/networks/line.yaml").read_text()
        line = line.replace("length: 50000", "length: 2000").replace("flow: [[0, 100], [1800, 100], [3600, 120], [7200, 80]]", "flow: 700")
        RT, flux = steady_judge.R / 0.0185 * 283.15, 700 / (math.pi / 4 * 0.36)
        exact = 60e5
        for _ in range(100):
            exact = math.sqrt(60e5**2 - RT * flux**2 * (0.011 * 2000 / 0.6 + 2 * math.log(60e5 / exact)))
        with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
            network = pathlib.Path(folder) / "line.yaml"
            network.write_text(line)
            errors = []
            for cell in (100, 50):
                results = run("-network", network, "-momentum", "convective", "-t_end", "10", "-cell_length", cell).summary["results"]
                errors.append(abs(results["pressure_town"] / exact - 1))
            self.assertLess(errors[0], 1e-3)
            self.assertLess(errors[1], 0.3 * errors[0])
            without = run("-network", network, "-t_end", "10").summary["results"]
            self.assertGreater(without["pressure_town"] / exact - 1, 0.01)

    def test_a_ring_in_gaslibs_format_agrees_with_another_solver_to_second_order(self):
        for ratio in (1.0, 1.3):
            pressures, flow = steady_judge.small_network(ratio)
            errors = []
            for cell in (4000, 2000):
                results = run(*SMALL, "-ratio_K", ratio, "-t_end", "60", "-cell_length", cell).summary["results"]
                errors.append(max(abs(results[f"pressure_{n}"] / p - 1) for n, p in pressures.items()))
                self.assertLess(abs(results["flow_CD"] / flow - 1), 1e-4)
            self.assertLess(errors[1], 2e-6)
            self.assertLess(errors[1], 0.3 * errors[0])

    def test_gaslib40_agrees_with_its_published_steady_state(self):
        folder = os.environ.get("RHUMB_NETWORK_DATA")
        if not folder:
            self.skipTest("RHUMB_NETWORK_DATA names no folder with GasLib-40 in JSON")
        data = pathlib.Path(folder) / "GasLib-40"
        results = run(data / "network.json", "-scenario", data / "bc_steady.json", "-watch", "all", "-t_end", "3600",
                      "-temperature", "288.706").summary["results"]
        published = json.loads((data / "steady_solution.json").read_text())
        for node, pressure in published["nodal_pressure"].items():
            self.assertLess(abs(results["pressure_" + node] / pressure - 1), 1e-7)
        for pipe, flow in published["pipe_flow"].items():
            self.assertLess(abs(results["flow_p" + pipe] - flow), 1e-9)

    def test_a_demand_that_cannot_be_met_names_the_lowest_node(self):
        failed = driver.run("rhumb-pipes", *SMALL, "-flow_D", "300")
        self.assertEqual(failed.code, 2)
        self.assertIn("no steady state", failed.errors)
        self.assertIn("node 'D'", failed.errors)


# A supply whose pressure jumps, falls and rises again, and a machine that is to hold a pressure behind it.
VARIABLE = """fluid: {{equation: papay}}
nodes: {{a: {{x: 0}}, b: {{x: 1}}, c: {{x: 2}}, d: {{x: 3}}}}
pipes:
  p1: {{from: a, to: b, length: 20000, diameter: 0.5}}
  p2: {{from: c, to: d, length: 10000, diameter: 0.5}}
{}:
  machine: {{from: b, to: c, outlet_pressure: {}}}
supplies:
  s: {{node: a, pressure: [[0, 50e5], [600, 50e5], [600, 45e5], [3000, 45e5], [5000, 38e5], [9000, 38e5], [12000, 50e5]]}}
demands:
  u: {{node: d, flow: 20}}
"""


class Transient(unittest.TestCase):
    def modes_over_time(self, kind, outlet):
        """The changes of the machine of VARIABLE, in their order."""
        with tempfile.TemporaryDirectory() as folder:
            network = pathlib.Path(folder) / "network.yaml"
            network.write_text(VARIABLE.format(kind, outlet))
            done = run(network, "-t_end", "15000", "-out_dt", "50")
            summary = done.summary
            self.assertLess(summary["results"]["mass_defect"], 1e-12)
            with h5py.File(done.folder / "series.h5") as file:
                values = {name: file[f"series/{name}"][:] for name in ("time", "pressure_b", "pressure_c", "flow_machine")}
        times = {name: when for name, when in summary["event_times"].items() if name != "schedule"}
        return [name.split(": ")[1] for name in sorted(times, key=lambda n: times[n][0])], values

    def test_a_control_valve_opens_where_the_inlet_has_too_little(self):
        changes, values = self.modes_over_time("control_valves", "40e5")
        self.assertEqual(changes, ["controlled -> open", "open -> controlled"])
        wanted = numpy.minimum(values["pressure_b"], 40e5)
        self.assertLess(numpy.abs(values["pressure_c"] - wanted).max(), 10.0)

    def test_a_compressor_lets_pass_what_has_pressure_enough_and_nothing_back(self):
        changes, values = self.modes_over_time("compressors", "44e5")
        self.assertEqual(changes, ["open -> closed", "closed -> open", "open -> controlled", "controlled -> open"])
        self.assertGreater(values["flow_machine"].min(), -1e-3)
        self.assertGreater((values["pressure_c"] - 44e5).min(), -10.0)

    def test_mass_that_came_in_is_stored_to_rounding(self):
        for case in ("line", "town", "rupture"):
            results = run(f"apps/pipes/{case}.yaml").summary["results"]
            self.assertLess(results["mass_defect"], 1e-12)
            self.assertGreater(abs(results["mass_in"]), 1e-3 * results["mass"])

    def test_machines_change_their_modes_in_the_course_of_a_day(self):
        summary = run("apps/pipes/town.yaml").summary
        events = summary["events"]
        for name in ("compressor booster: controlled -> limited", "control valve regulator: controlled -> closed",
                     "check valve flap: closed -> open", "check valve flap: open -> closed"):
            self.assertEqual(events[name], 1, events)
        self.assertEqual(events["schedule"], 24)
        # The flap lets gas in while the ring's pressure is low, and none out.
        self.assertGreater(summary["results"]["mass_south_field"], 1e5)
        self.assertGreater(summary["results"]["pressure_gate"], summary["results"]["pressure_joint"])

    def test_a_compressor_at_its_power_has_that_power(self):
        results = run("apps/pipes/town.yaml", "-t_end", "64800").summary["results"]
        self.assertEqual(results["mode_booster"], "limited")
        T, Tc, pc, gamma = 283.15, 191.0, 46.4e5, 1.3
        p1, p2 = results["pressure_station"], results["pressure_boosted"]
        z = 1 - 3.52 * p1 / pc * math.exp(-2.26 * T / Tc) + 0.274 * (p1 / pc) ** 2 * math.exp(-1.878 * T / Tc)
        k = (gamma - 1) / gamma
        work = z * steady_judge.R / 0.0175 * T / k * ((p2 / p1) ** k - 1)
        self.assertAlmostEqual(results["flow_booster"] * work / 0.78, 2.0e6, delta=2.0)
        self.assertLess(p2, 58e5)

    def test_a_check_valve_closes_at_the_instant_of_a_rupture(self):
        results = run("apps/pipes/rupture.yaml", "-t_end", "601").summary["results"]
        self.assertEqual(results["mode_flap"], "closed")
        self.assertEqual(results["flow_flap"], 0.0)
        self.assertLess(results["flow_rupture"], -500.0)

    def test_the_flow_out_of_a_vessel_stops_being_choked_in_time(self):
        # p' = -k p while it is choked, in a vessel of one temperature
        gamma, RT, area, volume, outside = 1.4, steady_judge.R / 0.02896 * 290, 0.8e-4, 10.0, 101325.0
        critical = (2 / (gamma + 1)) ** (gamma / (gamma - 1))
        k = area * math.sqrt(gamma * RT) * (2 / (gamma + 1)) ** ((gamma + 1) / (2 * (gamma - 1))) / volume
        exact = 10 + math.log(100e5 * critical / outside) / k
        self.assertAlmostEqual(critical, 0.528, delta=3e-4)
        for rtol, error in (("1e-7", 2e-5), ("1e-9", 1e-7)):
            summary = run("apps/pipes/tank.yaml", "-dae_rtol", rtol, "-dae_atol_P", "1e-3").summary
            self.assertEqual(summary["events"]["hole leak: choked -> unchoked"], 1)
            found = summary["event_times"]["hole leak: choked -> unchoked"][0]
            self.assertLess(abs(found / exact - 1), error)
            self.assertLess(abs(summary["results"]["pressure_vessel"] / outside - 1), 1e-4)

    def test_the_matrix_is_that_of_the_equations(self):
        for case in ("town", "rupture"):
            run(f"apps/pipes/{case}.yaml", "-t_end", "700", "-dae_check_jacobian", "true")

    def test_pressures_that_are_bound_are_named(self):
        out = run("apps/pipes/town.yaml", "-t_end", "60")
        for name in ("index 2", "node 'north' by supply north_field", "node 'boosted' by compressor booster"):
            self.assertIn(name, out.output)


class AsOtherDrivers(unittest.TestCase):
    def test_several_ranks_get_the_same_numbers(self):
        for case in ("town", "rupture"):
            words = (f"apps/pipes/{case}.yaml", "-t_end", "3600")
            alone = run(*words).summary["results"]
            for ranks in (2, 4):
                together = run(*words, ranks=ranks).summary["results"]
                for name, value in alone.items():
                    if name.startswith("pressure_"):
                        self.assertLess(abs(together[name] / value - 1), 2e-5, name)
                    elif name.startswith("mode_"):
                        self.assertEqual(together[name], value)
                self.assertLess(together["mass_defect"], 1e-12)

    def test_a_continued_run_is_the_run_that_was_not_cut(self):
        with tempfile.TemporaryDirectory() as folder:
            words, out = ("apps/pipes/town.yaml", "-t_end", "30000"), pathlib.Path(folder) / "cut"
            for ranks in (None, 2):
                whole = run(*words, ranks=ranks)
                for at in (40, 300):
                    self.assertEqual(driver.run("rhumb-pipes", *words, "-dae_max_steps", at, out=out, ranks=ranks).code, 3)
                    after = run(*words, "-restart", out, out=out, ranks=ranks)
                    self.assertEqual(after.summary["results"], whole.summary["results"])

    def test_snapshots_hold_pressures_of_points_and_flows_of_segments(self):
        done = run("apps/pipes/town.yaml", "-t_end", "600", "-out_dt", "300", ranks=2)
        results = done.summary["results"]
        with h5py.File(sorted((done.folder / "snapshots").glob("*.h5"))[-1]) as file:
            self.assertEqual(file["fields/pressure"].shape[0], file["mesh/points"].shape[0])
            self.assertEqual(file["fields/flow"].shape[0], file["mesh/topology"].shape[0])
            self.assertEqual(file["fields/pressure"][1], results["pressure_station"])  # nodes come first
            self.assertEqual(file["fields/flow"][0], results["flow_n1"])
            self.assertEqual(file["fields/machine_flow"][0], results["flow_booster"])
            self.assertEqual(file["fields/flow"][-3], results["flow_booster"])  # three machines, after all pipes
        with h5py.File(done.folder / "series.h5") as file:
            self.assertEqual(file["series/pressure_old_town"][-1], results["pressure_old_town"])

    def test_sensitivities_are_those_of_differences(self):
        words = ("apps/pipes/line.yaml", "-dae_rtol", "1e-6")
        found = run(*words, "-sensitivity", "friction_line,scale_users").summary["sensitivities"]
        for name, value in (("friction_line", 0.011), ("scale_users", 1.0)):
            high, low = (run(*words, f"-{name}", f * value).summary["results"] for f in (1.01, 0.99))
            for figure in ("pressure_town", "mass"):
                difference = (high[figure] - low[figure]) / (0.02 * value)
                self.assertLess(abs(found[figure][name] / difference - 1), 1e-3)

    def test_a_map_is_drawn(self):
        done = run("apps/pipes/town.yaml", "-t_end", "600")
        file = done.folder / "map.png"
        drawn = subprocess.run([sys.executable, driver.SOURCE / "postprocess/plot_network.py", done.folder, "-o", file],
                               capture_output=True, text=True)
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        pixels = matplotlib.image.imread(file)[..., :3]
        self.assertGreater((pixels.max(axis=-1) - pixels.min(axis=-1) > 0.2).mean(), 0.01, "no colours")

    def test_a_study_varies_numbers_of_the_network(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "study"
            done = driver.run("rhumb-pipes", "apps/pipes/line.yaml", "-t_end", "60", "-study", "sweep", "-vary",
                              "friction_line=0.009,0.013", out=out)
            self.assertEqual(done.code, 0, done.errors)
            rows = (out / "study.csv").read_text().splitlines()
            self.assertEqual(len(rows), 3)


if __name__ == "__main__":
    unittest.main()
