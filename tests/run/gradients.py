"""-gradient as a user gives it: against forward sensitivities of the same run in every kind of driver, on several ranks,
within little memory, by initial values, and what is rejected."""

import tempfile
import unittest

import driver
import h5py
import numpy

HEAT = ("apps/heat/exact.yaml", "-n", "12,12", "-t_end", 0.2, "-probes", "0.3,0.3,0.6,0.7", "-dae_rtol", 1e-6)
CAVITY = ("-n", "12,12", "-t_end", 1, "-dae_rtol", 1e-6)
BRUSSELATOR = ("apps/pde/brusselator.yaml", "-n", 40, "-t_end", 2, "-dae_rtol", 1e-7)
ROBERTSON = ("-problem", "robertson", "-t_end", 40, "-dae_rtol", 1e-7)


def run(name, *words, **keywords):
    done = driver.run(name, *words, timeout=120, **keywords)
    assert done.code == 0, done.output + done.errors
    return done.summary


class Case(unittest.TestCase):
    def check(self, name, words, figures, by, digits=6, **keywords):
        found = run(name, *words, "-dae_newton_tolerance", 1e-3, "-sensitivity", ",".join(by), "-gradient",
                    ",".join(figures), "-with", ",".join(by), **keywords)
        for figure in figures:
            for parameter in by:
                forward = found["sensitivities"][figure.split("[")[0]][parameter]
                if "[" in figure:
                    forward = forward[int(figure[:-1].split("[")[1]) - 1]
                with self.subTest(driver=name, figure=figure, parameter=parameter):
                    self.assertNotEqual(forward, 0)
                    self.assertAlmostEqual(found["gradients"][figure][parameter] / forward, 1, delta=10.0**-digits)
        return found["gradients"]


class AgainstForwardSensitivities(Case):
    def test_small_systems_of_index_1_and_2(self):
        self.check("rhumb-dae", ROBERTSON, ["y1", "y2", "y3"], ["k1", "k2", "k3"])
        self.check("rhumb-dae", ("-problem", "pendulum", "-form", "index2", "-dae_rtol", 1e-7), ["z1", "z2", "z3"], ["g"])

    def test_heat_by_coefficients_and_boundaries(self):
        self.check("rhumb-heat", HEAT, ["T_max", "energy_stored", "probes[2]"], ["k", "bc_bottom_h"])

    def test_the_cavity_which_is_singular_but_for_a_constant(self):
        self.check("rhumb-flow", CAVITY, ["u_min", "kinetic_energy"], ["re", "bc_top_u"])

    def test_equations_from_text(self):
        self.check("rhumb-pde", BRUSSELATOR, ["u_middle", "v_middle"], ["A", "B", "alpha"])

    def test_large_systems_take_the_preconditioners_of_their_modules(self):
        """Beyond 2,000 unknowns: multigrid, and the block factorization of flows with sweeps, factors and the stream function."""
        heat = ("apps/heat/exact.yaml", "-n", "48,48", "-t_end", 0.2, "-dae_rtol", 1e-6)
        cavity = ("-n", "32,32", "-t_end", 1, "-dae_rtol", 1e-6)
        channel = ("apps/flow/obstacle.yaml", "-n", "40,20", "-t_end", 0.5, "-dae_rtol", 1e-6)
        for ranks in (1, 2, 4):
            self.check("rhumb-heat", heat, ["T_max", "energy_stored"], ["k", "bc_bottom_h"], digits=5, ranks=ranks)
            self.check("rhumb-flow", cavity, ["u_min", "kinetic_energy"], ["re", "bc_top_u"], digits=5, ranks=ranks)
        self.check("rhumb-flow", channel, ["kinetic_energy"], ["re"], digits=4)

    def test_ranks_agree(self):
        for name, words, figure, by in (("rhumb-heat", HEAT, "T_max", ["k", "bc_bottom_h"]),
                                        ("rhumb-flow", CAVITY, "u_min", ["re", "bc_top_u"])):
            one, two = (self.check(name, words, [figure], by, ranks=ranks)[figure] for ranks in (1, 2))
            for parameter in by:
                self.assertAlmostEqual(one[parameter] / two[parameter], 1, delta=1e-7)


