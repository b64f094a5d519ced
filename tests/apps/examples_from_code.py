"""The examples that are called from code, without a command line: they compute, print, and write nothing."""

import pathlib
import subprocess
import tempfile
import unittest

import driver


def run(name, ranks=1):
    with tempfile.TemporaryDirectory(prefix="rhumb-example-") as folder:
        done = subprocess.run(["mpirun", "-n", str(ranks), driver.BUILD / "apps" / name], cwd=folder, text=True,
                              capture_output=True, timeout=600 * driver.PATIENCE)
        left = [path.name for path in pathlib.Path(folder).iterdir()]
    return done, left


class FromCode(unittest.TestCase):
    def test_robertson_has_the_published_values(self):
        done, left = run("robertson")
        self.assertEqual((done.returncode, left), (0, []), done.stderr)
        values = [list(map(float, line.split())) for line in done.stdout.splitlines()]
        for (t, y1, _, y3), (known_t, known_y1) in zip(values, [(0.4, 0.98517211), (4e3, 0.18320226), (4e10, 5.208345e-8)]):
            self.assertEqual(t, known_t)
            self.assertAlmostEqual(y1, known_y1, delta=2e-3 * known_y1)
            self.assertAlmostEqual(y1 + y3, 1.0, delta=1e-4)

    def test_the_cavity_is_the_same_on_one_rank_and_two(self):
        printed = []
        for ranks in [1, 2]:
            done, left = run("cavity", ranks)
            self.assertEqual((done.returncode, left), (0, []), done.stderr)
            printed.append([line for line in done.stdout.splitlines() if line.startswith("t = ")])
        self.assertEqual(len(printed[0]), 3)
        self.assertTrue(set(printed[0]) == set(printed[1]), printed)


if __name__ == "__main__":
    unittest.main()
