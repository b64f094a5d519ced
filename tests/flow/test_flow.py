"""rhumb-flow as a user runs it: exact solutions, orders, conservation, restart, ranks, refusals."""

import json
import math
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import driver
import h5py
import matplotlib.image
import numpy as np


def flow(*words, **how):
    return driver.run("rhumb-flow", *words, "-quiet", **how)


def results(*words, **how):
    run = flow(*words, **how)
    assert run.code == 0, run.errors
    return run.summary["results"]


class CarriedVortex(unittest.TestCase):
    def test_the_order_in_time_is_the_order_of_the_method(self):
        for order in range(1, 6):
            errors = [results("-problem", "taylor_green", "-n", "16,16", "-fixed_step", step, "-fixed_order", order,
                              "-t_end", "0.8", "-dae_rtol", "1e-10")
                      for step in (0.05, 0.025)]
            for field in ("u", "v", "p"):
                coarse, fine = (e["error_in_time_l2_" + field] for e in errors)
                self.assertGreater(math.log2(coarse / fine), order - 0.12, (order, field))
                self.assertLess(math.log2(coarse / fine), order + 0.35, (order, field))

    def test_the_order_in_space_is_two_for_velocity_and_pressure(self):
        errors = [results("-problem", "taylor_green", "-n", f"{n},{n}", "-t_end", "0.5", "-dae_rtol", "1e-6")
                  for n in (16, 32)]
        for field in ("u", "v", "p"):
            rate = math.log2(errors[0]["error_l2_" + field] / errors[1]["error_l2_" + field])
            self.assertAlmostEqual(rate, 2.0, delta=0.1, msg=field)

    def test_the_start_in_space_needs_few_vectors(self):
        """The initial pressure is found to rounding: there GMRES must look at the true residual, not collect vectors."""
        run = flow("-problem", "taylor_green", "-dim", "3", "-n", "32,32,32", "-t_end", "0.001")
        self.assertEqual(run.code, 0, run.errors)
        self.assertLess(run.summary["start_iterations"], 25)

    def test_the_divergence_is_rounding_at_every_step_in_both_formulations(self):
        for formulation in ("index2", "index1"):
            end = results("-problem", "taylor_green", "-n", "32,32", "-formulation", formulation)
            self.assertLess(end["divergence_max_over_steps"], 1e-12)
            self.assertLess(end["error_in_time_l2_u"], 1e-3)

    def test_the_divergence_is_rounding_with_sides_that_change_with_time(self):
        through = "y*(1-y)*sin(3*t)"
        cases = {
            "through an open end": ("-problem", "obstacle", "-n", "64,16", "-t_end", "2", "-initial_u", "0", "-bc_left_u",
                                    "4*y*(1-y)*(1-exp(-2*t))"),
            "in and out of a closed box": ("-problem", "cavity", "-n", "16,16", "-t_end", "2", "-bc_left_type", "inflow",
                                           "-bc_left_u", through, "-bc_right_type", "inflow", "-bc_right_u", through),
        }
        for name, words in cases.items():
            ends = [results(*words, "-formulation", formulation) for formulation in ("index2", "index1")]
            for end in ends:
                self.assertLess(end["divergence_max_over_steps"], 1e-11, name)
            self.assertAlmostEqual(ends[1]["kinetic_energy"] / ends[0]["kinetic_energy"], 1.0, delta=2e-3, msg=name)

    def test_values_on_a_side_follow_their_formula_in_both_formulations(self):
        for formulation, allowed in (("index2", 1e-12), ("index1", 1e-3)):
            run = flow("-problem", "obstacle", "-n", "32,16", "-t_end", "1.5", "-out_times", "1.5", "-initial_u", "0",
                       "-bc_left_u", "4*y*(1-y)*sin(t)", "-formulation", formulation)
            self.assertEqual(run.code, 0, run.errors)
            with h5py.File(sorted((run.folder / "snapshots").glob("*.h5"))[-1]) as snapshot:
                u = snapshot["fields/u"][:, 0]
            y = (np.arange(16) + 0.5) / 16
            np.testing.assert_allclose(u, 4 * y * (1 - y) * math.sin(1.5), atol=allowed)

    def test_a_direct_solve_gives_the_same_flow(self):
        krylov, direct = (results("-problem", "taylor_green", "-n", "16,16", "-t_end", "0.5", *words)
                          for words in ((), ("-dae_pc_type", "lu")))
        self.assertAlmostEqual(krylov["kinetic_energy"], direct["kinetic_energy"], delta=2e-3)
        self.assertLess(direct["divergence_max_over_steps"], 1e-12)

    def test_mumps_factors_the_whole_matrix_on_one_and_two_ranks(self):
        words = ("-problem", "cavity", "-n", "16,16", "-t_end", "0.2", "-dae_pc_type", "lu")
        ends = [results(*words, *more, ranks=ranks)
                for more, ranks in (((), 1), (("-dae_pc_factor_mat_solver_type", "mumps"), 1), ((), 2))]
        for end in ends[1:]:
            self.assertAlmostEqual(end["kinetic_energy"] / ends[0]["kinetic_energy"], 1.0, delta=1e-3)

    def test_energy_decays_as_the_exact_solution_says(self):
        end = results("-problem", "taylor_green", "-n", "32,32", "-u0", "0", "-dae_rtol", "1e-6")
        exact = math.pi ** 2 * math.exp(-4 * 0.01)
        self.assertAlmostEqual(end["kinetic_energy"] / exact, 1.0, delta=2e-3)
        self.assertAlmostEqual(end["dissipation"] / (0.04 * exact), 1.0, delta=0.01)
        self.assertAlmostEqual(2 * 0.01 * end["enstrophy"] / end["dissipation"], 1.0, delta=0.02)


