"""A test with a folder of its own, which is gone when it ends."""

import pathlib
import tempfile
import unittest

import driver

FAULTY = driver.BUILD / "tests" / "failure" / "faulty-decay"


class Scratch(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.out = self.folder / "out"
