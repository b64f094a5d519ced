"""Two fields in a weak form in C++: the same as from text, on one rank and on two, preconditioned field by field."""

import pathlib
import tempfile
import unittest

import driver
import rhumb_read

MESH = driver.SOURCE / "meshes" / "lshape.msh"
COMMON = ("-order", 2, "-t_end", 0.05, "-dae_rtol", 1e-6, "-dae_atol", 1e-8)

CASE = f"""
title: Schnakenberg
mesh: {MESH}
parameters: {{a: 0.1, b: 0.9, g: 500, d: 20, h: 30}}
fields: u, v
equations:
  - dt(u) = lap(u) + g*(a - u + u^2*v)
  - dt(v) = d*lap(v) + g*(b - u^2*v)
initial:
  u: 1 + 0.1*cos(3*x)*cos(2*y)
  v: 0.9
boundary:
  all: {{flux(v): h*(v - 0.5)}}
"""


def run(name, *words, **more):
    done = driver.run(name, *words, **more)
    assert done.code == 0, done.errors
    return done


def last(done):
    snapshot = rhumb_read.open_run(done.folder)[-1]
    return {name: snapshot.field(name).values for name in "uv"}


class Schnakenberg(unittest.TestCase):
    def test_it_is_the_system_that_the_text_describes_on_any_ranks(self):
        words = ("-mesh", MESH, *COMMON, "-exchange", 30, "-outside", 0.5)
        one, two = run("schnakenberg", *words), run("schnakenberg", *words, ranks=2)
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder, "case.yaml")
            case.write_text(CASE)
            text = run("rhumb-pde", case, *COMMON)
        expected = last(text)
        self.assertGreater(expected["u"].max() - expected["u"].min(), 0.5)  # a pattern
        for done in (one, two):
            for name, values in last(done).items():
                self.assertLess(abs(values - expected[name]).max(), 2e-4)
            self.assertIn("with fieldsplit", done.output)

    def test_the_preconditioner_needs_few_iterations_on_every_mesh(self):
        counts = []
        for refine in (0, 1):
            summary = run("schnakenberg", "-mesh", MESH, "-t_end", 0.02, "-refine", refine).summary
            counts.append(summary["linear_iterations"] / summary["newton_iterations"])
        self.assertLess(max(counts), 3.0)  # incomplete factors: 5 and growing
        self.assertLess(counts[1], 1.3 * counts[0])

    def test_one_block_may_be_solved_otherwise(self):
        done = run("schnakenberg", "-mesh", MESH, "-t_end", 1e-3, "-dae_fieldsplit_u_pc_type", "jacobi", "-dae_ksp_view")
        self.assertIn("type: jacobi", done.output)
        self.assertEqual(done.output.count("type: hypre"), 1)

    def test_a_large_exchange_holds_the_value_outside(self):
        done = run("schnakenberg", "-mesh", MESH, "-t_end", 0.02, "-exchange", 1e6, "-outside", 0.7)
        points = rhumb_read.open_run(done.folder)[-1]
        v = points.field("v").values
        self.assertAlmostEqual(min(abs(v - 0.7)), 0.0, delta=1e-4)
        self.assertGreater(sum(abs(v - 0.7) < 1e-3), 50)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