class Channel(unittest.TestCase):
    def test_start_up_follows_the_series_to_second_order(self):
        errors = [results("-problem", "channel", "-n", f"4,{n}", "-t_end", "3", "-dae_rtol", "1e-6")["error_max_u"]
                  for n in (16, 32)]
        self.assertLess(errors[1], 1.2e-3)
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2.0, delta=0.15)

    def test_womersley_flow_keeps_its_exact_solution_to_second_order(self):
        errors = [results("-problem", "channel", "-omega", "3", "-drive", "1", "-n", f"4,{n}", "-dae_rtol", "1e-6")
                  ["error_l2_u"] for n in (16, 32)]
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2.0, delta=0.2)


class Cavity(unittest.TestCase):
    def test_steady_extrema_at_re_100_are_those_of_the_literature(self):
        # Marchi, Suero and Araki (2009), 1024 x 1024 with Richardson's extrapolation.
        end = results("-problem", "cavity", "-re", "100", "-n", "48,48", "-t_end", "30")
        for name, wanted in (("u_min", -0.2140417), ("v_max", 0.1795728), ("v_min", -0.253803)):
            self.assertAlmostEqual(end[name] / wanted, 1.0, delta=0.01, msg=name)
        self.assertAlmostEqual(end["psi_min"], -0.1035, delta=5e-4)
        self.assertLess(end["divergence_max_over_steps"], 1e-11)

    def test_in_space_it_turns_and_has_no_divergence(self):
        end = results("-problem", "cavity", "-dim", "3", "-n", "12,12,12", "-t_end", "1")
        self.assertLess(end["u_min"], -0.05)
        self.assertLess(end["divergence_max_over_steps"], 1e-12)

    def test_ranks_agree(self):
        ends = [results("-problem", "cavity", "-n", "24,24", "-t_end", "1", "-dae_rtol", "1e-5", ranks=ranks)
                for ranks in (1, 2, 4)]
        for end in ends[1:]:
            for name in ("kinetic_energy", "u_min", "psi_min"):
                self.assertAlmostEqual(end[name] / ends[0][name], 1.0, delta=1e-4, msg=name)


