"""What flows of practice need: random starts, sides from files, a kept mean velocity, models of small scales, averages
over time, snapshots of a part, fluid that comes back through an outflow."""

import math
import pathlib
import tempfile
import unittest

import driver
import h5py
import numpy as np


def flow(*words, **how):
    run = driver.run("rhumb-flow", *words, "-quiet", **how)
    assert run.code == 0, run.errors
    return run


def results(*words, **how):
    return flow(*words, **how).summary["results"]


def snapshots(folder):
    """Times, and the fields of each."""
    out = []
    for name in sorted((folder / "snapshots").glob("*.h5")):
        with h5py.File(name) as file:
            out.append((float(file.attrs["time"]), {field: values[...] for field, values in file["fields"].items()}))
    return [t for t, _ in out], [fields for _, fields in out]


class RandomStart(unittest.TestCase):
    WORDS = ("-problem", "taylor_green", "-dim", "3", "-n", "16,16,16", "-t_end", "0.001", "-initial_u", "0",
             "-initial_v", "0", "-turbulence", "0.5", "-turbulence_wavenumber", "2", "-turbulence_waves", "1000")

    def test_it_has_the_energy_asked_for_and_no_divergence(self):
        end = results(*self.WORDS)
        volume = (2 * math.pi) ** 3
        self.assertAlmostEqual(end["kinetic_energy"] / (0.5 * 3 * 0.25 * volume), 1.0, delta=0.12)
        self.assertLess(end["divergence"], 1e-12)

    def test_the_seed_decides_and_the_ranks_do_not(self):
        one, two, other = (results(*self.WORDS, *more, ranks=ranks)["enstrophy"]
                           for more, ranks in (((), 1), ((), 2), (("-turbulence_seed", "2"), 1)))
        self.assertAlmostEqual(two / one, 1.0, delta=1e-6)
        self.assertGreater(abs(other / one - 1.0), 1e-3)

    def test_it_fits_between_walls(self):
        end = results("-problem", "cavity", "-n", "24,24", "-t_end", "0.001", "-turbulence", "0.2")
        self.assertLess(end["divergence"], 1e-11)
        self.assertGreater(end["kinetic_energy"], 0.005)


class SidesFromFiles(unittest.TestCase):
    WORDS = ("-problem", "obstacle", "-n", "64,16", "-t_end", "1", "-dae_rtol", "1e-6")

    def table(self, folder, text):
        file = pathlib.Path(folder) / "side.csv"
        file.write_text(text)
        return file

    def test_a_table_in_place_and_time_gives_the_flow_of_its_formula(self):
        y, t = (np.arange(16) + 0.5) / 16, np.linspace(0, 1.2, 25)
        rows = [f"{at},{where},{4 * where * (1 - where) * math.sin(at)!r}" for at in t for where in y]
        with tempfile.TemporaryDirectory() as folder:
            file = self.table(folder, "t,y,u\n" + "\n".join(rows) + "\n")
            words = (*self.WORDS, "-initial_u", "0")
            formula = results(*words, "-bc_left_u", "4*y*(1-y)*sin(t)")
            for ranks in (1, 2):
                ends = results(*words, "-bc_left_file", file, ranks=ranks)
                self.assertAlmostEqual(ends["kinetic_energy"] / formula["kinetic_energy"], 1.0, delta=2e-4)
                self.assertAlmostEqual(ends["force_obstacle"][0] / formula["force_obstacle"][0], 1.0, delta=5e-3)
                self.assertLess(ends["divergence_max_over_steps"], 1e-10)

    def test_rows_may_come_in_any_order_and_values_end_with_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            file = self.table(folder, "u,t,y\n1,0.5,0\n1,0.5,1\n0,0,0\n0,0,1\n")
            end = flow(*self.WORDS, "-initial_u", "0", "-bc_left_file", file, "-out_dt", "1",
                       "-bc_bottom_type", "slip", "-bc_top_type", "slip")
            fields = snapshots(end.folder)[1][-1]
            np.testing.assert_allclose(fields["u"][:, 0], 1.0, atol=1e-12)

    def test_bad_tables_are_refused_with_the_line(self):
        cases = {"a column is called 'q'": "y,q\n0,1\n", "no column with a velocity": "y,t\n0,1\n",
                 ":3: 'one' is no number": "y,u\n0,1\n1,one\n", "no full grid": "t,y,u\n0,0,1\n0,1,1\n1,0,1\n",
                 ":2: 1 values in 2 columns": "y,u\n0\n", "no rows": "y,u\n",
                 # the grid of all their coordinates would take a terabyte
                 "5000 x 5000 x 1 positions": "x,y,t,u\n" + "".join(f"{k},{k},{k},1\n" for k in range(5000))}
        with tempfile.TemporaryDirectory() as folder:
            for wanted, text in cases.items():
                file = self.table(folder, text)
                run = driver.run("rhumb-flow", *self.WORDS, "-bc_left_file", file, "-quiet")
                self.assertEqual(run.code, 2, wanted)
                self.assertIn(wanted, run.errors)


