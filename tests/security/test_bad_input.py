"""Input that cannot be used ends with exit code 2 and says why; none of it is a crash, a hang or a "bug"."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import driver

FAULTY = driver.BUILD / "tests" / "failure" / "faulty-decay"
HEAT = ("rhumb-heat", "apps/heat/exact.yaml", "-n", "8,8", "-t_end", "0.01")


class BadInput(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def refused(self, app, *words, says, **more):
        done = driver.run(app, *words, timeout=60, **more)
        self.assertEqual(done.code, 2, done.errors)
        self.assertIn(says, done.errors)

    def strange_files(self):
        """What is no regular file, or too large: kind and name."""
        fifo, huge = self.folder / "fifo", self.folder / "huge"
        os.mkfifo(fifo)
        huge.touch()
        os.truncate(huge, 1 << 40)
        return (("is no regular file", fifo), ("is no regular file", "/dev/zero"), ("is a folder", self.folder),
                ("too large for", huge))

    def test_case_files_meshes_mechanisms_and_netlists_are_regular_files_of_their_size(self):
        for says, file in self.strange_files():
            with self.subTest(file=file):
                self.refused(FAULTY, file, says=says)
                self.refused("rhumb-heat", "-mesh", file, "-check", says=says)
                self.refused("rhumb-ignite", "-problem", "delay", "-mechanism", file, "-check", says=says)
                self.refused("rhumb-dae", "-problem", "circuit", "-netlist", file, "-check", says=says)

    def test_a_grid_that_does_not_fit_is_refused_with_the_figure(self):
        self.refused("rhumb-heat", "apps/heat/square.yaml", "-n", "100000,100000", "-check",
                     says="1e+10 unknowns are more than PETSc's indices can count")
        self.refused("rhumb-heat", "apps/heat/square.yaml", "-n", "1e9,1e9", "-check", says="-n: box 1000000000 x 1000000000")
        self.refused("rhumb-heat", "apps/heat/square.yaml", "-n", "4294967298,8", "-check", says="out of range")
        self.refused("rhumb-flow", "-problem", "cavity", "-n", "100000,100000", "-check", says="unknowns are more than")

    def test_a_grid_larger_than_the_memory_is_refused_before_it_is_allocated(self):
        command = f"ulimit -v 2000000; exec '{driver.path('rhumb-heat')}' apps/heat/square.yaml -n 4000,4000 -check"
        done = subprocess.run(["bash", "-c", command], cwd=driver.SOURCE, capture_output=True, text=True,
                              timeout=60 * driver.PATIENCE)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"1\.6e\+07 unknowns need 2\.8\d* GiB of memory at least, and there are 1\.91 GiB for 1 rank")

    def test_more_ranks_than_cells_are_refused(self):
        self.refused("rhumb-flow", "-problem", "cavity", "-n", "3,3", ranks=12, says="cannot be shared among 12 ranks")

    def test_a_tolerance_that_is_no_number_is_refused(self):
        self.refused("rhumb-dae", "-problem", "robertson", "-dae_rtol", "true", says="-dae_rtol true: a number is wanted")

    def test_preconditioners_that_cannot_be_used_are_refused(self):
        for name in ("eisenstat", "composite", "exotic", "galerkin", "vpbjacobi", "fieldsplit", "shell", "lsc"):
            with self.subTest(name=name):
                self.refused(*HEAT, "-dae_pc_type", name, says="")
        self.refused("rhumb-dae", "-problem", "robertson", "-dae_pc_type", "eisenstat", says="nearest: sor")
        # Chebyshev's method gives values that are none, which a factorization further inside rejects.
        self.refused("rhumb-flow", "-n", "6,6", "-t_end", "0.01", "-dae_ksp_type", "chebyshev", "-dae_check_jacobian", says="")

    def test_a_log_that_cannot_be_opened_is_refused_at_the_start(self):
        self.refused(FAULTY, "-log_trace", "/nowhere/log", says="PETSc cannot start with these options")
        for ranks in (None, 2):
            self.refused(FAULTY, "-log_view", ":/nowhere/log", ranks=ranks, says="/nowhere/log cannot be written")

    def test_a_log_does_not_change_the_exit_code_of_a_good_run(self):
        for words in (("-log_view",), ("-log_view", f":{self.folder}/log"), ("-memory_view",), ("-log_view", ":/dev/full")):
            for ranks in (None, 2):
                done = driver.run(FAULTY, *words, ranks=ranks)
                self.assertEqual(done.code, 0, done.errors)


class Meshes(unittest.TestCase):
    """Every line of $PhysicalNames: two numbers and a name in quotes, one blank before it."""

    def test_a_line_of_physical_names_that_petsc_would_crash_on_is_refused(self):
        text = (driver.SOURCE / "meshes" / "square.msh").read_text()
        with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
            file = pathlib.Path(folder) / "bad.msh"
            for line in ('1 1"bottom"', '1 1 x "bottom"', '1 1 1"bottom"', '11 "bottom"', '1 1 "bottom', '1 1 bottom',
                         '1 1  "bottom"', '1 1 \t"bottom"'):
                with self.subTest(line=line):
                    self.assertIn('\n1 1 "bottom"\n', text)
                    file.write_text(text.replace('\n1 1 "bottom"\n', f"\n{line}\n"))
                    done = driver.run("rhumb-heat", "apps/heat/square_mesh.yaml", "-mesh", file, "-check")
                    self.assertEqual(done.code, 2, done.errors)
                    self.assertIn("line 6", done.errors)


if __name__ == "__main__":
    unittest.main()