class CoupledMultigrid(unittest.TestCase):
    """Multigrid for velocity and pressure together: it must give the flow of the block factorization, in few iterations."""

    def compare(self, most, *words, ranks=None):
        runs = [flow(*words, "-dae_fieldsplit_stream_from", "1e30", "-dae_fieldsplit_coupled_from", limit, ranks=ranks)
                for limit in ("0", "1e30")]
        for run in runs:
            self.assertEqual(run.code, 0, run.errors)
        coupled, blocks = (run.summary for run in runs)
        self.assertNotEqual(coupled["linear_iterations"], blocks["linear_iterations"])
        self.assertLessEqual(coupled["linear_iterations"], most * coupled["newton_iterations"])
        energies = [run["results"]["kinetic_energy"] for run in (coupled, blocks)]
        self.assertAlmostEqual(energies[0] / energies[1], 1.0, delta=1e-3)
        self.assertLess(coupled["results"]["divergence_max_over_steps"], 1e-9)  # rounding in the first, shortest steps

    def test_a_stretched_cavity_needs_few_iterations_up_to_long_steps(self):
        self.compare(4, "-problem", "cavity", "-re", "400", "-n", "48,40", "-t_end", "60")

    def test_a_cavity_in_space_on_two_ranks(self):
        self.compare(6, "-problem", "cavity", "-re", "100", "-dim", "3", "-n", "14,12,15", "-t_end", "20", ranks=2)

    def test_around_an_obstacle_on_four_ranks(self):
        self.compare(6, "-problem", "obstacle", "-n", "64,16", "-t_end", "1", ranks=4)

    def test_with_a_scalar(self):
        self.compare(6, "-problem", "plume", "-n", "24,24", "-t_end", "40")

    def test_through_periodic_sides(self):
        self.compare(6, "-problem", "taylor_green", "-n", "24,24", "-t_end", "1", ranks=2)


class LongSteps(unittest.TestCase):
    """The exact solve in the plane: forced from the first step, it must give the flow of the block factorization."""

    def compare(self, *words, ranks=None):
        runs = [flow(*words, "-dae_fieldsplit_stream_from", limit, ranks=ranks) for limit in ("0", "1e30")]
        for run in runs:
            self.assertEqual(run.code, 0, run.errors)
        exact, blocks = (run.summary for run in runs)
        self.assertEqual(exact["linear_iterations"], exact["newton_iterations"])
        self.assertGreater(blocks["linear_iterations"], 1.5 * blocks["newton_iterations"])
        self.assertAlmostEqual(exact["results"]["kinetic_energy"] / blocks["results"]["kinetic_energy"], 1.0, delta=1e-3)
        self.assertLess(exact["results"]["divergence_max_over_steps"], 3e-11)  # rounding: 3e-12 to 2e-11 by the steps taken

    def test_it_is_exact_in_a_box(self):
        self.compare("-problem", "cavity", "-n", "16,12", "-stretch", "1,0.5", "-t_end", "2")

    def test_it_is_exact_around_an_obstacle_on_two_ranks(self):
        self.compare("-problem", "obstacle", "-n", "64,16", "-t_end", "1", ranks=2)

    def test_it_is_exact_with_a_scalar_on_four_ranks(self):
        self.compare("-problem", "plume", "-n", "16,16", "-t_end", "20", ranks=4)

    def test_it_is_exact_through_a_periodic_channel_with_an_obstacle(self):
        self.compare("-problem", "channel", "-n", "16,16", "-t_end", "2", "-solid", "(abs(x-0.5)<0.15)&&(abs(y)<0.3)")

    def test_few_krylov_iterations_all_the_way_to_the_steady_state(self):
        run = flow("-problem", "cavity", "-re", "1000", "-n", "48,48", "-t_end", "200")
        self.assertEqual(run.code, 0, run.errors)
        self.assertGreater(run.summary["h_max"], 10)
        self.assertLess(run.summary["linear_iterations"] / run.summary["newton_iterations"], 6)
        self.assertEqual(run.summary["convergence_failures"], 0)


class Plume(unittest.TestCase):
    def test_nusselt_number_is_that_of_de_vahl_davis(self):
        # Ra = 1e4, Pr = 0.71: 2.2448 (spectral, Le Quere 1991 and others); second order in the spacing.
        coarse, fine = (results("-problem", "plume", "-n", f"{n},{n}", "-t_end", "60")["nusselt"] for n in (16, 32))
        self.assertAlmostEqual(fine + (fine - coarse) / 3, 2.2448, delta=0.01)


