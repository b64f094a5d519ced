"""-sensitivity as a user gives it: every driver against central differences of tight runs, printed values of IDAS, ranks,
restarts, files, and what is refused."""

import math
import pathlib
import re
import tempfile
import unittest

import driver
import h5py

HEAT = ("-n", "12,12", "-t_end", 0.2, "-source", 1, "-initial", "x*(1-x)", "-bc_left_type", "convection", "-bc_left_h", 3,
        "-bc_left_ambient", 0, "-bc_right_type", "dirichlet", "-bc_right_value", 0)
CAVITY = ("-n", "12,12", "-t_end", 1)


def run(name, *words, **keywords):
    done = driver.run(name, *words, timeout=120, **keywords)
    assert done.code == 0, done.output + done.errors
    return done.summary


def sensitivities(name, *words, by, **keywords):
    return run(name, *words, "-sensitivity", by, **keywords)["sensitivities"]


def last(figure):
    return figure[-1] if isinstance(figure, list) else figure


class AgainstDifferences(unittest.TestCase):
    def check(self, name, words, values, figures, rtol=1e-6, tight=1e-9, step=1e-3, digits=4):
        found = sensitivities(name, *words, "-dae_rtol", rtol, by=",".join(values))
        for parameter, value in values.items():
            sides = [run(name, *words, "-dae_rtol", tight, "-" + parameter, repr(value * (1 + side * step)))["results"]
                     for side in (1, -1)]
            for figure in figures:
                above, below = (last(side[figure]) for side in sides)
                difference = (above - below) / (2 * step * value)
                with self.subTest(driver=name, figure=figure, parameter=parameter):
                    self.assertAlmostEqual(last(found[figure][parameter]) / difference, 1, delta=10.0**-digits)
        return found

    def test_heat_on_a_box_by_coefficients_and_boundaries(self):
        words = (*HEAT, "-dae_atol", 1e-10)
        self.check("rhumb-heat", words, {"k": 1, "rho": 1, "source": 1, "bc_left_h": 3}, ["energy_stored", "T_max"])

    def test_heat_on_a_mesh(self):
        words = ("-mesh", "meshes/square.msh", "-t_end", 0.1, "-source", 1, "-bc_type", "dirichlet", "-bc_value", 0,
                 "-dae_atol", 1e-10)
        self.check("rhumb-heat", words, {"k": 1, "c": 1}, ["T_max"])

    def test_the_cavity_by_re_and_the_speed_of_its_lid(self):
        self.check("rhumb-flow", CAVITY, {"re": 100, "bc_top_u": 1}, ["kinetic_energy", "u_min", "v_max"], tight=1e-8)

    def test_the_drag_of_a_cylinder_by_viscosity_on_one_rank_and_two(self):
        words = ["apps/flow/dfg-2d-1.yaml", "-t_end", 0.5]
        one = self.check("rhumb-flow", words, {"nu": 1e-3}, ["cd", "cl"], rtol=1e-6, tight=1e-8)
        two = sensitivities("rhumb-flow", *words, "-dae_rtol", 1e-6, by="nu", ranks=2)
        self.assertAlmostEqual(one["cd"]["nu"] / two["cd"]["nu"], 1, delta=1e-5)

    def test_the_plume_by_ra_and_pr(self):
        words = ("-problem", "plume", "-n", "12,12", "-t_end", 2)
        self.check("rhumb-flow", words, {"ra": 1e4, "pr": 0.71}, ["kinetic_energy"], tight=1e-8)

    def test_a_moving_mesh_with_its_own_sensitivity(self):
        words = ("-problem", "burgers", "-n", 40, "-t_end", 0.3)
        self.check("rhumb-mesh", words, {"eps": 1e-3}, ["front"], rtol=1e-7, tight=1e-8, digits=3)

    def test_ignition_of_a_hot_spot_by_the_heat_release(self):
        words = ("-problem", "reaction", "-t_end", 0.27)
        self.check("rhumb-mesh", words, {"alpha": 1}, ["ignition_time"], rtol=1e-8, step=1e-4, digits=3)

    def test_the_ignition_delay_by_temperature_and_pressure(self):
        values = {"T0": 1000, "p0": 101325}
        self.check("rhumb-ignite", ["apps/ignite/delay.yaml"], values, ["ignition_delay"], rtol=1e-8, step=1e-4)

    def test_a_vessel_by_start_and_source(self):
        words = ("apps/ignite/vessel.yaml", "-n", 60)
        values = {"T0": 300, "p0": 101325, "energy": 2}
        self.check("rhumb-ignite", words, values, ["p_end", "T_highest"], rtol=1e-7)

    def test_a_formula_has_a_factor_in_front_of_it(self):
        found = sensitivities("rhumb-heat", *HEAT, "-k", "1+x", by="k")["T_max"]["k"]
        above, below = (run("rhumb-heat", *HEAT, "-dae_rtol", 1e-9, "-k", f"{1 + side * 1e-3}*(1+x)")["results"]["T_max"]
                        for side in (1, -1))
        self.assertAlmostEqual(found / ((above - below) / 2e-3), 1, delta=1e-4)


