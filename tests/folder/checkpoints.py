"""Checkpoints whose seal is good and whose contents are not: refused with words and code 2 or 4, never a crash."""

import pathlib
import random
import shutil
import tempfile
import unittest

import h5py
import numpy

import driver
import seal

FAULTY = driver.BUILD / "tests" / "failure" / "faulty-decay"


class Scratch(unittest.TestCase):
    APP = (FAULTY,)

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.out = self.folder / "out"
        app, *words = self.APP
        done = driver.run(app, *words, "-dae_max_steps", 20, "-checkpoint_dt", 1e-9, out=self.out)
        self.assertEqual(done.code, 3, done.errors)
        self.older, self.newer = sorted((self.out / "checkpoints").glob("*.h5"))

    def restart(self, place):
        app, *words = self.APP
        return driver.run(app, *words, "-restart", place, out=self.folder / "after", timeout=60)

    def changed(self, change):
        """A copy of the newest checkpoint, changed and sealed again."""
        file = self.folder / "changed.h5"
        shutil.copy(self.newer, file)
        with seal.opened(file) as stored:
            change(stored)
        return file

    def refused(self, change, says, codes=(2, 4)):
        file = self.changed(change)
        done = self.restart(file)
        self.assertIn(done.code, codes, done.errors)
        self.assertIn(says, done.errors)
        self.assertIn("changed.h5", done.errors)

    def number(self, name, value, says=None):
        def change(stored):
            stored["numbers"].attrs[name] = value

        with self.subTest(number=name, value=value):
            self.refused(change, says or name, codes=(4,))


class Contents(Scratch):
    def test_a_seal_made_here_holds(self):
        self.assertEqual(self.restart(self.changed(lambda stored: None)).code, 0)

    def test_numbers_that_no_run_could_have_had(self):
        for name in ("order", "order_used"):
            for value in (100.0, 0.0, -1.0, 6.0, 2.5, float("nan"), 1e300):
                self.number(name, value)
        for name, value in (("h", -1.0), ("h", float("inf")), ("committed", -1.0), ("step_0", float("nan")), ("step_3", -1.0),
                            ("starting", 2.0), ("count_newton", -3.0), ("count_newton", 1e300), ("steps_at_order", 1e12),
                            ("newton_extra", -1.0), ("matrix_ready", 7.0), ("newton_alpha", float("nan"))):
            self.number(name, value)

    def test_numbers_of_the_run(self):
        for value in (-5.0, 1.5, float("nan"), 1e300):
            self.number("run.next_snapshot", value, "next snapshot")
        self.number("run.served_through", 1e9, "up to t = 1e+09")
        self.number("run.served_through", float("nan"), "up to t = nan")
        self.number("t", 1e5, "the last step goes")
        self.number("count_steps", 19.0, "its integrator's")

    def test_a_number_that_is_missing(self):
        def change(stored):
            del stored["numbers"].attrs["order"]
        self.refused(change, "no number 'order'", codes=(4,))

    def test_a_number_that_is_a_list_or_a_text(self):
        def long(stored):
            stored["numbers"].attrs["order"] = numpy.ones(1000)

        def text(stored):
            stored["numbers"].attrs["order"] = "three"

        self.refused(long, "order", codes=(4,))
        self.refused(text, "HDF5", codes=(4,))

    def test_vectors_of_other_lengths_kinds_and_values(self):
        def replaced(values):
            def change(stored):
                del stored["vectors/phi2"]
                stored["vectors/phi2"] = values
            return change

        self.refused(replaced(numpy.ones(7)), "phi2", codes=(4,))
        self.refused(replaced(numpy.ones((6, 1))), "phi2", codes=(4,))
        self.refused(replaced(numpy.ones(6, dtype="f4")), "phi2", codes=(4,))
        self.refused(lambda stored: stored["vectors/phi2"].write_direct(numpy.full(6, numpy.nan)), "phi2", codes=(2,))

        def elsewhere(stored):
            del stored["vectors/phi2"]
            stored.create_dataset("vectors/phi2", (6,), "f8", external=[("/etc/passwd", 0, 48)])

        self.refused(elsewhere, "phi2", codes=(4,))

    def test_a_memory_that_is_huge_or_elsewhere(self):
        def huge(stored):
            del stored["memory"]
            stored.create_dataset("memory", (1 << 40,), "f8", chunks=(1 << 20,))

        def elsewhere(stored):
            del stored["memory"]
            stored.create_dataset("memory", (4,), "f8", external=[("/etc/passwd", 0, 32)])

        self.refused(huge, "/memory", codes=(4,))
        self.refused(elsewhere, "/memory", codes=(4,))

    def test_a_folder_gives_way_to_the_older_checkpoint(self):
        with seal.opened(self.newer) as stored:
            stored["numbers"].attrs["order"] = 100.0
        done = self.restart(self.out)
        self.assertEqual(done.code, 0, done.errors)
        self.assertEqual(pathlib.Path(done.summary["restarted_from"]).name, self.older.name)
        self.assertIn("refused", done.output)
        self.assertIn("order", done.output)

    def test_damaged_hdf5_metadata_behind_a_good_seal(self):
        """Bytes of HDF5's own structure overwritten at random: whatever HDF5 makes of them, the run ends with words."""
        numbers = random.Random(7)
        good = self.newer.read_bytes()
        file = self.folder / "changed.h5"
        ends = set()
        for k in range(30):
            data = bytearray(good)
            for _ in range(numbers.choice((1, 1, 4, 30))):
                at = 4096 + numbers.randrange(min(len(data) - 4096, 16384))
                data[at] = numbers.choice((0, 255, numbers.randrange(256)))
            file.write_bytes(seal.sealed(bytes(data)))
            done = self.restart(file)
            ends.add(done.code)
            self.assertIn(done.code, (0, 2, 4), f"damage {k}: {done.errors}")  # 0: an option's text or unused room
        self.assertIn(4, ends)


class Memories(Scratch):
    """What problems remember beside y."""

    def with_memory(self, change):
        def replace(stored):
            values = change(stored["memory"][()])
            del stored["memory"]
            stored.create_dataset("memory", data=values, dtype="f8")
        self.refused(replace, "checkpoint")

    def longer_and_shorter(self):
        self.with_memory(lambda values: numpy.append(values, numpy.ones(100_000)))
        self.with_memory(lambda values: values[:-1])


class SmallProblem(Memories):
    APP = ("rhumb-dae", "-problem", "robertson")

    def test_a_memory_of_another_length(self):
        self.longer_and_shorter()


class Bounce(Memories):
    APP = ("rhumb-dae", "-problem", "bounce")

    def test_a_memory_of_another_length_or_count(self):
        self.longer_and_shorter()
        self.with_memory(lambda values: [1e300, 0.0])


class Heat(Memories):
    APP = ("rhumb-heat", "apps/heat/exact.yaml", "-n", "8,8")

    def test_a_memory_of_another_length_or_with_another_count_of_points(self):
        self.longer_and_shorter()
        for count in (1e6, -1.0, float("nan"), 2.5):
            def change(values, count=count):
                values[1] = count
                return values
            self.with_memory(change)


class MovingMesh(Memories):
    APP = ("rhumb-mesh", "-problem", "burgers")

    def test_a_memory_of_another_length_or_with_another_count(self):
        self.longer_and_shorter()
        for cells in (1e9, -3.0, 0.0, float("nan")):
            def change(values, cells=cells):
                values[0] = cells
                return values
            self.with_memory(change)




if __name__ == "__main__":
    unittest.main()
