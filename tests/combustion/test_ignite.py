"""rhumb-ignite: ignition delays, equilibrium and the closed vessel against references, restarts, ranks, refusals."""

import json
import math
import pathlib
import subprocess
import tempfile
import unittest

import driver
import flame_speed

DATA = driver.SOURCE / "tests" / "data"


def ignite(*words, **more):
    return driver.run("rhumb-ignite", *words, "-quiet", **more)


class Delay(unittest.TestCase):
    """A homogeneous adiabatic reactor."""

    reference = json.loads((DATA / "zero_d_ignition_reference.json").read_text())

    def results(self, *words, **more):
        run = ignite(*words, **more)
        self.assertEqual(run.code, 0, run.errors)
        return run.summary["results"]

    def check_delay(self, found, wanted):
        self.assertAlmostEqual(found["ignition_delay"] / wanted["tau_maxdTdt_s"], 1.0, delta=1e-5)
        self.assertAlmostEqual(found["ignition_delay_400K"] / wanted["tau_T0plus400_s"], 1.0, delta=1e-5)
        self.assertLess(found["mass_fractions_error"], 1e-12)

    def test_hydrogen_in_air_ignites_when_the_reference_does(self):
        wanted = self.reference["h2"][0]
        found = self.results("apps/ignite/delay.yaml")
        self.check_delay(found, wanted)
        self.assertAlmostEqual(found["T"], wanted["T_end"], delta=0.01)
        for species, share in wanted["X_end"].items():
            self.assertAlmostEqual(found["X_" + species], share, delta=1e-6, msg=species)

    def test_ozone_ignites_when_the_reference_does(self):
        found = self.results("-problem", "delay", "-mechanism", "apps/ignite/ozone.yaml", "-mixture", "O3:1,O2:1",
                             "-T0", 600, ranks=2)
        self.check_delay(found, self.reference["ozone"][0])

    def test_the_adiabatic_flame_temperature_is_reached(self):
        wanted = self.reference["h2_Tad"][0]
        found = self.results("-problem", "delay", "-T0", wanted["T0"], "-products", "H2O:2,N2:3.76", "-t_end", 1.0)
        self.assertAlmostEqual(found["T"], wanted["T_ad_equilibrium"], delta=0.01)

    def test_an_equivalence_ratio_is_the_mixture_that_it_stands_for(self):
        words = ("-problem", "delay")
        by_moles = self.results(*words, "-mixture", "H2:1,O2:1,N2:3.76")
        by_ratio = self.results(*words, "-phi", 0.5)
        named = self.results(*words, "-phi", 0.5, "-fuel", "H2:3", "-oxidizer", "O2:21,N2:78.96")
        self.assertGreater(by_moles["ignition_delay"], 0.0)
        for other in (by_ratio, named):
            self.assertAlmostEqual(other["ignition_delay"] / by_moles["ignition_delay"], 1.0, delta=1e-6)

    def test_equivalence_ratios_that_mean_nothing_are_refused(self):
        for words, text in ((("-phi", 1, "-mixture", "H2:1"), "one of them"), (("-phi", 0), "without fuel"),
                            (("-phi", 1, "-fuel", "N2"), "takes no oxygen"),
                            (("-phi", 1, "-oxidizer", "N2"), "no oxygen to give"), (("-oxidizer", "O2"), "needs -phi")):
            run = ignite("-problem", "delay", *words)
            self.assertEqual(run.code, 2)
            self.assertIn(text, run.errors)

    def test_the_run_may_end_at_ignition(self):
        words = ("-problem", "delay", "-t_end", 0.01)
        whole, short = ignite(*words).summary, ignite(*words, "-stop_after", "ignition").summary
        self.assertEqual(short["results"]["ignition_delay"], whole["results"]["ignition_delay"])
        self.assertAlmostEqual(short["t"], short["results"]["ignition_delay"], delta=1e-9)
        self.assertLess(short["steps"], whole["steps"])

    def test_without_ignition_the_delay_is_null_and_the_remark_says_so(self):
        found = self.results("-problem", "delay", "-t_end", 1e-6)
        self.assertIsNone(found["ignition_delay"])
        self.assertIn("no ignition until t = 1e-06", found["remark"])

    def test_trace_species_below_their_tolerance_cost_no_steps(self):
        # Methane by GRI-Mech 3.0 took 4203 steps and 1436 failures where 1385 and 0 do.
        run = ignite("-problem", "delay", "-t_end", 0.5)
        self.assertEqual(run.code, 0, run.errors)
        self.assertEqual(run.summary["constraint_failures"], 0)
        self.assertLess(run.summary["steps"], 1500)

    def test_at_constant_volume_pressure_and_temperature_rise_further(self):
        found = self.results("-problem", "delay", "-constant", "v", "-t_end", 0.1)
        self.assertGreater(found["T"], 2850.0)
        self.assertGreater(found["p"], 2.2e5)

    def test_at_constant_volume_products_come_to_the_equilibrium_of_the_burnt_gas(self):
        words = ("-problem", "delay", "-constant", "v", "-t_end", 1.0)
        burnt, products = self.results(*words), self.results(*words, "-products", "H2O:2,N2:3.76")
        self.assertAlmostEqual(products["T"], burnt["T"], delta=0.01)
        self.assertAlmostEqual(products["p"] / burnt["p"], 1.0, delta=1e-5)