class Obstacle(unittest.TestCase):
    def test_the_drag_pushes_downstream_and_the_flow_is_symmetric(self):
        run = flow("-problem", "obstacle", "-n", "64,16", "-t_end", "2", "-out_dt", "2")
        self.assertEqual(run.code, 0, run.errors)
        end = run.summary["results"]
        drag, lift = end["force_obstacle"]
        self.assertGreater(drag, 0.1)
        self.assertLess(abs(lift), 1e-3 * drag)
        self.assertLess(end["divergence_max_over_steps"], 1e-11)
        with h5py.File(sorted((run.folder / "snapshots").glob("*.h5"))[-1]) as snapshot:
            u = snapshot["fields/u"][...]
        self.assertEqual(u.shape, (16, 65))
        # What flows in flows out: every section carries the same.
        flux = u.sum(axis=0) / 16
        np.testing.assert_allclose(flux, flux[0], rtol=1e-9)
        # Inside the block (rows 6..9, faces 15..17) nothing moves.
        np.testing.assert_array_equal(u[7:9, 15:18], 0.0)

    def test_ranks_agree(self):
        ends = [results("-problem", "obstacle", "-n", "64,16", "-t_end", "1", "-dae_rtol", "1e-5", ranks=ranks)
                for ranks in (1, 2, 4)]
        for end in ends[1:]:
            self.assertAlmostEqual(end["force_obstacle"][0] / ends[0]["force_obstacle"][0], 1.0, delta=1e-3)
            self.assertLess(end["divergence_max_over_steps"], 1e-11)


class Pictures(unittest.TestCase):
    def draw(self, name, *words, code=0):
        script = driver.SOURCE / "postprocess" / f"{name}.py"
        done = subprocess.run([sys.executable, str(script), *map(str, words)], capture_output=True, text=True,
                              timeout=100 * driver.PATIENCE)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_stream_lines_profiles_with_a_table_and_series_are_drawn(self):
        run = flow("-problem", "cavity", "-n", "16,16", "-t_end", "2", "-out_dt", "1")
        picture = run.folder / "picture.png"

        def drawn(*words):
            self.draw(words[0], run.folder, *words[1:], "-o", picture)
            return matplotlib.image.imread(picture)[..., :3]

        plain, lines = (drawn("plot_field", "-f", "vorticity", "--range=-5,5", *more) for more in ((), ("--lines", "psi")))
        black = [(pixels.sum(axis=-1) < 0.3).sum() for pixels in (plain, lines)]
        self.assertGreater(black[1], black[0] + 1000, "stream lines are black")
        table = driver.SOURCE / "apps/flow/ghia_re1000_u.csv"
        curves = drawn("plot_profile", "-f", "u", "--along", "y", "--at", 0.5, "--points", table)
        self.assertGreater(((curves[..., 0] > 0.7) & (curves[..., 1] < 0.4)).sum(), 200, "points of the table are red")
        drawn("plot_series", "-f", "kinetic_energy,dissipation", "--log")
        self.assertIn("kinetic_energy", self.draw("plot_series", run.folder, "-f", "momentum", code=2))
        self.assertIn("is no range", self.draw("plot_field", run.folder, "--range", "1", code=2))
        self.assertIn("cannot read", self.draw("plot_profile", run.folder, "--points", "nowhere.csv", code=2))


