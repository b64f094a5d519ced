"""Whole runs as a user starts them: what is wrong is refused or reported with the promised exit code and a useful message."""

import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import driver

FAULTY = driver.BUILD / "tests" / "failure" / "faulty-decay"


def run(*words, **more):
    return driver.run(FAULTY, *words, **more)


class Refused(unittest.TestCase):
    def refused(self, *words, says, **more):
        done = run(*words, **more)
        self.assertEqual(done.code, 2, done.errors)
        for text in says:
            self.assertIn(text, done.errors)
        self.assertTrue(done.errors.startswith("faulty-decay: "), done.errors)
        self.assertFalse((done.folder / "run.json").exists(), "refused before the run")

    def test_misspelt_options_name_the_nearest(self):
        self.refused("-dae_rtoll", "1e-5", says=["-dae_rtoll", "did you mean -dae_rtol?"])
        self.refused("-unknwons", "7", says=["did you mean -unknowns?"])
        self.refused("-dae_pc_typ", "lu", says=["did you mean -dae_pc_type?"])

    def test_numbers_out_of_range(self):
        self.refused("-dae_rtol", "-1e-5", says=["-dae_rtol -1e-5", ">= 0"])
        self.refused("-dae_atol_y", "-1", says=["-dae_atol_y -1", ">= 0"])
        self.refused("-dae_max_order", "6", says=["-dae_max_order 6", "1 ... 5"])
        self.refused("-dae_rtol", "1e-5x", says=["a number is wanted"])

    def test_words_that_are_no_choice(self):
        self.refused("-fault", "recoverabel", says=["did you mean recoverable?"])
        self.refused("-dae_error_test", "stron", says=["did you mean strong?"])

    def test_an_end_before_the_start(self):
        self.refused("-t_end", "-1", says=["-t_end -1", "t = 0"])
        self.refused("-out_times", "0.5,3", says=["-out_times: 3", "0 ... 1"])

    def test_words_that_belong_to_no_option(self):
        self.refused("-unknowns", "3", "4", says=["the word 4"])

    def test_a_reader_that_has_seen_enough_of_the_help_is_no_crash(self):
        both = subprocess.run(f"'{FAULTY}' -help | head -1", shell=True, capture_output=True, text=True,
                              timeout=60 * driver.PATIENCE)
        self.assertIn("faulty-decay", both.stdout)
        self.assertEqual(both.stderr, "")

    def test_two_ranks_print_one_message(self):
        done = run("-dae_rtoll", "1e-5", ranks=2)
        self.assertEqual(done.code, 2)
        self.assertEqual(done.errors.count("did you mean -dae_rtol?"), 1)


class CaseFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(self.folder.cleanup)
        self.case = pathlib.Path(self.folder.name) / "case.yaml"

    def test_a_case_file_gives_options_and_the_command_line_wins(self):
        self.case.write_text("unknowns: 4\ndae: {rtol: 1e-5, atol: 1e-7}\n")
        options = run(self.case, "-dae_rtol", "1e-4").summary["options"]
        self.assertEqual((options["unknowns"], options["dae_rtol"], options["dae_atol"]), (4, 1e-4, 1e-7))

    def test_a_missing_file_is_named(self):
        done = run("no_such_case.yaml")
        self.assertEqual(done.code, 2)
        self.assertIn("no_such_case.yaml", done.errors)

    def test_a_folder_is_no_case_file(self):
        done = run(self.folder.name)
        self.assertEqual(done.code, 2)
        self.assertIn(self.folder.name, done.errors)

    def test_text_that_is_no_yaml_is_refused_with_the_files_name(self):
        for text in ("{", "- a\n- b\n", "a: [1, 2\n", "\x01\x02", "just words"):
            with self.subTest(text=text):
                self.case.write_text(text)
                done = run(self.case)
                self.assertEqual(done.code, 2, done.errors)
                self.assertIn("case.yaml", done.errors)

    def test_an_unknown_option_in_a_case_file_is_refused(self):
        self.case.write_text("dae: {rtoll: 1e-5}\n")
        done = run(self.case)
        self.assertEqual(done.code, 2)
        self.assertIn("did you mean -dae_rtol?", done.errors)