class Vessel(unittest.TestCase):
    """Air in a closed cylinder with a source on the axis, which does not react."""

    reference = {o["t"]: o for o in json.loads((DATA / "closed_vessel_reference.json").read_text())["cases"][0]["out"]}

    def solve(self, *words, **more):
        run = ignite("apps/ignite/vessel.yaml", *words, **more)
        self.assertEqual(run.code, 0, run.errors)
        return run.summary["results"]

    def errors(self, results, name, wanted):
        return [abs(x - self.reference[t][wanted]) for t, x in zip(results["figure_times"], results[name])]

    def test_four_hundred_cells_meet_the_reference(self):
        results = self.solve()
        self.assertEqual(len(results["figure_times"]), 14)
        self.assertLess(max(self.errors(results, "p", "p_Pa")), 0.35)
        self.assertLess(max(self.errors(results, "T_centre", "T0_K")), 0.15)
        self.assertLess(max(self.errors(results, "wall_loss", "wall_heat_loss_J_per_m")), 3e-4)
        self.assertLess(results["mass_error"], 1e-10)
        self.assertLess(abs(results["energy_balance"]), 1e-5)

    def test_temperatures_along_the_radius_meet_it_too(self):
        radii = [0.25, 0.5, 1, 1.5, 2, 4, 8]
        results = self.solve("-figure_times", "1e-3,5e-3", "-t_end", 6e-3,
                             "-figure_radii", ",".join(str(1e-3 * r) for r in radii))
        for i, t in enumerate(results["figure_times"]):
            wanted = dict(zip(self.reference[t]["r_mm"], self.reference[t]["T_K"]))
            for r in radii:
                self.assertAlmostEqual(results[f"T_at_{r:g}_mm"][i], wanted[r], delta=0.2, msg=f"{r} mm at {t} s")

    def test_the_order_in_space_is_two(self):
        worst = []
        for cells in (100, 200, 400):
            results = self.solve("-n", cells, "-dae_rtol", 1e-8, "-figure_times", "1e-3,2e-3,5e-3", "-t_end", 6e-3)
            worst.append((max(self.errors(results, "p", "p_Pa")), max(self.errors(results, "T_centre", "T0_K"))))
        for coarse, fine in zip(worst, worst[1:]):
            for c, f in zip(coarse, fine):
                self.assertAlmostEqual(math.log2(c / f), 2.0, delta=0.15)

    def test_all_shapes_balance_and_any_number_of_ranks_agrees(self):
        for shape, energy in (("planar", 2000.0), ("cylinder", 2.0), ("sphere", 2e-3)):
            with self.subTest(shape):
                words = ("-n", 100, "-t_end", 3e-3, "-geometry", shape, "-energy", energy, "-figure_times", "1e-3,2e-3",
                         "-dae_rtol", 1e-8)
                results = self.solve(*words)
                self.assertLess(results["mass_error"], 1e-10)
                self.assertLess(abs(results["energy_balance"]), 1e-5)
                self.assertGreater(results["T_highest"], 400.0)
                shared = self.solve(*words, ranks=2 if shape != "cylinder" else 4)
                for name in ("p", "T_centre", "wall_loss"):
                    for one, other in zip(results[name], shared[name]):
                        self.assertAlmostEqual(one / other, 1.0, delta=1e-6)

    def test_outputs_in_the_step_that_the_source_end_cuts_are_of_before_it(self):
        times = [9e-4 + 5e-7 * i for i in range(401)]
        loss = self.solve("-n", 100, "-t_end", 1.2e-3, "-figure_times", ",".join(f"{t:.9g}" for t in times))["wall_loss"]
        gains = [b - a for a, b in zip(loss, loss[1:])]
        self.assertGreater(min(gains), 0.0)
        for before, after in zip(gains, gains[1:]):  # with the source ends the compression of the gas at the wall
            self.assertTrue(0.5 < after / before < 1.1, (before, after))

    def test_a_restart_across_the_source_end_is_bit_identical(self):
        words = ("-n", 100, "-t_end", 2e-3, "-figure_times", "5e-4,1e-3,1.5e-3")
        with tempfile.TemporaryDirectory() as folder:
            stopped = ignite("apps/ignite/vessel.yaml", *words, "-dae_max_steps", 60, out=folder + "/a")
            self.assertEqual(stopped.code, 3, stopped.errors)
            self.assertLess(stopped.summary["t"], 1e-3)
            continued = self.solve(*words, "-restart", folder + "/a", out=folder + "/b")
        self.assertEqual(continued, self.solve(*words))

    def test_a_restart_with_other_radii_is_refused(self):
        words = ("apps/ignite/vessel.yaml", "-n", 40, "-t_end", 2e-3, "-figure_times", "1e-4,1e-3")
        with tempfile.TemporaryDirectory() as folder:
            stopped = ignite(*words, "-figure_radii", "0,1e-3,2e-3", "-dae_max_steps", 50, out=folder + "/a")
            self.assertEqual(stopped.code, 3, stopped.errors)
            self.assertEqual(len(stopped.summary["results"]["figure_times"]), 1)
            for radii in ("0,1e-3", "0,1e-3,3e-3", "0,1e-3,2e-3,3e-3"):
                run = ignite(*words, "-figure_radii", radii, "-restart", folder + "/a", out=folder + "/b")
                self.assertEqual(run.code, 2, run.output + run.errors)
                self.assertIn("-figure_radii: the checkpoint's lists are of other radii", run.errors)


