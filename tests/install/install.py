"""The installed package serves a project outside the tree, by find_package and by pkg-config."""

import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import driver

BUILD = driver.BUILD
OUTSIDE = pathlib.Path(__file__).resolve().parent / "outside"


def call(*words, **more):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class InstalledPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="rhumb-install-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.top = pathlib.Path(cls.temporary.name)
        call("cmake", "--install", BUILD, "--prefix", cls.top / "prefix")
        shutil.copytree(OUTSIDE, cls.top / "outside")

    def assert_decays(self, program):
        said = call(program)
        value = float(re.search(r"y\(1\) = (\S+)", said).group(1))
        self.assertAlmostEqual(value, math.exp(-1.0), delta=1e-5)

    def test_find_package_builds_a_program_that_runs(self):
        build = self.top / "by-cmake"
        call("cmake", "-S", self.top / "outside", "-B", build, f"-DCMAKE_PREFIX_PATH={self.top / 'prefix'}",
             f"-DCMAKE_CXX_FLAGS={driver.compiler_flags()}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        call("cmake", "--build", build)
        self.assert_decays(build / "decay")
        command = json.loads((build / "compile_commands.json").read_text())[0]["command"]
        self.assertNotIn("-Werror", command, "our own warning flags must not reach users")

    def test_pkg_config_builds_a_program_that_runs(self):
        where = next((self.top / "prefix").rglob("rhumb.pc")).parent
        flags = call("pkg-config", "--cflags", "--libs", "rhumb",
                     env={**os.environ, "PKG_CONFIG_PATH": str(where)}).split()
        program = self.top / "decay"
        call("g++", "-std=c++20", *driver.compiler_flags().split(), OUTSIDE / "decay.cpp", "-o", program, *flags)
        self.assert_decays(program)

    def test_a_version_that_is_not_there_is_refused(self):
        project = self.top / "newer"
        shutil.copytree(OUTSIDE, project)
        text = (project / "CMakeLists.txt").read_text().replace("rhumb 0.1", "rhumb 99.0")
        (project / "CMakeLists.txt").write_text(text)
        with self.assertRaisesRegex(AssertionError, "99.0"):
            call("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.top / 'prefix'}")


if __name__ == "__main__":
    unittest.main()
