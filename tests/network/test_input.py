"""Networks that make no sense are rejected with the name of what is wrong, on all ranks."""

import pathlib
import tempfile
import unittest

import driver

GOOD = """nodes:
  a: {x: 0, y: 0}
  b: {x: 1, y: 0}
pipes:
  line: {from: a, to: b, length: 1000, diameter: 0.5}
supplies:
  gas: {node: a, pressure: 50e5}
demands:
  users: {node: b, flow: 10}
"""

# What is changed, into what, and what the message must say.
WRONG = (("length: 1000", "length: -5", "pipe line: length must be positive, not -5"),
         ("diameter: 0.5", "diameter: 0", "pipe line: diameter must be positive"),
         ("to: b", "to: bb", "unknown node 'bb'; did you mean"),
         ("to: b,", "to: a,", "begins and ends at node 'a'"),
         ("pressure: 50e5", "flow: 10", "nothing holds a pressure in the part of the network with 2 nodes: 'a', 'b'"),
         ("  b: {x: 1, y: 0}", "  b: {x: 1, y: 0}\n  c: {x: 2}\n  d: {x: 3}", "node c: no pipe or machine reaches it"),
         ("  users: {node: b, flow: 10}", "  users: {node: b, pressure: 40e5}\n  more: {node: b, pressure: 41e5}",
          "demand more sets a pressure at node 'b' that others set already"),
         ("node: b, flow: 10", "node: b, flow: [[0, 1], [10]]", "flow is a list of [time, value]"),
         ("node: b, flow: 10", "node: b, flow: [[10, 1], [0, 2]]", "times of a series must ascend"),
         ("node: b, flow: 10", "node: b, flow: {file: none.csv}", "none.csv"),
         ("node: b, flow: 10", "node: b, flw: 10", "flw"),
         ("node: b, flow: 10", "node: b, flow: ten", "ten"),
         ("pipes:", "fluid: {equation: papai}\npipes:", "unknown equation 'papai'"),
         ("pipes:", "compressors:\n  k: {from: a, to: b, ratio: 0.5}\npipes:", "compressor k: ratio must be at least 1"),
         ("pipes:", "valves:\n  v: {from: a, to: b, area: 1, opening: 2}\npipes:", "valve v: opening must be at most 1"),
         ("nodes:", "nods:", "nods"),
         ("length: 1000", "length: 1000, cells: 0", "cells must be a whole number above 0"))


class BadInput(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(temporary.cleanup)
        self.file = pathlib.Path(temporary.name) / "network.yaml"

    def rejected(self, text, message, *words, ranks=None):
        self.file.write_text(text)
        done = driver.run("rhumb-pipes", "-network", self.file, *words, ranks=ranks)
        self.assertEqual(done.code, 2, done.errors)
        self.assertIn(message, done.errors)

    def test_the_network_that_the_others_are_made_of_runs(self):
        self.file.write_text(GOOD)
        done = driver.run("rhumb-pipes", self.file, "-t_end", "10")
        self.assertEqual(done.code, 0, done.errors)

    def test_wrong_networks_are_rejected_with_the_name(self):
        for old, new, message in WRONG:
            with self.subTest(new):
                self.assertIn(old, GOOD)
                self.rejected(GOOD.replace(old, new, 1), message)

    def test_all_ranks_end_with_the_same_code(self):
        self.rejected(GOOD.replace("length: 1000", "length: -5"), "pipe line: length must be positive", ranks=2)

    def test_an_island_is_named(self):
        island = GOOD.replace("pipes:", "  i: {x: 5}\n  j: {x: 6}\npipes:\n  far: {from: i, to: j, length: 10, diameter: 1}")
        self.rejected(island, "the part of the network with 2 nodes: 'i', 'j'")

    def test_a_given_start_needs_pressures(self):
        self.rejected(GOOD, "node b: -start given needs its `pressure`", "-start", "given")

    def test_names_and_values_of_options_are_checked(self):
        self.rejected(GOOD, "did you mean 'line'", "-watch", "lin")
        self.rejected(GOOD, "friction_lin", "-friction_lin", "0.01")
        self.rejected(GOOD, "-length_line", "-length_line", "-3")
        self.rejected(GOOD, "more than", "-cell_length", "1e-9")
        self.rejected(GOOD, "-scenario", "-scenario", "x.scn")

    def test_broken_xml_and_json_are_rejected_with_the_line(self):
        for name, text, message in (("a.net", "<network>\n<nodes>\n</network>", "a.net:3"),
                                    ("a.net", "<network><nodes/><connections/></network>", "no source"),
                                    ("a.json", "{\"nodes\": {\"1\": 3}}", "a.json"),
                                    ("a.txt", "", "can be read")):
            file = self.file.parent / name
            file.write_text(text)
            done = driver.run("rhumb-pipes", "-network", file)
            self.assertEqual(done.code, 2, done.errors)
            self.assertIn(message, done.errors)

    def test_a_compressor_whose_control_is_no_list_is_rejected(self):
        folder = self.file.parent
        (folder / "a.json").write_text("""{"nodes": {"1": {"x_coord": 0, "y_coord": 0}, "2": {"x_coord": 1, "y_coord": 0}},
            "pipes": {}, "compressors": {"1": {"from_node": 1, "to_node": 2}}}""")
        for control in ("{}", "[]", '{"0": 0}'):
            (folder / "b.json").write_text('{"boundary_compressor": {"1": {"control_type": %s, "time": [0], "value": [1]}}}' % control)
            done = driver.run("rhumb-pipes", "-network", folder / "a.json", "-scenario", folder / "b.json")
            self.assertEqual(done.code, 2, done.errors)
            self.assertIn("b.json:1: a list with an entry 1 is wanted here", done.errors)

    def test_no_network_names_the_cases(self):
        done = driver.run("rhumb-pipes")
        self.assertEqual(done.code, 2)
        self.assertIn("town.yaml", done.errors)


if __name__ == "__main__":
    unittest.main()
