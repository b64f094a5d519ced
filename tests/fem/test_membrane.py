"""The example of an own weak form."""

import unittest

import driver
import rhumb_read


class Membrane(unittest.TestCase):
    def test_it_grows_inside_and_dies_at_the_shores_whatever_the_ranks(self):
        runs = [driver.run("membrane", "-mesh", driver.SOURCE / "meshes" / "cylinder2d.msh", "-order", order, "-D", "1e-3",
                           "-quiet", ranks=ranks) for order, ranks in ((2, 1), (2, 2), (3, 2))]
        fields = []
        for run in runs:
            self.assertEqual(run.code, 0, run.errors)
            fields.append(rhumb_read.open_run(run.folder)[-1].field("u").values)
        for u in fields:
            self.assertAlmostEqual(u.min(), 0.0, places=4)
            self.assertGreater(u.max(), 0.8)
            self.assertLess(u.max(), 1.001)
        self.assertLess(abs(fields[0] - fields[1]).max(), 1e-4)

    def test_it_goes_on_where_it_was_stopped(self):
        words = ("-mesh", driver.SOURCE / "meshes" / "square.msh", "-order", "3", "-quiet")
        whole = driver.run("membrane", *words)
        cut = driver.run("membrane", *words, "-dae_max_steps", "20")
        self.assertEqual(cut.code, 3, cut.errors)
        after = driver.run("membrane", *words, "-restart", cut.folder, out=cut.folder)
        self.assertEqual(after.code, 0, after.errors)
        self.assertEqual((after.folder / "steps.csv").read_bytes(), (whole.folder / "steps.csv").read_bytes())


if __name__ == "__main__":
    unittest.main(warnings="ignore")
