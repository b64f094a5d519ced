"""rhumb-flow on meshes as a user runs it: orders in space and time, the DFG cylinder, ranks, restart, refusals."""

import json
import math
import pathlib
import tempfile
import unittest

import driver
import h5py
import numpy

REFERENCE = json.loads((driver.SOURCE / "tests/data/dfg_cylinder.json").read_text())


def flow(*words, **how):
    return driver.run("rhumb-flow", *words, "-quiet", **how)


def results(*words, **how):
    run = flow(*words, **how)
    assert run.code == 0, run.errors
    return run.summary["results"]


def given(exact, sides, force=()):
    """The words of a problem whose velocity is given on all sides: formulas by field."""
    words = ["-problem", "given", "-bc_type", "inflow"]
    for field, formula in exact.items():
        words += [f"-exact_{field}", formula]
        if field == "p":
            continue
        words += [f"-initial_{field}", formula.replace("t)", "0)").replace("*t", "*0")]
        for side in sides:
            words += [f"-bc_{side}_{field}", formula]
    for field, formula in dict(force).items():
        words += [f"-force_{field}", formula]
    return words


PLANE = ("left", "right", "bottom", "top")
SPACE = PLANE + ("back", "front")

VORTEX = given({"u": "1+sin(x-t)*cos(y-t)*exp(-2*nu*t)", "v": "1-cos(x-t)*sin(y-t)*exp(-2*nu*t)",
                "p": "0.25*(cos(2*(x-t))+cos(2*(y-t)))*exp(-4*nu*t)"}, PLANE)

# Of second and first order in space: elements of these orders leave the error in time alone.
IN_SPACE_EXACT = given({"u": "y^2*sin(3*t)", "v": "x^2*cos(2*t)", "p": "(x+y-1)*sin(2*t)"}, PLANE,
                       {"u": "3*y^2*cos(3*t) + 2*x^2*y*cos(2*t)*sin(3*t) + sin(2*t) - 2*nu*sin(3*t)",
                        "v": "2*x*y^2*sin(3*t)*cos(2*t) - 2*x^2*sin(2*t) + sin(2*t) - 2*nu*cos(2*t)"})

SWIRL = given({"u": "sin(z+t)", "v": "sin(x-t)", "w": "cos(y)", "p": "x*y*z"}, SPACE,
              {"u": "cos(z+t) + cos(y)*cos(z+t) + y*z + nu*sin(z+t)",
               "v": "sin(z+t)*cos(x-t) - cos(x-t) + x*z + nu*sin(x-t)",
               "w": "x*y - sin(x-t)*sin(y) + nu*cos(y)"})


class Orders(unittest.TestCase):
    def rates(self, words, meshes, fields):
        errors = [results(*words, *mesh) for mesh in meshes]
        return [math.log2(errors[0]["error_l2_" + f] / errors[1]["error_l2_" + f]) for f in fields]

    def test_in_the_plane_velocity_has_the_order_k_plus_one_and_pressure_k(self):
        for mesh in ("square", "square_quads"):
            for order in (2, 3):
                words = (*VORTEX, "-re", "100", "-t_end", "0.2", "-dae_rtol", "1e-8", "-order", order, "-mesh",
                         f"meshes/{mesh}.msh")
                u, v, p = self.rates(words, (("-refine", "1"), ("-refine", "2")), "uvp")
                self.assertGreater(min(u, v), order + 0.8, (mesh, order))
                self.assertAlmostEqual(p, order, delta=0.25, msg=(mesh, order))

    def test_in_space_velocity_has_the_order_three_and_pressure_two(self):
        for mesh in ("cube", "cube_hexahedra"):
            meshes = [("-mesh", f"meshes/{mesh}{fine}.msh") for fine in ("", "_fine")]
            rates = self.rates((*SWIRL, "-re", "20", "-t_end", "0.1", "-dae_rtol", "1e-6"), meshes, "uvwp")
            self.assertGreater(min(rates[:3]), 2.7, mesh)
            self.assertGreater(rates[3], 1.8, mesh)

    def test_in_time_the_order_is_that_of_the_method_though_the_boundary_moves(self):
        for order in range(1, 6):
            errors = [results(*IN_SPACE_EXACT, "-re", "10", "-mesh", "meshes/square.msh", "-exact_in_elements",
                              "-fixed_step", step, "-fixed_order", order, "-t_end", "0.8", "-dae_rtol", "1e-10")
                      for step in (0.1, 0.0125)]
            for field in ("u", "v", "p"):
                rate = math.log2(errors[0]["error_l2_" + field] / errors[1]["error_l2_" + field]) / 3
                self.assertGreater(rate, order - 0.4, (order, field, errors))