class KeptMeanVelocity(unittest.TestCase):
    def test_the_force_is_that_of_poiseuille_and_the_mean_is_kept(self):
        for ranks in (1, 2):
            run = flow("-problem", "channel", "-n", "8,32", "-bulk_velocity", "0.6", "-t_end", "60", "-out_times", "60",
                       ranks=ranks)
            self.assertAlmostEqual(run.summary["results"]["drive"] / (3 * 0.1 * 0.6), 1.0, delta=2e-3)
            u = snapshots(run.folder)[1][-1]["u"]
            self.assertAlmostEqual(u.mean(), 0.6, delta=1e-6)
            self.assertLess(run.summary["linear_iterations"], 5 * run.summary["newton_iterations"])
            self.assertEqual(run.summary["convergence_failures"], 0)

    def test_around_an_obstacle_the_force_balances_all_others(self):
        end = results("-problem", "channel", "-n", "16,32", "-bulk_velocity", "0.5", "-initial_u", "0.5", "-t_end", "60",
                      "-solid", "(abs(x-0.5)<0.2)&&(abs(y)<0.3)")
        pushed = end["drive"] * (2 - 6 / 16 * 10 / 16)  # the solid cells
        held = sum(end[name][0] for name in ("force_bottom", "force_top", "force_obstacle"))
        self.assertAlmostEqual(held / pushed, 1.0, delta=0.03)

    def test_it_needs_a_periodic_direction(self):
        run = driver.run("rhumb-flow", "-problem", "cavity", "-bulk_velocity", "1", "-quiet")
        self.assertEqual(run.code, 2)
        self.assertIn("must be periodic", run.errors)


