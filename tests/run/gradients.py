"""-gradient as a user gives it: against forward sensitivities of the same run in every kind of driver, on several ranks,
within little memory, by initial values, and what is rejected."""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
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

    def test_hydrogen_shortly_before_it_ignites(self):
        words = ("apps/ignite/delay.yaml", "-t_end", 2.8e-4, "-dae_rtol", 1e-8)
        self.check("rhumb-ignite", words, ["T", "X_H", "X_HO2"], ["A_9", "A_11", "A_17"])

    def test_large_systems_take_the_preconditioners_of_their_modules(self):
        """Beyond 2,000 unknowns: multigrid, and the block factorization of flows with sweeps, factors and the stream function."""
        heat = ("apps/heat/exact.yaml", "-n", "48,48", "-t_end", 0.2, "-dae_rtol", 1e-6)
        cavity = ("-n", "32,32", "-t_end", 1, "-dae_rtol", 1e-6)
        channel = ("apps/flow/obstacle.yaml", "-n", "40,20", "-t_end", 0.5, "-dae_rtol", 1e-6)
        for ranks in (1, 2, 4):
            self.check("rhumb-heat", heat, ["T_max", "energy_stored"], ["k", "bc_bottom_h"], digits=5, ranks=ranks)
            self.check("rhumb-flow", cavity, ["u_min", "kinetic_energy"], ["re", "bc_top_u"], digits=5, ranks=ranks)
        self.check("rhumb-flow", channel, ["kinetic_energy"], ["re", "bc_left_u"], digits=4)

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


class WholeVelocity(unittest.TestCase):
    N = 64
    WORDS = ("-problem", "taylor_green", "-n", f"{N},{N}", "-re", 100, "-t_end", 0.5, "-dae_rtol", 1e-7)
    START = {"u": "1+sin(x)*cos(y)+0.4*sin(2*x+3*y)+0.3*cos(3*y+1)", "v": "1-cos(x)*sin(y)+0.3*cos(2*x+y)-0.2*sin(x+2*y)"}

    def direction(self, dice):
        """Three waves for each component, as a formula and as values on its faces."""
        cells = (numpy.arange(self.N) + 0.5) * 2 * numpy.pi / self.N
        faces = numpy.arange(self.N) * 2 * numpy.pi / self.N
        formulas, values = {}, {}
        for name in self.START:
            x, y = numpy.meshgrid(faces if name == "u" else cells, faces if name == "v" else cells)
            waves = [(dice.gauss(0, 1), dice.randint(0, 3), dice.randint(0, 3), dice.uniform(0, 6)) for _ in range(3)]
            formulas[name] = "+".join(f"({a!r})*cos({k}*x+{m}*y+{b!r})" for a, k, m, b in waves)
            values[name] = sum(a * numpy.cos(k * x + m * y + b) for a, k, m, b in waves)
        return formulas, values

    def start(self, direction=None, by=0.0):
        return [word for name, formula in self.START.items()
                for word in (f"-initial_{name}", formula + (f"+({by!r})*({direction[name]})" if direction else ""))]

    def test_the_kinetic_energy_by_a_vortex_s_first_velocity_along_random_directions(self):
        """Most directions are not free of divergence: the start projects them, and so does the gradient."""
        with tempfile.TemporaryDirectory() as folder:
            run("rhumb-flow", *self.WORDS, *self.start(), "-gradient", "kinetic_energy", "-with", "initial:u,initial:v",
                out=f"{folder}/first")
            with h5py.File(f"{folder}/first/gradients/snapshots/000000.h5") as file:
                gradient = {name: file[f"fields/gradient_kinetic_energy_{name}"][: self.N, : self.N] for name in self.START}
        dice, step = random.Random(26), 1e-2
        for i in range(5):
            formulas, values = self.direction(dice)
            energies = [run("rhumb-flow", *self.WORDS, *self.start(formulas, side * step))["results"]["kinetic_energy"]
                        for side in (1, -1)]
            slope = sum(numpy.sum(gradient[name] * values[name]) for name in self.START)
            size = sum(numpy.sum(numpy.abs(gradient[name] * values[name])) for name in self.START)
            with self.subTest(direction=i):
                self.assertGreater(abs(slope), 1e-3 * size)
                self.assertAlmostEqual((energies[0] - energies[1]) / (2 * step) / slope, 1, delta=1e-5)


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