class Cylinder(unittest.TestCase):
    def test_the_steady_coefficients_are_those_of_the_benchmark(self):
        run = flow("apps/flow/dfg-2d-1.yaml", "-mesh", "meshes/cylinder2d_fine.msh", timeout=400)
        self.assertEqual(run.code, 0, run.errors)
        end, truth = run.summary["results"], REFERENCE["2D-1"]
        self.assertAlmostEqual(end["cd"] / truth["cd"], 1.0, delta=5e-4)
        self.assertAlmostEqual(end["cl"] / truth["cl"], 1.0, delta=1e-2)
        self.assertAlmostEqual(end["dp"] / truth["dp"], 1.0, delta=1e-3)
        self.assertNotIn("strouhal", end)
        coarse = flow("apps/flow/dfg-2d-1.yaml", "-mesh", "meshes/cylinder2d.msh").summary
        per_newton = [s["linear_iterations"] / s["newton_iterations"] for s in (coarse, run.summary)]
        self.assertLess(max(per_newton), 15)
        self.assertLess(per_newton[1] / per_newton[0], 1.5)

    def test_ranks_agree_and_a_direct_solver_too(self):
        words = ("apps/flow/dfg-2d-2.yaml", "-mesh", "meshes/cylinder2d.msh", "-t_end", "0.1")
        one = flow(*words).summary
        runs = [flow(*words, ranks=2), flow(*words, ranks=4),
                flow(*words, "-dae_pc_type", "lu", "-dae_pc_factor_mat_solver_type", "mumps")]
        for run in runs:
            self.assertEqual(run.code, 0, run.errors)
            for name in ("cd", "cl", "dp"):
                self.assertAlmostEqual(run.summary["results"][name], one["results"][name], delta=1e-3)
            self.assertAlmostEqual(run.summary["steps"] / one["steps"], 1.0, delta=0.05)

    def test_a_restart_is_bit_identical(self):
        words = ("apps/flow/dfg-2d-2.yaml", "-mesh", "meshes/cylinder2d.msh", "-t_end", "0.05")
        for ranks in (1, 2):
            whole = flow(*words, ranks=ranks)
            cut = flow(*words, "-dae_max_steps", "30", ranks=ranks)
            self.assertEqual(cut.code, 3)
            continued = flow(*words, "-restart", cut.folder, ranks=ranks)
            self.assertEqual(continued.code, 0, continued.errors)
            self.assertEqual(continued.summary["results"], whole.summary["results"])
            self.assertEqual(continued.summary["steps"], whole.summary["steps"])
            last = [h5py.File(sorted((run.folder / "snapshots").glob("*.h5"))[-1]) for run in (whole, continued)]
            for name in last[0]["fields"]:
                numpy.testing.assert_array_equal(last[0]["fields"][name][()], last[1]["fields"][name][()])


class ClosedAndSlipping(unittest.TestCase):
    def test_a_closed_flow_has_a_mean_pressure_of_zero_and_keeps_its_flux(self):
        run = flow(*VORTEX, "-re", "100", "-t_end", "0.1", "-mesh", "meshes/square.msh", "-out_times", "0.1",
                   "-probes", "0.5,0.5")
        self.assertEqual(run.code, 0, run.errors)
        with h5py.File(sorted((run.folder / "snapshots").glob("*.h5"))[-1]) as file:
            p = file["fields/p"][()]
        self.assertLess(abs(numpy.mean(p)), 0.05)
        self.assertGreater(numpy.ptp(p), 0.1)

    def test_along_a_slip_boundary_a_uniform_flow_stays_uniform(self):
        end = results("-problem", "plug", "-re", "10", "-mesh", "meshes/square.msh", "-bc_left_type", "inflow",
                      "-bc_left_u", "1", "-bc_right_type", "outflow", "-bc_top_type", "slip", "-bc_bottom_type", "slip",
                      "-initial_u", "1", "-exact_u", "1", "-exact_v", "0", "-exact_p", "0", "-t_end", "1")
        for field in "uvp":
            self.assertLess(end["error_l2_" + field], 1e-8)

    def test_grad_div_makes_the_divergence_smaller_and_keeps_the_solution(self):
        words = (*VORTEX, "-re", "1000", "-t_end", "0.2", "-mesh", "meshes/square.msh", "-dae_rtol", "1e-6")
        plain, penalized = results(*words), results(*words, "-grad_div", "0.1")
        self.assertLess(penalized["divergence_l2"], 0.5 * plain["divergence_l2"])
        self.assertLess(penalized["error_l2_u"], 2.0 * plain["error_l2_u"])


class Refusals(unittest.TestCase):
    def refused(self, *words):
        run = flow(*words)
        self.assertEqual(run.code, 2, run.errors)
        return run.errors

    def test_what_is_wrong_is_named(self):
        square = ("-mesh", "meshes/square.msh")
        self.assertIn("needs a velocity", self.refused(*square, "-bc_left_type", "inflow"))
        self.assertIn("boundary 'inflow'", self.refused("apps/flow/dfg-2d-1.yaml", *square))
        self.assertIn("nearest: left", self.refused(*square, "-body", "lfet"))
        self.assertIn("-n is for boxes", self.refused(*square, "-n", "8,8"))
        self.assertIn("-nu and -re", self.refused(*square, "-nu", "1", "-re", "1"))
        self.assertIn("plane and face", self.refused("-mesh", "meshes/cylinder2d.msh", "-bc_cylinder_type", "slip"))
        self.assertIn("share the node", self.refused(*square, "-bc_left_type", "inflow", "-bc_left_u", "1"))
        self.assertIn("outside", self.refused(*square, "-probes", "2,2"))

    def test_a_rim_without_a_name_is_refused(self):
        text = (driver.SOURCE / "meshes/square.msh").read_text()
        with tempfile.TemporaryDirectory() as folder:
            bare = pathlib.Path(folder) / "bare.msh"
            lines = text.split("\n")
            names = lines.index("$PhysicalNames")
            kept = [line for line in lines[names + 2:lines.index("$EndPhysicalNames")] if "left" not in line]
            lines[names + 1:lines.index("$EndPhysicalNames")] = [str(len(kept)), *kept]
            bare.write_text("\n".join(lines))
            self.assertIn("belong to no physical group", self.refused("-mesh", bare))


if __name__ == "__main__":
    unittest.main()
