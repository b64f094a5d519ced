"""The recipes for Spack and conda parse, and name each library that the build takes from Debian's packages."""

import ast
import re
import unittest

import yaml

import driver

TOOLS = {"g++", "make", "cmake", "pkg-config", "libopenmpi-dev", "openmpi-bin", "libgtest-dev", "python3", "python3-dev",
         "python3-matplotlib", "python3-scipy"}  # compilers and MPI, which recipes name in their own way; tests and pictures


def libraries():
    """Plain names of the libraries of packages.txt: libhdf5-openmpi-dev is hdf5, python3-mpi4py is mpi4py."""
    names = [line.split("#")[0].split() for line in (driver.SOURCE / "packages.txt").read_text().splitlines()]
    debian = {name[0] for name in names if len(name) == 1} - TOOLS
    return {re.sub(r"^(lib|python3-)|(-openmpi)?-dev$", "", name) for name in debian}


def version():
    return re.search(r"VERSION ([\d.]+)", (driver.SOURCE / "CMakeLists.txt").read_text().split("project(")[1])[1]


class Recipes(unittest.TestCase):

    def test_spack_knows_every_library(self):
        tree = ast.parse((driver.SOURCE / "packaging/spack/package.py").read_text())
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "depends_on"]
        named = {re.split(r"[@+~ ]", call.args[0].value)[0].removeprefix("py-") for call in calls}
        self.assertLessEqual(libraries(), named)

    def test_conda_knows_every_library_and_the_version(self):
        text = (driver.SOURCE / "packaging/conda/meta.yaml").read_text()
        recipe = yaml.safe_load(re.sub(r"\{\{.*?\}\}", "compiler", text))  # as Jinja would
        needs = {str(need).split()[0] for needs in recipe["requirements"].values() for need in needs}
        self.assertLessEqual(libraries(), {name.removeprefix("lib") for name in needs})
        self.assertEqual(recipe["package"]["version"], version())


if __name__ == "__main__":
    unittest.main()
