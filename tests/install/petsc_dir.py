"""A PETSc that is not Debian's package is taken from PETSC_DIR."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from driver import SOURCE

PC_FILE = """prefix={prefix}
Name: PETSc
Description: a PETSc of our own making
Version: 3.18.99
Cflags: -I{include} -I${{prefix}}/include
Libs: -L${{prefix}}/lib -lpetsc
"""


def ask_pkg_config(*words):
    return subprocess.run(["pkg-config", *words, "petsc"], check=True, capture_output=True, text=True).stdout.strip()


class PetscDir(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-petsc-dir-")
        self.addCleanup(temporary.cleanup)
        self.top = pathlib.Path(temporary.name)

    def make_petsc(self, directory, arch=""):
        """Headers and the library of the PETSc that is there, under other names, in an own prefix."""
        original = pathlib.Path(ask_pkg_config("--variable=prefix"))
        prefix = directory / arch
        (prefix / "lib" / "pkgconfig").mkdir(parents=True)
        for folder in {prefix, directory}:
            (folder / "include").mkdir()
        for header in (original / "include").iterdir():
            # PETSc in its source tree: what was configured lies below PETSC_ARCH.
            where = prefix if header.name == "petscconf.h" else directory
            (where / "include" / header.name).symlink_to(header.resolve())
        library = re.search(r"-l(petsc\S*)", ask_pkg_config("--libs")).group(1)
        (prefix / "lib" / "libpetsc.so").symlink_to((original / "lib" / f"lib{library}.so").resolve())
        (prefix / "lib" / "pkgconfig" / "PETSc.pc").write_text(PC_FILE.format(prefix=prefix, include=directory / "include"))

    def configure(self, *words, build="build", **environment):
        done = subprocess.run(["cmake", "-S", SOURCE, "-B", self.top / build, "-DRHUMB_TESTS=OFF", *words], text=True,
                              capture_output=True, env={**os.environ, **environment})
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    def assert_taken(self, directory, arch, build="build"):
        folder = self.top / build
        cache = (folder / "CMakeCache.txt").read_text()
        self.assertIn(f"pkgcfg_lib_PETSC_petsc:FILEPATH={directory / arch}/lib/libpetsc.so", cache)
        entries = json.loads((folder / "compile_commands.json").read_text())
        entry = next(entry for entry in entries if entry["file"].endswith("core/check.cpp"))
        self.assertIn(f"{directory}/include", entry["command"])
        self.assertNotIn(ask_pkg_config("--variable=prefix"), entry["command"])
        subprocess.run(entry["command"], shell=True, check=True, cwd=entry["directory"], capture_output=True)
        self.assertIn(f'set(PETSC_DIR "{directory}"', (folder / "rhumb-config.cmake").read_text())

    def test_an_installed_petsc_by_a_setting(self):
        directory = self.top / "petsc"
        self.make_petsc(directory)
        code, said = self.configure(f"-DPETSC_DIR={directory}")
        self.assertEqual(code, 0, said)
        self.assert_taken(directory, "")
        code, said = self.configure("-DPETSC_DIR=")
        self.assertNotEqual(code, 0)
        self.assertIn("configure anew with cmake --fresh", said)

    def test_a_petsc_in_its_source_tree_by_the_environment(self):
        directory = self.top / "petsc"
        self.make_petsc(directory, "arch-linux-opt")
        code, said = self.configure(PETSC_DIR=str(directory), PETSC_ARCH="arch-linux-opt")
        self.assertEqual(code, 0, said)
        self.assert_taken(directory, "arch-linux-opt")

    def test_a_folder_without_petsc_is_refused(self):
        code, said = self.configure(f"-DPETSC_DIR={self.top}")
        self.assertNotEqual(code, 0)
        self.assertIn("there is no lib/pkgconfig/PETSc.pc in them", said)


if __name__ == "__main__":
    unittest.main()