class Published(unittest.TestCase):
    # IDAS 7.5, idasRoberts_FSA_dns: printed at t = 40 of a run with rtol 1e-4.
    IDAS = {"k1": (-4.2476, 4.5912e-5, 4.2475), "k2": (1.3731e-5, -2.3572e-10, -1.3731e-5),
            "k3": (-2.2884e-9, -1.1381e-13, 2.2885e-9)}

    def test_robertson_has_the_values_that_idas_prints(self):
        for corrector in ("staggered", "simultaneous"):
            found = sensitivities("rhumb-dae", "-problem", "robertson", "-t_end", 40, "-dae_sensitivity", corrector,
                                  by="k1,k2,k3")
            for parameter, values in self.IDAS.items():
                for variable, value in zip(("y1", "y2", "y3"), values):
                    self.assertAlmostEqual(found[variable][parameter] / value, 1, delta=5e-4)

    def test_every_resistor_and_capacitor_of_a_netlist(self):
        found = sensitivities("rhumb-dae", "-problem", "circuit", "-netlist", "apps/dae/lowpass.net", by="R*,C1,V1")
        decay = math.exp(-5)  # v = V (1 - exp(-t/RC)) at t = 5 RC
        for parameter, exact in {"R1": -25 * decay / 1e3, "C1": -25 * decay / 1e-6, "V1": 1 - decay}.items():
            self.assertAlmostEqual(found["node_out"][parameter] / exact, 1, delta=3e-5)

    def test_the_rates_of_all_reactions_together_are_those_of_each_alone(self):
        together = sensitivities("rhumb-ignite", "apps/ignite/delay.yaml", by="A_*")["ignition_delay"]
        self.assertEqual(len(together), 29)
        for name in ("A_3", "A_5", "A_23"):
            alone = sensitivities("rhumb-ignite", "apps/ignite/delay.yaml", by=name)["ignition_delay"][name]
            self.assertAlmostEqual(together[name] / alone, 1, delta=1e-5)

    def test_rates_and_energies_rule_the_ignition_delay_as_changed_mechanisms_do(self):
        summary = run("rhumb-ignite", "apps/ignite/delay.yaml", "-sensitivity",
                      "A_3,A_4,A_6,A_7,A_9,A_11,A_16,A_18,A_19,A_21,E_3,E_11")
        head, *reactions = re.split(r"(?m)^(?=- equation)", (driver.SOURCE / "apps/ignite/h2_air.yaml").read_text())
        with tempfile.TemporaryDirectory() as folder:
            def delay(number, key, factor):
                changed = list(reactions)
                scaled = lambda match: f"{key}: {float(match[1]) * factor!r}"  # noqa: E731
                changed[number - 1] = re.sub(rf"\b{key}: ([-+.e\d]+)", scaled, reactions[number - 1])
                file = pathlib.Path(folder) / "changed.yaml"
                file.write_text(head + "".join(changed))
                return run("rhumb-ignite", "apps/ignite/delay.yaml", "-mechanism", file, "-dae_rtol", 1e-10)["results"]["ignition_delay"]

            for name, value in summary["sensitivity_parameters"].items():
                letter, number = name.split("_")
                key, step = {"A": ("A", 1e-3), "E": ("Ea", 2e-4)}[letter]
                difference = (delay(int(number), key, 1 + step) - delay(int(number), key, 1 - step)) / (2 * step)
                with self.subTest(parameter=name):
                    found = value * summary["sensitivities"]["ignition_delay"][name]
                    self.assertAlmostEqual(found / difference, 1, delta={"A": 1e-4, "E": 3e-4}[letter])
        self.assertEqual(summary["sensitivity_descriptions"]["E_11"], "activation energy of H + O2 <=> O + OH")


