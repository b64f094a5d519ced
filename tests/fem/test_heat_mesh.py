"""rhumb-heat on meshes as a user meets it: cases, materials, the account of heat, several ranks, bad meshes and cases."""

import pathlib
import struct
import tempfile
import unittest

from heat_mesh import CASES, MESHES, heat, mesh, results


class Cases(unittest.TestCase):
    def test_the_account_of_heat_closes_with_every_kind_of_boundary(self):
        for order in (1, 2, 3):
            found = results(CASES / "square_mesh.yaml", "-order", order)
            self.assertLess(abs(found["energy_balance"]), 1e-7)
            self.assertGreater(abs(found["energy_stored"]), 0.1)

    def test_the_account_of_heat_closes_with_a_heat_capacity_that_depends_on_the_temperature(self):
        found = results(CASES / "square_mesh.yaml", "-c", "1 + 0.2*T", "-bc_left_value", "2 + sin(5*t)", "-order", "2",
                        "-dae_rtol", "1e-8")
        self.assertLess(abs(found["energy_balance"]), 1e-6)

    def test_a_linear_temperature_is_met_exactly_whatever_the_boundary(self):
        # T = 1 + x + 2 y, k = 3: the flux out through right is -3, through top -6.
        rest = ("-exact", "1+x+2*y", "-initial", "0", "-k", "3", "-t_end", "20", "-dae_rtol", "1e-8", "-probes", "0.3,0.4")
        for right in (("flux", "-bc_right_value", "3"), ("convection", "-bc_right_h", "2", "-bc_right_ambient", "2+2*y+1.5"),
                      ("radiation", "-bc_right_emissivity", "1", "-bc_right_ambient", "((2+2*y)^4 + 3)^0.25")):
            with self.subTest(right=right):
                found = results(*mesh("square"), *rest, "-stefan_boltzmann", "1", "-bc_left_type", "dirichlet", "-bc_left_value",
                                "1+2*y", "-bc_bottom_type", "dirichlet", "-bc_bottom_value", "1+x", "-bc_top_type", "flux",
                                "-bc_top_value", "6", "-bc_right_type", *right)
                self.assertLess(found["error_max"], 1e-6)
                self.assertAlmostEqual(found["probes"][0], 2.1, places=6)

    def test_symmetry_lets_no_heat_through(self):
        found = results(*mesh("square"), "-initial", "x*y", "-t_end", "10", "-order", "2")
        self.assertAlmostEqual(found["T_max"], 0.25, places=5)
        self.assertLess(abs(found["energy_stored"]), 1e-9)

    def test_materials_fill_the_groups_of_their_name(self):
        # A ball with a heated core, at rest: T = 1 + q R^3/3 (1/r - 1) outside, and a parabola with k = 5 inside.
        outside, inside = "1 + 3*0.064/3*(1/r-1)", "1 + 3*0.064/3*(1/0.4-1) + 3/(6*5)*(0.16-r^2)"
        r = "sqrt(x^2+y^2+z^2)"
        exact = f"{r} > 0.4 ? {outside} : {inside}".replace("1/r", f"1/max({r},0.1)").replace("r^2", "(x^2+y^2+z^2)")
        found = results(*mesh("sphere_fine"), "-order", "2", "-materials", "core", "-material_core_k", "5",
                        "-material_core_source", "3", "-bc_surface_type", "dirichlet", "-bc_surface_value", "1", "-initial",
                        "1", "-t_end", "50", "-exact", exact)
        self.assertLess(found["error_max"], 2e-3)
        self.assertGreater(found["T_max"], 1.1)
        swapped = results(*mesh("sphere_fine"), "-order", "2", "-materials", "core,shell", "-k", "5", "-source", "3",
                          "-material_shell_k", "1", "-material_shell_source", "0", "-bc_surface_type", "dirichlet",
                          "-bc_surface_value", "1", "-initial", "1", "-t_end", "50", "-exact", exact)
        self.assertAlmostEqual(swapped["error_l2"], found["error_l2"], places=6)

    def test_ball_is_hottest_in_its_core_and_cooler_above(self):
        found = results(CASES / "ball.yaml")
        core, shell, top, bottom = found["probes"]
        self.assertTrue(core > shell > bottom > top > 300)
        self.assertLess(abs(found["energy_balance"]), 1e-4)


