"""-error_bars as a user runs it: figures whose true value is 0, an error against the exact solution, are judged."""

import unittest

import driver


def bars(name, *words, ranks=1):
    run = driver.run(name, *words, "-error_bars", ranks=ranks, timeout=120)
    assert run.code == 0, run.output + run.errors
    return run


class ErrorBars(unittest.TestCase):
    def check_honest(self, run, *figures):
        for figure in figures:
            value, bar = run.summary["results"][figure], run.summary["errors"][figure]
            self.assertAlmostEqual(bar["total"], bar["time"] + bar["space"], delta=1e-12 * bar["total"])
            with self.subTest(figure=figure):
                self.assertGreater(value / bar["total"], 0.2)
                self.assertLess(value / bar["total"], 5.0)

    def test_the_grid_s_error_is_seen_on_two_grids_and_ranks(self):
        for n in ("16,16", "32,32"):
            self.check_honest(bars("rhumb-heat", "apps/heat/exact.yaml", "-n", n), "error_max", "error_l2")
        one, two = (bars("rhumb-heat", "apps/heat/exact.yaml", "-n", "16,16", ranks=ranks) for ranks in (1, 2))
        for figure, bar in one.summary["errors"].items():
            rounding = 1e-5 * abs(one.summary["results"][figure])  # a bar is a difference of two runs
            self.assertAlmostEqual(two.summary["errors"][figure]["total"], bar["total"], delta=0.1 * bar["total"] + rounding)

    def test_a_flow_has_both_errors(self):
        run = bars("rhumb-flow", "-problem", "taylor_green", "-n", "16,16", "-t_end", 0.2)
        self.assertTrue(run.summary["errors"])
        self.assertIn(" +- ", run.output)
        for bar in run.summary["errors"].values():
            self.assertIsNotNone(bar["time"])
            self.assertIsNotNone(bar["space"])

    def test_without_a_grid_only_the_error_in_time_is_found_and_that_is_said(self):
        run = bars("rhumb-dae", "-problem", "robertson", "-t_end", 40)
        self.assertIn("no error bars in space", run.errors)
        for bar in run.summary["errors"].values():
            self.assertIsNone(bar["space"])
            self.assertEqual(bar["total"], bar["time"])

    def test_a_study_has_none(self):
        run = driver.run("rhumb-heat", "-n", "8,8", "-source", 1, "-error_bars", "-study", "sweep", "-vary", "k=1,2")
        self.assertEqual(run.code, 2)
        self.assertIn("error_bars", run.errors)


if __name__ == "__main__":
    unittest.main()