class Restart(unittest.TestCase):
    """To the steady state, so that cuts fall into short steps and into long ones with the exact solve."""

    WORDS = ("-problem", "cavity", "-re", "1000", "-n", "16,16", "-t_end", "100", "-out_dt", "50")

    def last_fields(self, folder):
        with h5py.File(sorted((folder / "snapshots").glob("*.h5"))[-1]) as snapshot:
            return {name: field[...] for name, field in snapshot["fields"].items()}

    def same_end(self, whole, parted):
        for name, values in self.last_fields(whole).items():
            np.testing.assert_array_equal(values, self.last_fields(parted)[name], err_msg=name)
        ends = [json.loads((place / "run.json").read_text()) for place in (whole, parted)]
        self.assertEqual(ends[0]["results"], ends[1]["results"])
        self.assertEqual(ends[0]["linear_iterations"], ends[1]["linear_iterations"])

    def test_a_continued_run_ends_bit_for_bit_where_the_whole_one_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            for ranks in (1, 2):
                whole = pathlib.Path(folder) / f"whole{ranks}"
                run = flow(*self.WORDS, out=whole, ranks=ranks)
                self.assertEqual(run.code, 0, run.errors)
                steps = run.summary["steps"]
                for at in (steps // 2, steps - 4):
                    parted = pathlib.Path(folder) / f"parted{ranks}_{at}"
                    self.assertEqual(flow(*self.WORDS, "-dae_max_steps", at, out=parted, ranks=ranks).code, 3)
                    continued = flow(*self.WORDS, "-restart", parted, out=parted, ranks=ranks)
                    self.assertEqual(continued.code, 0, continued.errors)
                    self.same_end(whole, parted)

    def test_a_killed_run_goes_on_bit_for_bit(self):
        with tempfile.TemporaryDirectory() as folder:
            whole, parted = (pathlib.Path(folder) / name for name in ("whole", "parted"))
            words = (*self.WORDS, "-checkpoint_dt", "2")
            self.assertEqual(flow(*words, out=whole).code, 0)
            killed = subprocess.Popen([str(driver.path("rhumb-flow")), *words, "-quiet", "-out", str(parted)],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while killed.poll() is None and len(list(parted.glob("checkpoints/*.h5"))) < 2:
                time.sleep(0.001)
            killed.kill()
            self.assertEqual(killed.wait(), -signal.SIGKILL, "the run was over before it could be killed")
            continued = flow(*words, "-restart", parted, out=parted)
            self.assertEqual(continued.code, 0, continued.errors)
            self.assertIn("restarted_from", continued.summary)
            self.same_end(whole, parted)


class Refusals(unittest.TestCase):
    def refused(self, wanted, *words):
        run = flow(*words)
        self.assertEqual(run.code, 2, run.errors)
        self.assertIn(wanted, run.errors)

    def test_bad_cases_are_refused_with_what_to_do(self):
        self.refused("net inflow", "-problem", "obstacle", "-bc_right_type", "wall")
        self.refused("-re", "-problem", "cavity", "-re", "0")
        self.refused("must be uniform", "-problem", "cavity", "-stretch", "1,0", "-bc_left_type", "periodic",
                     "-bc_right_type", "periodic")
        self.refused("periodic on both sides", "-problem", "cavity", "-bc_left_type", "periodic")
        self.refused("needs a velocity", "-problem", "cavity", "-bc_left_type", "inflow")
        self.refused("no cell's centre", "-problem", "obstacle", "-n", "8,4", "-solid", "(abs(x-1)<0.001)")
        self.refused("-dim is 3", "-problem", "cavity", "-dim", "3", "-n", "8,8")
        self.refused("probe 1", "-problem", "cavity", "-probes", "2,0.5")
        self.refused("'z' is not known here", "-problem", "cavity", "-force_u", "z")

    def test_a_start_that_does_not_fit_is_repaired_with_a_message(self):
        words = ("-problem", "cavity", "-n", "8,8", "-t_end", "0.1")
        through = ("-bc_left_type", "inflow", "-bc_left_u", "y*(1-y)", "-bc_right_type", "outflow")
        for formulation in ("index2", "index1"):
            for more in (through, ("-initial_u", "x*(1-x)")):
                run = driver.run("rhumb-flow", *words, *more, "-formulation", formulation)
                self.assertEqual(run.code, 0, run.errors)
                self.assertIn("the initial velocity does not fit", run.output)
                self.assertGreater(run.summary["results"]["start_change"], 0.1)
                self.assertLess(run.summary["results"]["divergence_max_over_steps"], 1e-12)
        good = driver.run("rhumb-flow", *words)
        self.assertNotIn("does not fit", good.output)

    def test_odd_numbers_of_cells_are_as_good_as_even_ones(self):
        odd, even = (results("-problem", "cavity", "-n", cells, "-t_end", "1") for cells in ("17,15", "16,16"))
        self.assertAlmostEqual(odd["kinetic_energy"] / even["kinetic_energy"], 1.0, delta=0.03)
        self.assertLess(odd["divergence_max_over_steps"], 1e-11)

    def test_cases_beside_the_driver_are_good(self):
        for case in sorted((driver.SOURCE / "apps/flow").glob("*.yaml")):
            run = driver.run("rhumb-flow", case, "-check")
            self.assertEqual(run.code, 0, (case, run.errors))


if __name__ == "__main__":
    unittest.main()
