"""-check structure in every driver: the kinds that drivers declare are those that the equations have, structurally singular
systems end with exit code 2, and a run that meets a singular matrix says which part of the system is wrong."""

import pathlib
import tempfile
import unittest

import driver

SINGULAR = driver.BUILD / "tests" / "run" / "singular-system"

LOOP = """V1 1 0 sin 0 1 50
C1 1 2 1e-6
C2 2 0 1e-6
R1 2 0 1e3
end 1e-2
"""


class Structure(unittest.TestCase):
    def check(self, app, *words, code=0, ranks=1):
        run = driver.run(app, *words, "-check", "structure", "-quiet", ranks=ranks)
        self.assertEqual(run.code, code, run.errors)
        return run.output

    def agrees(self, app, *words, says):
        text = self.check(app, *words)
        for part in says:
            self.assertIn(part, text)
        self.assertNotIn("CONTRADICTION", text)

    def test_kinds_of_the_small_problems(self):
        for problem, index in (("robertson", 1), ("pendulum", 1), ("sieber1", 1), ("sieber2", 2), ("hessenberg2", 2),
                               ("moving_geometry", 1), ("jump", 2), ("trajectory", 2), ("bounce", 1), ("linear", 1),
                               ("drag", 1), ("mechanism", 2)):
            with self.subTest(problem):
                self.agrees("rhumb-dae", "-problem", problem, says=[f"  index {index} (of the matrix pencil)"])
        for form, index in (("index2", 2), ("stabilized", 2), ("index3", 3)):
            with self.subTest(form):
                self.agrees("rhumb-dae", "-problem", "pendulum", "-form", form,
                            says=[f"  index {index} (of the matrix pencil), structural index {index}"])
        self.agrees("rhumb-dae", "-problem", "foodweb", says=["structural rank 800 of 800", "structural index 1"])

    def test_a_loop_of_capacitors_and_a_source_is_of_index_2(self):
        with tempfile.TemporaryDirectory() as folder:
            netlist = pathlib.Path(folder) / "loop.net"
            netlist.write_text(LOOP)
            self.agrees("rhumb-dae", "-problem", "circuit", "-netlist", netlist,
                        says=["  index 2 (of the matrix pencil)", "i_V1         declared index 2; found index 2"])

    def test_kinds_of_the_grids(self):
        self.agrees("rhumb-heat", "apps/heat/square.yaml", "-n", "10,10", says=["  index 1 (of", "81 differential"])
        self.agrees("rhumb-heat", "apps/heat/square.yaml", "-n", "40,40", says=["structural rank 1681 of 1681"])
        self.agrees("rhumb-mesh", "apps/mesh/burgers.yaml", says=["  index 1 (of the matrix pencil)"])
        self.agrees("rhumb-pde", "apps/pde/inverse_source.yaml", "-compile", "no", says=["  index 2 (of the"])
        self.agrees("rhumb-pde", "apps/pde/food_web.yaml", "-compile", "no", says=["structural rank 800 of 800"])
        self.agrees("rhumb-pipes", "apps/pipes/town.yaml", says=["structural index 2"])
        self.agrees("rhumb-ignite", "apps/ignite/delay.yaml", says=["  index 1 (of the matrix pencil)"])

    def test_the_pressure_of_a_closed_flow_is_of_index_2_and_has_a_free_level(self):
        self.agrees("rhumb-flow", "-problem", "cavity", "-n", "8,8",
                    says=["leave field p undetermined", "1 combination of variables stands in no equation",
                          "index 2 (of the matrix pencil, with that fixed)", "p            declared index 2; found index 2"])
        self.agrees("rhumb-flow", "-problem", "cavity", "-n", "8,8", "-dae_pc_type", "lu",
                    says=["  index 2 (of the matrix pencil), structural index 2"])
        self.agrees("rhumb-flow", "-problem", "cavity", "-n", "32,32", says=["structural index 2", "declared index 2"])

    def test_a_structurally_singular_system_ends_with_exit_code_2(self):
        for points, ranks in ((1, 1), (1, 2), (150, 1)):
            with self.subTest(points=points, ranks=ranks):
                text = self.check(SINGULAR, "-points", points, code=2, ranks=ranks)
                count = points * ranks
                self.assertIn(f"structural rank {2 * count} of {3 * count}", text)
                self.assertIn(f"overdetermined: {2 * count} equations of field x, field y hold only", text)
                self.assertIn(f"underdetermined: {2 * count} variables of field y, field z stand only in", text)

    def test_a_run_that_meets_a_singular_matrix_says_so_by_itself(self):
        for points in (1, 150):
            run = driver.run(SINGULAR, "-points", points, "-dae_start", "given")
            self.assertEqual(run.code, 3, run.errors)
            self.assertIn("structurally, overdetermined", run.errors)
            self.assertIn("of field y, field z stand only in", run.errors)

    def test_ranks_agree(self):
        words = ("rhumb-heat", "apps/heat/square.yaml", "-n", "30,30")
        self.assertEqual(self.check(*words), self.check(*words, ranks=2))

    def test_check_without_a_value_and_with_a_wrong_one(self):
        self.assertNotIn("structural", driver.run("rhumb-dae", "-problem", "robertson", "-check").output)
        run = driver.run("rhumb-dae", "-problem", "robertson", "-check", "structur")
        self.assertEqual(run.code, 2)
        self.assertIn("did you mean structure?", run.errors)


if __name__ == "__main__":
    unittest.main()