class Runs(unittest.TestCase):
    def check_same(self, one, two, digits):
        self.assertEqual(one.keys(), two.keys())
        for figure in one:
            for parameter, value in one[figure].items():
                other = two[figure][parameter]
                for a, b in zip(value, other) if isinstance(value, list) else [(value, other)]:
                    self.assertAlmostEqual(a, b, delta=10.0**-digits * max(1.0, abs(a)), msg=f"{figure} by {parameter}")

    def test_one_and_two_ranks_agree(self):
        for name, words, by in (("rhumb-heat", HEAT, "k,bc_left_h"), ("rhumb-flow", CAVITY, "re"),
                                ("rhumb-dae", ("-problem", "pendulum", "-form", "index2"), "g")):
            one, two = (sensitivities(name, *words, by=by, ranks=ranks) for ranks in (1, 2))
            self.check_same(one, two, 5)

    def test_a_continued_run_has_the_same_bits(self):
        words = (*HEAT, "-sensitivity", "k,source")
        whole = run("rhumb-heat", *words)
        first = driver.run("rhumb-heat", *words, "-checkpoint_dt", 0.05)
        self.assertEqual(first.code, 0, first.errors)
        checkpoint = sorted((first.folder / "checkpoints").iterdir())[0]
        continued = run("rhumb-heat", *words, "-restart", checkpoint)
        self.assertEqual(continued["steps"], whole["steps"])
        self.assertEqual(continued["sensitivities"], whole["sensitivities"])

    def test_a_run_with_other_sensitivities_cannot_be_continued(self):
        first = driver.run("rhumb-heat", *HEAT, "-sensitivity", "k", "-checkpoint_dt", 0.05)
        other = driver.run("rhumb-heat", *HEAT, "-sensitivity", "rho", "-restart",
                           sorted((first.folder / "checkpoints").iterdir())[0])
        self.assertEqual(other.code, 4)  # no usable checkpoint
        self.assertIn("a run without these sensitivities", other.errors)

    def test_snapshots_hold_the_fields_of_derivatives(self):
        done = driver.run("rhumb-heat", *HEAT, "-sensitivity", "k,bc_left_h", "-probes", "0.5,0.5")
        last = sorted((done.folder / "snapshots").glob("*.h5"))[-1]
        with h5py.File(last) as file:
            self.assertEqual(file["fields/s_T_k"].shape, file["fields/T"].shape)
            hottest = file["fields/s_T_bc_left_h"][...].flat[file["fields/T"][...].argmax()]
        self.assertAlmostEqual(hottest, done.summary["sensitivities"]["T_max"]["bc_left_h"], delta=1e-6)
        small = driver.run("rhumb-dae", "-problem", "robertson", "-t_end", 40, "-sensitivity", "k1")
        with h5py.File(sorted((small.folder / "snapshots").glob("*.h5"))[-1]) as file:
            self.assertAlmostEqual(file["fields/s_y1_k1"][0], small.summary["sensitivities"]["y1"]["k1"], delta=1e-12)


class Refused(unittest.TestCase):
    def refusal(self, *words):
        done = driver.run(*words)
        self.assertEqual(done.code, 2, done.output)
        return done.errors

    def test_a_wrong_name_is_told_the_nearest(self):
        self.assertIn("nearest: k1", self.refusal("rhumb-dae", "-problem", "robertson", "-sensitivity", "kk1"))

    def test_a_count_cannot_be_moved_a_little(self):
        self.assertIn("cannot be moved a little", self.refusal("rhumb-heat", "-n", "8,8", "-source", 1, "-sensitivity", "n"))

    def test_a_name_twice(self):
        self.assertIn("twice", self.refusal("rhumb-dae", "-problem", "robertson", "-sensitivity", "k1,k*"))

    def test_a_problem_without_parameters_says_so(self):
        self.assertIn("parameter", self.refusal("rhumb-dae", "-problem", "hessenberg2", "-sensitivity", "a"))

    def test_what_nothing_depends_on_is_named(self):
        done = driver.run("rhumb-flow", *CAVITY, "-sensitivity", "speed,re")
        self.assertIn("nothing in this run depends on speed", done.output)
        self.assertEqual(done.summary["sensitivity_remark"], "nothing in this run depends on speed")

    def test_a_parameter_at_zero_is_measured_by_1_or_by_what_is_given(self):
        told = driver.run("rhumb-heat", *HEAT, "-sensitivity", "bc_right_value")
        self.assertIn("bc_right_value is 0: 1 is taken for its typical size", told.output)
        given = driver.run("rhumb-heat", *HEAT, "-sensitivity", "bc_right_value", "-sensitivity_scale", 10)
        self.assertNotIn("typical size", given.output)
        by_one, by_ten = (one.summary["sensitivities"]["energy_stored"]["bc_right_value"] for one in (told, given))
        self.assertAlmostEqual(by_one / by_ten, 1, delta=1e-3)

    def test_help_lists_the_options(self):
        text = driver.run("rhumb-heat", "-help").output
        for option in ("-sensitivity ", "-sensitivity_scale ", "-dae_sensitivity ", "-dae_sensitivity_errors "):
            self.assertIn(option, text)


if __name__ == "__main__":
    unittest.main()