class OneStep(unittest.TestCase):
    """One reaction, fuel -> products, on a mesh that follows the flame."""

    def solve(self, *words, **more):
        run = ignite("apps/ignite/onestep.yaml", *words, **more)
        self.assertEqual(run.code, 0, run.errors)
        return run.summary["results"]

    def test_a_planar_flame_burns_at_its_eigenvalue(self):
        results = self.solve("-geometry", "planar", "-radius", 0.05, "-n", 120, "-energy", 1000, "-source_radius", 1e-3,
                             "-source_duration", 1e-3, "-t_end", 1.2e-2, "-figure_times", "1e-2,1.2e-2",
                             "-figure_radii", 0.04)
        for p, T, speed in zip(results["p"], results["T_at_40_mm"], results["burning_speed"]):
            self.assertAlmostEqual(speed / flame_speed.burning_speed(T, p), 1.0, delta=0.015)
        self.assertLess(abs(results["energy_balance"]), 1e-6)
        self.assertGreater(results["regrids"], 50)

    def test_a_weak_source_dies_and_a_strong_one_ignites(self):
        self.assertEqual(self.solve("-energy", 7e-5, "-stop_at_fate")["fate"], "died")
        self.assertEqual(self.solve("-energy", 1.2e-4, "-stop_at_fate")["fate"], "ignited")

    def test_figures_are_smooth_across_a_regridding(self):
        times = [2e-4 + 2.5e-7 * i for i in range(1601)]
        results = self.solve("-n", 60, "-t_end", 6e-4, "-figure_times", ",".join(f"{t:.9g}" for t in times))
        self.assertGreater(results["regrids"], 2)
        speed, loss = results["burning_speed"], results["wall_loss"]
        for before, here, after in zip(speed, speed[1:], speed[2:]):
            self.assertLess(abs(here - 0.5 * (before + after)), 0.03 * here)
        self.assertGreater(min(b - a for a, b in zip(loss, loss[1:])), 0.0)

    def test_ranks_agree(self):
        words = ("-t_end", 4e-4, "-n", 60, "-figure_times", "2e-4,4e-4")
        one = self.solve(*words)
        for ranks in (2, 4):
            many = self.solve(*words, ranks=ranks)
            for name in ("p", "T_centre", "flame_radius", "burning_speed"):
                for a, b in zip(one[name], many[name]):
                    self.assertAlmostEqual(a / b, 1.0, delta=1e-3, msg=f"{name} on {ranks} ranks")

    def test_a_restart_across_a_regridding_is_bit_identical(self):
        words = ("-t_end", 1e-3, "-n", 80, "-figure_times", "3e-4,6e-4,9e-4")
        for ranks in (None, 2):
            with self.subTest(ranks=ranks), tempfile.TemporaryDirectory() as folder:
                stopped = ignite("apps/ignite/onestep.yaml", *words, "-dae_max_steps", 700, out=folder + "/a", ranks=ranks)
                self.assertEqual(stopped.code, 3, stopped.errors)
                before = stopped.summary["results"]["regrids"]
                continued = self.solve(*words, "-restart", folder + "/a", out=folder + "/b", ranks=ranks)
                self.assertGreater(before, 0)
                self.assertGreater(continued["regrids"], before)
                self.assertEqual(continued, self.solve(*words, ranks=ranks))

    def test_a_checkpoint_of_two_ranks_is_continued_on_any_number(self):
        words = ("-t_end", 6e-4, "-n", 60, "-figure_times", "2e-4,4e-4,6e-4")
        whole = self.solve(*words)
        with tempfile.TemporaryDirectory() as folder:
            stopped = ignite("apps/ignite/onestep.yaml", *words, "-dae_max_steps", 400, out=folder + "/a", ranks=2)
            self.assertEqual(stopped.code, 3, stopped.errors)
            self.assertGreater(stopped.summary["results"]["regrids"], 0)
            for ranks in (None, 3):
                continued = self.solve(*words, "-restart", folder + "/a", out=f"{folder}/{ranks}", ranks=ranks)
                self.assertEqual(continued["figure_times"], whole["figure_times"])
                for name in ("p", "T_centre", "flame_radius", "wall_loss"):
                    for a, b in zip(continued[name], whole[name]):
                        self.assertAlmostEqual(a / b, 1.0, delta=1e-3, msg=f"{name} on {ranks} ranks")


