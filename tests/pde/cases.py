"""The cases beside rhumb-pde: each has the figures that it is known for, and the same on any number of ranks."""

import math
import pathlib
import tempfile
import unittest

import h5py
import numpy

import driver
from driver import SOURCE


def run(name, *words, **how):
    return driver.run("rhumb-pde", f"apps/pde/{name}.yaml", "-quiet", *words, **how)


def last_fields(folder):
    with h5py.File(sorted((folder / "snapshots").glob("*.h5"))[-1]) as file:
        return {name: data[()] for name, data in file["fields"].items()}


class Gallery(unittest.TestCase):
    def figures(self, name, *words, **how):
        done = run(name, *words, **how)
        self.assertEqual(done.code, 0, done.errors)
        return done.summary["results"]

    def expect(self, figures, relative=2e-3, **expected):
        for name, value in expected.items():
            self.assertAlmostEqual(figures[name], value, delta=relative * abs(value), msg=name)

    def test_gray_scott_keeps_its_spots(self):
        # by scipy's BDF on the same grid, rtol 1e-5
        self.expect(self.figures("gray_scott"), 1e-3, u_mean=0.978054, v_mean=0.00588591, v_max=0.361532)

    def test_cahn_hilliard_keeps_its_mean_while_its_energy_falls(self):
        start = self.figures("cahn_hilliard", "-t_end", "1e-9")
        end = self.figures("cahn_hilliard", "-t_end", "0.01")
        self.assertAlmostEqual(start["mean"], end["mean"], delta=1e-7)
        self.assertLess(end["energy"], 0.8 * start["energy"])
        self.assertAlmostEqual(end["phi_max"], 1, delta=0.1)

    def test_brusselator_has_the_values_of_a_reference(self):
        # by scipy's BDF on the same grid, rtol 1e-8
        self.expect(self.figures("brusselator"), 1e-4, u_middle=0.4298611, v_middle=3.688239)

    def test_a_broken_wave_becomes_a_spiral(self):
        # by scipy's BDF on the same grid, rtol 1e-5; the second is a number of points
        self.expect(self.figures("fitzhugh_nagumo"), 2e-3, u_mean=0.300309, excited=0.300625)

    def test_swift_hohenberg_makes_hexagons(self):
        self.expect(self.figures("swift_hohenberg"), 2e-2, u_max=1.4495, strength=0.58325)

    def test_kuramoto_sivashinsky_keeps_its_mean(self):
        figures = self.figures("kuramoto_sivashinsky", "-t_end", "30")
        self.assertLess(abs(figures["mean"]), 1e-10)
        self.expect(figures, 1e-2, strength=0.49944)

    def test_the_drum_is_back_after_a_period_with_its_energy(self):
        figures = self.figures("wave")
        self.assertAlmostEqual(figures["middle"], 1, delta=2e-3)
        self.assertAlmostEqual(figures["energy"], math.pi**2 / 4, delta=5e-3)

    def test_tunnelling_keeps_the_norm(self):
        figures = self.figures("schroedinger")
        self.assertAlmostEqual(figures["norm"], 1, delta=1e-4)
        self.expect(figures, 1e-2, through=0.4388)

    def test_the_front_of_stefan_is_that_of_neumann(self):
        self.expect(self.figures("stefan"), 5e-3, front=2 * 0.620063 * 0.5)


    def test_a_conserved_mean_is_kept_by_an_integral_in_the_equation(self):
        start = self.figures("conserved_allen_cahn", "-n", "40,40", "-t_end", "1e-9")
        end = self.figures("conserved_allen_cahn", "-n", "40,40")
        self.assertAlmostEqual(start["mean"], end["mean"], delta=1e-5)
        self.assertLess(end["energy"], 0.8 * start["energy"])

    def test_fingers_grow_while_the_pressure_stays_in_balance(self):
        self.expect(self.figures("darcy_tracer"), 5e-3, tracer=0.14177, outflow=0.12756)

    def test_the_food_web_is_that_of_another_program(self):
        ours = run("food_web", "-out_times", "1")
        self.assertEqual(ours.code, 0, ours.errors)
        theirs = driver.run("rhumb-dae", "-problem", "foodweb", "-n", "20", "-t_end", "1", "-out_times", "1", "-dae_rtol",
                            "1e-6", "-dae_atol", "1e-6", "-quiet")
        self.assertEqual(theirs.code, 0, theirs.errors)
        a, b = last_fields(ours.folder), last_fields(theirs.folder)
        for name, other in (("prey", "c1"), ("predator", "c2")):
            self.assertLess(numpy.abs(a[name].ravel() / b[other].ravel() - 1).max(), 1e-3)

    def test_the_layers_of_an_electrolyte_charge(self):
        figures = self.figures("electrolyte")
        self.assertAlmostEqual(figures["cations"], 1, delta=1e-8)  # nothing leaves
        # in balance, minus = c exp(psi) with one c: the Boltzmann distribution, by scipy's solve_bvp
        late = self.figures("electrolyte", "-t_end", "20")
        self.expect(late, 2e-3, layer=2.68381)


    def test_a_source_of_index_two_is_found_with_order_two(self):
        coarse, fine = (self.figures("inverse_source", "-n", n)["error"] for n in ("32", "64"))
        self.assertLess(fine, 3e-3)
        self.assertGreater(coarse / fine, 3.5)


