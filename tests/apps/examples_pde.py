"""PDEs of several fields from kernels, as docs/guide/own_pde.md shows them: right, on one rank and on two."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import tempfile
import termios
import unittest

import driver


def solve(name, *words, **more):
    run = driver.run(name, *words, **more)
    assert run.code == 0, run.errors
    return run


def results(name, *words, **more):
    return solve(name, *words, "-quiet", **more).summary["results"]


class GrayScott(unittest.TestCase):
    """Two fields, periodic."""

    def test_one_and_two_ranks_agree(self):
        one = results("gray_scott", "-t_end", 100)
        two = results("gray_scott", "-t_end", 100, ranks=2)
        self.assertAlmostEqual(one["v_mean"], 0.0082626, delta=2e-6)
        self.assertAlmostEqual(one["v_mean"], two["v_mean"], delta=2e-7)

    def test_the_seam_is_not_seen(self):
        # Moved by 25 cells the box ends beside the patch, which spreads over the seam.
        box = ("-lower", "-0.9765625,0", "-upper", "1.5234375,2.5")
        beside = results("gray_scott", "-t_end", 50, *box, "-n", "64x64")
        inside = results("gray_scott", "-t_end", 50, "-n", "64x64")
        self.assertAlmostEqual(beside["v_mean"], inside["v_mean"], delta=1e-4 * inside["v_mean"])


class Factorizations(unittest.TestCase):
    def test_lu_is_umfpack_on_one_rank_and_mumps_on_two(self):
        words = ("-n", "40,40", "-t_end", 1, "-dae_pc_type", "lu")
        one, two = solve("gray_scott", *words), solve("gray_scott", *words, ranks=2)
        self.assertIn("direct (lu by umfpack)", one.output)
        self.assertIn("direct (lu by mumps)", two.output)
        self.assertAlmostEqual(one.summary["results"]["v_mean"], two.summary["results"]["v_mean"], delta=1e-7)

    def test_umfpack_knows_the_matrix_of_a_grid_for_symmetric(self):
        # For unsymmetric ones, as it had it with long steps, its factors were thirty times as dear.
        words = ("-n", "40,40", "-t_end", 1, "-quiet", "-dae_pc_type", "lu", "-dae_ksp_view")
        self.assertIn("Control[UMFPACK_STRATEGY]: 3.", solve("gray_scott", *words).output)
        self.assertIn("Control[UMFPACK_STRATEGY]: 0.",
                      solve("gray_scott", *words, "-dae_mat_umfpack_strategy", "AUTO").output)

    def test_ilu_on_two_ranks_is_block_ilu(self):
        for words in (("-dae_pc_type", "ilu"), ("-dae_pc_type", "ilu", "-dae_pc_factor_levels", 2)):
            run = solve("gray_scott", "-n", "40,40", "-t_end", 1, *words, ranks=2)
            self.assertIn("with bjacobi", run.output)

    def test_the_solver_is_shown_whatever_it_is(self):
        direct = solve("gray_scott", "-n", "10,10", "-t_end", 1, "-quiet", "-dae_ksp_view", "-dae_ksp_monitor")
        self.assertEqual(direct.output.count("type: lu"), 1, direct.output)
        krylov = solve("gray_scott", "-t_end", 1, "-quiet", "-dae_ksp_view", "-dae_ksp_monitor")
        self.assertEqual(krylov.output.count("KSP Object: (dae_) 1 MPI"), 1)
        self.assertIn("type: mg", krylov.output)
        self.assertIn("1 KSP Residual norm", krylov.output)


class CahnHilliard(unittest.TestCase):
    """A field without a derivative in time."""

    def test_the_mean_stays_and_the_phases_part(self):
        for ranks in (1, 2):
            run = solve("cahn_hilliard", "-n", "48,48", "-t_end", 0.02, ranks=ranks)
            found = run.summary["results"]
            self.assertAlmostEqual(found["c_mean"], 0.0, delta=1e-6)
            self.assertAlmostEqual(found["c_largest"], 1.0, delta=0.05)
            self.assertIn("with ilu" if ranks == 1 else "with bjacobi", run.output)


class PredatorPrey(unittest.TestCase):
    """Fields that may not be negative, Robin sides."""

    def test_nothing_becomes_negative(self):
        self.assertGreater(results("predator_prey", "-t_end", 5)["least_value"], -1e-9)

    def test_without_exchange_both_live_at_one_half(self):
        self.assertAlmostEqual(results("predator_prey", "-exchange", 0)["left_prey"], 0.5, delta=1e-6)

    def test_strong_exchange_holds_the_value_outside(self):
        self.assertAlmostEqual(results("predator_prey", "-exchange", 1e6)["left_prey"], 0.2, delta=1e-5)

    def test_robin_sides_are_of_second_order(self):
        ends = [results("predator_prey", "-n", n, "-dae_rtol", 1e-8, "-dae_atol", 1e-11)["left_prey"]
                for n in (40, 80, 160)]
        self.assertAlmostEqual((ends[0] - ends[1]) / (ends[1] - ends[2]), 4.0, delta=0.4)


class WrongKernels(unittest.TestCase):
    """One sentence at compile time."""

    FRAME = """#include <algorithm>
        #include <rhumb/pde/box/kernel_calls.hpp>
        using namespace rhumb::box;
        double f(const Stencil<double, 2, 1>& u) { return %s; }"""
    OF_DUALS = FRAME.replace("double", "rhumb::core::Dual<6>")
    WEAK = """#include <rhumb/pde/fem/weak_system.hpp>
        using namespace rhumb::fem;
        double f(const State<double, 2, 2>& u) { return %s; }"""
    # What the base calls, without the rest of a program.
    TERMS = """#include <rhumb/pde/fem/weak_system.hpp>
        using namespace rhumb;
        struct Two : fem::WeakSystem<Two, 2, 2> {
          using WeakSystem::assemble;
          double initial(int, const fem::Position&) const { return 0.0; }
          template <class S>
          fem::Terms<S, 2, 2> cell(const fem::State<S, 2, 2>& u, const fem::QuadraturePoint&) const {
            return {.source = {u.rate[0], u.rate[1]}};
          }
          %s
        };
        void f(Two& two, double* out) { two.assemble(0.0, out); }"""

    def errors(self, expression, frame=FRAME):
        commands = (driver.BUILD / "compile_commands.json").read_text()
        include = set(re.findall(r"-(?:I|isystem) ?\S+include\S*|-I\S+/src\b", commands))
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "wrong.cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.write(frame % expression)
            command = ["g++", "-std=c++20", "-O1", "-c", source, "-o", os.path.join(folder, "wrong.o")]
            done = subprocess.run(command + " ".join(sorted(include)).split(), capture_output=True, text=True)
        return done.stderr

    def test_a_good_one_compiles(self):
        self.assertEqual(self.errors("laplacian(u, 1) + u[0]"), "")

    def test_a_field_that_is_not_there(self):
        for expression in ("laplacian(u, 2)", "u[2]", "gradient(u, 0, 2)"):
            self.assertIn("this field index is not below the number of fields", self.errors(expression))

    def first_error(self, *words):
        return next(line for line in self.errors(*words).splitlines() if "error:" in line)

    def test_a_function_of_std_where_the_argument_is_a_field(self):
        for expression in ("std::exp(u[0])", "std::pow(u[0], 2)", "std::pow(2, u[0])", "std::hypot(u[0], u[1])"):
            self.assertRegex(self.first_error(expression, self.OF_DUALS), r"in a kernel \w+\(\) stands without std::")

    def test_using_a_function_of_std_is_no_such_error(self):
        text = """[&] { using std::exp; using std::pow; using std::abs; using std::max;
          return exp(u[0]) + pow(u[0], 2) + pow(2, u[0]) + pow(u[0], u[1]) + abs(u[0]) + max(u[0], 0.0) + max(0.0, u[1]); }()"""
        for frame in (self.FRAME, self.OF_DUALS):
            self.assertEqual(self.errors(text, frame), "")

    def test_a_component_of_a_weak_form_that_is_not_there(self):
        self.assertEqual(self.errors("u.value[1] + u.gradient[1][0]", self.WEAK), "")
        for expression in ("u.value[2]", "u.rate[-1]", "u.gradient[2][0]"):
            self.assertIn("this component's index is not below the number of components",
                          self.errors(expression, self.WEAK))

    def test_terms_of_a_weak_form_for_another_number_of_components(self):
        facet = """template <class S> fem::Terms<S, 2, %d> facet(const fem::State<S, 2, %d>&, const fem::QuadraturePoint&)
          const { return {}; }"""
        self.assertEqual(self.errors(facet % (2, 2), self.TERMS), "")
        self.assertIn("facet<S>(const State<S, D, C>&, const QuadraturePoint&): this one has other arguments",
                      self.first_error(facet % (1, 1), self.TERMS))
        cell = "} template <class S> fem::Terms<S, 2, 1> cell(const fem::State<S, 2, 1>& u"
        self.assertIn("cell<S>(const State<S, D, C>&, const QuadraturePoint&): no such function",
                      self.first_error("", self.TERMS.replace("fem::Terms<S, 2, 2> cell(const fem::State<S, 2, 2>& u",
                                                              cell[cell.index("fem"):]).replace(", u.rate[1]", "")))

    def test_another_number_of_values_than_fields(self):
        text = self.errors("(detail::as_array<double, 2>(std::array{u[0], u[1], u[0]}))[0]")
        self.assertIn("return one value per field", text)
        text = self.errors("(detail::as_array<double, 2>(u[0]))[0]")
        self.assertIn("return a std::array with one value per field", text)


class Progress(unittest.TestCase):
    """The line on the terminal."""

    WORDS = ("-n", "128,128", "-t_end", "300", "-out", "none")

    def on_terminal(self, columns):
        here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([driver.path("gray_scott"), *self.WORDS], stdout=there, stdin=subprocess.DEVNULL)
        os.close(there)
        text = b""
        try:
            while chunk := os.read(here, 4096):
                text += chunk
        except OSError:  # the end of a terminal
            pass
        process.wait()
        os.close(here)
        return [line.split("\r")[0] for line in text.decode().split("\r\x1b[2K")[1:]]

    def test_it_is_never_wider_than_the_terminal(self):
        for columns in (20, 60, 80, 100):
            lines = self.on_terminal(columns)
            self.assertGreater(len(lines), 0)
            self.assertLess(max(map(len, lines)), columns)
            self.assertTrue(all(line.startswith("t ") for line in lines))
            if columns >= 60:
                self.assertTrue(all("left" in line for line in lines))

    def test_through_mpirun_into_a_pipe_lines_are_plain(self):
        run = driver.run("gray_scott", *self.WORDS[:4], "-progress_dt", 0.1, ranks=2)
        self.assertNotIn("\r", run.output)
        self.assertNotIn("\x1b", run.output)
        self.assertRegex(run.output, r"\nt [0-9.]+ \([0-9.]+ %\)  step \d+ .* left \S+.*\n")


if __name__ == "__main__":
    unittest.main(warnings="ignore")
