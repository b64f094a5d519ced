"""-fit as a user gives it: parameters of a rod from noisy probes, their standard errors, parameters that the data cannot
tell apart, what is rejected, and a fit that is killed and goes on."""

import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import driver
import h5py

ROD = ("-n", 20, "-initial", 1, "-bc_left_type", "dirichlet", "-bc_left_value", 1, "-bc_right_type", "convection",
       "-bc_right_ambient", 0, "-probes", "0.3,0.6,0.9", "-t_end", 0.4)
TRUTH = {"k": 2, "bc_right_h": 5}
SIGMA = 0.002


def run(*words, **keywords):
    done = driver.run("rhumb-heat", *words, timeout=120, **keywords)
    assert done.code == 0, done.output + done.errors
    return done


def exact_series():
    words = [word for name, value in TRUTH.items() for word in ("-" + name, value)]
    done = run(*ROD, *words, "-out_dt", 0.02, "-dae_rtol", 1e-7)
    with h5py.File(done.folder / "series.h5") as file:
        return {name: file["series"][name][1:] for name in ("time", "probe_1", "probe_2", "probe_3")}


class Rod(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.series = exact_series()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def measured(self, seed, sigma=SIGMA, errors=True):
        noise = random.Random(seed)
        file = pathlib.Path(self.folder.name) / f"{seed}_{errors}.csv"
        probes = ("probe_1", "probe_2", "probe_3")
        rows = [",".join(["t", *(name + (f",{name}_error" if errors else "") for name in probes)])]
        for i, t in enumerate(self.series["time"]):
            cells = [f"{self.series[name][i] + noise.gauss(0, sigma)}" + (f",{sigma}" if errors else "") for name in probes]
            rows.append(",".join([repr(float(t)), *cells]))
        file.write_text("# synthetic\n" + "\n".join(rows) + "\n")
        return file

    def fit(self, file, vary="k,bc_right_h=1:100", start=("-k", 1.6, "-bc_right_h", 7), **keywords):
        return run(*ROD, *start, "-fit", file, "-vary", vary, **keywords)

    def test_errors_are_what_the_standard_errors_say(self):
        seeds, within, chi_squared = 16, 0, 0
        for seed in range(seeds):
            found = self.fit(self.measured(seed)).summary["fit"]
            self.assertTrue(found["converged"])
            chi_squared += found["chi_squared"]
            for name, value in TRUTH.items():
                one = found["parameters"][name]
                within += abs(one["value"] - value) <= 2 * one["standard_error"]
        self.assertGreaterEqual(within, 0.9 * 2 * seeds)
        self.assertAlmostEqual(chi_squared / seeds / (60 - 2), 1, delta=0.15)

    def test_from_far_away_and_on_two_ranks(self):
        file = self.measured(1)
        near, far = (self.fit(file, start=start, ranks=2).summary["fit"]["parameters"]
                     for start in (("-k", 2, "-bc_right_h", 5), ("-k", 0.5, "-bc_right_h", 40)))
        for name in TRUTH:
            self.assertAlmostEqual(near[name]["value"] / far[name]["value"], 1, delta=1e-4)

    def test_without_standard_errors_the_scatter_gives_them(self):
        given, scattered = (self.fit(self.measured(2, errors=errors)).summary["fit"] for errors in (True, False))
        for name in TRUTH:
            one, other = given["parameters"][name], scattered["parameters"][name]
            self.assertAlmostEqual(one["value"] / other["value"], 1, delta=1e-5)
            self.assertAlmostEqual(other["standard_error"] / one["standard_error"], (given["chi_squared"] / 58) ** 0.5,
                                   delta=1e-3)

    def test_the_run_that_follows_has_the_parameters_found(self):
        summary = self.fit(self.measured(3)).summary
        for name in TRUTH:
            self.assertEqual(float(summary["options"][name]), summary["fit"]["parameters"][name]["value"])

    def test_two_parameters_that_act_as_one_are_named(self):
        done = self.fit(self.measured(4), vary="rho,c,bc_right_h", start=("-k", 2, "-bc_right_h", 5))
        self.assertIn("cannot tell rho and c apart", done.errors)
        self.assertIsNone(done.summary["fit"]["parameters"]["rho"]["standard_error"])
        self.assertIsNotNone(done.summary["fit"]["parameters"]["bc_right_h"]["standard_error"])

    def test_what_is_wrong_is_named(self):
        def rejected(text, vary="k"):
            file = pathlib.Path(self.folder.name) / "wrong.csv"
            file.write_text(text)
            done = driver.run("rhumb-heat", *ROD, "-bc_right_h", 5, "-fit", file, "-vary", vary, timeout=60)
            self.assertEqual(done.code, 2, done.output + done.errors)
            return done.errors
        good = "t,probe_1\n0.1,1\n0.2,1\n"
        self.assertIn("nearest: probe_1", rejected("t,prob_1\n0.1,1\n0.2,1\n"))
        self.assertIn("wrong.csv:3", rejected("t,probe_1\n0.1,1\n0.2,high\n"))
        self.assertIn("wrong.csv:3: 1 columns", rejected("t,probe_1\n0.1,1\n0.2\n"))
        self.assertIn("times ascend", rejected("t,probe_1\n0.2,1\n0.1,1\n"))
        self.assertIn("names the columns", rejected("0.1,1\n0.2,1\n"))
        self.assertIn("must be > 0", rejected("t,probe_1,probe_1_error\n0.1,1,0\n"))
        self.assertIn("do not determine", rejected("t,probe_1\n0.1,1\n", vary="k,rho"))
        self.assertIn("NAME=LOW:HIGH", rejected(good, vary="k=3"))
        self.assertIn("nearest: rho", rejected(good, vary="rhoo"))
        self.assertIn("each once", rejected(good, vary=";"))


class Continued(unittest.TestCase):
    """The same command goes on with a fit that was killed, from the last try that counts, to the same bits."""

    WORDS = (*ROD, "-n", 400, "-dae_rtol", 1e-7, "-k", 0.5, "-bc_right_h", 40, "-vary", "k,bc_right_h=1:100")

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.data = pathlib.Path(cls.folder.name) / "data.csv"
        noise, series = random.Random(6), exact_series()
        rows = [f"{t!r},{p + noise.gauss(0, SIGMA)!r},{SIGMA}"
                for t, p in zip(map(float, series["time"]), map(float, series["probe_3"]))]
        cls.data.write_text("t,probe_3,probe_3_error\n" + "\n".join(rows) + "\n")
        cls.words = tuple(map(str, (*cls.WORDS, "-fit", cls.data)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def interrupt(self, out, until, ranks=None, number=signal.SIGKILL):
        """A signal as soon as fit.txt says that there were so many runs; the exit code."""
        launcher = [] if ranks is None else [shutil.which("mpirun"), "-n", str(ranks)]
        process = subprocess.Popen([*launcher, str(driver.path("rhumb-heat")), *self.words, "-out", str(out)],
                                   cwd=driver.SOURCE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 60 * driver.PATIENCE
        while self.runs(out) < until:
            self.assertIsNone(process.poll(), "the fit was over before it could be killed")
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.002)
        for one in reversed(driver.descendants(process.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, number)
        code = process.wait()
        self.assertFalse((out / "run.json").exists())
        return code

    def runs(self, out):
        with contextlib.suppress(FileNotFoundError):
            return int(re.search(r"^runs (\d+)$", (out / "fit.txt").read_text(), re.MULTILINE).group(1))
        return 0

    def tries(self, done):
        return [int(number) for number in re.findall(r"^fit: run (\d+):", done.output, re.MULTILINE)]

    def test_killed_in_the_middle_it_finds_the_same_parameters_to_the_bit(self):
        for ranks in (None, 2):
            with self.subTest(ranks=ranks), tempfile.TemporaryDirectory() as folder:
                whole = run(*self.words, ranks=ranks)
                count = whole.summary["fit"]["runs"]
                self.assertEqual(self.tries(whole), list(range(1, count + 1)))
                self.assertGreaterEqual(count, 6)
                out = pathlib.Path(folder) / "out"
                self.interrupt(out, 2, ranks)
                self.interrupt(out, 4, ranks)  # one that has gone on
                before = self.runs(out)
                done = run(*self.words, out=out, ranks=ranks)
                self.assertIn(f"fit: goes on after run {before}:", done.output)
                self.assertNotIn("before it was interrupted", done.output)
                self.assertEqual(self.tries(done), list(range(before + 1, count + 1)))
                self.assertEqual(done.summary["fit"], whole.summary["fit"])
                self.assertEqual(done.summary["results"], whole.summary["results"])
                self.assertFalse((out / "fit.txt").exists())

    def test_the_damping_goes_on_too(self):
        """What a state says decides the next step: with ten thousand times the damping it is a short one."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            self.interrupt(out, 2)
            file = out / "fit.txt"
            state = file.read_text()
            steps = []
            start = [float(x) for x in re.search(r"^parameters (.*)$", state, re.MULTILINE).group(1).split(",")]
            for damping in ("1e-3", "10"):
                file.write_text(re.sub(r"^damping .*$", "damping " + damping, state, flags=re.MULTILINE))
                line = re.search(r"^fit: run \d+: k = (\S+),", run(*self.words, out=out).output, re.MULTILINE)
                steps.append(abs(float(line.group(1)) - start[0]))
            self.assertLess(steps[1], 0.5 * steps[0])

    def test_where_only_the_run_that_follows_was_stopped_nothing_is_tried_again(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            cut = driver.run("rhumb-heat", *self.words, "-wall_limit", 1e-3, out=out, timeout=120)
            self.assertEqual(cut.code, 5, cut.errors)
            done = run(*self.words, out=out)
            self.assertEqual(self.tries(done), [])
            self.assertEqual(done.summary["fit"], cut.summary["fit"])

    def test_a_check_tries_nothing_and_leaves_nothing(self):
        done = run(*self.words, "-check", "true")
        self.assertEqual(self.tries(done), [])
        self.assertIn("the input is good", done.output)
        self.assertFalse(done.folder.exists())

    def test_a_signal_stops_it_and_says_how_it_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            self.assertEqual(self.interrupt(out, 2, number=signal.SIGTERM), 5)
            self.assertGreaterEqual(self.runs(out), 2)

    def test_what_cannot_go_on_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            self.interrupt(out, 2)
            file = out / "fit.txt"
            state = file.read_text()

            def rejected(*words, of=self.words):
                done = driver.run("rhumb-heat", *of, *words, out=out, timeout=60)
                self.assertEqual(done.code, 2, done.output + done.errors)
                return done.errors
            self.assertIn("holds a fit with other options", 
                          rejected(of=[word.replace("h=1:100", "h=1:90") for word in self.words]))
            self.assertIn("holds a fit with other options (k 0.5, not k 0.6)", rejected("-k", 0.6))
            self.assertIn("the same command continues a fit", rejected("-restart", out))
            self.assertEqual(file.read_text(), state)
            for wrong in ("", "rhumb fit 1\n", state.replace("\nruns ", "\nruns none"), state.replace("\ndamping ", "\ndamping -"),
                          state.replace("\nparameters ", "\nparameters nan,")):
                file.write_text(wrong)
                self.assertIn("fit.txt", rejected())
            file.write_text(re.sub(r"^parameters .*$", "parameters 1", state, flags=re.MULTILINE))
            self.assertIn("1 parameters, not 2", rejected())


class Wake(unittest.TestCase):
    """How viscous a fluid is, from two probes behind a block in a channel."""

    WORDS = ("apps/flow/obstacle.yaml", "-n", "48,12", "-t_end", 2, "-probes", "1.5,0.5,2,0.4")
    RE, SIGMA = 60.0, 0.005

    def test_the_reynolds_number_from_what_probes_in_a_wake_say(self):
        exact = driver.run("rhumb-flow", *self.WORDS, "-re", self.RE, "-series_dt", 0.1, "-dae_rtol", 1e-6, timeout=120)
        self.assertEqual(exact.code, 0, exact.errors)
        names = ("probe_1_u", "probe_1_v", "probe_2_u", "probe_2_v")
        with h5py.File(exact.folder / "series.h5") as file:
            series = {name: file["series"][name][1:] for name in ("time", *names)}
        noise = random.Random(5)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wake.csv"
            rows = [",".join(["t", *(f"{name},{name}_error" for name in names)])]
            rows += [",".join([repr(float(t)), *(f"{series[name][i] + noise.gauss(0, self.SIGMA)},{self.SIGMA}" for name in names)])
                     for i, t in enumerate(series["time"])]
            file.write_text("\n".join(rows) + "\n")
            done = driver.run("rhumb-flow", *self.WORDS, "-re", 30, "-fit", file, "-vary", "re=10:500", timeout=240)
        self.assertEqual(done.code, 0, done.errors)
        found = done.summary["fit"]
        self.assertTrue(found["converged"])
        self.assertEqual(found["measurements"], 80)
        one = found["parameters"]["re"]
        self.assertLess(one["standard_error"], 0.1 * self.RE)
        self.assertLess(abs(one["value"] - self.RE), 2.5 * one["standard_error"])
        self.assertAlmostEqual(found["chi_squared"] / 79, 1, delta=0.5)


if __name__ == "__main__":
    unittest.main()
