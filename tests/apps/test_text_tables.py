"""The tables of the texts, as tests/bench/text_tables.py makes them, hold what is printed or better."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "bench"))
import driver
import text_tables as tables

ROUNDING = 0.06  # of numbers that are printed with two digits


class IndexThree(unittest.TestCase):
    def assert_printed(self, ours, printed):
        for got, wanted in zip(ours, printed):
            self.assertAlmostEqual(got / wanted, 1.0, delta=ROUNDING)

    def test_drag_problem_has_the_errors_of_table_6_3_3(self):
        for h, printed in tables.DRAG_END.items():
            with self.subTest(h=h):
                self.assert_printed(tables.drag(h, None), printed)

    def test_first_step_of_the_drag_problem_has_the_errors_of_table_6_3_4(self):
        for h, printed in tables.DRAG_FIRST.items():
            with self.subTest(h=h):
                self.assert_printed(tables.drag(h, tables.START + h), printed)

    def test_second_step_brings_the_bank_angle_back_to_first_order(self):
        coarse, fine = (tables.drag(h, tables.START + 2 * h)[-1] for h in (0.2, 0.1))
        self.assertLess(coarse, 2e-3)
        self.assertAlmostEqual(coarse / fine, 2.0, delta=0.1)

    def test_variable_steps_are_refused_in_words(self):
        done = driver.run("rhumb-dae", "-problem", "drag", "-form", "index3")
        self.assertEqual(done.code, 3)
        self.assertIn("index 3", done.errors)


class Drag(unittest.TestCase):
    def test_every_form_ends_at_the_truth_of_table_6_3_3(self):
        for form in ("index1", "index2"):
            for ranks in (None, 2):
                with self.subTest(form=form, ranks=ranks):
                    done = driver.run("rhumb-dae", "-problem", "drag", "-form", form, *tables.tolerances("1e-11"), ranks=ranks)
                    self.assertEqual(done.code, 0, done.errors)
                    for got, wanted in zip(done.summary["results"]["values"], tables.DRAG_TRUTH):
                        self.assertAlmostEqual(got / wanted, 1.0, delta=1e-8)

    def test_continued_flight_ends_as_the_one_in_one_go(self):
        with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
            words = ["-problem", "drag", *tables.tolerances("1e-9")]
            whole = driver.run("rhumb-dae", *words)
            first = driver.run("rhumb-dae", *words, "-dae_max_steps", 60, out=pathlib.Path(folder) / "first")
            self.assertEqual(first.code, 3, first.errors)
            kept = sorted((first.folder / "checkpoints").glob("*.h5"))[-1]
            second = driver.run("rhumb-dae", *words, "-restart", kept)
            self.assertEqual(second.code, 0, second.errors)
            self.assertEqual(second.summary["results"]["values"], whole.summary["results"]["values"])


class PrescribedPath(unittest.TestCase):
    def test_forms_have_the_errors_of_table_6_3_1_or_less_for_fewer_residuals(self):
        for (form, tolerance), (printed, counts) in tables.PATH.items():
            with self.subTest(form=form, tolerance=tolerance):
                ours, our_counts = tables.path(form, tolerance)
                self.assertLess(max(ours), 3 * max(printed))  # at the end of steps that fall as they happen to
                self.assertLess(our_counts[1], counts[1])  # residuals


class Pendulum(unittest.TestCase):
    def test_drift_of_the_index_one_form_is_that_of_table_6_2_2(self):
        for tolerance, printed in tables.INDEX1_PENDULUM.items():
            with self.subTest(tolerance=tolerance):
                ours = tables.index1_pendulum(tolerance)
                self.assertLess(abs(ours[0]), 100 * float(tolerance))
                self.assertLess(max(map(abs, ours[1:3])), 5 * max(map(abs, printed[1:3])))
                self.assertGreater(abs(ours[2]), 0.1 * abs(ours[0]))  # the position drifts
                self.assertLess(ours[4], printed[4])

    def test_stabilized_form_is_at_least_that_of_tables_6_2_3_and_6_2_4(self):
        for tolerance, (constraints, errors) in tables.STABILIZED.items():
            with self.subTest(tolerance=tolerance):
                ours, our_errors = tables.stabilized_pendulum(tolerance)
                for got, wanted in zip(ours[:2], constraints[:2]):
                    self.assertLess(abs(got), abs(wanted))
                self.assertLess(max(our_errors), max(errors))
                self.assertLess(ours[3], constraints[3])


class MovingGeometry(unittest.TestCase):
    def test_plain_estimate_takes_about_the_steps_of_the_table_at_its_order_with_newton_solved(self):
        for delta, most in ((-1000, 1.4), (-100000, 1.1)):
            steps, _ = tables.sieber(delta, "standard", *tables.AS_THE_TEXT)
            printed = tables.SIEBER_TABLE_1[delta, "standard"][0]
            self.assertLess(max(steps / printed, printed / steps), most)

    def test_strong_estimate_takes_about_the_steps_of_sieber_s_table(self):
        steps, _ = tables.sieber(-1000, "strong")
        self.assertLess(steps, 1.5 * tables.SIEBER_TABLE_1[-1000, "strong"][0])


if __name__ == "__main__":
    unittest.main()
