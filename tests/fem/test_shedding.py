"""The DFG benchmark 2D-2 on the finer mesh: minutes, so it is labelled `long`."""

import json
import unittest

import driver

REFERENCE = json.loads((driver.SOURCE / "tests/data/dfg_cylinder.json").read_text())["2D-2"]


class VortexStreet(unittest.TestCase):
    def test_drag_lift_and_frequency_are_those_of_the_reference_series(self):
        run = driver.run("rhumb-flow", "apps/flow/dfg-2d-2.yaml", "-mesh", "meshes/cylinder2d_fine.msh", "-quiet",
                         timeout=1500)
        self.assertEqual(run.code, 0, run.errors)
        end = run.summary["results"]
        for name, within in (("cd_max", 5e-3), ("cd_min", 5e-3), ("cl_peak_to_peak", 1e-2), ("strouhal", 5e-3)):
            self.assertAlmostEqual(end[name] / REFERENCE[name], 1.0, delta=within, msg=name)
        self.assertLess(run.summary["linear_iterations"] / run.summary["newton_iterations"], 15)


if __name__ == "__main__":
    unittest.main()