class Integrals(unittest.TestCase):
    def test_robertsons_third_species_has_the_gradient_that_idas_prints(self):
        found = run("rhumb-dae", "-problem", "robertson", "-dae_rtol", 1e-7, "-dae_atol_y1", 1e-11, "-dae_atol_y2", 1e-17,
                    "-dae_atol_y3", 1e-9, "-gradient", "integral:y3", "-with", "k1,k2,k3")["gradients"]["integral:y3"]
        for parameter, printed in (("k1", 1.4878e6), ("k2", -5.9467), ("k3", 9.9112e-4)):
            self.assertAlmostEqual(found[parameter] / printed, 1, delta=1e-4)


class Restarts(Case):
    """What events and breaks do on the way, also against what is known exactly."""

    def test_a_ball_that_bounces_twice(self):
        """Falls are parabolas, which the steps follow exactly: h and v by the first height and by the speed kept."""
        words = ("-problem", "bounce", "-t_end", 1.4, "-dae_rtol", 1e-9, "-dae_atol", 1e-9, "-sensitivity", "restitution")
        found = run("rhumb-dae", *words, "-gradient", "h,v", "-with", "restitution,initial:h")
        self.assertEqual(found["results"]["bounces"], 2)
        g, e, h = 9.81, 0.8, 1.0
        fall = (2 * h / g) ** 0.5
        last = fall * (1 + 2 * e)  # of the second bounce
        since = 1.4 - last
        by_height = {"h": e**2 * g * fall / (2 * h) * since - (e**2 * g * fall - g * since) * last / (2 * h),
                     "v": e**2 * g * fall / (2 * h) + g * last / (2 * h)}
        for figure in ("h", "v"):
            found_by = found["gradients"][figure]
            self.assertAlmostEqual(found_by["initial:h"] / by_height[figure], 1, delta=1e-5)
            self.assertAlmostEqual(found_by["restitution"] / found["sensitivities"][figure]["restitution"], 1, delta=1e-5)

    def test_an_event_of_the_user_that_sets_a_parameter(self):
        words = (*HEAT, "-source", 20, "-events", "hot", "-event_hot_when", "T_max - 0.3", "-event_hot_set", "source=0")
        self.check("rhumb-heat", words, ["T_max", "energy_stored"], ["k", "bc_bottom_h"], digits=5)

    def test_breaks_in_a_flow_and_in_heat_and_several_ranks(self):
        for ranks in (1, 2):
            self.check("rhumb-heat", (*HEAT, "-break_times", "0.05,0.1"), ["T_max"], ["k", "bc_bottom_h"], ranks=ranks)
            self.check("rhumb-flow", (*CAVITY, "-break_times", 0.4), ["u_min", "kinetic_energy"], ["re", "bc_top_u"], digits=5,
                       ranks=ranks)

    def test_little_memory_gives_the_same_bits(self):
        words = (*BRUSSELATOR, "-break_times", 0.7, "-gradient", "u_middle", "-with", "A")
        all_steps = run("rhumb-pde", *words)
        few = run("rhumb-pde", *words, "-dae_adjoint_memory", f"{8 * 200 * all_steps['unknowns'] / 1e3}kB")
        self.assertGreater(few["adjoint"]["replayed_steps"], 0)
        self.assertEqual(all_steps["gradients"], few["gradients"])