class Ranks(unittest.TestCase):
    def test_results_and_steps_do_not_depend_on_the_ranks(self):
        cases = ((CASES / "square_mesh.yaml", ("-probes", "0.3,0.4", "-refine", "1"), 3e-9),
                 (CASES / "square_mesh.yaml", (*mesh("square_quads"), "-order", "3", "-probes", "0.3,0.4"), 3e-9),
                 (CASES / "ball.yaml", (), 1e-2))
        for case, words, scale in cases:
            runs = [heat(case, *words, ranks=n) for n in (1, 2, 4)]
            for run in runs:
                self.assertEqual(run.code, 0, run.errors)
            steps = [run.summary["steps"] for run in runs]
            values = [run.summary["results"]["probes"][0] for run in runs]
            print(case.name, steps, values)
            self.assertLess(max(steps) - min(steps), 0.02 * min(steps) + 1)
            self.assertLess(max(values) - min(values), 10 * scale)


class BadCases(unittest.TestCase):
    def refused(self, words, *said, ranks=None, code=2):
        run = heat(*words, "-t_end", "0.1", ranks=ranks, timeout=60)
        self.assertEqual(run.code, code, run.errors)
        for text in said:
            self.assertIn(text, run.errors)

    def test_what_only_boxes_have(self):
        for word, value in (("n", "3,3"), ("lower", "0,0"), ("upper", "1,1"), ("symmetry", "planar"), ("face_mean", "harmonic"),
                            ("exact_profile", "x")):
            self.refused((*mesh("square"), f"-{word}", value), f"-{word} does not go with -mesh")
        self.refused((*mesh("square"), "-bc_left_type", "periodic"), "-bc_left_type periodic")
        self.refused((*mesh("square"), "-materials", "body", "-material_body_region", "x>0"), "-material_body_region", "group")

    def test_what_only_meshes_have(self):
        self.refused(("-n", "8,8", "-initial", "x", "-order", "2"), "-order")

    def test_a_boundary_that_the_mesh_does_not_have(self):
        self.refused((*mesh("square"), "-bc_lfet_type", "flux", "-bc_lfet_value", "1"), "-bc_lfet_type", "-bc_left_type")
        self.refused((*mesh("square"), "-materials", "bdoy", "-material_bdoy_k", "2"), "-materials", "bdoy", "nearest: body")

    def test_values(self):
        for ranks in (None, 2):
            self.refused((*mesh("square"), "-k", "1-2*x"), "-k", "conductivity", ranks=ranks)
            self.refused((*mesh("square"), "-initial", "log(x-2)"), "-initial", "finite", ranks=ranks)
            self.refused((*mesh("square"), "-bc_left_type", "dirichlet", "-bc_left_value", "1/y"), "'left'", "finite", ranks=ranks)
            self.refused((*mesh("square"), "-probes", "0.5,0.5,2,0"), "-probes", "point 2", "outside", ranks=ranks)
        self.refused((*mesh("square"), "-probes", "1,2,3"), "-probes")
        self.refused((*mesh("square"), "-k", "z"), "-k", "'z'")
        self.refused((*mesh("square"), "-order", "4"), "-order")

    def test_a_conductivity_that_turns_negative_ends_the_run_with_what_and_where(self):
        for ranks in (None, 2):
            self.refused((*mesh("square"), "-k", "0.55-T", "-initial", "0.5", "-source", "10"),
                         "-k: the heat conductivity must be positive", "'0.55-T'", ranks=ranks, code=3)

    def test_two_boundaries_that_give_one_node_different_values(self):
        for ranks in (None, 2):
            self.refused((*mesh("square"), "-bc_left_type", "dirichlet", "-bc_left_value", "1", "-bc_top_type", "dirichlet",
                          "-bc_top_value", "1 + t"), "'left'", "'top'", "(0, 1, 0)", ranks=ranks)


