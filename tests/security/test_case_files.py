"""Case files that try to do more than describe a run: refused, and nothing happens."""

import os
import pathlib
import tempfile
import unittest

import driver

FAULTY = driver.BUILD / "tests" / "failure" / "faulty-decay"
VIEWERS = ("mat_view", "dm_view", "is_view", "section_view", "ksp_view_rhs", "vec_view", "pc_view", "dae_ksp_view_rhs",
           "dae_ksp_view", "dae_mat_view", "dae_pc_view", "dae_sub_mat_view")
WRITERS = ("citations", "log_view", "malloc_dump", "ksp_monitor", "dae_ksp_monitor", "log_trace", "history", "info",
           "options_view", "memory_view")


class Hostile(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.case = self.folder / "case.yaml"

    def run_case(self, text, *words, **more):
        """The run's folder is inside; what else appears there is a harm done."""
        self.case.write_text(text)
        return driver.run(more.pop("app", FAULTY), self.case, *words, out=self.folder / "out", where=self.folder, **more)

    def refused(self, text, *words, says="", **more):
        done = self.run_case(text, *words, **more)
        self.assertEqual(done.code, 2, done.errors)
        self.assertIn(says, done.errors)
        self.assertEqual(sorted(os.listdir(self.folder)), ["case.yaml"], text)
        return done

    def test_a_viewer_starts_no_program(self):
        for name in VIEWERS:
            for words in (("-check",), ()):
                self.refused(f'{name}: "binary:x;id>PWNED;.gz"\n', *words, says=f"case.yaml:1:{len(name) + 3}")

    def test_a_viewer_starts_no_program_of_the_real_drivers(self):
        for app, base in (("rhumb-heat", "n: 4,4\nk: 1\n"), ("rhumb-dae", "problem: robertson\n")):
            for name in VIEWERS:
                self.refused(f'{base}{name}: "binary:x;id>PWNED;.gz"\n', "-check", app=app, says=f"-{name}")

    def test_nothing_is_written_by_petscs_logs_and_monitors(self):
        for name in WRITERS:
            self.refused(f"{name}: {self.folder}/harm\n", says=f"-{name}")
            self.refused(f"{name}: ascii:{self.folder}/harm\n", says=f"-{name}")

    def test_two_ranks_refuse_together(self):
        done = self.refused('mat_view: "binary:x;id>PWNED;.gz"\n', ranks=2, says="-mat_view")
        self.assertEqual(done.errors.count("not known here"), 1)

    def test_options_files_are_not_read(self):
        other = self.folder / "case.yaml"
        self.refused(f"options_file: {other}\n", says="-options_file")
        self.refused(f"options_file_yaml: {other}\n", says="-options_file_yaml")
        self.refused(f"$$x: !include {other}\n", says="the tag !include")

    def test_the_runs_folder_is_the_users_choice(self):
        for name in ("out", "restart", "OUT"):
            self.refused(f"{name}: {self.folder}/harm\n", says=f"{name} comes from the command line only")

    def test_a_solvers_value_is_checked(self):
        self.refused("dae: {pc_type: 'ilu;id>PWNED'}\n", says="in a case file one of")
        self.refused("dae: {pc_type: eisenstat}\n", says="in a case file one of")
        self.refused("dae: {ksp: {max_it: '20;'}}\n", says="a count")

    def test_solver_options_of_a_case_file_reach_petsc(self):
        done = self.run_case("dae: {pc_type: bjacobi, sub_pc_type: ilu, sub_pc_factor_levels: 1, ksp_type: bcgs}\n")
        self.assertEqual(done.code, 0, done.errors)
        self.assertIn("bcgs with bjacobi", done.output)
        self.assertEqual(done.summary["options"]["dae_sub_pc_factor_levels"], "1")

    def test_the_command_line_wins_over_a_case_files_solver_options(self):
        done = self.run_case("dae: {pc_type: bjacobi, ksp_type: bcgs}\n", "-dae_ksp_type", "gmres")
        self.assertEqual(done.code, 0, done.errors)
        self.assertIn("gmres with bjacobi", done.output)

    def test_a_solver_option_that_is_never_read_is_refused(self):
        done = self.run_case("dae: {pc_type: bjacobi, pc_gamg_agg_nsmooths: 1}\n")
        self.assertEqual(done.code, 2, done.errors)
        self.assertIn("-dae_pc_gamg_agg_nsmooths", done.errors)

    def test_a_key_given_twice_is_refused(self):
        self.refused("unknowns: 8\nunknowns: 9\n", says="case.yaml:2:11: unknowns is given twice")
        self.refused("dae: {pc_type: ilu}\ndae_pc_type: lu\n", says="given twice")


class Surroundings(unittest.TestCase):
    """What lies in the working directory is not heeded; what the user's shell says is."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def run_here(self, *words, **more):
        return driver.run(FAULTY, *words, where=self.folder, **more)

    def test_petscrc_is_not_heeded_in_the_working_directory_nor_at_home(self):
        for name in (".petscrc", "petscrc"):
            (self.folder / name).write_text('-unknowns 9\n-mat_view "binary:x;id>PWNED;.gz"\n')
        done = self.run_here(environment={"HOME": str(self.folder)}, ranks=2)
        self.assertEqual(done.code, 0, done.errors)
        self.assertNotEqual(done.summary["options"]["unknowns"], 9)
        self.assertEqual(sorted(os.listdir(self.folder)), [".petscrc", "petscrc"])

    def test_petsc_options_of_the_environment_win_over_the_case_file_and_lose_to_the_command_line(self):
        (self.folder / "case.yaml").write_text("unknowns: 4\ndae: {rtol: 1e-3, atol: 1e-3, ksp_type: bcgs}\n")
        words = {"PETSC_OPTIONS": "-dae_rtol 1e-4 -dae_atol 1e-4 -dae_ksp_type tfqmr",
                 "PETSC_OPTIONS_YAML": "unknowns: 77"}
        done = self.run_here("case.yaml", "-dae_atol", "1e-5", "-dae_pc_type", "bjacobi", environment=words)
        self.assertEqual(done.code, 0, done.errors)
        options = done.summary["options"]
        self.assertEqual([options[name] for name in ("unknowns", "dae_rtol", "dae_atol")], [4, 1e-4, 1e-5])
        self.assertIn("tfqmr with bjacobi", done.output)

    def test_options_files_are_refused_before_petsc_reads_them(self):
        itself = self.folder / "itself"
        itself.write_text(f"-options_file {itself}\n")
        for name in ("-options_file", "-options_file_yaml", "-OPTIONS_FILE"):
            for file in (itself, self.folder / "missing"):
                done = self.run_here(name, file, ranks=2)
                self.assertEqual(done.code, 2, done.errors)
                self.assertEqual(done.errors.count(f"{name}: files of PETSc's options are not read"), 1, done.errors)
        done = self.run_here(environment={"PETSC_OPTIONS": f"-options_file {itself}"})
        self.assertEqual(done.code, 2, done.errors)

    def test_of_an_option_given_twice_the_last_counts_and_is_named(self):
        done = self.run_here("-unknowns", "8", "-dae_rtol", "1e-3", "-unknowns", "9", ranks=2)
        self.assertEqual(done.code, 0, done.errors)
        self.assertEqual(done.errors.count("option -unknowns is given twice; the last counts: 9, not 8"), 1, done.errors)
        self.assertEqual(done.summary["options"]["unknowns"], 9)


if __name__ == "__main__":
    unittest.main()
