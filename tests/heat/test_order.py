"""The error falls as h^2 for every boundary type, dimension, symmetry and kind of conductivity."""

import math
import unittest

import driver
import manufactured

SIZES = {1: (40, 80), 2: (16, 32), 3: (8, 16)}
FINER = {1: (40, 80), 2: (16, 32), 3: (16, 32)}  # where a side holds a whole wave
WALLS = ("dirichlet", "flux", "convection", "radiation", "symmetry", "periodic")


def error(words):
    run = driver.run("rhumb-heat", *words, "-t_end", "0.1", "-dae_rtol", "1e-9", "-dae_atol", "1e-10", "-quiet")
    if run.code != 0:
        raise AssertionError(f"exit code {run.code}\n{run.output}\n{run.errors}")
    return run.summary["results"]["error_max"]


class Order(unittest.TestCase):
    def check(self, solution, wall, sizes, **more):
        coarse, fine = (error(manufactured.options(solution, n, wall, **more)) for n in sizes)
        order = math.log2(coarse / fine)
        print(f"{type(solution).__name__} {len(solution.letters)}-D m={solution.radial} {wall} {more}: "
              f"{coarse:.3e} {fine:.3e} order {order:.3f}", flush=True)
        self.assertAlmostEqual(order, 2.0, delta=0.1)

    def test_every_boundary_type_in_every_dimension(self):
        for dimension in (1, 2, 3):
            for wall in WALLS:
                with self.subTest(dimension=dimension, wall=wall):
                    kind = wall if wall in ("symmetry", "periodic") else "general"
                    sizes = (FINER if wall == "periodic" else SIZES)[dimension]
                    self.check(manufactured.Waves(dimension, kind), wall, sizes)

    def test_conductivity_that_varies(self):
        for dimension, sizes in SIZES.items():
            for k in ("of_T", "of_x"):
                with self.subTest(dimension=dimension, k=k):
                    self.check(manufactured.Waves(dimension), "radiation", sizes, k=k)

    def test_cylinder_and_sphere_with_and_without_a_centre(self):
        for m in (1, 2):
            for wall in ("dirichlet", "flux", "convection", "radiation"):
                for lower in (0.0, 0.5):
                    with self.subTest(m=m, wall=wall, lower=lower):
                        self.check(manufactured.Radial(m), wall, (40, 80), lower=lower)
            with self.subTest(m=m, k="of_T"):
                self.check(manufactured.Radial(m), "convection", (40, 80), k="of_T")


if __name__ == "__main__":
    unittest.main(warnings="ignore")
