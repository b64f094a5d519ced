"""The examples in python/examples and in the docstrings say what they claim."""

import contextlib
import doctest
import importlib
import importlib.util
import io
import pathlib
import pkgutil
import re
import runpy
import tempfile
import unittest

import numpy as np
import rhumb
from driver import SOURCE


def run_example(name):
    """The variables of an example after its run."""
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(SOURCE / "python" / "examples" / f"{name}.py"))


class Examples(unittest.TestCase):
    def test_robertson_ends_where_the_literature_says(self):
        s = run_example("robertson")["s"]
        # Hairer and Wanner, Solving ODEs II, and IDA's example: at t = 0.4, 4e3 and 4e10
        expected = {0.4: [9.8517e-01, 3.3864e-05, 1.4794e-02], 4e3: [1.8320e-01, 8.9422e-07, 8.1680e-01],
                    4e10: [5.2083e-08, 2.0833e-13, 1.0000e00]}
        for t, y in expected.items():
            np.testing.assert_allclose(s.sol(t), y, rtol=2e-3)

    def test_the_pendulum_keeps_its_length_and_its_energy(self):
        y = run_example("pendulum")["s"].y_end
        self.assertAlmostEqual(np.hypot(y[0], y[1]), 1.0, delta=1e-4)
        self.assertAlmostEqual(0.5 * (y[2] ** 2 + y[3] ** 2) + 9.81 * y[1], 0.0, delta=1e-3)

    def test_the_ball_bounces_when_it_must(self):
        times = run_example("bouncing_ball")["s"].t_events[0]
        fall = np.sqrt(2 / 9.81)
        expected = fall + np.concatenate([[0], np.cumsum(2 * fall * 0.8 ** np.arange(1, len(times)))])
        np.testing.assert_allclose(times, expected, rtol=1e-4)
        self.assertEqual(len(times), 6)  # the seventh would be at t = 3.12

    def test_each_example_has_at_most_ten_lines(self):
        for file in (SOURCE / "python" / "examples").glob("*.py"):
            lines = [line for line in file.read_text().split("\n") if line.strip() and not line.startswith('"""')]
            if file.stem in ("robertson", "pendulum", "bouncing_ball"):
                self.assertLessEqual(len(lines), 10, file)

    def test_the_programs_in_the_guide_run(self):
        programs = re.findall(r"^```python\n(.*?)^```$", (SOURCE / "docs" / "guide" / "python.md").read_text(), re.MULTILINE | re.DOTALL)
        self.assertGreater(len(programs), 2)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
            for name in ("apps", "meshes"):
                pathlib.Path(name).symlink_to(SOURCE / name)
            for program in programs:
                exec(compile(program, "docs/guide/python.md", "exec"), {"__name__": "guide"})

    def test_examples_in_docstrings_are_true(self):
        attempted = 0
        names = [m.name for m in pkgutil.iter_modules(rhumb.__path__)]
        if importlib.util.find_spec("xarray") is None:
            names.remove("_xarray")
        modules = [rhumb] + [importlib.import_module(f"rhumb.{name}") for name in names]
        for module in modules:
            result = doctest.testmod(module, extraglobs={"rhumb": rhumb}, verbose=False)
            self.assertEqual(result.failed, 0, module.__name__)
            attempted += result.attempted
        self.assertGreater(attempted, 5)


if __name__ == "__main__":
    unittest.main()
