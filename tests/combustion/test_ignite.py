"""rhumb-ignite: ignition delays and equilibrium against references, what is refused."""

import json
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
        run = driver.run("rhumb-ignite", "-help")
        self.assertEqual(run.code, 0)
        self.assertIn("-mixture", run.output)


if __name__ == "__main__":
    unittest.main()
