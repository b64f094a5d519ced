"""./run on machines that lack something, played with a PATH of its own: the tools it may use and stand-ins that write
down how they were called."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["RHUMB_SOURCE"])
TOOLS = ["bash", "cat", "dirname", "env", "find", "grep", "nproc", "sed", "sort", "cmp", "xargs"]


class Machine:
    """A machine with the given packages and user."""

    def __init__(self, folder, installed=("compiler",), user=0, sudo=False, archive=True):
        self.top = pathlib.Path(folder)
        self.bin = self.top / "bin"
        self.bin.mkdir()
        self.calls = self.top / "calls"
        self.calls.touch()
        shutil.copy(SOURCE / "run", self.top / "run")
        (self.top / "packages.txt").write_text("# needed\ncompiler\nformatter   format\n")
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        known = "|".join(installed) or "none"
        self.stand_in("dpkg-query", f'for last; do :; done; case $last in {known}) echo installed ;; *) exit 1 ;; esac')
        self.stand_in("id", f"echo {user}")
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.calls}; [[ $1 == update ]] || {str(archive).lower()}')
        self.stand_in("cmake", f'echo "cmake $*" >>{self.calls}')
        self.stand_in("ctest", f'echo "ctest $*" >>{self.calls}; echo "ctest\'s summary"')
        if sudo:
            self.stand_in("sudo", f'echo "sudo $*" >>{self.calls}; [[ $1 == -n ]] && shift; "$@"')

    def stand_in(self, name, text):
        path = self.bin / name
        path.write_text(f"#!/usr/bin/env bash\n{text}\n")
        path.chmod(0o755)

    def run(self, *words):
        environment = {"PATH": str(self.bin), "RHUMB_JOBS": "2"}
        return subprocess.run([self.top / "run", *words], env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=600)  # a hang

    def called(self):
        return self.calls.read_text()


class RunScript(unittest.TestCase):
    def machine(self, **what):
        folder = tempfile.TemporaryDirectory(prefix="rhumb-run-")
        self.addCleanup(folder.cleanup)
        return Machine(folder.name, **what)

    def test_nothing_is_installed_when_nothing_is_missing(self):
        machine = self.machine()
        self.assertEqual(machine.run("tests").returncode, 0)
        self.assertNotIn("apt-get", machine.called())

    def test_only_what_is_missing_is_installed(self):
        machine = self.machine(installed=("formatter",))
        done = machine.run("tests")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("apt-get update", machine.called())
        self.assertRegex(machine.called(), r"apt-get .*install .* compiler\n")
        self.assertNotIn("formatter", machine.called())

    def test_a_package_of_another_word_is_not_asked_for(self):
        machine = self.machine()
        machine.run("tests")
        self.assertNotIn("formatter", machine.called())
        machine.run("format", "--check")
        self.assertRegex(machine.called(), r"apt-get .*install .* formatter\n")

    def test_a_package_that_cannot_be_installed_ends_it_with_its_name(self):
        machine = self.machine(installed=(), archive=False)
        done = machine.run("demo")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("could not install all of: compiler", done.stderr)
        self.assertNotIn("cmake", machine.called())

    def test_without_root_and_without_sudo_it_says_what_to_ask_for(self):
        machine = self.machine(installed=(), user=1000)
        done = machine.run("tests")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("apt-get install compiler", done.stderr)
        self.assertNotIn("cmake", machine.called())

    def test_without_root_sudo_is_used_and_never_waits_for_a_password_that_nobody_types(self):
        machine = self.machine(installed=(), user=1000, sudo=True)
        self.assertEqual(machine.run("tests").returncode, 0)
        self.assertIn("sudo -n apt-get update", machine.called())

    def test_tests_end_with_the_summary_of_ctest_and_leave_long_ones_out(self):
        machine = self.machine()
        done = machine.run("tests", "-R", "some")
        self.assertTrue(done.stdout.endswith("ctest's summary\n"), done.stdout)
        self.assertRegex(machine.called(), r"ctest .*-LE \^long\$ -R some")
        machine.run("tests", "-L", "long")
        self.assertNotIn("-LE", machine.called().splitlines()[-1])

    def test_failing_tests_fail_the_script(self):
        machine = self.machine()
        machine.stand_in("ctest", "exit 8")
        self.assertEqual(machine.run("tests").returncode, 8)

    def test_a_build_that_fails_fails_the_script_and_one_that_goes_on_says_for_how_long(self):
        machine = self.machine()
        (machine.top / "build").mkdir()
        (machine.top / "build" / "Makefile").touch()
        machine.stand_in("cmake", 'echo "[ 10%] one"; echo "[ 50%] two"; echo "[100%] all"')
        done = machine.run("build")
        self.assertEqual(done.stdout, "[ 10%] one\n[ 50%] two (1 min left)\n[100%] all\n")
        machine.stand_in("cmake", "exit 2")
        self.assertEqual(machine.run("tests").returncode, 2)
        self.assertNotIn("ctest", machine.called())

    def test_sanitizers_and_the_second_compiler_build_no_more_than_tests_of_parts_need(self):
        machine = self.machine()
        self.assertEqual(machine.run("sanitize", "-L", "parts").returncode, 0)
        self.assertRegex(machine.called(), r"cmake --build build-asan -j 2 --target parts\nctest --test-dir build-asan .*-L parts\n")
        self.assertEqual(machine.run("second-compiler").returncode, 0)
        self.assertRegex(machine.called(), r"cmake --build build-clang -j 2 --target rhumb_shared parts\n")

    def test_clang_tidy_looks_at_each_file_and_fails_when_one_has_something(self):
        machine = self.machine()
        (machine.top / "src").mkdir()
        for name in ("a.cpp", "b.cpp", "c.hpp"):
            (machine.top / "src" / name).touch()
        machine.stand_in("clang-tidy-16", f'echo "tidy $*" >>{machine.calls}; [[ $* != *b.cpp ]]')
        done = machine.run("tidy", "src/a.cpp")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = machine.run("tidy", "src")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("clang-tidy has found something", done.stderr)
        self.assertEqual(machine.called().count("src/a.cpp"), 2)
        self.assertNotIn("c.hpp", machine.called())
        self.assertIn("that exist", machine.run("tidy", "nowhere").stderr)

    def test_an_unknown_word_shows_the_help_and_fails(self):
        done = self.machine().run("test")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no word 'test'", done.stderr)
        self.assertIn("usage: ./run", done.stderr)

    def test_no_word_shows_the_help(self):
        done = self.machine().run()
        self.assertEqual(done.returncode, 0)
        self.assertIn("usage: ./run", done.stdout)


if __name__ == "__main__":
    unittest.main()
