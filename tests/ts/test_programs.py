"""Programs that know nothing of Rhumb run with -dll_append librhumb_ts.so -ts_type rhumb and reach the right answers."""

import json
import math
import pathlib
import re
import subprocess
import sys
import unittest

import driver
from programs import BUILD, SOURCE, Case, run


def folder_of_petsc4py():
    """Debian keeps it beside the PETSc that it was built for; None where it is not installed."""
    prefix = subprocess.run(["pkg-config", "--variable=prefix", "petsc"], capture_output=True, text=True).stdout.strip()
    folder = pathlib.Path(prefix) / "lib/python3/dist-packages"
    return folder if (folder / "petsc4py").is_dir() else None


class AnOde(Case):
    # by PETSc's ROSW and ARKIMEX at tolerances 1e-9 and 1e-10
    TRUTH = [-1.8689241585, 0.0074968378]

    def test_van_der_pol_is_solved_to_its_tolerance(self):
        for answer in self.on_1_and_2_ranks("vanderpol", "-ts_rtol", 1e-8, "-ts_atol", 1e-8):
            for value, truth in zip(answer.numbers("u"), self.TRUTH):
                self.assertAlmostEqual(value, truth, delta=2e-6)
            self.assertEqual(answer.number("time"), 100.0)
            self.assertIn("CONVERGED_TIME", answer.text)

    def test_a_tighter_tolerance_gives_a_smaller_error(self):
        errors = [abs(self.solve("vanderpol", 1, "-ts_rtol", tolerance, "-ts_atol", tolerance).numbers("u")[0] - self.TRUTH[0])
                  for tolerance in (1e-4, 1e-8)]
        self.assertLess(errors[1], 1e-2 * errors[0])

    def test_the_number_of_steps_is_limited(self):
        answer = self.solve("vanderpol", 1, "-ts_max_steps", 7)
        self.assertIn("CONVERGED_ITS", answer.text)
        self.assertEqual(answer.number("steps"), 7)

    def test_a_monitor_sees_every_step(self):
        answer = self.solve("vanderpol", 1, "-ts_monitor")
        shown = len(re.findall(r"TS dt", answer.text))
        self.assertIn(shown - answer.number("steps"), (1, 2))  # the start, and the interpolated end

    def test_times_of_a_time_span_are_met(self):
        answer = self.solve("vanderpol", 1, "-ts_time_span", "0,1.5,3.25,100", "-ts_exact_final_time", "matchstep",
                            "-ts_monitor")
        times = [float(t) for t in re.findall(r"time ([-+.\deE]+)\n", answer.text)]
        for t in (1.5, 3.25, 100.0):
            self.assertTrue(any(abs(seen - t) < 1e-12 for seen in times), f"{t} not among {times}")

    def test_a_fixed_step_is_kept_without_an_adaptor(self):
        answer = self.solve("vanderpol", 1, "-mu", 1, "-ts_adapt_type", "none", "-ts_dt", 0.125, "-ts_max_time", 1,
                            "-ts_rhumb_max_order", 2, "-ts_exact_final_time", "stepover")
        self.assertEqual(answer.number("steps"), 8)

    def test_the_view_names_the_type_and_its_linear_solver(self):
        answer = self.solve("vanderpol", 1, "-ts_view")
        self.assertIn("type: rhumb", answer.text)
        self.assertIn("direct (lu by klu)", answer.text)

    def test_an_iterative_solver_of_the_command_line_is_used(self):
        answer = self.solve("vanderpol", 1, "-pc_type", "jacobi", "-ksp_type", "gmres", "-ts_view")
        self.assertIn("preconditioner of the program: jacobi", answer.text)
        self.assertIn("linear solver gmres", answer.text)

    def test_an_order_out_of_range_is_refused_with_a_message(self):
        answer = run([BUILD / "tests/ts/ts_vanderpol"], 1, "-ts_rhumb_max_order", 9)
        self.assertNotEqual(answer.code, 0)
        self.assertIn("max_order = 9: must be 1 to 5", answer.text + answer.errors)


class AnIndex1Dae(Case):
    def test_robertson_reaches_the_reference_at_4e10(self):
        reference = json.loads((SOURCE / "tests/data/robertson_reference.json").read_text())["rows"]
        truth = next(row for row in reference if abs(row[0] - 4e10) < 1)[1:]
        for answer in self.on_1_and_2_ranks("robertson", "-ts_view"):
            self.assertEqual(answer.number("time"), 4e10)
            for value, expected, atol in zip(answer.numbers("u"), truth, (1e-8, 1e-14, 1e-6)):
                self.assertAlmostEqual(value, expected, delta=10 * atol)
            self.assertIn("detected from the residual", answer.text)

    def test_algebraic_variables_may_be_given(self):
        answer = self.solve("robertson", 1, "-ts_rhumb_algebraic", 2, "-ts_view")
        self.assertIn("given as options", answer.text)

    def test_a_number_that_is_no_variable_is_refused(self):
        answer = run([BUILD / "tests/ts/ts_robertson"], 1, "-ts_rhumb_algebraic", 3)
        self.assertNotEqual(answer.code, 0)
        self.assertIn("there is no variable 3", answer.text + answer.errors)


