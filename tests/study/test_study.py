"""-study of any driver: tables over values, searches, what is left of failures, and how an interrupted one goes on."""

import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import driver
import h5py
import numpy as np

CAVITY = ("-problem", "cavity", "-t_end", 0.5)
TWELVE = (*CAVITY, "-study", "sweep", "-vary", "re=100:1000:4:log", "-vary", "n=(16,16),(24,24),(32,32)",
          "-study_ranks", 1)
# With insulated sides and nothing but a constant source S the temperature is S t: T_max > 3 at t = 1 where S > 3.
WARMING = ("-n", "4,4", "-source", 1, "-t_end", 1.0)


def table(folder):
    with open(pathlib.Path(folder) / "study.csv", newline="") as file:
        return list(csv.DictReader(file))


def without_times(rows):
    return [{name: value for name, value in row.items() if name != "wall_seconds"} for row in rows]


class Case(unittest.TestCase):
    def study(self, name, *words, code=0, **more):
        run = driver.run(name, *words, timeout=120, **more)
        self.assertEqual(run.code, code, run.output + run.errors)
        return run

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-study-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


class Sweep(Case):
    def interrupt(self, out, number, rows):
        """Starts the twelve runs on two ranks and sends the signal when so many rows are there."""
        command = [shutil.which("mpirun"), "-n", "2", str(driver.path("rhumb-flow")), *map(str, TWELVE), "-out", str(out)]
        process = subprocess.Popen(command, cwd=driver.SOURCE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60 * driver.PATIENCE
        while len(list(out.glob("*/row.txt"))) < rows and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        self.assertIsNone(process.poll(), "the study was over before it could be interrupted")
        everyone = driver.descendants(process.pid)
        for one in everyone if number == signal.SIGKILL else everyone[1:]:  # mpirun has its own way with others
            os.kill(one, number)
        return process.wait(timeout=60 * driver.PATIENCE)

    def test_twelve_runs_killed_and_continued_give_the_table_of_an_uninterrupted_study(self):
        whole = self.study("rhumb-flow", *TWELVE, ranks=2)
        rows = table(whole.folder)
        self.assertEqual([(row["re"], row["n"]) for row in rows],
                         [(re, f"{n},{n}") for re in ("100", "215.443469003188", "464.158883361278", "1000")
                          for n in (16, 24, 32)])
        self.assertEqual({row["reason"] for row in rows}, {"done"})
        for row in rows:  # a row is what its run says
            summary = json.loads((whole.folder / f"re_{row['re']}_n_{row['n'].replace(',', '-')}" / "run.json").read_text())
            self.assertEqual(float(row["kinetic_energy"]), summary["results"]["kinetic_energy"])
            self.assertEqual(int(row["steps"]), summary["steps"])
            self.assertEqual(summary["ranks"], 1)
        self.assertEqual(whole.summary["results"], {"runs": 12, "failed": 0})
        self.assertEqual(whole.summary["steps"], sum(int(row["steps"]) for row in rows))

        self.interrupt(self.folder / "s", signal.SIGKILL, 4)
        found = len(list((self.folder / "s").glob("*/row.txt")))
        self.assertLess(found, 12)
        stamps = {file: file.stat().st_mtime_ns for file in (self.folder / "s").glob("*/row.txt")}
        again = self.study("rhumb-flow", *TWELVE, ranks=2, out=self.folder / "s")
        self.assertEqual(again.output.count("(found)"), found)
        for file, stamp in stamps.items():
            self.assertEqual(file.stat().st_mtime_ns, stamp)
        self.assertEqual(without_times(table(again.folder)), without_times(rows))

    def test_the_file_for_programs_holds_the_numbers_of_the_table(self):
        run = self.study("rhumb-flow", *CAVITY, "-study", "sweep", "-vary", "re=100,400; n=(8,8),(16,8)")
        rows = table(run.folder)
        with h5py.File(run.folder / "study.h5") as file:
            self.assertEqual(list(file["parameters/re"]), [100, 100, 400, 400])
            self.assertEqual(file["parameters/n"][()].tolist(), [[8, 8], [16, 8]] * 2)
            self.assertEqual(list(file["results/psi_min"]), [float(row["psi_min"]) for row in rows])
            self.assertEqual(file["results/force_top"].shape, (4, 2))
            self.assertEqual(list(file["results/exit_code"]), [0] * 4)

    def test_a_signal_stops_it_and_the_same_command_goes_on(self):
        code = self.interrupt(self.folder / "s", signal.SIGTERM, 2)
        self.assertEqual(code, 5)
        summary = json.loads((self.folder / "s" / "run.json").read_text())
        self.assertEqual((summary["reason"], summary["exit_code"]), ("signal", 5))
        self.assertEqual(len(table(self.folder / "s")), summary["results"]["runs"])
        again = self.study("rhumb-flow", *TWELVE, ranks=2, out=self.folder / "s")
        self.assertGreaterEqual(again.output.count("(found)"), 2)
        self.assertEqual(len(table(again.folder)), 12)

    def test_a_run_that_fails_is_a_row_and_the_others_go_on(self):
        words = (*CAVITY, "-n", "8,8", "-study", "sweep", "-vary", "re=100,-1,400", "-vary", "dae_max_steps=1000,5",
                 "-study_combine", "all")
        run = self.study("rhumb-flow", *words, out=self.folder / "s")
        rows = table(run.folder)
        self.assertEqual([row["reason"] for row in rows],
                         ["done", "solver_gave_up", "bad_input", "bad_input", "done", "solver_gave_up"])
        self.assertIn("option -re -1: out of range", rows[2]["message"])
        self.assertIn("the run with re -1, dae_max_steps 1000 failed: option -re -1", run.errors)
        self.assertIn("6 of 6 runs are done, 4 of them failed", run.output)
        self.assertEqual(run.summary["results"], {"runs": 6, "failed": 4})
        self.assertEqual(rows[2]["psi_min"], "")
        with h5py.File(run.folder / "study.h5") as file:
            self.assertEqual(list(file["results/exit_code"]), [0, 3, 2, 2, 0, 3])
            self.assertTrue(np.isnan(file["results/psi_min"][2]))
        self.assertEqual(self.study("rhumb-flow", *words, out=self.folder / "s").output.count("(found)"), 6)

    def test_lists_beside_each_other_and_a_case_file(self):
        case = self.folder / "case.yaml"
        case.write_text("n: 4,4\nstudy: sweep\nvary: source=1:3:3; rho=2,1,4\nstudy_combine: beside\n")
        rows = table(self.study("rhumb-heat", case, out=self.folder / "s").folder)
        self.assertEqual([(row["source"], row["rho"]) for row in rows], [("1", "2"), ("2", "1"), ("3", "4")])
        for row, wanted in zip(rows, (0.5, 2.0, 0.75)):
            self.assertAlmostEqual(float(row["T_max"]), wanted, delta=1e-4)

    def test_values_may_be_added_and_other_options_may_not(self):
        words = (*WARMING, "-study", "sweep", "-vary")
        self.study("rhumb-heat", *words, "source=1,2", out=self.folder / "s")
        more = self.study("rhumb-heat", *words, "source=4,1,2", out=self.folder / "s")
        self.assertEqual(more.output.count("(found)"), 2)
        self.assertEqual([row["source"] for row in table(self.folder / "s")], ["4", "1", "2"])
        other = self.study("rhumb-heat", *words, "source=1,2", "-rho", 2, out=self.folder / "s", code=2)
        self.assertIn("holds a study with other options", other.errors)

    def test_any_result_is_drawn_over_any_parameter(self):
        run = self.study("rhumb-flow", *CAVITY, "-study", "sweep", "-vary", "re=100,-1,400,1000", "-vary",
                         "n=(8,8),(16,16)")
        plot = driver.SOURCE / "postprocess" / "plot_study.py"
        for words in ((), ("-y", "psi_min"), ("-x", "n", "-y", "steps")):
            file = self.folder / "study.png"
            file.unlink(missing_ok=True)
            done = subprocess.run([plot, run.folder, *words, "-o", file], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(file.stat().st_size, 5000)
        wrong = subprocess.run([plot, run.folder, "-y", "psi"], capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("no result 'psi', but", wrong.stderr)


class Find(Case):
    def found(self, *words, **more):
        results = self.study("rhumb-heat", *WARMING, "-study", "find", *words, **more).summary["results"]
        low, high = results["source_low"], results["source_high"]
        self.assertTrue(low <= 3.0 <= high, (low, high))
        self.assertTrue(low <= results["source"] <= high)
        return results

    def test_the_threshold_lies_in_a_bracket_as_narrow_as_asked_for(self):
        results = self.found("-vary", "source=1:10", "-until", "T_max>3")
        self.assertLessEqual(results["source_high"] - results["source_low"], 0.01 * results["source_high"])
        self.assertEqual(results["source_tried"][:2], [1, 10])
        self.assertAlmostEqual(results["source_tried"][2], 10.0**0.5)
        self.assertEqual(results["runs"], 10)
        self.assertEqual(results["held"][:3], [0, 1, 1])
        coarse = self.found("-vary", "source=1:10", "-until", "T_max>3", "-study_width", 0.5)
        self.assertLess(coarse["runs"], results["runs"])

    def test_a_condition_may_end_where_the_value_grows_and_zero_may_lie_between(self):
        self.found("-vary", "source=1:10", "-until", "T_max<3")
        self.assertEqual(self.found("-vary", "source=-1:10", "-until", "T_max>3")["source_tried"][2], 4.5)

    def test_from_one_value_it_goes_up_by_twos(self):
        self.assertEqual(self.found("-vary", "source=1", "-until", "T_max>3")["source_tried"][:3], [1, 2, 4])

    def test_groups_of_ranks_try_several_values_at_once(self):
        results = self.found("-vary", "source=1:10", "-until", "T_max>3", "-study_ranks", 1, ranks=3)
        self.assertEqual(results["source_tried"][:2], [1, 10])
        for i, tried in enumerate(results["source_tried"][2:5]):
            self.assertAlmostEqual(tried, 10.0**((i + 1) / 4))
        self.assertEqual((results["runs"] - 2) % 3, 0)

    def test_an_interval_without_a_threshold_says_so_with_a_summary(self):
        run = self.study("rhumb-heat", *WARMING, "-study", "find", "-vary", "source=4:10", "-until", "T_max>3", code=2)
        self.assertIn("the condition holds at both ends of the interval, 4 and 10", run.errors)
        self.assertEqual(run.summary["reason"], "bad_input")
        self.assertEqual(run.summary["results"]["source_tried"], [4, 10])

    def test_a_search_cannot_go_on_without_a_decision(self):
        run = self.study("rhumb-heat", *WARMING, "-study", "find", "-vary", "dae_max_steps=1:1000", "-until", "T_max>3",
                         code=3)
        self.assertIn("the run with dae_max_steps 1 failed", run.errors)
        wrong = self.study("rhumb-heat", *WARMING, "-study", "find", "-vary", "source=1:9", "-until", "T_mx>3", code=2)
        self.assertIn("no figure T_mx, did you mean T_max?", wrong.errors)


class BadInput(Case):
    def test_it_is_rejected_before_anything_runs(self):
        for words, said in ((["-study", "sweep", "-vary", "ree=1,2"], "did you mean -re?"),
                            (["-study", "sweep"], "option -vary"),
                            (["-vary", "re=1,2"], "option -vary: it needs a -study"),
                            (["-until", "psi_min>1"], "option -until: it needs a -study"),
                            (["-study", "swep", "-vary", "re=1,2"], "did you mean sweep?"),
                            (["-study", "sweep", "-vary", "re=1:2"], "low:high:count"),
                            (["-study", "sweep", "-vary", "re=1,2", "-until", "t>1"], "does not belong to -study sweep"),
                            (["-study", "sweep", "-vary", "out=a,b"], "cannot be varied"),
                            (["-study", "sweep", "-vary", "re=1,2", "-restart", "x"], "a study chooses it itself"),
                            (["-study", "sweep", "-vary", "re=1,2", "-study_ranks", 2], "option -study_ranks 2: 1 rank"),
                            (["-study", "sweep", "-vary", "re=1,2", "-n", "x"], "option -n x"),
                            (["-study", "find", "-vary", "re=1:2"], "a search needs its condition"),
                            (["-study", "find", "-vary", "re=1,2", "-until", "t>1"], "NAME=LOW:HIGH"),
                            (["-study", "find", "-vary", "re=1:2", "-until", "t"], "option -until t")):
            with self.subTest(words):
                run = self.study("rhumb-flow", *CAVITY, *words, code=2)
                self.assertIn(said, run.errors)
                self.assertFalse(run.folder.exists())

    def test_a_case_file_cannot_reach_more_of_petsc_by_varying_it(self):
        for option in ("dae_ksp_monitor", "log_view", "dae_ksp_view", "info"):
            with self.subTest(option):
                case, left = self.folder / "case.yaml", self.folder / "left"
                case.write_text(f"n: 4,4\nsource: 1\nstudy: sweep\nvary: {option}=ascii:{left},ascii:{left}2\n")
                run = self.study("rhumb-heat", case, code=2)
                self.assertIn(option, run.errors)
                self.assertEqual(sorted(self.folder.iterdir()), [case])
        run = self.study("rhumb-heat", *WARMING, "-study", "sweep", "-vary", "dae_ksp_type=gmres,bcgs")
        self.assertEqual([row["reason"] for row in table(run.folder)], ["done", "done"])
        wrong = self.study("rhumb-heat", *WARMING, "-study", "sweep", "-vary", "dae_ksp_type=gmres,grmes", code=2)
        self.assertIn("option -vary: option -dae_ksp_type grmes", wrong.errors)

    def test_several_of_vary_are_no_option_given_twice_and_help_lists_all(self):
        run = self.study("rhumb-flow", *CAVITY, "-study", "sweep", "-vary", "re=1,2", "-vary", "n=(8,8)", "-check")
        self.assertEqual(run.errors, "")
        self.assertFalse(run.folder.exists())
        for name in ("rhumb-flow", "rhumb-heat", "rhumb-dae", "rhumb-ignite"):
            text = self.study(name, "-help").output
            for option in ("-study ", "-vary ", "-until ", "-study_ranks ", "-study_combine ", "-study_width "):
                self.assertIn("  " + option, text)


if __name__ == "__main__":
    unittest.main()
