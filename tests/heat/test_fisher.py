"""The example of an own PDE: short, parallel, restartable, and right."""

import tempfile
import unittest

import driver

SOURCE = driver.SOURCE / "apps" / "examples" / "fisher.cpp"


def fisher(*words, **more):
    return driver.run("fisher", *words, "-quiet", **more)


class Fisher(unittest.TestCase):
    def test_it_has_at_most_40_lines_of_code(self):
        lines = [line.strip() for line in SOURCE.read_text().splitlines()]
        code = [line for line in lines if line and not line.startswith("//")]
        self.assertLessEqual(len(code), 40)

    def test_the_front_runs_at_its_speed_on_two_ranks(self):
        run = fisher(ranks=2)
        self.assertEqual(run.code, 0, run.errors)
        self.assertAlmostEqual(run.summary["results"]["front_speed"], 2.0, delta=0.04)

    def test_the_speed_follows_the_coefficients_in_two_dimensions(self):
        run = fisher("-n", "400,8", "-upper", "100,2", "-D", "0.5", "-r", "0.5", "-t_end", "70")
        self.assertEqual(run.code, 0, run.errors)
        self.assertAlmostEqual(run.summary["results"]["front_speed"], 1.0, delta=0.06)

    def test_a_restarted_run_ends_where_the_whole_one_does(self):
        words = ("-n", "400", "-upper", "100")
        whole = fisher(*words, "-t_end", "20")
        with tempfile.TemporaryDirectory() as folder:
            half = fisher(*words, "-t_end", "10", "-checkpoint_dt", "4", out=folder)
            self.assertEqual(half.code, 0, half.errors)
            rest = fisher(*words, "-t_end", "20", "-restart", folder)
        self.assertEqual(rest.code, 0, rest.errors)
        self.assertEqual(rest.summary["results"]["front_speed"], whole.summary["results"]["front_speed"])


if __name__ == "__main__":
    unittest.main(warnings="ignore")
