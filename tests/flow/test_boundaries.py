"""Kovasznay's flow with its velocity on all sides: orders up to the corners."""

import math
import unittest

import driver

RATE = 20 - math.sqrt(400 + 4 * math.pi ** 2)
U = f"1-exp({RATE!r}*x)*cos(2*pi*y)"
V = f"{RATE / (2 * math.pi)!r}*exp({RATE!r}*x)*sin(2*pi*y)"
P = f"-0.5*exp({2 * RATE!r}*x)"


def kovasznay(cells, *words, ranks=None):
    sides = [word for side in ("left", "right", "bottom", "top")
             for word in (f"-bc_{side}_type", "inflow", f"-bc_{side}_u", U, f"-bc_{side}_v", V)]
    run = driver.run("rhumb-flow", "-problem", "cavity", "-re", "40", "-lower", "-0.5,-0.5", "-upper", "1,0.5", "-n",
                     f"{cells * 3 // 2},{cells}", "-stretch", "0,0", *sides, "-initial_u", U, "-initial_v", V, "-exact_u", U,
                     "-exact_v", V, "-exact_p", P, "-t_end", "20", "-dae_rtol", "1e-6", "-quiet", *words, ranks=ranks)
    assert run.code == 0, run.errors
    return run.summary["results"]


class Kovasznay(unittest.TestCase):
    def orders(self, *words, ranks=None):
        coarse, fine = (kovasznay(cells, *words, ranks=ranks) for cells in (16, 32))
        names = [name for name in fine if name.startswith("error_")]
        return {name: math.log2(coarse[name] / fine[name]) for name in names}

    def test_velocity_and_mean_pressure_are_of_second_order(self):
        orders = self.orders()
        for name in ("error_l2_u", "error_l2_v", "error_l2_p"):
            self.assertGreater(orders[name], 1.7, name)

    def test_quadratic_sides_make_the_pressure_of_second_order_in_the_corners_too(self):
        orders = self.orders("-sides", "quadratic", ranks=2)
        for name, order in orders.items():
            self.assertGreater(order, 1.7, name)


if __name__ == "__main__":
    unittest.main()
