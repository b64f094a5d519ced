"""Mechanisms with contacts: bounces, rest, lift-off and collisions against closed forms; every form, ranks, restart, bad files."""

import math
import pathlib
import tempfile
import unittest

import driver

FORMS = ["index1", "index2", "index3", "stabilized", "baumgarte", "invariants"]
GRAVITY = 9.81
TIGHT = ["-dae_rtol", 1e-8, "-dae_atol", 1e-8]

BALL = """t_end: {t_end}
gravity: [0, -9.81]
bodies:
  ball: {{mass: 2, inertia: 1, position: [0, 1.1]}}
contacts:
  floor: {{bodies: [ground, ball], points: [[0, 0], [0, 1.1]], normal: [0, 2], radius: 0.1, restitution: {restitution}}}
"""
COLLISION = """t_end: 2
bodies:
  left: {{mass: 1, inertia: 1, position: [0, 0], velocity: [1, 0]}}
  right: {{mass: 2, inertia: 1, position: [1, 0]}}
contacts:
  hit: {{bodies: [left, right], points: [[0, 0], [1, 0]], normal: [1, 0], restitution: {restitution}}}
"""


class Contacts(unittest.TestCase):
    def write(self, text):
        folder = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "case.yaml"
        path.write_text(text)
        return path

    def run_case(self, case, *words, **how):
        return driver.run("rhumb-dae", "-problem", "mechanism", "-case", case, "-quiet", *words, **how)

    def solve(self, case, *words, **how):
        done = self.run_case(case, *words, **how)
        self.assertEqual(done.code, 0, done.errors)
        return done.summary

    def test_a_ball_bounces_when_the_closed_form_has_it_in_every_form(self):
        e, first = 0.8, math.sqrt(2 / GRAVITY)
        bounce, since, bounces = first, 3.0, 0
        while bounce < 3.0:
            since, bounces = 3.0 - bounce, bounces + 1
            bounce += 2 * first * e**bounces
        height = 0.1 + GRAVITY * first * e**bounces * since - 0.5 * GRAVITY * since**2
        path = self.write(BALL.format(t_end=3, restitution=e))
        for form in FORMS:
            with self.subTest(form=form):
                summary = self.solve(path, "-form", form, *TIGHT)
                self.assertEqual(summary["results"]["impacts"], [bounces])
                self.assertAlmostEqual(summary["results"]["q"][1], height, delta=1e-6)
                self.assertAlmostEqual(summary["event_times"]["floor"][0], first, delta=1e-7)

    def test_a_ball_comes_to_rest_and_is_carried(self):
        path = self.write(BALL.format(t_end=2, restitution=0.5))
        for form in ("index2", "index3", "stabilized", "invariants"):
            with self.subTest(form=form):
                results = self.solve(path, "-form", form, *TIGHT)["results"]
                self.assertEqual((results["impacts"], results["touching"]), ([13], [1]))
                self.assertAlmostEqual(results["lambda"][0], -2 * GRAVITY, delta=1e-6)
                self.assertAlmostEqual(results["q"][1], 0.1, delta=1e-6)

    def test_a_foot_leaves_the_floor_when_its_spring_pulls(self):
        # the head swings about its equilibrium until the spring carries the foot
        amplitude, omega = 0.3 - 2 * GRAVITY / 300, math.sqrt(300 / 2)
        lift_off = math.acos(-3 * GRAVITY / (300 * amplitude)) / omega
        summary = self.solve("apps/dae/mechanism/hopper.yaml", "-t_end", 0.3, *TIGHT)
        self.assertAlmostEqual(summary["event_times"]["floor"][0], lift_off, delta=1e-6)
        self.assertEqual(summary["results"]["touching"], [0])
        # from then on the centre of mass falls freely
        speed, place = amplitude * omega * math.sin(omega * lift_off), 1 - 2 * GRAVITY / 300 - amplitude * math.cos(omega * lift_off)
        since = 0.3 - lift_off
        centre = 2 / 3 * (place + speed * since) - 0.5 * GRAVITY * since**2
        q = summary["results"]["q"]
        self.assertAlmostEqual((q[1] + 2 * q[4]) / 3, centre, delta=1e-6)

    def test_bodies_that_collide_keep_their_momentum(self):
        for e in (0.0, 0.5, 1.0):
            with self.subTest(restitution=e):
                results = self.solve(self.write(COLLISION.format(restitution=e)), *TIGHT)["results"]
                left, right = (1 - 2 * e) / 3, (1 + e) / 3
                self.assertAlmostEqual(results["v"][0], left, delta=1e-7)
                self.assertAlmostEqual(results["v"][3], right, delta=1e-7)

    def test_ranks_and_restarts_agree(self):
        words = ("-t_end", 1, *TIGHT)
        whole = self.solve("apps/dae/mechanism/hopper.yaml", *words)
        self.assertGreater(whole["results"]["impacts"][0], 0)
        shared = self.solve("apps/dae/mechanism/hopper.yaml", *words, ranks=2)
        for one, other in zip(shared["results"]["q"], whole["results"]["q"]):
            self.assertAlmostEqual(one, other, delta=1e-8)
        with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
            out = pathlib.Path(folder) / "first"
            stopped = self.run_case("apps/dae/mechanism/hopper.yaml", *words, "-dae_max_steps", whole["steps"] // 2, out=out)
            self.assertEqual(stopped.code, 3, stopped.errors)
            self.assertEqual(self.solve("apps/dae/mechanism/hopper.yaml", *words, "-restart", out)["results"], whole["results"])

    def test_contacts_that_make_no_sense_are_refused(self):
        ball = BALL.format(t_end=1, restitution=0.5)
        for text, message in ((ball.replace("1.1]}", "0.05]}").replace("[0, 1.1]]", "[0, 0.05]]"), "overlap by 0.05"),
                              (ball.replace("restitution: 0.5", "restitution: 1.5"), "between 0 and 1"),
                              (ball.replace("normal: [0, 2]", "normal: [0, 0]"), "no direction"),
                              (ball.replace("radius", "radios"), "did you mean `radius`"),
                              (ball + "resting_speed: 0\n", "resting_speed must be positive")):
            with self.subTest(message=message):
                done = self.run_case(self.write(text), ranks=2)
                self.assertEqual(done.code, 2, done.output)
                self.assertIn(message, done.errors)


if __name__ == "__main__":
    unittest.main()
