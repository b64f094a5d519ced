"""rhumb-ignite at length: hydrogen converges under refinement, and its minimum ignition energy is where it was."""

import unittest

import driver

CASE = "apps/ignite/hydrogen.yaml"


def hydrogen(*words):
    run = driver.run("rhumb-ignite", CASE, "-quiet", *words, timeout=1500)
    return run.code, run.errors, run.summary["results"]


class Hydrogen(unittest.TestCase):
    def test_mesh_and_tolerance_change_less_than_one_percent(self):
        times = ("-t_end", 5e-4, "-figure_times", "2e-4,5e-4")
        code, errors, coarse = hydrogen(*times)
        self.assertEqual(code, 0, errors)
        code, errors, fine = hydrogen(*times, "-n", 240, "-dae_rtol", 1e-6)
        self.assertEqual(code, 0, errors)
        for name in ("flame_radius", "burning_speed", "p", "T_centre"):
            for a, b in zip(coarse[name], fine[name]):
                self.assertAlmostEqual(a / b, 1.0, delta=0.01, msg=name)
        self.assertLess(coarse["elements_error"], 1e-12)
        self.assertGreater(coarse["regrids"], 20)

    def test_the_minimum_ignition_energy_is_bracketed(self):
        code, errors, results = hydrogen("-study", "mie", "-energy", 1.3e-4)
        self.assertEqual(code, 0, errors)
        self.assertAlmostEqual(results["mie"], 1.332e-4, delta=0.03e-4)


if __name__ == "__main__":
    unittest.main()
