"""Cases of rhumb-pde whose points move: known solutions, the same equations in another program, ranks, restarts, and what is
refused."""

import math
import pathlib
import tempfile
import unittest

import h5py

import driver

TIGHT = ("-dae_rtol", "1e-7", "-dae_atol", "1e-9")


def run(*words, **how):
    return driver.run("rhumb-pde", *words, "-quiet", **how)


def last(folder):
    """Fields and points of the last snapshot."""
    with h5py.File(sorted((folder / "snapshots").glob("*.h5"))[-1]) as file:
        found = {}
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
        return found


class Cases(unittest.TestCase):
    def results(self, *words, program="rhumb-pde", **how):
        done = driver.run(program, *words, "-quiet", **how)
        self.assertEqual(done.code, 0, done.errors)
        return done.summary["results"]

    def assert_order_two(self, coarse, fine, at_least=1.6):
        self.assertGreater(math.log2(coarse / fine), at_least)

    def test_a_porous_medium_is_that_of_another_program(self):
        ours = self.results("apps/pde/porous.yaml")
        theirs = self.results("apps/mesh/barenblatt.yaml", program="rhumb-mesh")
        self.assertLess(theirs["error_end"], 6e-4)
        self.assertAlmostEqual(ours["integral_u"], theirs["integral_u1"], delta=1e-6)
        self.assertAlmostEqual(ours["smallest_cell"], theirs["smallest_cell"], delta=1e-4)
        self.assertLess(ours["error"], 6e-4)
        self.assertEqual(ours["lowest_u"], 0)
        self.assertAlmostEqual(ours["content"], 0.2, delta=2e-3)
        self.assertAlmostEqual(ours["integral_u"], ours["integral_start_u"], delta=1e-12)  # nothing leaves

    def test_a_front_in_the_plane_is_that_of_another_program(self):
        ours = self.results("apps/pde/moving_front.yaml")
        theirs = self.results("apps/mesh/moving_front.yaml", program="rhumb-mesh")
        self.assertAlmostEqual(ours["error"], theirs["error_max"], delta=1e-6)
        self.assertAlmostEqual(ours["error_l2"], theirs["error_l2"], delta=2e-5)  # by another quadrature
        self.assertLess(ours["error"], 0.015)
        fixed = self.results("apps/pde/moving_front.yaml", "-mesh_equation", "fixed")
        self.assertGreater(fixed["error"], 4 * ours["error"])  # it is the motion that makes it accurate

    def test_two_fields_that_run_against_each_other_are_those_of_another_program(self):
        ours = self.results("-moving", "-n", "60", "-t_end", "0.4", "-fields", "a, b", "-equations",
                            "dt(a) = div(1e-4*grad(a) - vector(a)), dt(b) = div(1e-4*grad(b) + vector(b))", "-initial_a",
                            "exp(-((x - 0.3)/0.03)^2)", "-initial_b", "exp(-((x - 0.7)/0.03)^2)", "-boundary_all_a", "0",
                            "-boundary_all_b", "0", "-monitor_alpha", "4", "-dae_rtol", "1e-6", "-dae_atol", "5e-7")
        theirs = self.results("apps/mesh/two_pulses.yaml", program="rhumb-mesh")
        for one, other in (("a", "1"), ("b", "2")):
            self.assertAlmostEqual(ours[f"integral_{one}"], theirs[f"integral_u{other}"], delta=1e-4)
            self.assertAlmostEqual(ours[f"lowest_{one}"], theirs[f"lowest_u{other}"], delta=1e-3)

    def test_conditions_on_the_ends_of_a_line_have_order_two(self):
        exact = "sin(3*x + t)"
        words = ("-moving", "-equations", f"dt(u) = lap(u) + cos(3*x + t) + 9*{exact}", "-initial_u", "sin(3*x)",
                 "-boundary_left_dx(u)", "3*cos(t)", "-boundary_right_flux(u)", f"2*(u - ({exact} + 1.5*cos(3 + t)))",
                 "-figures_e", f"maximum(abs(u - {exact}))", "-t_end", "0.5", *TIGHT)
        coarse, fine = (self.results(*words, "-n", n)["e"] for n in ("20", "40"))
        self.assert_order_two(coarse, fine)
        self.assertLess(fine, 4e-3)

    def test_conditions_on_the_sides_of_a_box_have_order_two(self):
        exact, slope = "sin(2*x + y + t)", "cos(2*x + y + t)"
        words = ("-moving", "-equations", f"dt(u) = lap(u) + {slope} + 5*{exact}", "-initial_u", "sin(2*x + y)", "-boundary_left_u",
                 exact, "-boundary_right_dn(u)", f"2*{slope}", "-boundary_bottom_flux(u)", slope, "-boundary_top_dy(u)",
                 slope, "-figures_e", f"maximum(abs(u - {exact}))", "-t_end", "0.3", "-dae_rtol", "1e-6", "-dae_atol", "1e-8")
        coarse, fine = (self.results(*words, "-n", f"{n},{n}")["e"] for n in (10, 20))
        self.assert_order_two(coarse, fine, at_least=1.3)  # cells stretch on the way
        self.assertLess(fine, 3e-3)

    def test_triangles_of_a_file_move(self):
        exact, slope = "sin(2*x + y + t)", "cos(2*x + y + t)"
        words = ("-mesh", "meshes/square.msh", "-equations", f"dt(u) = lap(u) + {slope} + 5*{exact}", "-initial_u",
                 "sin(2*x + y)", "-boundary_left_u", exact, "-boundary_right_flux(u)", f"-2*{slope}", "-boundary_bottom_flux(u)",
                 slope, "-boundary_top_flux(u)", f"-1*{slope}", "-figures_e", f"maximum(abs(u - {exact}))", "-t_end", "0.3",
                 "-dae_rtol", "1e-6", "-dae_atol", "1e-8")
        self.assertLess(self.results("-moving", *words)["e"], 0.01)

    def test_algebraic_fields_and_higher_derivatives_move_along(self):
        # at a fixed mesh four times as fine
        words = ("-fields", "u, v", "-equations", "dt(u) = lap(v) - u, 0 = v - u^2", "-figures_m", "average(u)", "-t_end", "0.3")
        line = (*words, "-initial_u", "1 + x", "-initial_v", "(1 + x)^2")
        fixed = self.results(*line, "-n", "160", *TIGHT)["m"]
        self.assertAlmostEqual(self.results("-moving", "-n", "40", *line, *TIGHT)["m"], fixed, delta=5e-4)
        plane = (*words, "-initial_u", "1 + x*y", "-initial_v", "(1 + x*y)^2", "-dae_rtol", "1e-6")
        fixed = self.results(*plane, "-n", "48,48")["m"]
        self.assertAlmostEqual(self.results("-moving", "-n", "16,16", *plane)["m"], fixed, delta=5e-4)
        decay = self.results("-moving", "-n", "40", "-equations", "dt(u) = -lap(lap(u))/100", "-initial_u", "cos(pi*x)",
                             "-figures_left", "maximum(u)/exp(-pi^4/200)", "-t_end", "0.5", *TIGHT)["left"]
        self.assertAlmostEqual(decay, 1, delta=1e-3)

    def test_figures_of_known_functions_are_exact(self):
        # at rest, on nodes that have moved to the step at 0.5
        words = ("-moving", "-n", "40", "-equations", "dt(u) = 0", "-initial_u", "tanh(40*(x - 0.5))", "-t_end", "1e-3")
        found = self.results(*words, "-figures_odd", "integral(u)", "-figures_first", "integral(x*x)", "-figures_mean", "average(3*x)",
                             "-figures_low", "minimum(u)", "-figures_here", "at(x*x, 0.5)", "-figures_front",
                             "2*position(u, 0, along: x)")
        for name, value in (("odd", 0), ("first", 1 / 3), ("mean", 1.5), ("low", -1), ("here", 0.25), ("front", 1)):
            self.assertAlmostEqual(found[name], value, delta=1e-6, msg=name)
        self.assertLess(found["smallest_cell"], 0.5 / 40)
        found = self.results("-moving", "-n", "10,10", "-equations", "dt(u) = 0", "-initial_u", "x - 2*y", "-t_end", "1e-3", "-figures_m",
                             "integral(u*u)", "-figures_g", "at(dx(u) + dy(u), 0.3, 0.4)", "-figures_h", "maximum(u)")
        for name, value in (("m", 2 / 3), ("g", -1), ("h", 1)):  # (x - 2 y)^2 over the square
            self.assertAlmostEqual(found[name], value, delta=1e-5, msg=name)


