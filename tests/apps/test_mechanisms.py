"""rhumb-dae -problem mechanism: published values from every form, plane mechanisms from files, bad files, ranks, restart."""

import math
import pathlib
import tempfile
import unittest

import driver

FORMS = ["index1", "index2", "index3", "stabilized", "baumgarte", "invariants"]


def run(case, *words, ranks=None, out=None):
    return driver.run("rhumb-dae", "-problem", "mechanism", "-case", case, "-quiet", *words, ranks=ranks, out=out)


class MechanismTest(unittest.TestCase):
    def solve(self, case, *words, **how):
        done = run(case, *words, **how)
        self.assertEqual(done.code, 0, done.errors)
        return done.summary

    def write(self, text):
        folder = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "case.yaml"
        path.write_text(text)
        return path


class Squeezer(MechanismTest):
    def test_every_form_ends_at_the_published_angles(self):
        for form in FORMS:
            with self.subTest(form=form):
                results = self.solve("squeezer", "-form", form)["results"]  # at 1e-8
                self.assertLess(results["reference_error"], 1e-6)

    def test_tighter_tolerances_bring_every_form_nearer(self):
        for form in ("index1", "index2", "stabilized", "baumgarte", "invariants"):
            with self.subTest(form=form):
                results = self.solve("squeezer", "-form", form, "-dae_rtol", 1e-10, "-dae_atol", 1e-10)["results"]
                self.assertLess(results["reference_error"], 5e-8)

    def test_forms_keep_the_constraints_that_stand_in_them(self):
        kept = {"index2": ["g2"], "index3": ["g1"], "stabilized": ["g1", "g2"], "invariants": ["g1", "g2"]}
        for form, constraints in kept.items():
            results = self.solve("squeezer", "-form", form)["results"]
            for constraint in constraints:
                with self.subTest(form=form, constraint=constraint):
                    self.assertLess(results[constraint], 1e-9)
        drifting = self.solve("squeezer", "-form", "index1")["results"]
        self.assertGreater(drifting["g1"], 1e-11)

    def test_ranks_agree(self):
        one, two = (self.solve("squeezer", ranks=ranks)["results"] for ranks in (None, 2))
        for a, b in zip(one["q"], two["q"]):
            self.assertAlmostEqual(a, b, delta=1e-7)

    def test_continued_run_ends_as_the_one_in_one_go(self):
        with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
            whole = self.solve("squeezer")
            first = run("squeezer", "-dae_max_steps", 300, out=pathlib.Path(folder) / "first")
            self.assertEqual(first.code, 3)
            kept = sorted((first.folder / "checkpoints").glob("*.h5"))[-1]
            self.assertEqual(self.solve("squeezer", "-restart", kept)["results"]["q"], whole["results"]["q"])


class SliderCrank(MechanismTest):
    def test_elastic_rod_has_the_published_bend_and_forces(self):
        for form in ("index1", "baumgarte"):
            with self.subTest(form=form):
                results = self.solve("crank", "-form", form)["results"]
                self.assertLess(results["reference_errors"][0], 1e-6)
                self.assertLess(results["reference_error"], 2e-5)
        results = self.solve("crank", "-form", "stabilized")["results"]
        self.assertLess(results["reference_errors"][0], 1e-5)
        self.assertLess(results["g1"], 1e-10)


class Pendulum(MechanismTest):
    def test_every_form_has_the_truth_of_table_6_2_1(self):
        for form in FORMS:
            with self.subTest(form=form):
                results = self.solve("pendulum", "-form", form)["results"]
                self.assertLess(results["reference_error"], 1e-4)


class Chain(MechanismTest):
    def test_energy_stays_and_links_stay_joined(self):
        results = self.solve("chain", "-links", 10, "-t_end", 0.3, "-dae_rtol", 1e-8, "-dae_atol", 1e-8)["results"]
        height = sum(results["q"][1::3]) / 10
        self.assertAlmostEqual(results["kinetic_energy"], -9.81 * height, delta=1e-6)
        self.assertLess(results["g1"], 1e-10)


class PlaneMechanisms(MechanismTest):
    def test_driven_crank_moves_its_slider_as_geometry_has_it(self):
        for form in ("stabilized", "index1", "index3"):
            with self.subTest(form=form):
                results = self.solve("apps/dae/mechanism/slider_crank.yaml", "-form", form, "-t_end", 1.3, "-dae_rtol", 1e-8,
                                     "-dae_atol", 1e-8)["results"]
                angle = 2 * math.pi * 1.3
                slider = 0.5 * math.cos(angle) + math.sqrt(1 - (0.5 * math.sin(angle)) ** 2)
                self.assertAlmostEqual(results["q"][6], slider, delta=1e-4)

    def test_spring_swings_with_its_period(self):
        path = self.write("t_end: 1\nbodies:\n  m: {mass: 2, inertia: 1, position: [1.5, 0]}\n"
                          "joints:\n  guide: {type: prismatic, bodies: [ground, m], at: [1.5, 0], axis: [1, 0]}\n"
                          "springs:\n  s: {bodies: [ground, m], points: [[0, 0], [1.5, 0]], stiffness: 50, length: 1}\n")
        results = self.solve(path, "-dae_rtol", 1e-8, "-dae_atol", 1e-8)["results"]
        self.assertAlmostEqual(results["q"][0], 1 + 0.5 * math.cos(5.0), delta=1e-6)

    def test_bad_files_are_refused_with_their_line(self):
        body = "t_end: 1\nbodies:\n  ball: {mass: 1, inertia: 1, position: [0, 0]}\n"
        for text, message in (
                (body.replace("mass: 1", "mass: -1"), "mass must be positive"),
                (body.replace("mass: 1", "mas: 1"), "mas"),
                (body + "joints:\n  j: {type: revolut, bodies: [ground, ball], at: [0, 0]}\n", "nearest: revolute"),
                (body + "joints:\n  j: {type: revolute, bodies: [ground, bal], at: [0, 0]}\n", "nearest: ball"),
                (body + "joints:\n  j: {type: revolute, bodies: [ball, ball], at: [0, 0]}\n", "with itself"),
                (body + "joints:\n  a: {type: revolute, bodies: [ground, ball], at: [0, 0]}\n"
                        "  b: {type: revolute, bodies: [ground, ball], at: [0, 0]}\n", "depend on"),
                ("bodies: 3\n", "bodies"), ("t_end: [\n", "case.yaml")):
            with self.subTest(text=text):
                for ranks in (None,):
                    done = run(self.write(text), ranks=ranks)
                    self.assertEqual(done.code, 2, done.errors)
                    self.assertIn(message, done.errors)
        self.assertEqual(run("no_such.yaml", ranks=2).code, 2)
        self.assertIn("stabilized", run("squeezer", "-form", "stabilised").errors)


if __name__ == "__main__":
    unittest.main()
