"""Run folders looked at from outside: the index for ParaView, and a disk that fills up."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

import h5py
import numpy as np

import driver

SAMPLES = driver.BUILD / "tests" / "io" / "sample_runs"
KINDS = ("plain", "line", "box", "moving", "triangles", "mixed")


def can_mount():
    """Whether a small disk can be made that nobody else sees."""
    return shutil.which("unshare") and subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"], capture_output=True).returncode == 0


def read(_, item):
    if isinstance(item, h5py.Dataset):
        item[()]


class Scratch(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


class Index(Scratch):
    def grids(self, out):
        return xml.parse(out / "series.xdmf").getroot().findall("./Domain/Grid/Grid")

    def test_every_item_is_a_whole_dataset_that_exists(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                out = self.folder / kind
                subprocess.run([str(SAMPLES), kind, str(out), "3"], check=True, timeout=60 * driver.PATIENCE)
                grids = self.grids(out)
                self.assertEqual([float(grid.find("Time").get("Value")) for grid in grids], [0.0, 0.1, 0.2])
                for item in (item for grid in grids for item in grid.iter("DataItem")):
                    self.assertIn(item.get("Format"), ("HDF", "XML"))
                    if item.get("Format") == "HDF":
                        file, dataset = item.text.split(":")
                        with h5py.File(out / file) as stored:
                            self.assertEqual(stored[dataset].shape, tuple(map(int, item.get("Dimensions").split())))
                            self.assertEqual(stored[dataset].dtype.itemsize, int(item.get("Precision")))

    def test_fields_fit_the_grid_that_they_stand_on(self):
        out = self.folder / "box"
        subprocess.run([str(SAMPLES), "box", str(out), "1"], check=True, timeout=60 * driver.PATIENCE)
        grid = self.grids(out)[0]
        points = np.array(list(map(int, grid.find("Topology").get("Dimensions").split())))
        for field in grid.findall("Attribute"):
            dims = list(map(int, field.find("DataItem").get("Dimensions").split()))
            if field.get("AttributeType") == "Vector":
                dims = dims[:-1]
            places = points if field.get("Center") == "Node" else points - 1
            self.assertEqual(np.prod(dims), np.prod(places), field.get("Name"))

    def test_one_open_sees_all_snapshots(self):
        out = self.folder / "box"
        subprocess.run([str(SAMPLES), "box", str(out), "3"], check=True, timeout=60 * driver.PATIENCE)
        moved = self.folder / "elsewhere"
        out.rename(moved)
        with h5py.File(moved / "series.h5") as stored:
            self.assertEqual(list(stored["snapshots"]), ["000000", "000001", "000002"])
            self.assertEqual(stored["snapshots/000002"].attrs["time"], 0.2)
            self.assertEqual(stored["snapshots/000002/fields/pressure"].shape, (30, 40))


class FullDisk(Scratch):
    """Commands in a namespace of their own, where a folder is a disk of a few hundred kilobytes."""

    def setUp(self):
        super().setUp()
        if not can_mount():
            self.skipTest("needs the right to mount a small disk (unshare -m, mount -t tmpfs)")

    def on_small_disk(self, kilobytes, command):
        """Runs a command that writes below `disk`; what it left there comes back as a copy."""
        disk, copy = self.folder / "disk", self.folder / "copy"
        disk.mkdir()
        script = (f'mount -t tmpfs -o size={kilobytes}k tmpfs "{disk}" && {{ "$@"; code=$?; '
                  f'cp -r "{disk}" "{copy}"; exit $code; }}')
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", *map(str, command)], capture_output=True,
                              text=True, timeout=120 * driver.PATIENCE)
        return done, copy

    def check_remains(self, done, copy):
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertRegex(done.stderr, r"disk/out/\S+\.(h5|csv|xdmf|json)")
        files = list(copy.rglob("*.h5"))
        self.assertTrue(any(file.parent.name == "checkpoints" for file in files), "an earlier checkpoint is intact")
        for file in files:
            with h5py.File(file) as stored:
                stored.visititems(read)

    def test_ends_a_run_with_code_4_on_all_ranks_and_leaves_what_was_finished(self):
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                command = [shutil.which("mpirun"), "-n", ranks, SAMPLES, "box", self.folder / "disk/out", 100]
                self.check_remains(*self.on_small_disk(900, command))
                shutil.rmtree(self.folder / "disk")
                shutil.rmtree(self.folder / "copy")

    def test_ends_a_driver_with_code_4_and_leaves_its_last_checkpoint(self):
        command = [driver.path("rhumb-dae"), "-problem", "foodweb", "-t_end", 1, "-dae_h_max", 0.01, "-out_dt", 0.01,
                   "-checkpoint_dt", 0.01, "-out", self.folder / "disk/out", "-quiet"]
        self.check_remains(*self.on_small_disk(900, command))


if __name__ == "__main__":
    unittest.main()
