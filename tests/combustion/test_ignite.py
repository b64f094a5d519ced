"""rhumb-ignite: ignition delays, equilibrium and the closed vessel against references, restarts, ranks, refusals."""

import json
import math
import tempfile
import unittest

import driver

DATA = driver.SOURCE / "tests" / "data"


def ignite(*words, **more):
    return driver.run("rhumb-ignite", *words, "-quiet", **more)


class Delay(unittest.TestCase):
    """A homogeneous adiabatic reactor."""

    reference = json.loads((DATA / "zero_d_ignition_reference.json").read_text())

    def results(self, *words, **more):
        run = ignite(*words, **more)
        self.assertEqual(run.code, 0, run.errors)
        return run.summary["results"]

    def check_delay(self, found, wanted):
        self.assertAlmostEqual(found["ignition_delay"] / wanted["tau_maxdTdt_s"], 1.0, delta=1e-5)
        self.assertAlmostEqual(found["ignition_delay_400K"] / wanted["tau_T0plus400_s"], 1.0, delta=1e-5)
        self.assertLess(found["mass_fractions_error"], 1e-12)

    def test_hydrogen_in_air_ignites_when_the_reference_does(self):
        wanted = self.reference["h2"][0]
        found = self.results("apps/ignite/delay.yaml")
        self.check_delay(found, wanted)
        self.assertAlmostEqual(found["T"], wanted["T_end"], delta=0.01)
        for species, share in wanted["X_end"].items():
            self.assertAlmostEqual(found["X_" + species], share, delta=1e-6, msg=species)

    def test_ozone_ignites_when_the_reference_does(self):
        found = self.results("-problem", "delay", "-mechanism", "apps/ignite/ozone.yaml", "-mixture", "O3:1,O2:1",
                             "-T0", 600, ranks=2)
        self.check_delay(found, self.reference["ozone"][0])

    def test_the_adiabatic_flame_temperature_is_reached(self):
        wanted = self.reference["h2_Tad"][0]
        found = self.results("-problem", "delay", "-T0", wanted["T0"], "-products", "H2O:2,N2:3.76", "-t_end", 1.0)
        self.assertAlmostEqual(found["T"], wanted["T_ad_equilibrium"], delta=0.01)

    def test_at_constant_volume_pressure_and_temperature_rise_further(self):
        found = self.results("-problem", "delay", "-constant", "v", "-t_end", 0.1)
        self.assertGreater(found["T"], 2850.0)
        self.assertGreater(found["p"], 2.2e5)


class Vessel(unittest.TestCase):
    """Air in a closed cylinder with a source on the axis, which does not react."""

    reference = {o["t"]: o for o in json.loads((DATA / "closed_vessel_reference.json").read_text())["cases"][0]["out"]}

    def solve(self, *words, **more):
        run = ignite("apps/ignite/vessel.yaml", *words, **more)
        self.assertEqual(run.code, 0, run.errors)
        return run.summary["results"]

    def errors(self, results, name, wanted):
        return [abs(x - self.reference[t][wanted]) for t, x in zip(results["figure_times"], results[name])]

    def test_four_hundred_cells_meet_the_reference(self):
        results = self.solve()
        self.assertEqual(len(results["figure_times"]), 14)
        self.assertLess(max(self.errors(results, "p", "p_Pa")), 0.35)
        self.assertLess(max(self.errors(results, "T_centre", "T0_K")), 0.15)
        self.assertLess(max(self.errors(results, "wall_loss", "wall_heat_loss_J_per_m")), 3e-4)
        self.assertLess(results["mass_error"], 1e-10)
        self.assertLess(abs(results["energy_balance"]), 1e-5)

    def test_temperatures_along_the_radius_meet_it_too(self):
        radii = [0.25, 0.5, 1, 1.5, 2, 4, 8]
        results = self.solve("-figure_times", "1e-3,5e-3", "-t_end", 6e-3,
                             "-figure_radii", ",".join(str(1e-3 * r) for r in radii))
        for i, t in enumerate(results["figure_times"]):
            wanted = dict(zip(self.reference[t]["r_mm"], self.reference[t]["T_K"]))
            for r in radii:
                self.assertAlmostEqual(results[f"T_at_{r:g}_mm"][i], wanted[r], delta=0.2, msg=f"{r} mm at {t} s")

    def test_the_order_in_space_is_two(self):
        worst = []
        for cells in (100, 200, 400):
            results = self.solve("-n", cells, "-dae_rtol", 1e-8, "-figure_times", "1e-3,2e-3,5e-3", "-t_end", 6e-3)
            worst.append((max(self.errors(results, "p", "p_Pa")), max(self.errors(results, "T_centre", "T0_K"))))
        for coarse, fine in zip(worst, worst[1:]):
            for c, f in zip(coarse, fine):
                self.assertAlmostEqual(math.log2(c / f), 2.0, delta=0.15)

    def test_all_shapes_balance_and_any_number_of_ranks_agrees(self):
        for shape, energy in (("planar", 2000.0), ("cylinder", 2.0), ("sphere", 2e-3)):
            with self.subTest(shape):
                words = ("-n", 100, "-t_end", 3e-3, "-geometry", shape, "-energy", energy, "-figure_times", "1e-3,2e-3")
                results = self.solve(*words)
                self.assertLess(results["mass_error"], 1e-10)
                self.assertLess(abs(results["energy_balance"]), 1e-5)
                self.assertGreater(results["T_highest"], 400.0)
                shared = self.solve(*words, ranks=2 if shape != "cylinder" else 4)
                for name in ("p", "T_centre", "wall_loss"):
                    for one, other in zip(results[name], shared[name]):
                        self.assertAlmostEqual(one / other, 1.0, delta=1e-6)

    def test_a_restart_across_the_source_end_is_bit_identical(self):
        words = ("-n", 100, "-t_end", 2e-3, "-figure_times", "5e-4,1e-3,1.5e-3")
        with tempfile.TemporaryDirectory() as folder:
            stopped = ignite("apps/ignite/vessel.yaml", *words, "-dae_max_steps", 60, out=folder + "/a")
            self.assertEqual(stopped.code, 3, stopped.errors)
            self.assertLess(stopped.summary["t"], 1e-3)
            continued = self.solve(*words, "-restart", folder + "/a", out=folder + "/b")
        self.assertEqual(continued, self.solve(*words))


class Refusals(unittest.TestCase):
    def refused(self, *words):
        run = ignite(*words)
        self.assertEqual(run.code, 2, run.output + run.errors)
        return run.errors

    def test_a_mixture_of_unknown_species(self):
        self.assertIn("no species `H3`; did you mean H2?", self.refused("-problem", "delay", "-mixture", "H3:1"))

    def test_products_that_are_not_those_of_the_mixture(self):
        self.assertIn("another share of", self.refused("-problem", "delay", "-products", "H2O:1,N2:3.76"))

    def test_a_mechanism_that_is_not_there(self):
        self.assertIn("no_such.yaml: the file cannot be read", self.refused("-problem", "delay", "-mechanism", "no_such.yaml"))

    def test_help_and_check(self):
        run = ignite("apps/ignite/delay.yaml", "-check")
        self.assertEqual(run.code, 0, run.errors)
        run = driver.run("rhumb-ignite", "-problem", "delay", "-help")
        self.assertEqual(run.code, 0)
        self.assertIn("-mixture", run.output)


if __name__ == "__main__":
    unittest.main()
