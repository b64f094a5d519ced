"""The installed package serves a project outside the tree, by find_package and by pkg-config, shared and static."""

import json
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


def libraries_of(program):
    """The names of the shared libraries that the loader finds for the program, and where."""
    return dict(re.findall(r"(\S+) => (\S+)", call("ldd", program)))


class InstalledPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="rhumb-install-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.top = pathlib.Path(cls.temporary.name)
        cls.prefix = cls.top / "prefix"
        call("cmake", "--install", BUILD, "--prefix", cls.prefix)
        shutil.copytree(OUTSIDE, cls.top / "outside")
        cls.library = next(cls.prefix.rglob("librhumb.so"))

    def assert_runs(self, program, kind):
        self.assertRegex(call(program), r"Rhumb 0\.2\.\d+\ny\(1\) = 0\.3678")
        libraries = libraries_of(program)
        if kind == "shared":
            self.assertEqual(pathlib.Path(libraries["librhumb.so.0.2"]).resolve(), self.library.resolve())
        else:
            self.assertFalse([name for name in libraries if "rhumb" in name])

    def assert_opens_doors(self, build):
        """Runs from code, on one rank and on two halves of two; nothing is written."""
        for ranks in [1, 2]:
            place = pathlib.Path(tempfile.mkdtemp(dir=self.top))
            self.assertIn("y(1) = 0.36", call("mpirun", "-n", ranks, build / "doors", cwd=place))
            self.assertEqual(list(place.iterdir()), [])

    def configure(self, build, *words, source=None):
        call("cmake", "-S", source or self.top / "outside", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
             f"-DCMAKE_CXX_FLAGS={driver.compiler_flags()}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *words)
        return json.loads((build / "compile_commands.json").read_text())[0]["command"]

    def changed(self, old, new):
        """A copy of the outside project with another line in its CMakeLists.txt."""
        project = pathlib.Path(tempfile.mkdtemp(dir=self.top)) / "outside"
        shutil.copytree(OUTSIDE, project)
        text = (project / "CMakeLists.txt").read_text()
        self.assertIn(old, text)
        (project / "CMakeLists.txt").write_text(text.replace(old, new))
        return project

    @unittest.skipUnless((BUILD / "python" / "rhumb" / "__init__.py").exists(), "built without Python")
    def test_python_imports_the_installed_package(self):
        folder = self.prefix / "lib" / "python3" / "dist-packages"
        program = "import rhumb; print(rhumb.__file__); print(rhumb.solve_ode(lambda t, y: -y, (0, 1), [1.0]).y_end)"
        said = call("/usr/bin/python3", "-c", program, env={**os.environ, "PYTHONPATH": str(folder)}, cwd=self.top)
        self.assertTrue(said.startswith(str(folder)), said)
        self.assertIn("[0.367", said)

    def test_find_package_builds_a_program_with_the_shared_library(self):
        build = self.top / "by-cmake"
        command = self.configure(build)
        self.assertNotIn("-W", command.replace("-Wdate-time", ""), "our own warning flags must not reach users")
        call("cmake", "--build", build)
        self.assert_runs(build / "decay", "shared")
        self.assert_opens_doors(build)

    def test_find_package_builds_a_program_with_the_static_library(self):
        build = self.top / "by-cmake-static"
        self.configure(build, source=self.changed("0.2 REQUIRED", "0.2 REQUIRED COMPONENTS static"))
        call("cmake", "--build", build)
        self.assert_runs(build / "decay", "static")
        self.assert_opens_doors(build)

    def test_a_project_without_a_build_type_is_optimised(self):
        self.assertIn(" -O3 ", self.configure(self.top / "no-type"))
        self.assertNotIn(" -O3 ", self.configure(self.top / "debug", "-DCMAKE_BUILD_TYPE=Debug"))

    def test_pkg_config_builds_programs_with_both(self):
        where = self.library.parent / "pkgconfig"
        for module, kind in [("rhumb", "shared"), ("rhumb-static", "static")]:
            with self.subTest(module=module):
                flags = call("pkg-config", "--cflags", "--libs", module,
                             env={**os.environ, "PKG_CONFIG_PATH": str(where)}).split()
                program = self.top / f"decay-{kind}"
                call("g++", "-std=c++20", *driver.compiler_flags().split(), "-I", OUTSIDE, OUTSIDE / "decay.cpp", "-o",
                     program, *flags, f"-Wl,-rpath,{self.library.parent}")
                self.assert_runs(program, kind)

    def test_a_program_without_optimisation_says_so_in_its_first_line(self):
        flags = call("pkg-config", "--cflags", "--libs", "rhumb",
                     env={**os.environ, "PKG_CONFIG_PATH": str(self.library.parent / "pkgconfig")}).split()
        flags = [flag for flag in flags if "FORTIFY" not in flag]  # it wants optimisation
        said = {}
        for level in ["-O0", "-O1"]:
            program = self.top / f"fisher{level}"
            call("g++", "-std=c++20", *driver.compiler_flags().split(), level, driver.SOURCE / "apps/examples/fisher.cpp", "-o",
                 program, *flags, f"-Wl,-rpath,{self.library.parent}")
            said[level] = call(program, "-n", 20, "-t_end", 0.01, "-out", self.top / f"run{level}").splitlines()[0]
        self.assertIn("fisher-O0: compiled without optimisation", said["-O0"])
        self.assertIn("fisher-O1: fisher, 21 unknowns", said["-O1"])

    def test_what_is_not_there_is_refused(self):
        for old, new, said in [("rhumb 0.2", "rhumb 99.0", "99.0"), ("rhumb 0.2", "rhumb 0.1", "0.1"),
                               ("0.2 REQUIRED", "0.2 REQUIRED COMPONENTS fluid", "no fluid library")]:
            with self.subTest(new=new):
                project = self.changed(old, new)
                with self.assertRaisesRegex(AssertionError, said):
                    self.configure(project / "build", source=project)

    def test_installed_drivers_run(self):
        for name in ["dae", "heat", "flow", "mesh", "ignite"]:
            with self.subTest(name=name):
                self.assertIn("-dae_rtol", call(self.prefix / "bin" / f"rhumb-{name}", "-help"))


if __name__ == "__main__":
    unittest.main()