OLD = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
NAMES = '$PhysicalNames\n2\n1 1 "rim"\n2 2 "body"\n$EndPhysicalNames\n'
NODES = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"


def elements(*lines):
    return "$Elements\n" + f"{len(lines)}\n" + "".join(f"{i + 1} {line}\n" for i, line in enumerate(lines)) + "$EndElements\n"


TWO_TRIANGLES = ("2 2 2 1 1 2 3", "2 2 2 1 1 3 4")


def binary_mesh(file):
    """A mesh of version 4.1 as `gmsh -bin` writes it."""
    text = iter(file.read_text().split("\n"))
    line = lambda: next(text).split()
    ints, counts, reals = (lambda v, kind=kind: struct.pack(f"={len(v)}{kind}", *v) for kind in "iQd")
    out = b""
    for name in text:
        out += name.encode() + b"\n"
        if name == "$MeshFormat":
            next(text)
            out += b"4.1 1 8\n" + ints([1]) + b"\n"
        elif name == "$Entities":
            sizes = [int(word) for word in line()]
            out += counts(sizes)
            for dimension, size in enumerate(sizes):
                box = 3 if dimension == 0 else 6
                for _ in range(size):
                    words = line()
                    out += ints([int(words[0])]) + reals([float(word) for word in words[1 : box + 1]])
                    lists = [int(word) for word in words[box + 1 :]]
                    for _ in range(1 if dimension == 0 else 2):
                        out += counts(lists[:1]) + ints(lists[1 : 1 + lists[0]])
                        lists = lists[1 + lists[0] :]
            out += b"\n"
        elif name in ("$Nodes", "$Elements"):
            head = [int(word) for word in line()]
            out += counts(head)
            for _ in range(head[0]):
                block = [int(word) for word in line()]
                out += ints(block[:3]) + counts(block[3:])
                for _ in range(block[3]):
                    out += counts([int(word) for word in line()])
                if name == "$Nodes":
                    for _ in range(block[3]):
                        out += reals([float(word) for word in line()])
            out += b"\n"
    return out.rstrip(b"\n") + b"\n"


class BinaryMeshes(unittest.TestCase):
    def test_they_are_read_as_their_text_is(self):
        for name in ("square", "cube"):
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "binary.msh"
                file.write_bytes(binary_mesh(MESHES / f"{name}.msh"))
                words = ("-initial", "x*y", "-source", "1", "-t_end", "0.01")
                for ranks in (1, 3):
                    ours, theirs = (results("-mesh", mesh_file, *words, ranks=ranks) for mesh_file in (file, MESHES / f"{name}.msh"))
                    for figure in ("T_max", "T_min", "energy_supplied"):
                        self.assertAlmostEqual(ours[figure], theirs[figure], delta=1e-12)