class AnIndex2Dae(Case):
    def test_both_the_motion_and_the_multiplier_are_accurate(self):
        for answer in self.on_1_and_2_ranks("index2"):
            motion, multiplier = answer.numbers("errors")
            self.assertLess(motion, 1e-5)
            self.assertLess(multiplier, 1e-4)

    def test_the_constraint_is_recognized_as_of_index_2(self):
        self.assertIn("exclude", self.solve("index2", 1, "-ts_view").text)


class APdeOnAGrid(Case):
    def test_the_reaction_ends_in_the_steady_state_with_the_programs_own_preconditioner(self):
        largest = [answer.number("largest") for answer in self.on_1_and_2_ranks("reaction")]
        steady = self.solve("reaction", 1, "-shell", "no", "-pc_type", "lu", "-ts_rtol", 1e-9, "-ts_atol", 1e-9)
        for value in largest:
            self.assertAlmostEqual(value, steady.number("largest"), delta=1e-5)

    def test_the_programs_preconditioner_is_called(self):
        answer = self.solve("reaction", 2, "-ts_view")
        self.assertIn("setups some", answer.text)
        self.assertGreater(answer.number("linear"), 0)

    def test_multigrid_on_the_programs_grid_serves(self):
        answer = self.solve("reaction", 2, "-shell", "no", "-pc_type", "mg", "-pc_mg_levels", 3)
        self.assertAlmostEqual(answer.number("largest"), 0.16678, delta=1e-4)


class Events(Case):
    def test_a_ball_bounces_at_the_right_times(self):
        for answer in self.on_1_and_2_ranks("bounce"):
            impact, expected = 0.0, []
            for k in range(4):
                impact += 2 * 20.0 * 0.9**k / 9.8
                expected.append(impact)
            self.assertEqual(len(answer.numbers("impacts")), 4)
            for value, truth in zip(answer.numbers("impacts"), expected):
                self.assertAlmostEqual(value, truth, delta=1e-6)
            self.assertIn("CONVERGED_EVENT", answer.text)

    def test_a_cost_integral_goes_on_over_events(self):
        def area(k, t):  # under v t - g t^2 / 2, the flight after impact k
            return 20.0 * 0.9**k * t**2 / 2 - 9.8 * t**3 / 6

        for answer in self.on_1_and_2_ranks("bounce", "-cost"):
            times = [0.0, *answer.numbers("impacts"), answer.number("time")]
            truth = sum(area(k, end - begin) for k, (begin, end) in enumerate(zip(times, times[1:])))
            self.assertAlmostEqual(answer.number("integral"), truth, delta=1e-4)


class AMassMatrix(Case):
    def test_finite_elements_decay_at_the_discrete_rate(self):
        for answer in self.on_1_and_2_ranks("mass_matrix"):
            self.assertEqual(answer.number("time"), 0.2)
            self.assertLess(answer.number("error"), 1e-6)


class SolvingAgain(Case):
    # u(k) = u(k-1) / e + 1 from u(0) = 1
    TRUTH = 1 + math.exp(-1) + math.exp(-2) + math.exp(-3)

    def test_a_changed_solution_is_the_new_start(self):
        for answer in self.on_1_and_2_ranks("doses"):
            self.assertAlmostEqual(answer.number("largest"), self.TRUTH, delta=2e-6)

    def test_transient_variables_are_differentiated(self):
        for answer in self.on_1_and_2_ranks("doses", "-transient"):
            self.assertAlmostEqual(answer.number("largest"), self.TRUTH, delta=2e-6)