class Hydrogen(unittest.TestCase):
    def test_a_kernel_ignites_and_conserves(self):
        run = ignite("apps/ignite/hydrogen.yaml", "-t_end", 1e-4, "-figure_times", "5e-5,1e-4")
        self.assertEqual(run.code, 0, run.errors)
        results = run.summary["results"]
        self.assertLess(results["mass_fractions_error"], 1e-12)
        self.assertGreater(results["lowest_fraction"], -1e-12)
        self.assertLess(results["elements_error"], 1e-12)
        self.assertLess(abs(results["energy_balance"]), 1e-5)
        self.assertAlmostEqual(results["flame_radius"][1], 1.04e-3, delta=0.03e-3)
        self.assertAlmostEqual(results["burning_speed"][1], 1.81, delta=0.05)

    def test_weak_sources_die_in_a_sphere_and_in_a_cylinder(self):
        for shape, energy in (("sphere", 1.2e-4), ("cylinder", 0.19)):
            run = ignite("apps/ignite/hydrogen.yaml", "-geometry", shape, "-energy", energy, "-stop_at_fate")
            self.assertEqual(run.code, 0, run.errors)
            self.assertEqual(run.summary["results"]["fate"], "died")

    def test_a_temperature_beyond_the_polynomials_is_remarked_on(self):
        run = ignite("apps/ignite/hydrogen.yaml", "-energy", 2e-3, "-t_end", 2e-5, "-n", 60, "-figure_times", "2e-5")
        self.assertEqual(run.code, 0, run.errors)
        self.assertIn("above the 3500 K", run.summary["results"]["remark"])

    def test_ozone_burns(self):
        run = ignite("apps/ignite/ozone_flame.yaml", "-t_end", 3e-4, "-n", 80, "-figure_times", "3e-4")
        self.assertEqual(run.code, 0, run.errors)
        results = run.summary["results"]
        self.assertLess(results["elements_error"], 1e-12)
        self.assertGreater(results["flame_radius"][0], 4e-4)


