"""`pip install .` builds the package from source without a network, and recipes of other package managers parse."""

import ast
import os
import subprocess
import tempfile
import unittest

from driver import SOURCE

PYTHON = "/usr/bin/python3"


class PipInstall(unittest.TestCase):
    def test_the_installed_package_solves(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "PYTHONPATH": ""}
            subprocess.run([PYTHON, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", folder, str(SOURCE)],
                           check=True, env=environment, cwd=folder)
            program = "import rhumb; print(rhumb.__file__, rhumb.solve_ode(lambda t, y: -y, (0, 1), [1.0]).y_end)"
            said = subprocess.run([PYTHON, "-c", program], check=True, env={**environment, "PYTHONPATH": folder}, cwd=folder,
                                  capture_output=True, text=True).stdout
        self.assertTrue(said.startswith(folder), said)
        self.assertIn("[0.367", said)

    def test_the_recipes_parse(self):
        ast.parse((SOURCE / "packaging" / "spack" / "package.py").read_text())
        self.assertIn("rhumb", (SOURCE / "packaging" / "conda" / "meta.yaml").read_text())


if __name__ == "__main__":
    unittest.main()
