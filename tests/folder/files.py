"""What a run may touch: only what runs have written, and only one run at a time."""

import signal
import socket
import subprocess
import time
import unittest

import h5py

import driver
from scratch import FAULTY, Scratch


class RunHere(Scratch):
    def run_here(self, *words, code=0, **more):
        done = driver.run(FAULTY, *words, **{"out": self.out, **more})
        self.assertEqual(done.code, code, done.errors)
        return done


class Lock(RunHere):
    def started(self):
        process = subprocess.Popen([str(FAULTY), "-pause", "0.5", "-out", str(self.out), "-quiet"], stdin=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while process.poll() is None and not (self.out / "steps.csv").exists():
            time.sleep(0.01)
        return process

    def test_a_second_run_in_the_folder_is_refused_and_the_first_goes_on(self):
        first = self.started()
        for ranks in (None, 2):
            done = self.run_here(code=4, ranks=ranks)
            self.assertIn(f"in use by process {first.pid} on {socket.gethostname()}", done.errors)
        self.assertIsNone(first.poll())
        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(timeout=60 * driver.PATIENCE), 5)
        self.assertFalse((self.out / "run.lock").exists())

    def test_the_lock_of_a_killed_run_is_taken_over(self):
        first = self.started()
        first.kill()
        first.wait()
        self.assertIn(f"process {first.pid}", (self.out / "run.lock").read_text())
        self.run_here()
        self.assertFalse((self.out / "run.lock").exists())

    def test_the_lock_of_another_host_is_refused_with_the_way_out(self):
        self.out.mkdir()
        (self.out / "run.lock").write_text("host node17 process 4711\n")
        done = self.run_here(code=4)
        self.assertIn("in use by process 4711 on node17", done.errors)
        self.assertIn("remove that file", done.errors)
        (self.out / "run.lock").unlink()
        self.run_here()

    def test_a_lock_that_is_a_link_or_no_text_of_ours(self):
        self.out.mkdir()
        target = self.folder / "target"
        target.write_text("precious")
        (self.out / "run.lock").symlink_to(target)
        self.run_here(code=4)
        self.assertEqual(target.read_text(), "precious")
        (self.out / "run.lock").unlink()
        (self.out / "run.lock").write_bytes(b"\xff" * 3000)
        self.run_here()


class Others(RunHere):
    def test_files_that_no_run_wrote_are_never_deleted(self):
        self.run_here("-checkpoint_dt", 0.1, "-out_dt", 0.1)
        mine = {}
        for name in ("snapshots/20240101.h5", "snapshots/notes.h5", "snapshots/12.h5", "snapshots/a.tmp",
                     "checkpoints/my_best_state.h5", "checkpoints/20240101.h5", "checkpoints/5.h5.tmp", "thesis.tex"):
            mine[self.out / name] = name.encode()
            (self.out / name).write_bytes(name.encode())
        copy = self.out / "checkpoints" / "my_copy.h5"
        mine[copy] = max((self.out / "checkpoints").glob("0*.h5")).read_bytes()
        copy.write_bytes(mine[copy])
        self.run_here("-checkpoint_dt", 0.2)
        self.assertEqual({file: file.read_bytes() for file in mine}, mine)
        self.assertEqual(len(list((self.out / "snapshots").glob("00*.h5"))), 2, "those of the earlier run are replaced")
        self.assertEqual(len(list((self.out / "checkpoints").glob("00*.h5"))), 2)

    def test_a_file_in_the_way_is_named_and_kept(self):
        (self.out / "snapshots").mkdir(parents=True)
        with h5py.File(self.out / "snapshots" / "000001.h5", "w") as stored:
            stored["measured"] = [1.0, 2.0]
        before = (self.out / "snapshots" / "000001.h5").read_bytes()
        done = self.run_here(code=4)
        self.assertIn("snapshots/000001.h5", done.errors)
        self.assertEqual((self.out / "snapshots" / "000001.h5").read_bytes(), before)
        (self.out / "snapshots" / "000001.h5").unlink()
        steps = self.run_here("-dae_max_steps", 10, code=3)
        (self.out / "checkpoints" / "000000010.h5").write_text("mine")
        self.assertEqual(steps.summary["steps"], 10)
        done = driver.run(FAULTY, "-dae_max_steps", 10, out=self.out)
        self.assertIn("000000010.h5", done.errors)
        self.assertEqual((self.out / "checkpoints" / "000000010.h5").read_text(), "mine")

    def test_files_of_others_with_the_names_of_a_run_are_kept(self):
        self.out.mkdir()
        for name in ("run.json", "steps.csv", "series.h5", "series.xdmf"):
            with self.subTest(name=name):
                (self.out / name).write_text("a,b,c\n1,2,3\n")
                done = self.run_here(code=4)
                self.assertIn(name, done.errors)
                self.assertEqual((self.out / name).read_text(), "a,b,c\n1,2,3\n")
                (self.out / name).unlink()
        self.run_here()
        self.run_here()

    def test_links_with_the_names_of_drafts_are_not_followed(self):
        target = self.folder / "target"
        names = ("snapshots/000000.h5.tmp", "snapshots/000001.h5.tmp", "series.h5.tmp", "series.xdmf.tmp", "run.json.tmp",
                 "steps.csv.tmp", "steps.csv", "run.json", "series.h5", "checkpoints/000000010.h5.tmp")
        for name in names:
            with self.subTest(name=name):
                target.write_text("precious")
                link = self.out / name
                link.parent.mkdir(parents=True, exist_ok=True)
                link.unlink(missing_ok=True)
                link.symlink_to(target)
                done = driver.run(FAULTY, "-dae_max_steps", 10, out=self.out)
                self.assertIn(done.code, (3, 4), done.errors)  # a link in place of a finished file is refused
                self.assertEqual(target.read_text(), "precious")
                link.unlink(missing_ok=True)

    def test_folders_with_strange_names_work(self):
        for name in ("two\nlines", "a b", "quote'\"", "bl\\ah", "deep/er"):
            with self.subTest(name=name):
                out = self.folder / name
                self.run_here("-dae_max_steps", 10, out=out, code=3)
                done = self.run_here("-restart", out, out=out)
                self.assertEqual(done.summary["t"], 1.0)

    def test_a_name_that_cannot_be_in_a_file_is_refused_at_once(self):
        netlist = self.folder / "net.txt"
        netlist.write_text("V1 a/b 0 dc 1\nR1 a/b 0 1\n")
        done = driver.run("rhumb-dae", "-problem", "circuit", "-netlist", netlist, out=self.out)
        self.assertEqual(done.code, 2, done.errors)
        self.assertIn("node_a/b", done.errors)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
