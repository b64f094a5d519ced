"""-integral as a user gives it: integrals over time as figures, and their derivatives, through events, restarts, ranks."""

import math
import unittest

import driver

HEAT = ("-n", "12,12", "-t_end", 0.2, "-source", 1, "-initial", "x*(1-x)", "-bc_type", "dirichlet", "-bc_value", 0,
        "-sensitivity", "k", "-integral", "hottest = T_max; weighed = t*energy_stored")
LOWPASS = ("-problem", "circuit", "-netlist", "apps/dae/lowpass.net", "-dae_rtol", 1e-8)


def run(name, *options, **keywords):
    done = driver.run(name, *options, timeout=120, **keywords)
    assert done.code == 0, done.output + done.errors
    return done.summary


class Values(unittest.TestCase):
    def test_robertson_has_the_integral_that_idas_prints(self):
        # IDAS 7.5, idasRoberts_ASA_dns and idasRoberts_FSA_dns: dG/dp of G = int y3 to 4e10.
        for tolerances, delta in (((), 1e-3), (("-dae_rtol", 1e-6, "-dae_atol_y1", 1e-10, "-dae_atol_y2", 1e-16,
                                                 "-dae_atol_y3", 1e-8), 1e-4)):
            found = run("rhumb-dae", "-problem", "robertson", "-sensitivity", "k1,k2,k3", "-integral", "G = y3", *tolerances)
            self.assertAlmostEqual(found["results"]["G"] / 4e10, 1, delta=1e-6)
            for parameter, value in {"k1": 1.4878e6, "k2": -5.9466, "k3": 9.9111e-4}.items():
                self.assertAlmostEqual(found["sensitivities"]["G"][parameter] / value, 1, delta=delta)

    def test_the_slider_crank_of_index_2_has_the_integral_that_idas_prints(self):
        # IDAS 7.5, idasSlCrank_FSA_dns, rtol 1e-6: its errors are 3e-6 and 3e-5.
        found = run("rhumb-dae", "-problem", "mechanism", "-case", "damped_crank", "-sensitivity", "stiffness,damping",
                    "-integral", "G = kinetic_energy")
        self.assertAlmostEqual(found["results"]["G"] / 3.3366155611545363, 1, delta=5e-6)
        self.assertAlmostEqual(found["sensitivities"]["G"]["stiffness"] / 0.33346, 1, delta=1e-4)
        self.assertAlmostEqual(found["sensitivities"]["G"]["damping"] / -0.36375, 1, delta=5e-5)

    def test_a_jump_at_an_event_whose_time_moves(self):
        """A ball that bounces twice: G = int v^2, with the height of its parts."""
        def exact(e, t_end=1.3, g=9.81):
            first = math.sqrt(2 / g)
            speed = g * first
            after = e * e * speed
            rest = t_end - first - 2 * e * speed / g
            return g * g * first**3 / 3 + 2 * (e * speed) ** 3 / (3 * g) + (after**3 - (after - g * rest) ** 3) / (3 * g)

        found = run("rhumb-dae", "-problem", "bounce", "-t_end", 1.3, "-sensitivity", "restitution", "-integral", "G = v^2",
                    "-dae_rtol", 1e-8, "-dae_atol", 1e-8)
        self.assertAlmostEqual(found["results"]["G"], exact(0.8), delta=1e-6)
        slope = (exact(0.8 + 1e-5) - exact(0.8 - 1e-5)) / 2e-5
        self.assertAlmostEqual(found["sensitivities"]["G"]["restitution"] / slope, 1, delta=1e-5)

    def test_an_end_at_an_event_moves_with_its_time(self):
        """v = 5 (1 - exp(-t/RC)) up to v = 5/2, at t = RC log 2: G = int v = 5 RC (log 2 - 1/2)."""
        found = run("rhumb-dae", *LOWPASS, "-sensitivity", "R1", "-integral", "G = node_out", "-events", "half",
                    "-event_half_when", "node_out > 2.5", "-event_half_then", "stop")
        self.assertEqual(found["reason"], "stopped_by_event")
        per_ohm = 5e-6 * (math.log(2) - 0.5)
        self.assertAlmostEqual(found["results"]["G"] / (1e3 * per_ohm), 1, delta=1e-5)
        self.assertAlmostEqual(found["sensitivities"]["G"]["R1"] / per_ohm, 1, delta=1e-5)

    def test_a_name_that_a_figure_has_gets_a_prefix(self):
        found = run("rhumb-dae", *LOWPASS, "-integral", "node_out = t")
        self.assertAlmostEqual(found["results"]["integral_node_out"] / (0.5 * found["t_end"] ** 2), 1, delta=1e-12)


class Runs(unittest.TestCase):
    def test_one_and_two_ranks_agree(self):
        one, two = (run("rhumb-heat", *HEAT, ranks=ranks) for ranks in (1, 2))
        for name in ("hottest", "weighed"):
            self.assertAlmostEqual(one["results"][name] / two["results"][name], 1, delta=1e-5)
            self.assertAlmostEqual(one["sensitivities"][name]["k"] / two["sensitivities"][name]["k"], 1, delta=1e-4)

    def test_a_continued_run_has_the_same_bits(self):
        whole = run("rhumb-heat", *HEAT)
        first = driver.run("rhumb-heat", *HEAT, "-checkpoint_dt", 0.05)
        checkpoint = sorted((first.folder / "checkpoints").iterdir())[0]
        continued = run("rhumb-heat", *HEAT, "-restart", checkpoint)
        for key in ("results", "sensitivities"):
            for name in ("hottest", "weighed"):
                self.assertEqual(continued[key][name], whole[key][name])
        other = driver.run("rhumb-heat", *HEAT, "-integral", "coldest = T_min", "-restart", checkpoint)
        self.assertEqual(other.code, 2)
        self.assertIn("the checkpoint has no integral coldest", other.errors)


class Rejected(unittest.TestCase):
    def rejection(self, text):
        done = driver.run("rhumb-dae", "-problem", "robertson", "-integral", text)
        self.assertEqual(done.code, 2, done.output)
        return done.errors

    def test_what_is_not_a_name_and_a_formula(self):
        self.assertIn("'y3' is not NAME = FORMULA", self.rejection("y3"))
        self.assertIn("is not NAME = FORMULA", self.rejection("a/b = y3"))
        self.assertIn("G is given twice", self.rejection("G = y1; G = y2"))

    def test_an_unknown_quantity(self):
        self.assertIn("option -integral G", self.rejection("G = y4"))


if __name__ == "__main__":
    unittest.main()