class InitialValues(unittest.TestCase):
    def test_of_a_small_system_stand_among_the_gradients(self):
        found = run("rhumb-dae", *ROBERTSON, "-gradient", "y1", "-with", "initial:y1,initial:y2")["gradients"]["y1"]
        self.assertEqual(sorted(found), ["initial:y1", "initial:y2"])

    def test_of_a_field_are_a_field_that_tells_what_another_start_does(self):
        """The heat equation is linear here: the figure of another start is the first one and the gradient's product."""
        words = ("-n", "12,12", "-t_end", 0.05, "-k", 1, "-bc_type", "dirichlet", "-bc_value", 0, "-dae_rtol", 1e-9,
                 "-dae_atol", 1e-11, "-probes", "0.25,0.5")
        starts = ["x*(1-x)*y*(1-y)", "x*(1-x)*y*(1-y)*(1+x)"]
        with tempfile.TemporaryDirectory() as folder:
            figures = [run("rhumb-heat", *words, "-initial", start, "-gradient", "probes[1]", "-with", "initial:T",
                           out=f"{folder}/{i}")["results"]["probes"][0] for i, start in enumerate(starts)]
            fields = []
            for i in range(2):
                with h5py.File(f"{folder}/{i}/gradients/snapshots/000000.h5") as file:
                    fields.append({name: numpy.array(values) for name, values in file["fields"].items()})
        change = numpy.sum(fields[0]["gradient_probes[1]_T"] * (fields[1]["T"] - fields[0]["T"]))
        self.assertAlmostEqual((figures[1] - figures[0]) / change, 1, delta=1e-6)


class Memory(unittest.TestCase):
    def test_a_tenth_of_the_memory_gives_the_same_gradient(self):
        words = (*BRUSSELATOR, "-gradient", "u_middle", "-with", "A,initial:u")
        all_steps = run("rhumb-pde", *words)
        needed = 2 * 8 * all_steps["steps"] * all_steps["unknowns"]
        few = run("rhumb-pde", *words, "-dae_adjoint_memory", f"{max(needed / 1e4, 8 * 130 * all_steps['unknowns'] / 1e3)}kB")
        self.assertEqual(all_steps["adjoint"]["replayed_steps"], 0)
        self.assertGreater(few["adjoint"]["replayed_steps"], 0)
        self.assertEqual(all_steps["gradients"], few["gradients"])
        self.assertEqual(all_steps["results"], few["results"])
        self.assertEqual(all_steps["residual_evals"], few["residual_evals"])


class Rejected(unittest.TestCase):
    def rejected(self, *words, name="rhumb-dae", ranks=1):
        done = driver.run(name, *words, ranks=ranks, timeout=60)
        self.assertEqual(done.code, 2, done.output + done.errors)
        return done.errors

    def test_names_that_nothing_has(self):
        problem = ("-problem", "robertson", "-t_end", 1)
        self.assertIn("nearest: y1", self.rejected(*problem, "-gradient", "yl", "-with", "k1", ranks=2))
        self.assertIn("nearest: k1", self.rejected(*problem, "-gradient", "y1", "-with", "kl"))
        self.assertIn("nearest: initial:y1", self.rejected(*problem, "-gradient", "y1", "-with", "initial:z1"))
        self.assertIn("-with names", self.rejected(*problem, "-gradient", "y1"))
        self.assertIn("needs a -gradient", self.rejected(*problem, "-with", "k1"))
        self.assertIn("500MB", self.rejected(*problem, "-dae_adjoint_memory", "much"))
        self.assertIn("at least", self.rejected(*problem, "-gradient", "y1", "-with", "k1", "-dae_adjoint_memory", "1kB"))

    def test_runs_that_end_at_an_event(self):
        self.assertIn("-sensitivity", self.rejected("-problem", "bounce", "-t_end", 5, "-gradient", "h", "-with", "initial:h"))

    def test_a_parameter_that_an_event_sets(self):
        words = (*HEAT, "-source", 20, "-events", "late", "-event_late_when", "t - 0.1", "-event_late_set", "source=0")
        self.assertIn("an event sets", self.rejected(*words, "-gradient", "T_max", "-with", "source", name="rhumb-heat"))

    def test_figures_that_are_found_on_the_way(self):
        words = ("apps/ignite/delay.yaml", "-gradient", "ignition_delay", "-with", "T0")
        self.assertIn("-sensitivity", self.rejected(*words, name="rhumb-ignite"))


if __name__ == "__main__":
    unittest.main()
