"""Events of a case file, in any driver: a formula changes sign; the time is noted, a snapshot written, the run ended."""

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
