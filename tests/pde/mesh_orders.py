"""Equations on meshes with solutions that are known because the test makes their sources: elements of order k have errors
of order k + 1 in L2, whatever stands on the boundaries."""

import math
import random
import unittest

import driver
import orders

TIGHT = ("-dae_rtol", "1e-7", "-dae_atol", "1e-8", "-t_end", "0.1", "-quiet")


class OnMeshes(unittest.TestCase):
    def error(self, *words, figure="error"):
        run = driver.run("rhumb-pde", *words, *TIGHT)
        self.assertEqual(run.code, 0, f"{words}\n{run.errors}")
        return run.summary["results"][figure]

    def rate(self, words, meshes, figure="error"):
        """Between two grids, one with half the cells' size."""
        coarse, fine = (self.error(*words, *mesh, figure=figure) for mesh in meshes)
        return math.log2(coarse / fine)

    def expect_orders(self, seed, count, dimension, meshes, expected):
        rng = random.Random(seed)
        for k in range(count):
            order = list(expected)[k % len(expected)]
            words = [*orders.random_case(rng, dimension, may_be_periodic=0), "-order", str(order)]
            self.assertGreater(self.rate(words, meshes), expected[order], words)

    def test_random_equations_in_the_plane_have_order_k_plus_one(self):
        meshes = [("-mesh", f"meshes/square.msh", "-refine", r) for r in ("0", "1")]
        self.expect_orders(29, 9, 2, meshes, {1: 1.85, 2: 2.75, 3: 3.75})

    def test_random_equations_on_quadrilaterals_have_order_k_plus_one(self):
        meshes = [("-mesh", f"meshes/square_quads.msh", "-refine", r) for r in ("0", "1")]
        self.expect_orders(30, 3, 2, meshes, {1: 1.85, 2: 2.75, 3: 3.75})

    def test_random_equations_in_space_have_order_k_plus_one(self):
        meshes = [("-mesh", f"meshes/cube_hexahedra.msh", "-refine", r) for r in ("0", "1")]
        self.expect_orders(31, 2, 3, meshes, {1: 1.8, 2: 2.7})

    def test_fields_for_second_derivatives_keep_the_order(self):
        # lap(u) in a function: a field of its own, known up to the boundary
        u = "(sin(x + 0.3)*cos(y - 0.2)*(1 + t/2))"
        rest = "sin(x + 0.3)*cos(y - 0.2)/2 - (1 + u^2)*(-2*" + u + ") - (2*" + u + ")^2/9"
        words = ("-fields", "u", "-equations", f"dt(u) = if(x > -1, 1 + u^2, 0)*lap(u) + lap(u)^2/9 + {rest}",
                 *(word for side in ("left", "right", "top", "bottom") for word in (f"-boundary_{side}_u", u)),
                 "-initial_u", u, "-figures_error", f"sqrt(average((u - {u})^2))", "-order", "2")
        meshes = [("-mesh", "meshes/square.msh", "-refine", r) for r in ("0", "1")]
        self.assertGreater(self.rate(words, meshes), 2.7)

    def test_a_vortex_keeps_its_order_and_its_pressure(self):
        # Taylor's decaying vortex; the pressure of a closed vessel is free up to a constant
        decay = "exp(-2*pi^2*nu*t)"
        ux, uy = f"-cos(pi*x)*sin(pi*y)*{decay}", f"sin(pi*x)*cos(pi*y)*{decay}"
        p = f"-(cos(2*pi*x) + cos(2*pi*y))/4*{decay}^2"
        words = ("-fields", "vector u, p", "-parameters_nu", "0.1", "-equations",
                 "dt(u) + dot(u, grad(u)) = nu*lap(u) - grad(p), div(u) = 0", "-boundary_all_u", f"vector({ux}, {uy})",
                 "-initial_u", f"vector({ux}, {uy})", "-figures_error",
                 f"sqrt(integral((u_x - ({ux}))^2 + (u_y - ({uy}))^2))", "-figures_pressure",
                 f"sqrt(integral((p - ({p}) - average(p - ({p})))^2))", "-figures_level", "average(p)")
        meshes = [("-mesh", "meshes/square.msh", "-order", "2", "-refine", r) for r in ("0", "1")]
        self.assertGreater(self.rate(words, meshes), 2.8)
        self.assertGreater(self.rate(words, meshes, "pressure"), 1.8)


if __name__ == "__main__":
    unittest.main()