class BadMeshes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.file = pathlib.Path(temporary.name) / "bad.msh"

    def run_with(self, contents, ranks=None):
        self.file.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return heat("-mesh", self.file, "-initial", "x", "-t_end", "0.01", ranks=ranks, timeout=60)

    def refused(self, contents, *said, code=2):
        for ranks in (None, 2):
            run = self.run_with(contents, ranks)
            self.assertEqual(run.code, code, run.errors)
            self.assertIn(str(self.file), run.errors)
            for text in said:
                self.assertIn(text, run.errors)

    def test_a_small_mesh_of_the_old_format_is_good(self):
        run = self.run_with(OLD + NAMES + NODES + elements("1 2 1 1 1 2", *TWO_TRIANGLES))
        self.assertEqual(run.code, 0, run.errors)

    def test_a_carriage_return_within_a_line(self):
        # PETSc's reader takes it for the end of the line, and crashes on a name without its second quote.
        mesh = OLD + NAMES + NODES + elements("1 2 1 1 1 2", *TWO_TRIANGLES)
        self.refused(mesh.replace("2 2 ", "2 2\r ", 1), "line 7", "control character")
        run = self.run_with(mesh.replace("\n", "\r\n"))
        self.assertEqual(run.code, 0, run.errors)

    def test_a_missing_file(self):
        run = heat("-mesh", "nowhere.msh", ranks=2, timeout=60)
        self.assertEqual(run.code, 4, run.errors)
        self.assertIn("nowhere.msh", run.errors)

    def test_no_mesh_at_all(self):
        self.refused("", "$MeshFormat")
        self.refused("problem: heat\n", "$MeshFormat")
        self.refused(OLD + NAMES, "$Nodes")
        self.refused(bytes(range(256)) * 10, "$MeshFormat")

    def test_a_damaged_binary_file(self):
        whole = binary_mesh(MESHES / "square.msh")
        nodes = whole.index(b"$Nodes\n") + len(b"$Nodes\n")
        self.refused(whole[: len(whole) // 2], "cut off")
        self.refused(whole.replace(b"4.1 1 8", b"4.1 1 4"), "4 bytes")
        self.refused(whole.replace(b"\x01\x00\x00\x00", b"\x00\x00\x00\x01", 1), "order of bytes")
        self.refused(whole[:nodes] + b"\xff" * 8 + whole[nodes + 8 :], "binary", "whole number")
        self.refused(OLD.replace("2.2 0 8", "2.2 1 8") + NAMES, "binary", "4.1")

    def test_another_version(self):
        self.refused("$MeshFormat\n3 0 8\n$EndMeshFormat\n", "4.1")

    def test_an_unknown_element(self):
        self.refused(OLD + NAMES + NODES + elements("7 2 2 1 1 2 3 4 1"), "element type 7")

    def test_cells_of_several_shapes(self):
        nodes = NODES.replace("$Nodes\n4", "$Nodes\n6").replace("$EndNodes", "5 2 0 0\n6 2 1 0\n$EndNodes")
        self.refused(OLD + NAMES + nodes + elements("3 2 2 1 1 2 3 4", "2 2 2 1 2 5 3"), "several shapes")

    def test_two_groups_on_one_curve(self):
        names = NAMES.replace("$PhysicalNames\n2", "$PhysicalNames\n3").replace('2 2 "', '1 3 "edge"\n2 2 "')
        self.refused(OLD + names + NODES + elements("1 2 1 1 1 2", "1 2 3 1 1 2", *TWO_TRIANGLES), "'rim'", "'edge'")
        new = (MESHES / "square.msh").read_text()
        curve = next(line for line in new.split("\n") if line.startswith("1 ") and line.endswith(" 1 1 2 1 -2 "))
        self.refused(new.replace(curve, curve.replace(" 1 1 2 1 -2 ", " 2 1 2 2 1 -2 ")), "'bottom'", "'right'")

    def test_cells_without_volume(self):
        self.refused(OLD + NAMES + NODES.replace("3 1 1 0", "3 2 0 0") + elements(*TWO_TRIANGLES), "volume")

    def test_more_than_two_cells_on_a_facet(self):
        nodes = NODES.replace("$Nodes\n4", "$Nodes\n5").replace("$EndNodes", "5 2 3 0\n$EndNodes")
        self.refused(OLD + NAMES + nodes + elements(*TWO_TRIANGLES, "2 2 2 1 1 3 5"), "two cells")

    def test_a_cut_file_on_one_and_two_ranks(self):
        whole = (MESHES / "cube_hexahedra.msh").read_text()
        for part in (0.02, 0.3, 0.6, 0.9):
            self.refused(whole[:int(part * len(whole))], "")


if __name__ == "__main__":
    unittest.main(warnings="ignore")