class Conventions(Case):
    """What PETSc's own tutorials do with a TS beside giving it an equation."""

    def refused(self, *words):
        answer = run([BUILD / "tests/ts/ts_conventions"], 1, *words)
        self.assertNotEqual(answer.code, 0, answer.text)
        self.assertNotIn("SEGV", answer.errors)
        return answer.text + answer.errors

    def test_a_run_may_begin_again_at_an_earlier_time(self):
        for answer in self.on_1_and_2_ranks("conventions", "-case", "earlier"):
            self.assertAlmostEqual(answer.number("largest"), 2 * math.exp(-1), delta=2e-6)
            self.assertEqual(answer.number("time"), 1.0)

    def test_an_end_beyond_zero_is_met_from_a_negative_time(self):
        self.assertAlmostEqual(self.solve("conventions", 1, "-case", "ends").number("time"), 0.139, delta=1e-15)

    def test_negative_time_steps_lead_back_to_the_start(self):
        for answer in self.on_1_and_2_ranks("conventions", "-case", "backwards"):
            self.assertEqual(answer.number("time"), 0.0)
            self.assertAlmostEqual(answer.number("largest"), 1.0, delta=1e-5)
            self.assertLess(answer.number("steps"), 120)

    def test_the_norm_is_the_one_that_petsc_was_asked_for(self):
        self.assertNotIn("each by itself", self.solve("conventions", 1, "-ts_view").text)
        self.assertIn("each by itself", self.solve("conventions", 1, "-ts_adapt_wnormtype", "infinity", "-ts_view").text)

    def test_a_monitor_may_interpolate_before_the_first_step(self):
        self.solve("conventions", 1, "-case", "interpolate")

    def test_a_cost_integral_is_as_accurate_as_the_solution(self):
        for ranks, answer in enumerate(self.on_1_and_2_ranks("conventions", "-case", "cost"), start=1):
            self.assertAlmostEqual(answer.number("integral"), 2 * ranks * (1 - math.exp(-1)), delta=2e-6)

    def test_the_first_step_follows_the_dt_where_the_end_says_nothing(self):
        answer = self.solve("conventions", 1, "-case", "rest", "-ts_max_time", 1e12, "-ts_max_steps", 1)
        self.assertLessEqual(answer.number("time"), 0.125)

    def test_a_linear_right_side_may_fill_its_matrix_in_every_residual(self):
        for answer in self.on_1_and_2_ranks("conventions", "-case", "linear"):
            self.assertAlmostEqual(answer.number("largest"), math.exp(-1), delta=2e-6)

    def test_a_sum_that_is_differentiated_keeps_its_value_at_an_inconsistent_start(self):
        answer = self.solve("conventions", 1, "-case", "sum")
        self.assertAlmostEqual(answer.number("largest"), 0.75 * math.exp(-0.5), delta=2e-4)

    def test_residuals_that_are_schemes_of_their_own_need_a_fixed_step(self):
        for case, word in (("number", "TSGetStepNumber"), ("scheme", "TSGetTimeStep")):
            text = self.refused("-case", case)
            self.assertIn(word, text)
            self.assertIn("use -ts_adapt_type none", text)
        answer = self.solve("conventions", 1, "-case", "scheme", "-ts_adapt_type", "none")
        self.assertAlmostEqual(answer.number("largest"), 1.125**-8, delta=1e-6)

    def test_what_is_not_offered_is_refused_in_words(self):
        for case, words in (("second", "equations of first order"), ("nothing", "neither TSSetIFunction nor"),
                            ("stages", "has no stages")):
            self.assertIn(words, self.refused("-case", case))


class Options(Case):
    def test_an_option_without_effect_is_reported(self):
        answer = self.solve("two_matrices", 1, "-ksp_type", "spigmr", "-ksp_rtol", 1e-3, "-ts_adapt_dt_min", 1e-9)
        for name in ("-ksp_rtol", "-ts_adapt_dt_min"):
            self.assertIn(f"option {name} has no effect", answer.errors)
        self.assertNotIn("no effect", self.solve("two_matrices", 1).errors)

    def test_the_integrators_own_gmres_may_be_named(self):
        answer = self.solve("two_matrices", 1, "-ksp_type", "spigmr", "-pc_type", "ilu", "-ts_view")
        self.assertIn("linear solver spigmr with ilu", answer.text)

    def test_a_long_list_of_variables_is_read_to_its_end(self):
        answer = run([BUILD / "tests/ts/ts_two_matrices"], 1, "-ts_rhumb_algebraic", "0," * 1500 + "64")
        self.assertIn("there is no variable 64", answer.errors)


@unittest.skipUnless(folder_of_petsc4py(), "petsc4py is not installed (Debian: python3-petsc4py-real)")
class Petsc4py(unittest.TestCase):
    def test_a_python_program_gets_the_type_by_options(self):
        for ranks in (1, 2):
            answer = run([sys.executable, pathlib.Path(__file__).with_name("brusselator.py")], ranks,
                         environment={"PYTHONPATH": str(folder_of_petsc4py()), **driver.environment_of_strangers()})
            self.assertEqual(answer.code, 0, answer.text + answer.errors)
            self.assertIn("type rhumb", answer.text)
            # by the classical Runge-Kutta method with 100,000 steps
            for value, truth in zip(answer.numbers("u"), (0.4986370712683478, 4.596780349452011)):
                self.assertAlmostEqual(value, truth, delta=1e-5)


if __name__ == "__main__":
    unittest.main()