class HelpAndCheck(unittest.TestCase):
    def test_help_lists_the_options_with_unit_default_and_range(self):
        for word in ("-help", "--help", "-h"):
            done = run(word)
            self.assertEqual(done.code, 0, done.errors)
            self.assertRegex(done.output, r"-dae_rtol +relative tolerance \(default 1e-06; >= 0\)")
            self.assertRegex(done.output, r"-pause +wait after every step \(in s; default 0; >= 0\)")
            self.assertRegex(done.output, r"-out_dt ")
            self.assertNotIn("-malloc", done.output, "PETSc's own help")
            self.assertFalse(done.folder.exists())

    def test_check_builds_and_does_not_run(self):
        done = run("-check", ranks=2)
        self.assertEqual(done.code, 0, done.errors)
        self.assertFalse(done.folder.exists())
        self.assertEqual(run("-check", "-dae_rtoll", "1").code, 2)

    def test_options_of_petsc_are_not_refused(self):
        done = run("-log_view", ":/dev/null", "-malloc_debug", "-on_error_abort", "-dae_ksp_type", "gmres",
                   "-dae_pc_type", "bjacobi", "-dae_sub_pc_type", "ilu")
        self.assertEqual(done.code, 0, done.errors)
        self.assertEqual(done.summary["options"]["dae_sub_pc_type"], "ilu")

    def test_values_that_petsc_refuses_are_bad_input(self):
        for words in (["-dae_ksp_type", "gmress"], ["-dae_pc_type", "bjacobi", "-dae_sub_pc_type", "iluu"]):
            done = run(*words, ranks=2)
            self.assertEqual(done.code, 2, done.errors)
            self.assertIn(words[-1], done.errors)

    def test_tolerances_that_petsc_would_read_and_nobody_would_heed_are_refused(self):
        for name in ("-dae_ksp_rtol", "-dae_ksp_atol", "-dae_ksp_divtol"):
            done = run(name, "1e-3", ranks=2)
            self.assertEqual(done.code, 2, done.errors)
            self.assertIn(name, done.errors)
            self.assertIn("-dae_linear_tolerance", done.errors)

    def test_options_that_the_preconditioner_never_reads_are_refused(self):
        done = run("-dae_pc_type", "bjacobi", "-dae_sub_pc_typ", "ilu")
        self.assertEqual(done.code, 2, done.errors)
        self.assertIn("did you mean -dae_sub_pc_type?", done.errors)


class Summary(unittest.TestCase):
    KEYS = """app problem ranks unknowns reason t steps residual_evals residual_evals_krylov jacobian_evals pc_setups
        newton_iterations linear_iterations error_test_failures convergence_failures order_histogram h_min h_max
        wall_seconds phases peak_rss_mib options results""".split()

    def test_run_json_has_every_key_and_agrees_with_steps_csv(self):
        done = run("-out_dt", "0.25", ranks=2)
        self.assertEqual(done.code, 0, done.errors)
        summary = done.summary
        self.assertEqual([key for key in self.KEYS if key not in summary], [])
        self.assertEqual((summary["app"], summary["ranks"], summary["reason"], summary["t"]),
                         ("faulty-decay", 2, "done", 1.0))
        lines = (done.folder / "steps.csv").read_text().splitlines()
        self.assertEqual(len(lines) - 1, summary["steps"])
        self.assertEqual(sum(summary["order_histogram"]), summary["steps"])
        self.assertGreater(summary["peak_rss_mib"], 1)
        self.assertEqual(len(list((done.folder / "snapshots").iterdir())), 5)
        self.assertIn("to cite", done.output.lower())

    def test_an_event_that_ends_the_run_is_a_good_end(self):
        done = run("-stop_time", "0.3", "-out_dt", "0.25", ranks=2)
        self.assertEqual(done.code, 0, done.errors)
        self.assertEqual((done.summary["reason"], done.summary["events"]), ("stopped_by_event", {"enough": 1}))
        self.assertAlmostEqual(done.summary["t"], 0.3, places=9)
        self.assertLess(done.summary["results"]["error"], 2e-5)
        names = sorted(path.name for path in (done.folder / "snapshots").iterdir())
        self.assertEqual(names, ["000000.h5", "000001.h5", "000002.h5"], "t = 0, 0.25 and where it ended")

    def test_quiet_prints_nothing(self):
        done = run("-quiet")
        self.assertEqual((done.code, done.output, done.errors), (0, "", ""))

    def test_a_file_gets_plain_lines_of_progress(self):
        done = run("-progress_dt", "0", "-dae_rtol", "1e-3")
        lines = [line for line in done.output.splitlines() if line.startswith("t ")]
        self.assertEqual(len(lines), done.summary["steps"])
        self.assertNotIn("\r", done.output)

    def test_a_bug_is_reported_once_by_the_rank_that_has_it(self):
        done = run("-fault", "logic_error", "-fault_call", "9", "-fault_rank", "1", ranks=2)
        self.assertEqual(done.code, 70)
        self.assertEqual(done.errors.count("faulty-decay: the residual is wrong"), 1)
        self.assertEqual(done.summary["reason"], "bug")

    def test_a_constructor_that_throws_on_one_rank_does_not_hang(self):
        done = run("-fault_place", "constructor", "-fault_rank", "1", ranks=3, timeout=60)
        self.assertEqual(done.code, 70)
        self.assertIn("wrong in constructor", done.errors)


    def test_ranks_that_wait_in_a_collective_call_are_not_left_hanging(self):
        done = run("-fault_place", "barrier", "-fault_rank", "1", ranks=2, timeout=120)
        self.assertEqual(done.code, 70)
        self.assertIn("wrong in barrier", done.errors)
        self.assertIn("did not stop with rank 1", done.errors)


