"""A long run needs no more memory at its end than in its middle."""

import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import driver


# The address sanitizer keeps what was freed for a while, to catch its use; here it would be what grows.
KEEP_NOTHING = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0"


def resident_kib(process):
    """Resident memory, or nothing when the process has ended."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return None
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found.group(1)) if found else None


class Memory(unittest.TestCase):
    def test_it_stays_within_one_per_cent_over_ten_thousand_steps(self):
        with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
            out = pathlib.Path(folder) / "out"
            words = ["-problem", "robertson", "-t_end", "100", "-dae_h_max", "0.005", "-out_dt", "2", "-checkpoint_dt", "2"]
            process = subprocess.Popen([driver.path("rhumb-dae"), *words, "-quiet", "-out", out], stdin=subprocess.DEVNULL,
                                       env={**os.environ, "ASAN_OPTIONS": KEEP_NOTHING})
            samples = []
            while process.poll() is None:
                samples.append((len(list((out / "snapshots").glob("*.h5"))), resident_kib(process)))
                time.sleep(0.001)
            self.assertEqual(process.returncode, 0)
            self.assertGreater(driver.Run(0, "", "", out).summary["steps"], 10_000)
        self.flat([kib for snapshots, kib in samples if kib and 20 <= snapshots < 50])  # a run that ends gives memory back

    def flat(self, later, limit=1.01):
        self.assertGreater(len(later), 5, "enough samples")
        # A sanitizer puts a margin around every piece of a snapshot, and notes down where it came from.
        self.assertLess(max(later) / min(later), limit + 0.01 if driver.sanitized() else limit)

    def test_it_does_not_grow_with_the_number_of_snapshots(self):
        """What HDF5 keeps of the index fills up to its bound; tests/bench/soak.py looks at what comes after."""
        quick = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # what a disk does is not in question
        with tempfile.TemporaryDirectory(prefix="rhumb-", dir=quick) as folder:
            out = pathlib.Path(folder) / "out"
            words = ["-problem", "robertson", "-t_end", "100", "-out_dt", "0.02"]
            process = subprocess.Popen([driver.path("rhumb-dae"), *words, "-quiet", "-out", out], stdin=subprocess.DEVNULL,
                                       env={**os.environ, "ASAN_OPTIONS": KEEP_NOTHING})
            samples = []
            while process.poll() is None:
                count = len(os.listdir(out / "snapshots")) if (out / "snapshots").exists() else 0
                samples.append((count, resident_kib(process)))
                time.sleep(0.01)
            self.assertEqual(process.returncode, 0)
        self.flat([kib for snapshots, kib in samples if kib and 1000 <= snapshots < 4900], 1.03)


if __name__ == "__main__":
    unittest.main()
