"""Runs the programs of this folder with -dll_append librhumb_ts.so -ts_type rhumb."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

import driver

BUILD = pathlib.Path(os.environ["RHUMB_BUILD"])
SOURCE = pathlib.Path(os.environ["RHUMB_SOURCE"])
PLUGIN = ["-dll_append", BUILD / "lib/librhumb_ts.so", "-ts_type", "rhumb"]


class Answer:
    """What a program printed, by word: every word is followed by its numbers or a text."""

    def __init__(self, done):
        self.code, self.text, self.errors = done.returncode, done.stdout, done.stderr

    def numbers(self, word):
        found = re.search(rf"\b{word}((?: [-+.\deE]+)+)", self.text)
        if not found:
            raise AssertionError(f"no '{word}' in:\n{self.text}\n{self.errors}")
        return [float(number) for number in found.group(1).split()]

    def number(self, word):
        return self.numbers(word)[0]


def run(command, ranks, *words, environment=None):
    words = [str(word) for word in (shutil.which("mpirun"), "-n", ranks, *command, *PLUGIN, *words)]
    return Answer(subprocess.run(words, capture_output=True, text=True, timeout=120 * driver.PATIENCE,
                                 stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})}))


class Case(unittest.TestCase):
    def solve(self, program, ranks, *words):
        answer = run([BUILD / "tests/ts" / f"ts_{program}"], ranks, *words)
        self.assertEqual(answer.code, 0, answer.text + answer.errors)
        return answer

    def on_1_and_2_ranks(self, program, *words):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                yield self.solve(program, ranks, *words)
