"""Events of a case file, in any driver: a formula changes sign; the time is noted, a snapshot written, the run ended."""

import math
import pathlib
import tempfile
import unittest

import driver
import rhumb_read

# Nothing flows, the source heats evenly: T = 300 + 1000 t.
ROD = ("-n", "20", "-initial", "300", "-source", "1000", "-t_end", "0.2", "-probes", "0.25", "-dae_rtol", "1e-8",
       "-quiet")


def event(name, when, *more):
    return (f"-event_{name}_when", when, *(word for key, value in zip(more[::2], more[1::2])
                                           for word in (f"-event_{name}_{key}", value)))


class CaseEvents(unittest.TestCase):
    def test_times_are_noted_on_any_number_of_ranks(self):
        for ranks in [1, 2, 3]:
            run = driver.run("rhumb-heat", *ROD, "-events", "hot,warm,cold", *event("hot", "T_max - 350"),
                             *event("warm", "probe_1 - 330"), *event("cold", "T_min - 340", "direction", "falling"),
                             ranks=ranks)
            self.assertEqual(run.code, 0, run.errors)
            self.assertEqual(run.summary["events"], {"hot": 1, "warm": 1, "cold": 0})
            times = run.summary["event_times"]
            self.assertEqual(sorted(times), ["hot", "warm"])
            self.assertAlmostEqual(times["hot"][0], 0.05, delta=1e-9)
            self.assertAlmostEqual(times["warm"][1], 0.03, delta=1e-9)

    def test_a_snapshot_is_written_where_the_event_is(self):
        run = driver.run("rhumb-heat", *ROD, "-events", "hot", *event("hot", "T_max - 350", "then", "snapshot"))
        self.assertEqual(run.code, 0, run.errors)
        read = rhumb_read.open_run(run.folder)
        self.assertEqual(len(read.times), 3)
        self.assertAlmostEqual(read.times[1], 0.05, delta=1e-9)
        self.assertAlmostEqual(read[1].field("T").values.max(), 350.0, delta=1e-5)

    def test_a_comparison_is_an_event_where_it_becomes_true(self):
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder) / "rod.yaml"
            case.write_text("initial: 300\nsource: 1000\nevents: [{when: t > 0.01}, {when: 350 < T_max, then: stop}]\n")
            run = driver.run("rhumb-heat", case, *(word for word in ROD if word not in ("-initial", "300", "-source", "1000")))
        self.assertEqual(run.code, 0, run.errors)
        self.assertEqual(run.summary["events"], {"1": 1, "2": 1})
        self.assertAlmostEqual(run.summary["t"], 0.05, delta=1e-9)

    def test_a_thermostat_has_the_period_of_the_closed_form(self):
        # T' = 20 (400 - T) up to 350, T' = 5 (T - 400) down to 320: ln 1.6 (1/20 + 1/5).
        exact = 0.25 * math.log(1.6)
        rtol, atol, slowest = 1e-7, 1e-5, 250.0
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder) / "thermostat.yaml"
            case.write_text("initial: 320\nsource: 2000 - 20*(T-300)\nevents:\n  - {when: 350 < T_max, set: source = -0.25}\n"
                            "  - {when: T_min < 320, set: source = 1}\n")
            words = (case, "-n", 20, "-t_end", 1, "-dae_rtol", rtol, "-dae_atol", atol, "-quiet")
            for ranks in [1, 2]:
                run = driver.run("rhumb-heat", *words, ranks=ranks)
                self.assertEqual(run.code, 0, run.errors)
                self.assertEqual(run.summary["events"], {"1": 9, "2": 8})
                first, last = run.summary["event_times"]["1"]
                self.assertLess(abs((last - first) / 8 - exact) * slowest, 10 * (350 * rtol + atol))
                self.assertLess(run.summary["results"]["energy_balance"], 1e-5)
            # Cut where the source is off.
            out = pathlib.Path(folder) / "cut"
            cut = driver.run("rhumb-heat", *words, "-dae_max_steps", 150, out=out)
            self.assertEqual(cut.code, 3, cut.errors)
            rest = driver.run("rhumb-heat", *words, "-restart", out, out=out)
            whole = driver.run("rhumb-heat", *words)
            self.assertEqual(rest.code, 0, rest.errors)
            for key in ("results", "event_times", "steps"):
                self.assertEqual(rest.summary[key], whole.summary[key])

    def test_two_options_that_events_set_keep_both_values(self):
        # T' = 1000 until 310, then half of it, and from 320 on a quarter, because c has doubled.
        run = driver.run("rhumb-heat", *ROD, "-c", "1", "-events", "a,b", *event("a", "310 < T_max", "set", "source=500"),
                         *event("b", "320 < T_max", "set", "c = 2"))
        self.assertEqual(run.code, 0, run.errors)
        self.assertAlmostEqual(run.summary["results"]["T_max"], 320 + 250 * (0.2 - 0.03), delta=1e-4)

    def test_what_cannot_be_set_is_refused(self):
        for text, says in (("sourc=3", "did you mean source?"), ("source 3", "NAME = VALUE"), ("c=-1", "-event_a_set c=-1")):
            run = driver.run("rhumb-heat", *ROD, "-events", "a", *event("a", "310 < T_max", "set", text))
            self.assertEqual(run.code, 2, run.errors)
            self.assertIn(says, run.errors)

    def test_formulas_that_jump_at_known_times_cost_no_failed_steps(self):
        words = ("-n", 40, "-initial", 300, "-source", "if(t < 0.05, 1000, if(t < 0.1, 0, 500))", "-t_end", 0.2,
                 "-bc_type", "convection", "-bc_h", 5, "-bc_ambient", 300, "-quiet")
        unaware = driver.run("rhumb-heat", *words).summary
        told = driver.run("rhumb-heat", *words, "-break_times", "0.05,0.1").summary
        self.assertLess(told["error_test_failures"], 0.5 * unaware["error_test_failures"])
        self.assertLess(told["results"]["energy_balance"], 0.2 * unaware["results"]["energy_balance"])

    def test_an_event_ends_the_run(self):
        run = driver.run("rhumb-dae", "-problem", "robertson", "-events", "half", *event("half", "y3_max - 0.5", "then", "stop"))
        self.assertEqual(run.code, 0, run.errors)
        self.assertEqual(run.summary["reason"], "stopped_by_event")
        self.assertAlmostEqual(run.summary["state"]["y3"], 0.5, delta=1e-6)

    def test_a_continued_run_remembers_its_events(self):
        words = (*ROD, "-events", "hot", *event("hot", "T_max - 350"))
        with tempfile.TemporaryDirectory() as folder:
            first = driver.run("rhumb-heat", *words, "-t_end", "0.1", "-checkpoint_dt", "0.02", out=folder)
            self.assertEqual(first.code, 0, first.errors)
            again = driver.run("rhumb-heat", *words, "-restart", folder, out=folder)
            self.assertEqual(again.code, 0, again.errors)
            self.assertEqual(again.summary["events"], {"hot": 1})
            self.assertEqual(again.summary["event_times"], first.summary["event_times"])

    def test_events_that_only_look_on_leave_the_last_state_as_it_is(self):
        watched = driver.run("rhumb-heat", *ROD, "-events", "a", *event("a", "t - 0.07"))
        other = driver.run("rhumb-heat", *ROD, "-events", "a", *event("a", "t - 7"))
        self.assertEqual(watched.summary["steps"], other.summary["steps"])
        self.assertEqual(watched.summary["results"]["probes"], other.summary["results"]["probes"])

    def test_a_case_file_says_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder, "rod.yaml")
            case.write_text("n: 20\ninitial: 300\nsource: 1000\nt_end: 0.2\nevents: hot, late\nevent:\n"
                            "  hot: {when: T_max - 350, direction: rising}\n  late: {when: t - 0.1, then: stop}\n")
            run = driver.run("rhumb-heat", case)
            self.assertEqual(run.code, 0, run.errors)
            self.assertEqual(run.summary["events"], {"hot": 1, "late": 1})
            self.assertEqual(run.summary["t"], 0.1)

    def test_bad_events_are_refused(self):
        for words, said in [(("-events", "hot"), "-event_hot_when"),
                            (("-events", "hot", *event("hot", "T_mx - 1")), "did you mean 'T_max'"),
                            (("-events", "hot", *event("hot", "T_max", "then", "stp")), "did you mean stop"),
                            (("-events", "hot,hot", *event("hot", "T_max")), "each once"),
                            (("-event_hot_when", "T_max"), "-event_hot_when")]:
            for ranks in [1, 2]:
                run = driver.run("rhumb-heat", *ROD, *words, ranks=ranks)
                self.assertEqual(run.code, 2, run.errors)
                self.assertIn(said, run.errors)


if __name__ == "__main__":
    unittest.main()