class SubgridModels(unittest.TestCase):
    def test_smagorinsky_gives_the_exact_profile_between_plates_to_second_order(self):
        nu, force, square = 0.1, 0.2, 0.025  # (C Delta)^2
        exact = (f"(-{nu}*(1-abs(y))+(({nu**2}+{4 * square * force})^1.5-({nu**2}+{4 * square * force}*abs(y))^1.5)"
                 f"/{6 * square * force})/{2 * square}")
        errors = []
        for n in (16, 32):
            constant = math.sqrt(square / (2 / n / 4))  # Delta^2 = dx dy
            errors.append(results("-problem", "channel", "-n", f"4,{n}", "-subgrid", "smagorinsky", "-subgrid_constant",
                                  constant, "-exact_u", exact, "-t_end", "60", "-dae_rtol", "1e-6", ranks=n // 16)
                          ["error_max_u"])
        self.assertLess(errors[1], 4e-3)
        self.assertGreater(math.log2(errors[0] / errors[1]), 1.6)

    def test_wale_leaves_pure_shear_alone_and_damps_turbulence(self):
        words = ("-problem", "channel", "-dim", "3", "-n", "4,16,4", "-t_end", "1", "-dae_rtol", "1e-6")
        plain, wale = (results(*words, "-subgrid", model)["kinetic_energy"] for model in ("none", "wale"))
        self.assertAlmostEqual(wale / plain, 1.0, delta=1e-7)
        words = ("-problem", "taylor_green", "-dim", "3", "-n", "12,12,12", "-t_end", "0.5", "-initial_u", "0",
                 "-initial_v", "0", "-turbulence", "1", "-turbulence_wavenumber", "3")
        ends = {model: results(*words, "-subgrid", model)["kinetic_energy"] for model in ("none", "wale", "smagorinsky")}
        for model in ("wale", "smagorinsky"):
            self.assertLess(ends[model], 0.97 * ends["none"])
        two = results(*words, "-subgrid", "wale", ranks=2)
        self.assertAlmostEqual(two["kinetic_energy"] / ends["wale"], 1.0, delta=1e-5)
        self.assertLess(two["divergence_max_over_steps"], 1e-11)


class Averages(unittest.TestCase):
    WORDS = ("-problem", "taylor_green", "-n", "12,10", "-fixed_step", "0.05", "-t_end", "1", "-out_dt", "0.05",
             "-average_from", "0.24")

    def cells(self, face, axis):
        low, high = (np.take(face, range(first, face.shape[axis] - 1 + first), axis=axis) for first in (0, 1))
        return 0.5 * (low + high)

    def test_they_are_those_of_the_snapshots_of_all_steps(self):
        for ranks in (1, 2):
            run = flow(*self.WORDS, ranks=ranks)
            times, fields = snapshots(run.folder)
            taken = [i for i, t in enumerate(times) if t > 0.24]
            span = times[taken[-1]] - times[taken[0]]
            self.assertAlmostEqual(run.summary["results"]["averaged_time"], span, delta=1e-12)

            def average(quantity):
                return np.trapz([quantity(fields[i]) for i in taken], [times[i] for i in taken], axis=0) / span

            end = fields[-1]
            u, v, p = (average(lambda f, name=name: f[name]) for name in "uvp")
            at_cells = [average(lambda f: self.cells(f["u"], 1)), average(lambda f: self.cells(f["v"], 0))]
            product = average(lambda f: self.cells(f["u"], 1) * self.cells(f["v"], 0)) - at_cells[0] * at_cells[1]
            for name, wanted in (("u_mean", u), ("v_mean", v), ("p_mean", p), ("uu", average(lambda f: f["u"] ** 2) - u * u),
                                 ("pp", average(lambda f: f["p"] ** 2) - p * p), ("uv", product)):
                np.testing.assert_allclose(end[name], wanted, atol=1e-8, err_msg=name)
            self.assertGreater(np.abs(product).max(), 0.01)

    def test_a_continued_run_has_the_averages_of_the_whole_one(self):
        with tempfile.TemporaryDirectory() as folder:
            whole, parted = (pathlib.Path(folder) / name for name in ("whole", "parted"))
            flow(*self.WORDS, out=whole, ranks=2)
            driver.run("rhumb-flow", *self.WORDS, "-dae_max_steps", "12", "-quiet", out=parted, ranks=2)
            flow(*self.WORDS, "-restart", parted, out=parted, ranks=2)
            ends = [snapshots(place)[1][-1] for place in (whole, parted)]
            self.assertIn("uv", ends[0])
            for name, values in ends[0].items():
                np.testing.assert_array_equal(values, ends[1][name], err_msg=name)

    def test_they_may_begin_in_a_continued_run(self):
        words = [word for word in self.WORDS if word not in ("-average_from", "0.24")]
        with tempfile.TemporaryDirectory() as folder:
            driver.run("rhumb-flow", *words, "-dae_max_steps", "10", "-quiet", out=folder)
            end = results(*self.WORDS, "-restart", folder, out=folder)
            self.assertAlmostEqual(end["averaged_time"], 0.45, delta=1e-9)


class PartsOfTheBox(unittest.TestCase):
    def test_snapshots_hold_the_centres_of_every_third_cell_of_a_region(self):
        words = ("-problem", "obstacle", "-n", "64,16", "-t_end", "0.5", "-out_times", "0.5")
        run = flow(*words)
        whole = snapshots(run.folder)[1][-1]
        for ranks in (1, 2, 4):
            run = flow(*words, "-out_region", "0.5,3,0,1", "-out_every", "3", ranks=ranks)
            part = snapshots(run.folder)[1][-1]
            rows, columns = np.arange(0, 16, 3), np.arange(8, 48, 3)
            self.assertEqual(part["p"].shape, (len(rows), len(columns)))
            np.testing.assert_allclose(part["p"], whole["p"][np.ix_(rows, columns)], atol=2e-2)
            u = 0.5 * (whole["u"][:, 1:] + whole["u"][:, :-1])
            np.testing.assert_allclose(part["u"], u[np.ix_(rows, columns)], atol=2e-3)

    def test_a_region_without_cells_is_refused(self):
        run = driver.run("rhumb-flow", "-problem", "cavity", "-n", "8,8", "-out_region", "0.4,0.5,0,1", "-quiet")
        self.assertEqual(run.code, 2)
        self.assertIn("fewer than two cells in x", run.errors)


class Backflow(unittest.TestCase):
    """A vortex faster than the flow that carries it leaves through the right side."""

    WORDS = ("-problem", "cavity", "-stretch", "0,0", "-re", "2000", "-n", "48,48", "-bc_left_type", "inflow", "-bc_left_u", "0.3",
             "-bc_right_type", "outflow", "-bc_bottom_type", "slip", "-bc_top_type", "slip", "-initial_u",
             "0.3-12*(y-0.5)*exp(-40*((x-0.6)^2+(y-0.5)^2))", "-initial_v", "12*(x-0.6)*exp(-40*((x-0.6)^2+(y-0.5)^2))")

    def energies(self, *words, **how):
        run = flow(*self.WORDS, "-t_end", "4", "-series_dt", "0.25", *words, **how)
        self.assertEqual(run.summary["convergence_failures"], 0)
        with h5py.File(run.folder / "series.h5") as series:
            return series["series/kinetic_energy"][:]

    def test_a_vortex_leaves_without_bringing_energy_back(self):
        for ranks in (1, 2):
            energy = self.energies(ranks=ranks)
            self.assertLess(np.diff(energy).max(), 1e-4)
            self.assertAlmostEqual(energy[-1], 0.5 * 0.09, delta=0.002)

    def test_with_plain_do_nothing_it_does(self):
        self.assertGreater(np.diff(self.energies("-backflow", "0")).max(), 4e-3)


if __name__ == "__main__":
    unittest.main()