class Study(unittest.TestCase):
    words = ("apps/ignite/onestep.yaml", "-n", 60, "-study", "mie")

    def test_the_bracket_is_found_and_finished_runs_are_not_repeated(self):
        with tempfile.TemporaryDirectory() as folder:
            killed = subprocess.Popen([driver.path("rhumb-ignite"), *map(str, self.words), "-out", folder + "/s"],
                                      cwd=driver.SOURCE, stdout=subprocess.PIPE, text=True)
            for _ in range(3):
                killed.stdout.readline()
            killed.kill()
            killed.communicate()
            done = sorted(pathlib.Path(folder, "s").glob("energy_*/run.json"))
            self.assertGreaterEqual(len(done), 3)
            stamps = {file: file.stat().st_mtime_ns for file in done[:3]}
            run = driver.run("rhumb-ignite", *self.words, out=folder + "/s")
            self.assertEqual(run.code, 0, run.errors)
            results = run.summary["results"]
            self.assertGreaterEqual(run.output.count("(found)"), 3)
            for file, stamp in stamps.items():
                self.assertEqual(file.stat().st_mtime_ns, stamp)
            low, high = results["mie_low"], results["mie_high"]
            self.assertLessEqual(high - low, 0.01 * high)
            self.assertTrue(low < results["mie"] < high)
            self.assertTrue(8e-5 < low < high < 9.5e-5, (low, high))
            table = pathlib.Path(folder, "s", "study.csv").read_text().splitlines()
            self.assertEqual(len(table), results["runs"] + 1)
            drawn = subprocess.run([driver.SOURCE / "postprocess" / "plot_study.py", folder + "/s", "-o", folder + "/s.png"])
            self.assertEqual(drawn.returncode, 0)
            other = driver.run("rhumb-ignite", *self.words, "-lewis", 0.9, out=folder + "/s")
            self.assertEqual(other.code, 2)
            self.assertIn("a study with other options", other.errors)

    short = (*words, "-energy", 1e-4, "-study_width", 0.3)  # three runs: 1e-4, 5e-5, 7.1e-5

    def study(self, *words, code=0, **more):
        run = driver.run("rhumb-ignite", *words, timeout=120, **more)
        self.assertEqual(run.code, code, run.output + run.errors)
        return run

    def test_two_ranks_find_the_same_bracket_and_take_the_runs_of_one(self):
        one = self.study(*self.short)
        two = self.study(*self.short, ranks=2)
        self.assertEqual(two.summary["ranks"], 2)
        self.assertEqual(two.summary["results"], one.summary["results"])
        again = self.study(*self.short, ranks=2, out=one.folder)
        self.assertEqual(again.output.count("(found)"), 3)
        for name in ("app", "version", "problem", "ranks", "unknowns", "reason", "exit_code", "message", "t", "steps",
                     "residual_evals", "wall_seconds", "phases", "peak_rss_mib", "options", "results"):
            self.assertIn(name, two.summary)
        steps = [json.loads(file.read_text())["steps"] for file in two.folder.glob("energy_*/run.json")]
        self.assertEqual(two.summary["steps"], sum(steps))

    def test_a_folder_that_cannot_be_written_is_said_on_all_ranks(self):
        for ranks in (None, 2):
            with self.subTest(ranks=ranks), tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                (folder / "file").write_text("")
                said = self.study(*self.short, out=folder / "file" / "s", ranks=ranks, code=4).errors
                self.assertIn("cannot make the folder", said)
                (folder / "s" / "study.csv").mkdir(parents=True)
                said = self.study(*self.short, out=folder / "s", ranks=ranks, code=4).errors
                self.assertIn("study.csv", said)

    def test_what_a_killed_run_left_does_not_keep_a_study_from_going_on(self):
        with tempfile.TemporaryDirectory() as folder:
            drafts = pathlib.Path(folder, "s", "energy_0.0001", "checkpoints")
            drafts.mkdir(parents=True)
            (drafts / "00000010.h5.tmp").write_text("half a checkpoint")
            self.study(*self.short, out=folder + "/s")
        with tempfile.TemporaryDirectory() as folder:
            words = (*self.short, "-t_end", 2e-5, "-checkpoint_dt", 1e-5)
            self.study(*words, out=folder, code=2)
            run = pathlib.Path(folder, "energy_0.0001")
            self.assertEqual(len(list((run / "checkpoints").glob("*.h5"))), 2)
            (run / "run.json").unlink()  # a kill after the last checkpoint
            self.assertIn("neither ignited nor died", self.study(*words, out=folder, code=2).errors)

    def test_an_interrupted_run_goes_on_from_its_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            self.study(*self.short, out=folder)
            run = pathlib.Path(folder, "energy_0.0001")
            ignite(*self.short[:3], "-energy", 1e-4, "-stop_at_fate", "-dae_max_steps", 300, out=run)
            self.assertEqual(json.loads((run / "run.json").read_text())["reason"], "solver_gave_up")
            self.study(*self.short, out=folder)
            self.assertIn("restarted_from", json.loads((run / "run.json").read_text()))

    def test_a_run_without_a_fate_ends_the_study_with_a_summary(self):
        run = self.study(*self.short, "-t_end", 2e-5, code=2)
        self.assertIn("neither ignited nor died", run.errors)
        self.assertEqual((run.summary["reason"], run.summary["exit_code"]), ("bad_input", 2))
        self.assertIn("neither ignited nor died", run.summary["message"])

    def test_the_case_file_has_its_say_and_may_not_change(self):
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder, "case.yaml")
            text = (driver.SOURCE / "apps" / "ignite" / "onestep.yaml").read_text().replace("n: 120", "n: 60")
            case.write_text(text.replace("energy: 2e-4", "energy: 1.6e-4") + "study_width: 0.6\n")
            words = (case, "-study", "mie")
            found = self.study(*words, out=folder + "/s").summary["results"]
            self.assertEqual(found["energies"], [1.6e-4, 8e-5])
            nearby = self.study(*words, "-energy", 1.60000001e-4, out=folder + "/s")  # the same in six digits
            self.assertNotIn("(found)", nearby.output)
            case.write_text(case.read_text().replace("source_radius: 3e-4", "source_radius: 2e-4"))
            said = self.study(*words, out=folder + "/s", code=2).errors
            self.assertIn("a study with other options (source_radius 0.0003, not source_radius 0.0002)", said)

    def test_a_case_file_may_ask_for_a_study(self):
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder, "case.yaml")
            text = (driver.SOURCE / "apps" / "ignite" / "onestep.yaml").read_text().replace("n: 120", "n: 60")
            case.write_text(text.replace("energy: 2e-4", "energy: 1.6e-4") + "study: mie\nstudy_width: 0.6\n")
            self.assertEqual(self.study(case).summary["results"]["energies"], [1.6e-4, 8e-5])

    def test_the_mechanism_may_not_change(self):
        with tempfile.TemporaryDirectory() as folder:
            mechanism = pathlib.Path(folder, "ozone.yaml")
            mechanism.write_text((driver.SOURCE / "apps" / "ignite" / "ozone.yaml").read_text())
            words = ("apps/ignite/ozone_flame.yaml", "-n", 40, "-t_end", 1e-7, "-figure_times", 1e-7, "-study", "mie",
                     "-mechanism", mechanism)
            self.assertIn("neither ignited", self.study(*words, out=folder + "/s", code=2).errors)
            mechanism.write_text(mechanism.read_text() + "# another\n")
            self.assertIn("a study with other options", self.study(*words, out=folder + "/s", code=2).errors)

    def test_the_wall_limit_is_that_of_the_whole_study(self):
        run = self.study(*self.short, "-wall_limit", 1000)
        left = [json.loads((run.folder / f"energy_{energy}" / "run.json").read_text())["options"]["wall_limit"]
                for energy in run.summary["results"]["energies"]]
        self.assertEqual(left, sorted(left, reverse=True))
        self.assertLess(left[0], 1000)
        over = self.study(*self.short, "-wall_limit", 1e-3, code=5)
        self.assertEqual(over.summary["reason"], "wall_limit")
        self.assertEqual(list(over.folder.glob("energy_*")), [])

    def test_bad_input_help_and_check_run_nothing(self):
        for words, code, said in ((["-help"], 0, "-study_width"), (["-check"], 0, "the input is good"),
                                  (["-study_width", 1e-7], 2, "-study_width"), (["-study_width", 2], 2, "-study_width"),
                                  (["-energy", 0], 2, "-energy"), (["-problem", "delay"], 2, "-study"),
                                  (["-restart", "x"], 2, "-restart"), (["-lewiss", 1], 2, "-lewis")):
            with self.subTest(words):
                run = self.study(*self.words, *words, code=code)
                self.assertIn(said, run.output + run.errors)
                self.assertFalse(run.folder.exists())