class Runs(unittest.TestCase):
    def test_any_number_of_ranks_gives_the_same_within_the_tolerance(self):
        for name, words, end in (("gray_scott", ("-n", "48,48"), "50"), ("cahn_hilliard", ("-n", "48,48"), "1e-3"),
                                 ("brusselator", (), "2")):
            runs = [run(name, *words, "-t_end", end, "-out_times", end, ranks=ranks) for ranks in (1, 2, 4)]
            fields = [last_fields(done.folder) for done in runs]
            for other in fields[1:]:
                for field, values in fields[0].items():
                    self.assertLess(numpy.abs(values - other[field]).max(), 5e-3 * numpy.abs(values).max(), (name, field))

    def test_a_continued_run_is_the_run_that_was_not_cut(self):
        for name, words, cut in (("cahn_hilliard", ("-n", "32,32"), "1e-3"), ("gray_scott", ("-n", "64,64"), "60")):
            end = str(2 * float(cut))
            with tempfile.TemporaryDirectory() as folder:
                whole = run(name, *words, "-t_end", end, "-out_times", end)
                first = run(name, *words, "-t_end", end, "-out_times", end, "-checkpoint_dt", cut, "-dae_max_steps", "40",
                            out=pathlib.Path(folder) / "a")
                self.assertNotEqual(first.code, 0)  # it was cut
                rest = run(name, *words, "-t_end", end, "-out_times", end, "-restart", first.folder,
                           out=pathlib.Path(folder) / "b")
                self.assertEqual(rest.code, 0, rest.errors)
                for field, values in last_fields(whole.folder).items():
                    self.assertTrue((values == last_fields(rest.folder)[field]).all(), (name, field))

    def test_a_parameter_of_the_text_can_be_swept(self):
        with tempfile.TemporaryDirectory() as folder:
            done = driver.run("rhumb-pde", "apps/pde/stefan.yaml", "-n", "100", "-study", "sweep", "-vary",
                              "parameters_L=1,4", "-quiet", out=pathlib.Path(folder) / "s")
            self.assertEqual(done.code, 0, done.errors)

    def test_a_parameter_of_the_text_goes_by_its_plain_name(self):
        with tempfile.TemporaryDirectory() as folder:
            tables = []
            for name in ("L", "parameters_L"):
                out = pathlib.Path(folder) / name
                done = driver.run("rhumb-pde", "apps/pde/stefan.yaml", "-n", "50", "-t_end", "0.02", "-study", "sweep",
                                  "-vary", f"{name}=1,4", "-quiet", out=out)
                self.assertEqual(done.code, 0, done.errors)
                tables.append(done.summary["results"])
            self.assertEqual(tables[0], tables[1])
            refused = driver.run("rhumb-pde", "apps/pde/stefan.yaml", "-n", "50", "-study", "sweep", "-vary", "Q=1,4",
                                 "-quiet", out=pathlib.Path(folder) / "q")
            self.assertEqual(refused.code, 2)
        words = ("-n", "20", "-fields", "u", "-equations", "dt(u) = -k*u", "-parameters_k", "2", "-initial_u", "1",
                 "-figures_m", "average(u)", "-t_end", "1", "-dae_rtol", "1e-8", "-dae_atol", "1e-10", "-quiet")
        run = driver.run("rhumb-pde", *words, "-sensitivity", "k")
        self.assertEqual(run.code, 0, run.errors)
        self.assertAlmostEqual(run.summary["sensitivities"]["m"]["k"], -math.exp(-2), delta=1e-6)

    def test_positions_are_where_a_mean_profile_has_a_value_first(self):
        # At rest, so that the answers are known: u = x^2 + (y - 1/2) has the mean x^2 over y.
        still = ("-equations", "dt(u) = 0", "-t_end", "1e-3", "-quiet")
        box = ("-n", "40,10", "-upper", "2,1", "-initial_u", "x^2 + y - 0.5", *still)
        figures = ("-figures_front", "position(u, 1, along: x)", "-figures_side", "position(u - x^2, 0.2, y)",
                   "-figures_between", "2*position(u, 0.3025, x) + 1")
        for ranks in (1, 2, 4):
            run = driver.run("rhumb-pde", *box, *figures, ranks=ranks)
            self.assertEqual(run.code, 0, run.errors)
            results = run.summary["results"]
            self.assertAlmostEqual(results["front"], 1.0, delta=1e-12)
            self.assertAlmostEqual(results["side"], 0.7, delta=1e-12)
            self.assertAlmostEqual(results["between"], 2 * 0.55 + 1, delta=1e-12)  # on a point: 0.55 = 11 * 0.05
        line = ("-n", "10", "-initial_u", "1 - x", *still)
        run = driver.run("rhumb-pde", *line, "-figures_front", "position(u, 0.33, along: x)")
        self.assertAlmostEqual(run.summary["results"]["front"], 0.67, delta=1e-12)
        for wrong, says in (("position(u, x, x)", "plain number"), ("position(u, 1, 2)", "direction: x, y or z"),
                            ("position(u, 1)", "position takes 3 arguments")):
            run = driver.run("rhumb-pde", *line, "-figures_f", wrong)
            self.assertEqual(run.code, 2)
            self.assertIn(says, run.errors)
        run = driver.run("rhumb-pde", "-n", "10", "-equations", "dt(u) = position(u, 1, x)", "-quiet")
        self.assertEqual(run.code, 2)
        self.assertIn("in figures only", run.errors)

    def test_a_table_is_a_function(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "k.csv"
            table.write_text("# u, k\n0, 1\n0.5, 2\n2, 3.5\n")
            words = ("-n", "20", "-fields", "u", "-boundary_left_u", "1", "-initial_u", "0", "-figures_m", "average(u)", "-quiet")
            ours = driver.run("rhumb-pde", "-equations", "dt(u) = div(k(u)*grad(u))", "-tables_k", table, *words)
            same = driver.run("rhumb-pde", "-equations", "dt(u) = div(k(u)*grad(u))", "-definitions_k(s)",
                              "if(s < 0.5, 1 + 2*s, 1.5 + s)", *words)
            self.assertEqual(ours.code, 0, ours.errors)
            self.assertAlmostEqual(ours.summary["results"]["m"], same.summary["results"]["m"], delta=1e-6)
            table.write_text("0, 1\n1\n")
            bad = driver.run("rhumb-pde", "-equations", "dt(u) = k(u)", "-tables_k", table, *words)
            self.assertEqual(bad.code, 2)
            self.assertIn("k.csv:2", bad.errors)

    def test_another_run_gives_the_initial_values(self):
        with tempfile.TemporaryDirectory() as folder:
            first = pathlib.Path(folder) / "first"
            words = ("-equations", "dt(u) = lap(u)/50 + b, dt(b) = 0", "-fields", "u, b", "-initial_b", "x*y", "-quiet")
            done = driver.run("rhumb-pde", "-n", "16,12", "-initial_u", "sin(3*x)*cos(y)", *words, "-t_end", "0.5", out=first)
            self.assertEqual(done.code, 0, done.errors)
            stored = last_fields(first)

            def start(*more, ranks=1):
                out = pathlib.Path(folder) / f"s{len(list(pathlib.Path(folder).iterdir()))}"
                run = driver.run("rhumb-pde", *words, "-initial_u", f"from {first}", "-t_end", "1e-12", *more, out=out, ranks=ranks)
                self.assertEqual(run.code, 0, run.errors)
                return last_fields(out)

            # on the same points the same numbers, on points between them the linear interpolation, on any number of ranks
            for ranks in (1, 2, 4):
                self.assertLess(numpy.abs(start("-n", "16,12", ranks=ranks)["u"] - stored["u"]).max(), 1e-11)
            fine = start("-n", "32,24")["u"]
            self.assertLess(numpy.abs(fine[::2, ::2] - stored["u"]).max(), 1e-11)
            self.assertLess(numpy.abs(fine[::2, 1::2] - (stored["u"][:, 1:] + stored["u"][:, :-1]) / 2).max(), 1e-11)
            on_mesh = start("-mesh", SOURCE / "meshes" / "square.msh")["u"]
            self.assertAlmostEqual(on_mesh.max(), stored["u"].max(), delta=5e-3)  # at other points
            self.assertAlmostEqual(on_mesh.min(), stored["u"].min(), delta=5e-3)
            # a periodic direction goes on behind its last point
            ring = pathlib.Path(folder) / "ring"
            done = driver.run("rhumb-pde", "-n", "8", "-periodic", "x", "-equations", "dt(u) = 0", "-initial_u",
                              "2 + cos(2*pi*x)", "-t_end", "1", "-quiet", out=ring)
            self.assertEqual(done.code, 0, done.errors)
            done = driver.run("rhumb-pde", "-n", "16", "-periodic", "x", "-equations", "dt(u) = 0", "-initial_u", f"from {ring}",
                              "-figures_last", "at(u, 0.9375)", "-quiet")
            self.assertAlmostEqual(done.summary["results"]["last"], 2 + (1 + math.cos(math.pi / 4)) / 2, delta=1e-12)
            # and what is wrong is said
            for name, value, says in (("c", f"from {first}", ("no field 'c'", "there are u, b")),
                                      ("u", f"from {folder}/nowhere", ("no snapshot", "nowhere")),
                                      ("u", f"from {ring}", ("has 1 direction, this one 2",))):
                refused = driver.run("rhumb-pde", "-n", "8,8", "-fields", name, "-equations", f"dt({name}) = 0", f"-initial_{name}",
                                     value, "-quiet")
                self.assertEqual(refused.code, 2, refused.errors)
                for word in says:
                    self.assertIn(word, refused.errors)

    def test_upwinding_on_request_keeps_a_step_between_its_values(self):
        words = ("-initial_u", "if(x < 0.3, 1, 0)", "-boundary_left_u", "1", "-t_end", "0.3", "-figures_high", "maximum(u)", "-figures_low",
                 "minimum(u)", "-figures_all", "integral(u)", "-dae_rtol", "1e-6", "-dae_atol", "1e-8", "-quiet")
        found = {}
        for n in ("50", "200"):
            for flux in ("upwind(u, vector(1))", "vector(u)"):
                run = driver.run("rhumb-pde", "-n", n, "-equations", f"dt(u) = -div({flux})", *words)
                self.assertEqual(run.code, 0, run.errors)
                found[n, flux[0]] = run.summary["results"]
        for n in ("50", "200"):
            self.assertLess(found[n, "u"]["high"], 1 + 1e-5)
            self.assertGreater(found[n, "u"]["low"], -1e-5)
            self.assertGreater(found[n, "v"]["high"], 1.1)  # central: it overshoots
        self.assertAlmostEqual(found["200", "u"]["all"], 0.6, delta=0.01)  # the front is at x = 0.6

    def test_an_event_of_a_figure_stops_the_run(self):
        done = run("wave", "-n", "16,16", "-events", "down", "-event_down_when", "middle", "-event_down_then", "stop")
        self.assertEqual(done.code, 0, done.errors)
        self.assertAlmostEqual(done.summary["t"], math.sqrt(2) / 4, delta=2e-3)


if __name__ == "__main__":
    unittest.main()
