"""A continued run is the same problem, and one that was killed at its very end can be concluded."""

import json
import shutil
import unittest

import driver
from scratch import FAULTY, Scratch


class RunHere(Scratch):
    def run_here(self, *words, code=0, **more):
        done = driver.run(*words, out=self.out, **more)
        self.assertEqual(done.code, code, done.errors)
        return done


class Concluded(RunHere):
    """The summary and the index are missing, as after a kill behind the last checkpoint."""

    def concluded(self, *words, ranks=None):
        whole = self.run_here(*words, "-checkpoint_dt", 0.1, ranks=ranks)
        before = whole.summary
        kept = {name: (self.out / name).read_bytes() for name in ("steps.csv", "series.h5", "series.xdmf")}
        snapshots = {file: file.read_bytes() for file in (self.out / "snapshots").iterdir()}
        for name in ("run.json", "series.h5", "series.xdmf"):
            (self.out / name).unlink()
        after = self.run_here(*words, "-checkpoint_dt", 0.1, "-restart", self.out, ranks=ranks)
        for key in ("reason", "t", "steps", "residual_evals", "events", "state"):
            self.assertEqual(after.summary.get(key), before.get(key), key)
        for name, data in kept.items():
            self.assertEqual((self.out / name).read_bytes(), data, name)
        self.assertEqual({file: file.read_bytes() for file in (self.out / "snapshots").iterdir()}, snapshots)

    def test_a_run_that_had_reached_its_end(self):
        self.concluded(FAULTY, "-out_dt", 0.25)
        shutil.rmtree(self.out)
        self.concluded(FAULTY, "-out_dt", 0.25, ranks=2)

    def test_a_run_that_an_event_had_ended(self):
        self.concluded(FAULTY, "-out_dt", 0.25, "-stop_time", 0.3)

    def test_a_ball_with_many_events(self):
        self.concluded("rhumb-dae", "-problem", "bounce", "-out_dt", 0.5)

    def test_a_checkpoint_beyond_the_end_is_refused_still(self):
        self.run_here(FAULTY, "-checkpoint_dt", 0.1)
        done = self.run_here(FAULTY, "-t_end", 0.5, "-restart", self.out, code=2)
        self.assertIn("beyond -t_end 0.5", done.errors)


class OtherPhysics(RunHere):
    def test_options_of_the_problem_are_compared(self):
        cut = ("rhumb-heat", "-problem", "plate", "-n", "8,8", "-t_end", "0.1", "-k", "1 + 0.002*(T-300)")
        self.run_here(*cut, "-dae_max_steps", 5, code=3)
        before = {file: file.read_bytes() for file in self.out.rglob("*") if file.is_file()}
        done = self.run_here(*cut[:-1], "5", "-restart", self.out, code=2)
        self.assertIn("-k was 1 + 0.002*(T-300), is 5", done.errors)
        self.assertIn("-restart_with_changes", done.errors)
        self.assertEqual({file: file.read_bytes() for file in self.out.rglob("*") if file.is_file()}, before,
                         "the folder stays as it was")
        done = self.run_here(*cut[:-1], "5", "-restart", self.out, "-restart_with_changes")
        self.assertIn("changed: -k was 1 + 0.002*(T-300), is 5", done.output)

    def test_small_systems_too(self):
        self.run_here("rhumb-dae", "-problem", "sieber1", "-c", 100, "-dae_max_steps", 10, code=3)
        done = self.run_here("rhumb-dae", "-problem", "sieber1", "-c", 200, "-restart", self.out, code=2)
        self.assertIn("-c was 100, is 200", done.errors)

    def test_a_changed_problem_starts_anew_from_the_state_that_was_reached(self):
        self.run_here("rhumb-dae", "-problem", "bounce", "-restitution", 0.5, "-dae_max_steps", 30, code=3)
        done = self.run_here("rhumb-dae", "-problem", "bounce", "-restitution", 0.6, "-restart", self.out,
                             "-restart_with_changes")
        self.assertIn("-restitution was 0.5, is 0.6", done.output)

    def test_a_changed_problem_whose_state_is_beyond_the_end_is_refused(self):
        # The last step went beyond 1: an unchanged problem has 1.0001 in it, a changed one has not.
        robertson = ("rhumb-dae", "-problem", "robertson")
        self.run_here(*robertson, "-t_end", 1, "-checkpoint_dt", 0.5)
        on = ("-t_end", 1.0001, "-restart", self.out)
        there = self.run_here(*robertson, "-k1", 0.05, *on, "-restart_with_changes", code=2)
        self.assertIn("beyond -t_end 1.0001, and a changed problem goes on from there", there.errors)
        self.run_here(*robertson, *on)

    def test_what_is_written_and_how_it_is_solved_may_change(self):
        self.run_here("rhumb-heat", "apps/heat/exact.yaml", "-n", "8,8", "-dae_max_steps", 10, code=3)
        again = driver.SOURCE / "apps" / "heat" / "exact.yaml"  # the same case by another name
        self.run_here("rhumb-heat", again, "-n", "8,8", "-restart", self.out, "-t_end", 0.2, "-out_dt", 0.05, "-dae_rtol",
                      1e-4, "-dae_atol", 1e-6, "-dae_max_order", 3, "-dae_ksp_type", "gmres", "-dae_pc_type", "bjacobi",
                      "-wall_limit", 1000, "-checkpoint_dt", 0.1, "-quiet")


if __name__ == "__main__":
    unittest.main()
