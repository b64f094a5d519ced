"""A test that fails on one rank fails the program, and says where."""

import os
import pathlib
import subprocess
import unittest

from driver import PATIENCE

PROGRAM = pathlib.Path(os.environ["RHUMB_BUILD"]) / "tests/suite/test_failing_on_last_rank"


class FailureOnOneRank(unittest.TestCase):
    def test_exit_code_is_that_of_a_failed_test_and_the_rank_is_named(self):
        done = subprocess.run(["mpirun", "-n", "2", PROGRAM], capture_output=True, text=True, timeout=60 * PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("[rank 1] Suite.FailsOnTheLastRankOnly", done.stderr)
        self.assertIn("[  PASSED  ] 1 test", done.stdout)  # as rank 0 sees it


if __name__ == "__main__":
    unittest.main()
