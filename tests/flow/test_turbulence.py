"""Decaying turbulence in a periodic box, from random velocities, with a restart on the way."""

import pathlib
import tempfile
import unittest

import driver
import h5py
import numpy as np

NU = 0.02
WORDS = ("-problem", "taylor_green", "-dim", "3", "-n", "48,48,48", "-re", 1 / NU, "-initial_u", "0", "-initial_v", "0",
         "-turbulence", "1", "-turbulence_waves", "400", "-t_end", "1", "-series_dt", "step", "-out_times", "0,1", "-quiet")


def velocities(file):
    """u, v, w at faces, without the last layer, which is the first; and the place of the direction of each."""
    with h5py.File(file) as snapshot:
        fields = [snapshot["fields/" + name][...] for name in "uvw"]
    return [(np.delete(field, 48, axis) if field.shape[axis] == 49 else field, axis) for field, axis in zip(fields, (2, 1, 0))]


def moments(file):
    """Skewness and flatness of du/dx, dv/dy, dw/dz together, and the mean square of each velocity."""
    slopes, squares = [], []
    for field, axis in velocities(file):
        slopes.append((np.roll(field, -1, axis) - field).ravel())
        squares.append(np.mean(field ** 2))
    slope = np.concatenate(slopes)
    return np.mean(slope ** 3) / np.mean(slope ** 2) ** 1.5, np.mean(slope ** 4) / np.mean(slope ** 2) ** 2, squares


class Decay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.whole, cls.parted = (pathlib.Path(cls.place.name) / name for name in ("whole", "parted"))
        run = driver.run("rhumb-flow", *WORDS, out=cls.whole, ranks=2, timeout=600)
        assert run.code == 0, run.errors
        cls.summary = run.summary
        steps = cls.summary["steps"] // 2
        driver.run("rhumb-flow", *WORDS, "-dae_max_steps", steps, out=cls.parted, ranks=2, timeout=600)
        run = driver.run("rhumb-flow", *WORDS, "-restart", cls.parted, out=cls.parted, ranks=2, timeout=600)
        assert run.code == 0, run.errors
        with h5py.File(cls.whole / "series.h5") as file:
            cls.series = {name: file["series/" + name][...] for name in ("time", "kinetic_energy", "dissipation")}

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def ends(self):
        return [sorted((folder / "snapshots").glob("*.h5"))[-1] for folder in (self.whole, self.parted)]

    def test_the_energy_falls_by_what_viscosity_takes(self):
        s = self.series
        lost = s["kinetic_energy"][0] - s["kinetic_energy"]
        taken = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(s["time"]) * (s["dissipation"][1:] + s["dissipation"][:-1]))])
        self.assertGreater(lost[-1], 0.4 * s["kinetic_energy"][0])
        np.testing.assert_allclose(taken[-1] / lost[-1], 1.0, atol=3e-3)

    def test_slopes_become_skewed_as_in_measured_turbulence_and_directions_stay_alike(self):
        first = sorted((self.whole / "snapshots").glob("*.h5"))[0]
        skewness, flatness, _ = moments(first)
        self.assertLess(abs(skewness), 0.1)  # of random velocities: 0 and 3
        self.assertAlmostEqual(flatness, 3.0, delta=0.3)
        skewness, flatness, squares = moments(self.ends()[0])
        self.assertLess(abs(skewness + 0.45), 0.15)  # -0.3 to -0.6 at these Reynolds numbers
        self.assertGreater(flatness, 3.2)
        self.assertLess(max(squares) / min(squares), 1.4)

    def test_a_run_continued_in_the_middle_ends_in_the_same_bits(self):
        for (a, _), (b, _) in zip(*map(velocities, self.ends())):
            np.testing.assert_array_equal(a, b)

    def test_linear_solves_stay_short(self):
        self.assertEqual(self.summary["convergence_failures"], 0)
        self.assertLess(self.summary["linear_iterations"], 4 * self.summary["newton_iterations"])
        self.assertLess(self.summary["results"]["divergence_max_over_steps"], 1e-10)


if __name__ == "__main__":
    unittest.main()
