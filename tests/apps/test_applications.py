"""Circuits, mechanisms and trajectories are treated as other problems: derivatives, studies, ranks, restarts, bad input."""

import csv
import pathlib
import tempfile
import unittest

import driver

TIGHT = ("-dae_rtol", "1e-8", "-dae_atol", "1e-8")
TIGHTER = ("-dae_rtol", "1e-9", "-dae_atol", "1e-11")
AMPLIFIER = ("-problem", "circuit", "-netlist", "apps/dae/spice/circuits/gummel_poon.cir")
DRAG, PATH = ("-problem", "drag"), ("-problem", "trajectory")
# Arguments, a parameter, its value, a figure, the tolerances
CASES = {"circuit": ((*AMPLIFIER, "-t_end", "10e-6"), "re", 220.0, "v(out)", TIGHTER),
         "mechanism": (("-problem", "mechanism", "-case", "squeezer", "-t_end", "0.01"), "stiffness", 4530.0, "kinetic_energy", TIGHT),
         "drag, index 1": (DRAG, "mass_per_area", 5964.496499824 / 2690, "bank_angle", TIGHT),
         "drag, index 2": ((*DRAG, "-form", "index2"), "mass_per_area", 5964.496499824 / 2690, "bank_angle", TIGHT),
         "path": (PATH, "mass_per_area", 2.890532728, "speed", TIGHT),
         "path, inertial": ((*PATH, "-form", "inertial"), "mass_per_area", 2.890532728, "speed", TIGHT)}


class Applications(unittest.TestCase):
    def run_words(self, *words, code=0, **how):
        done = driver.run("rhumb-dae", "-quiet", *words, **how)
        self.assertEqual(done.code, code, done.errors)
        return done

    def test_derivatives_are_those_of_differences(self):
        for name, (words, parameter, value, figure, tight) in CASES.items():
            with self.subTest(name):
                summary = self.run_words(*words, *tight, "-sensitivity", parameter).summary
                high, low = (self.run_words(*words, *tight, f"-{parameter}", value * f).summary["results"][figure] for f in (1.001, 0.999))
                difference = (high - low) / (0.002 * value)
                self.assertNotEqual(difference, 0.0)
                self.assertAlmostEqual(summary["sensitivities"][figure][parameter] / difference, 1.0, delta=1e-3)

    def test_altitude_of_a_heavier_vehicle_on_the_same_profile_is_that_of_denser_air(self):
        # The profile prescribes rho(H)/m: dH/dm = -scale height/m
        found = self.run_words(*DRAG, "-sensitivity", "mass_per_area").summary["sensitivities"]["altitude"]["mass_per_area"]
        self.assertAlmostEqual(found / (-23800 / CASES["drag, index 1"][2]), 1.0, delta=1e-4)

    def test_studies_vary_what_the_problems_have(self):
        for words, vary in (((*AMPLIFIER, "-t_end", "2e-6"), "re=200,220,240"), ((*AMPLIFIER, "-t_end", "2e-6"), "dae_rtol=1e-5,1e-6"),
                            (("-problem", "mechanism", "-case", "squeezer", "-t_end", "0.005"), "stiffness=4500,4600;form=index1,stabilized"),
                            (DRAG, "mass_per_area=2.1,2.3"), (PATH, "form=index1,index2,inertial")):
            with self.subTest(vary), tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
                out = pathlib.Path(folder) / "study"
                self.run_words(*words, "-study", "sweep", "-vary", vary, out=out)
                with open(out / "study.csv") as file:
                    rows = list(csv.DictReader(file))
                self.assertEqual(len(rows), 4 if ";" in vary else vary.count(",") + 1)
                self.assertEqual(len({tuple(row.values()) for row in rows}), len(rows))

    def test_ranks_agree(self):
        for name, (words, *_, figure, _) in CASES.items():
            with self.subTest(name):
                one, two = (self.run_words(*words, ranks=ranks).summary["results"][figure] for ranks in (None, 2))
                self.assertAlmostEqual(two / one, 1.0, delta=1e-5)

    def test_continued_runs_end_as_those_in_one_go(self):
        for name, (words, *_, figure, _) in CASES.items():
            with self.subTest(name), tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
                whole = self.run_words(*words).summary
                cut = self.run_words(*words, "-dae_max_steps", whole["steps"] // 2, code=3, out=pathlib.Path(folder) / "cut")
                again = self.run_words(*words, "-restart", cut.folder).summary
                self.assertEqual(again["results"][figure], whole["results"][figure])
                self.assertEqual(again["steps"], whole["steps"])

    def test_bad_options_are_refused_with_the_nearest(self):
        for words, message in (((*DRAG, "-form", "index4"), "index1"), ((*PATH, "-form", "inertal"), "inertial"),
                               ((*DRAG, "-mass_per_area", "-1"), "mass_per_area"),
                               ((*AMPLIFIER, "-re", "0"), "-re"), ((*AMPLIFIER, "-rex", "3"), "-rex"), ((*PATH, "-mass_per_are", "3"), "mass_per_area"),
                               ((*AMPLIFIER, "-sensitivity", "rex"), "re"),
                               (("-problem", "mechanism", "-case", "squeezer", "-sensitivity", "stifness"), "stiffness")):
            with self.subTest(words=words):
                self.assertIn(message, self.run_words(*words, code=2).errors)


if __name__ == "__main__":
    unittest.main()