class Refusals(unittest.TestCase):
    def refused(self, *words):
        run = ignite(*words)
        self.assertEqual(run.code, 2, run.output + run.errors)
        return run.errors

    def test_a_mixture_of_unknown_species(self):
        self.assertIn("no species `H3`; did you mean H2?", self.refused("-problem", "delay", "-mixture", "H3:1"))

    def test_products_that_are_not_those_of_the_mixture(self):
        self.assertIn("another share of", self.refused("-problem", "delay", "-products", "H2O:1,N2:3.76"))

    def test_a_mechanism_that_is_not_there(self):
        self.assertIn("no_such.yaml: No such file or directory", self.refused("-problem", "delay", "-mechanism", "no_such.yaml"))

    def test_a_mechanism_with_an_unbalanced_reaction(self):
        text = (driver.SOURCE / "apps" / "ignite" / "h2_air.yaml").read_text()
        wrong = "H + O2 <=> O + H2"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "wrong.yaml")
            file.write_text(text.replace("equation: H + O2 <=> O + OH", "equation: " + wrong))
            said = self.refused("-problem", "hydrogen", "-mechanism", file)
            line = file.read_text().splitlines().index("- equation: " + wrong) + 1
            self.assertIn(f"{file}:{line}: reaction `{wrong}`: it does not balance", said)

    def test_help_and_check(self):
        run = ignite("apps/ignite/delay.yaml", "-check")
        self.assertEqual(run.code, 0, run.errors)
        run = driver.run("rhumb-ignite", "-problem", "delay", "-help")
        self.assertEqual(run.code, 0)
        self.assertIn("-mixture", run.output)


if __name__ == "__main__":
    unittest.main()
