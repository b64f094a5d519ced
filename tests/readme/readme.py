"""What README.md and docs/ say is true: every command runs, every program is an example that is tested,
every word of ./run exists."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import driver
from driver import BUILD, SOURCE

PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]


def fenced(page, language):
    """The texts of the page's fenced blocks in that language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def commands(page):
    """One entry per command of the page's `sh` blocks; comments dropped, continued lines and open quotes joined."""
    found, open_one = [], ""
    for line in "\n".join(fenced(page, "sh")).replace("\\\n", " ").splitlines():
        open_one += line + "\n"
        if open_one.count("'") % 2 == 0:
            found.append(open_one.strip())
            open_one = ""
    return [command for command in found if command and not command.startswith("#")]


class WhatThePagesSay(unittest.TestCase):
    def test_the_commands_that_newcomers_start_with_are_there(self):
        said = commands(SOURCE / "README.md")
        self.assertIn("./run demo", said)
        self.assertIn("./run tests", said)

    def test_every_word_of_run_exists(self):
        known = subprocess.run([SOURCE / "run", "help"], capture_output=True, text=True, check=True).stdout
        for page in PAGES:
            for command in commands(page):
                if found := re.match(r"\./run (\w+)", command):
                    with self.subTest(page=page.name, command=command):
                        self.assertRegex(known, rf"(?m)^  {found.group(1)}\b")

    def test_every_other_command_runs(self):
        for page in PAGES:
            with tempfile.TemporaryDirectory(prefix="rhumb-readme-") as folder:
                place = self.as_after_a_build(pathlib.Path(folder))
                for command in commands(page):
                    if command.startswith("./run "):
                        continue  # would run this test again
                    with self.subTest(page=page.name, command=command):
                        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=place, text=True,
                                              capture_output=True, stdin=subprocess.DEVNULL, timeout=200 * driver.PATIENCE,
                                              env={**os.environ, "CXXFLAGS": driver.compiler_flags()})
                        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")

    def test_the_demo_runs_and_leaves_its_pictures(self):
        with tempfile.TemporaryDirectory(prefix="rhumb-demo-") as folder:
            place = self.as_after_a_build(pathlib.Path(folder))
            done = subprocess.run([place / "apps" / "demo"], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  timeout=280 * driver.PATIENCE)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            pictures = done.stdout.split("Pictures:")[1].splitlines()[0].split()
            self.assertGreaterEqual(len(pictures), 3)
            for picture in pictures:
                self.assertGreater((place / picture).stat().st_size, 5000, picture)

    def test_every_program_shown_is_part_of_a_tested_example(self):
        examples = "".join(path.read_text() for path in sorted((SOURCE / "apps").rglob("*.[ch]pp")))
        for page in PAGES:
            for program in fenced(page, "cpp"):
                with self.subTest(page=page.name, program=program.splitlines()[0]):
                    self.assertIn(program, examples)

    def test_every_file_named_exists(self):
        """`src/...`, `apps/...` and so on in running text; `src/bdf/order` means the header and what belongs to it."""
        for page in PAGES:
            text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
            for name in re.findall(r"`((?:src|apps|tests|docs|postprocess|cmake)/[\w./-]*)`", text):
                with self.subTest(page=page.name, name=name):
                    self.assertTrue((SOURCE / name).exists() or (SOURCE / f"{name}.hpp").exists())

    def test_every_name_in_the_notation_is_in_the_code(self):
        code = "".join(path.read_text() for path in (SOURCE / "src").rglob("*.hpp"))
        for name in re.findall(r"`((?:\w+::)+\w+)(?:\(\))?`", (SOURCE / "docs" / "reference" / "notation.md").read_text()):
            for part in name.split("::"):
                with self.subTest(name=name):
                    self.assertRegex(code, rf"\b{part}\b")

    @staticmethod
    def as_after_a_build(folder):
        """The tree as a user sees it after ./run build, in a folder where results may be written."""
        for path in SOURCE.iterdir():
            if path.name not in {"build", "out", ".git"}:
                (folder / path.name).symlink_to(path)
        (folder / "build").symlink_to(BUILD)
        return folder


if __name__ == "__main__":
    unittest.main()
