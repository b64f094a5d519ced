"""The headers that are installed: those that users include, with all that they need, and no other."""

import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from driver import BUILD, SOURCE

PRIVATE = re.compile(r"#\s*include\s*<petsc/private/|petsc_private")


def compiler_of_the_build():
    """The words that compile a source of ours, without those that name our source tree, its output, our warnings or headers
    that were read before."""
    entry = next(entry for entry in json.loads((BUILD / "compile_commands.json").read_text())
                 if entry["file"].endswith("src/rhumb/run/run.cpp"))
    words = shlex.split(entry["command"])
    while "ccache" in words[0]:
        words = words[1:]
    ours = {f"-I{SOURCE}/src", f"-I{BUILD}/include"}
    words = words[:words.index("-o")]
    if "-include" in words:
        at = words.index("-include")
        del words[at:at + 2]
    kept = [word for word in words if word not in ours and not word.startswith(("-O", "-Winvalid-pch"))]
    return kept + ["-fsyntax-only", "-Werror", "-Wall", "-x", "c++"]


class PublicHeaders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="rhumb-headers-")
        cls.addClassCleanup(cls.temporary.cleanup)
        prefix = pathlib.Path(cls.temporary.name)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, "--component", "headers"], check=True,
                       capture_output=True)
        cls.include = prefix / "include"
        cls.headers = sorted(str(path.relative_to(cls.include)) for path in cls.include.rglob("*.hpp"))

    def test_each_compiles_by_itself(self):
        compiler = compiler_of_the_build()

        def complaint(header):
            # Twice: a header must also bear to be included again.
            text = f"#include <{header}>\n#include <{header}>\n"
            done = subprocess.run([*compiler, "-I", self.include, "-"], input=text, text=True, capture_output=True)
            return f"{header}:\n{done.stderr}" if done.returncode != 0 else ""

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            complaints = "".join(pool.map(complaint, self.headers))
        self.assertFalse(complaints, complaints)

    def test_what_a_user_includes_is_there(self):
        for name in ["rhumb.hpp", "version.hpp", "dae/system.hpp", "bdf/integrator.hpp", "run/run.hpp", "ts/register.hpp",
                     "pde/box/kernel_system.hpp", "pde/fem/weak_system.hpp", "pde/moving/system.hpp",
                     "physics/heat/heat.hpp", "physics/flow/flow.hpp", "physics/combustion/vessel.hpp"]:
            with self.subTest(name=name):
                self.assertIn(f"rhumb/{name}", self.headers)

    def test_what_is_inside_stays_inside(self):
        private = ["bdf/implementation.hpp", "bdf/newton.hpp", "bdf/spigmr.hpp", "run/program.hpp", "ts/stepper.hpp"]
        for name in private:
            with self.subTest(name=name):
                self.assertTrue((SOURCE / "src" / "rhumb" / name).exists(), "the name has changed: mend this list")
                self.assertNotIn(f"rhumb/{name}", self.headers)
        self.assertEqual([header for header in self.headers if header.startswith("rhumb/io/")], [])
        for header in self.headers:
            self.assertNotRegex((self.include / header).read_text(), PRIVATE, header)


class PetscsPrivateHeaders(unittest.TestCase):
    """They come through one header of ours, which knows what it was tried with."""

    def said_of(self, name, old, new):
        """The compiler's words where PETSc's header `name` says something else."""
        compiler = compiler_of_the_build()
        folders = [pathlib.Path(after if word in ("-I", "-isystem") else word[2:])
                   for word, after in zip(compiler, compiler[1:]) if word.startswith("-I") or word == "-isystem"]
        original = next(folder / name for folder in folders if (folder / name).exists()).read_text()
        with tempfile.TemporaryDirectory(prefix="rhumb-petsc-") as folder:
            changed, count = re.subn(old, new, original)
            self.assertEqual(count, 1, f"{old} in {name}")
            (pathlib.Path(folder) / name).write_text(changed)
            words = [*compiler[:1], "-I", folder, *compiler[1:], "-fmax-errors=1", "-I", SOURCE / "src", "-"]
            return subprocess.run(words, input="#include <rhumb/core/petsc_private.hpp>\n", text=True,
                                  capture_output=True).stderr

    def test_one_header_includes_them_and_few_sources_use_it(self):
        files = {path.relative_to(SOURCE / "src" / "rhumb"): path.read_text()
                 for path in (SOURCE / "src").rglob("*.[ch]pp")}
        self.assertEqual([str(name) for name, text in files.items() if "<petsc/private/" in text],
                         ["core/petsc_private.hpp"])
        users = sorted(str(name) for name, text in files.items() if "<rhumb/core/petsc_private.hpp>" in text)
        self.assertEqual(users, ["bdf/spigmr.cpp", "ts/derivatives.cpp", "ts/settings.cpp", "ts/stepper.cpp", "ts/system.cpp",
                                 "ts/type.cpp"])

    def test_a_petsc_that_was_not_tried_is_refused_in_words(self):
        minor = r"(#define PETSC_VERSION_MINOR +)\d+"
        self.assertIn("this one is older", self.said_of("petscversion.h", minor, r"\g<1>17"))
        self.assertIn("this PETSc is newer", self.said_of("petscversion.h", minor, r"\g<1>19"))
        self.assertEqual(self.said_of("petscversion.h", minor, r"\g<1>18"), "")

    def test_complex_scalars_and_single_precision_are_refused_in_words(self):
        real = r"#define PETSC_USE_REAL_DOUBLE 1"
        self.assertIn("real scalars", self.said_of("petscconf.h", real, real + r"\n#define PETSC_USE_COMPLEX 1"))
        self.assertIn("double precision", self.said_of("petscconf.h", real, "#define PETSC_USE_REAL_SINGLE 1"))


if __name__ == "__main__":
    unittest.main()