class Runs(unittest.TestCase):
    def test_any_number_of_ranks_gives_the_same(self):
        for words, figures in ((("apps/pde/porous.yaml", "-t_end", "0.2"), {"front": 1e-4, "content": 1e-6}),
                               (("apps/pde/moving_front.yaml", "-n", "16,16", "-t_end", "0.1"), {"error": 1e-2, "error_l2": 1e-3})):
            found = []
            for ranks in (1, 2, 4):
                done = run(*words, ranks=ranks)
                self.assertEqual(done.code, 0, done.errors)
                found.append(done.summary["results"])
            for other in found[1:]:
                for name, delta in figures.items():
                    self.assertAlmostEqual(found[0][name], other[name], delta=delta, msg=name)

    def test_a_continued_run_is_the_run_that_was_not_cut(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ("apps/pde/porous.yaml", "-out_times", "1", "-checkpoint_dt", "0.05")
            whole = run(*words, out=pathlib.Path(folder) / "w")
            cut = run(*words, "-dae_max_steps", "40", out=pathlib.Path(folder) / "a")
            self.assertNotEqual(cut.code, 0)
            rest = run(*words, "-restart", cut.folder, out=pathlib.Path(folder) / "b")
            self.assertEqual(rest.code, 0, rest.errors)
            one, other = last(whole.folder), last(rest.folder)
            self.assertIn("fields/u", one)
            for name, values in one.items():
                if name.startswith("fields"):
                    self.assertTrue((values == other[name]).all(), name)

    def test_compiled_and_interpreted_agree(self):
        with tempfile.TemporaryDirectory() as cache:
            for case in (("apps/pde/porous.yaml", "-t_end", "0.2"), ("apps/pde/moving_front.yaml", "-n", "12,12", "-t_end", "0.1")):
                found = [run(*case, "-compile", way, environment={"XDG_CACHE_HOME": cache}) for way in ("no", "yes")]
                self.assertEqual([done.code for done in found], [0, 0], found[1].errors)
                for name in ("error", "integral_u"):
                    self.assertAlmostEqual(found[0].summary["results"][name], found[1].summary["results"][name], delta=1e-8)

    def test_a_parameter_can_be_differentiated_by(self):
        words = ("-moving", "-n", "20", "-equations", "dt(u) = k*lap(u)", "-parameters_k", "0.1", "-initial_u", "x^2",
                 "-boundary_left_u", "0", "-figures_m", "average(u)", *TIGHT)
        sides = [run(*words, "-parameters_k", k).summary["results"]["m"] for k in ("0.099", "0.101")]
        done = run(*words, "-sensitivity", "k")
        self.assertEqual(done.code, 0, done.errors)
        self.assertAlmostEqual(done.summary["sensitivities"]["m"]["k"], (sides[1] - sides[0]) / 2e-3, delta=1e-3)

    def test_points_go_where_a_formula_of_the_user_wants_them(self):
        words = ("-moving", "-n", "40", "-equations", "dt(u) = lap(u)", "-initial_u", "x", "-t_end", "0.1", "-monitor", "own",
                 "-own_monitor")
        even, drawn = (run(*words, formula).summary["results"]["smallest_cell"] for formula in ("1", "1 + 20*exp(-(20*(x - 0.5))^2)"))
        self.assertAlmostEqual(even, 1 / 40, delta=1e-6)
        self.assertLess(drawn, 0.3 / 40)


class Refusals(unittest.TestCase):
    def test_say_what_does_not_go_with_points_that_move(self):
        heat = ("-moving", "-n", "16", "-equations", "dt(u) = lap(u)")
        plane = ("-moving", "-n", "8,8", "-equations", "dt(u) = lap(u)")
        for words, says in (
                (("-moving", "-n", "8,8,8", "-equations", "dt(u) = lap(u)"), "on a line or in a plane, not in space"),
                ((*heat, "-periodic", "x"), "not periodic"),
                (("-moving", "-n", "16", "-equations", "dt(u) = lap(u) + average(u)"), "an integral, an average"),
                (("-moving", "-n", "16", "-equations", "dt(u) = lap(u) + lap(dt(u))"), "dt(...) of a derivative"),
                (("-moving", "-n", "16", "-equations", "dt(u) = div(upwind(u, vector(1)))"), "upwind(...) does not go"),
                ((*heat, "-initial_u", "noise(1)"), "noise(...)"),
                ((*heat, "-order", "2"), "-order"),
                ((*plane, "-figures_f", "position(u, 1, along: x)"), "for boxes"),
                ((*plane, "-figures_f", "at(u, 2, 2)"), "outside of the box"),
                (("-moving", "-n", "8,8", "-fields", "u, v, w", "-equations", "dt(u) = 0, dt(v) = 0, dt(w) = 0"), "up to 2"),
                (("-moving", "-n", "8,8", "-fields", "vector u, p", "-equations",
                  "dt(u) = lap(u) - grad(p), div(u) = 0"), "has index 2"),
                (("-moving", "-mesh", "meshes/square.msh", "-equations", "dt(u) = lap(u)", "-boundary_right_dn(u)", "1"),
                 "needs the normal of 'right'"),
                (("-moving", "-mesh", "meshes/sphere.msh", "-equations", "dt(u) = lap(u)"), "not in space"),
                ((*heat, "-mesh_equation", "mmpde9"), "mmpde6")):
            done = run(*words)
            self.assertEqual(done.code, 2, (words, done.errors))
            self.assertIn(says, done.errors, words)


if __name__ == "__main__":
    unittest.main()