class Continued(unittest.TestCase):
    """Checkpoints hold the steps so far: a run that was killed has the same gradient, to the bit."""

    CASES = (("rhumb-heat", ("apps/heat/exact.yaml", "-n", "48,48", "-t_end", 0.2, "-dae_h_max", 2e-3, "-gradient",
                             "T_max,energy_stored", "-with", "k,bc_bottom_h,initial:T"), 0.2),
             ("rhumb-flow", ("-n", "32,32", "-t_end", 1, "-dae_rtol", 1e-5, "-break_times", 0.4, "-gradient",
                             "u_min,kinetic_energy", "-with", "re,bc_top_u"), 1))

    def kill(self, name, words, out, ranks, until):
        """kill -9 as soon as a checkpoint is there that stands at `until` or beyond."""
        launcher = [] if ranks == 1 else [shutil.which("mpirun"), "-n", str(ranks)]
        process = subprocess.Popen([*launcher, str(driver.path(name)), *map(str, words), "-out", str(out)], cwd=driver.SOURCE,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 60 * driver.PATIENCE
        while not self.reached((out / "checkpoints").glob("*.h5"), until):
            self.assertIsNone(process.poll(), "the run ended before it could be killed")
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.002)
        for one in reversed(driver.descendants(process.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        process.wait()
        self.assertFalse((out / "run.json").exists())

    def reached(self, files, until):
        for file in files:
            with contextlib.suppress(OSError), h5py.File(file) as stored:  # one that has just gone, or has just come
                if stored.attrs["time"] >= until:
                    return True
        return False

    def check(self, name, words, whole, dt, until, ranks=1):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            words = (*words, "-checkpoint_dt", dt)
            self.kill(name, words, out, ranks, until)
            continued = run(name, *words, "-restart", out, ranks=ranks)
        self.assertIn("restarted_from", continued)
        self.assertEqual(continued["gradients"], whole["gradients"])
        self.assertEqual(continued["adjoint"]["steps"], whole["steps"])
        return continued

    def test_killed_in_the_sweep_back(self):
        for name, words, t_end in self.CASES:
            for ranks in (1, 2):
                with self.subTest(driver=name, ranks=ranks):
                    whole = run(name, *words, ranks=ranks)
                    continued = self.check(name, words, whole, t_end, until=t_end, ranks=ranks)
                    self.assertEqual(continued["adjoint"]["replayed_steps"], 0)

    def test_killed_before_its_end_and_with_little_memory(self):
        for name, words, t_end in self.CASES:
            with self.subTest(driver=name):
                whole = run(name, *words)
                self.check(name, words, whole, t_end / 8, until=t_end / 2)
                few = ("-dae_adjoint_memory", f"{8 * 165 * whole['unknowns'] / 1e3}kB")
                continued = self.check(name, (*words, *few), whole, t_end / 8, until=t_end / 2)
                self.assertGreater(continued["adjoint"]["replayed_steps"], 0)

    def test_other_figures_are_found_without_the_run(self):
        words = (*BRUSSELATOR, "-checkpoint_dt", 2)
        with tempfile.TemporaryDirectory() as folder:
            first = run("rhumb-pde", *words, "-gradient", "u_middle", "-with", "A,B", out=f"{folder}/first")
            other = run("rhumb-pde", *words, "-gradient", "v_middle", "-with", "A,B", "-restart", f"{folder}/first")
            done = driver.run("rhumb-pde", *words, "-gradient", "v_middle", "-with", "A", "-restart", f"{folder}/first")
            self.assertEqual(done.code, 2, done.errors)
            self.assertIn("had -with A,B, not A", done.errors)
        whole = run("rhumb-pde", *words, "-gradient", "v_middle", "-with", "A,B")
        self.assertEqual(other["gradients"], whole["gradients"])
        self.assertEqual(other["steps"], first["steps"])

    def test_a_checkpoint_without_the_steps_is_refused_and_so_is_another_problem(self):
        with tempfile.TemporaryDirectory() as folder:
            run("rhumb-pde", *BRUSSELATOR, "-checkpoint_dt", 1, out=f"{folder}/plain")
            done = driver.run("rhumb-pde", *BRUSSELATOR, "-gradient", "u_middle", "-with", "A", "-restart", f"{folder}/plain")
            self.assertEqual(done.code, 2, done.errors)
            self.assertIn("without -gradient", done.errors)
            recorded = (*HEAT, "-gradient", "T_max", "-with", "k")
            run("rhumb-heat", *recorded, "-checkpoint_dt", 0.1, out=f"{folder}/recorded")
            done = driver.run("rhumb-heat", *recorded, "-rho", 3, "-restart", f"{folder}/recorded", "-restart_with_changes")
            self.assertEqual(done.code, 2, done.errors)
            self.assertIn("-restart_with_changes", done.errors)


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