class Disk(unittest.TestCase):
    def test_a_folder_that_cannot_be_made_is_named(self):
        done = run("-quiet", out="/dev/null/out")
        self.assertEqual(done.code, 4, done.errors)
        self.assertIn("/dev/null/out", done.errors)

    def test_a_disk_that_fills_up_ends_the_run_and_keeps_the_checkpoints(self):
        with tempfile.TemporaryDirectory(prefix="rhumb-") as name:
            out = pathlib.Path(name) / "out"
            first = run("-t_end", "0.5", "-checkpoint_dt", "0.1", out=out)
            self.assertEqual(first.code, 0, first.errors)
            kept = sorted((out / "checkpoints").glob("*.h5"))
            done = run("-file_limit", "4096", "-checkpoint_dt", "0.1", "-restart", out, out=out, ranks=2)
            self.assertEqual(done.code, 4, done.errors)
            self.assertIn(str(out), done.errors)
            self.assertEqual(sorted((out / "checkpoints").glob("*.h5")), kept)
            again = run("-restart", out, out=out)
            self.assertEqual(again.code, 0, again.errors)


class Stopping(unittest.TestCase):
    def stopped(self, done, reason):
        self.assertEqual(done.code, 5, done.errors)
        self.assertEqual(done.summary["reason"], reason)
        self.assertTrue(list((done.folder / "checkpoints").glob("*.h5")))
        again = run("-restart", done.folder, out=done.folder)
        self.assertEqual(again.code, 0, again.errors)
        self.assertEqual(again.summary["t"], 1.0)
        self.assertLess(again.summary["results"]["error"], 2e-5)

    def test_a_signal_to_one_rank_stops_all_with_a_checkpoint(self):
        self.stopped(run("-signal_step", "10", "-fault_rank", "1", ranks=2), "signal")

    def test_a_signal_that_comes_from_outside(self):
        for number in (signal.SIGTERM, signal.SIGUSR1):
            with tempfile.TemporaryDirectory(prefix="rhumb-") as name:
                out = pathlib.Path(name) / "out"
                process = subprocess.Popen([str(FAULTY), "-pause", "0.05", "-out", str(out), "-quiet"],
                                           stderr=subprocess.PIPE, text=True)
                while process.poll() is None and not (out / "steps.csv").exists():
                    time.sleep(0.01)
                time.sleep(0.2)
                process.send_signal(number)
                _, errors = process.communicate(timeout=60 * driver.PATIENCE)
                self.stopped(driver.Run(process.returncode, "", errors, out), "signal")

    def test_the_wall_limit(self):
        self.stopped(run("-pause", "0.05", "-wall_limit", "1", ranks=2), "wall_limit")


if __name__ == "__main__":
    unittest.main()
