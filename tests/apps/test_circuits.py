"""rhumb-dae -problem circuit on netlists in SPICE's spelling: closed forms, devices, index, bad input, ranks, ngspice."""

import math
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "bench"))
import circuits as beside
import driver
import numpy as np

CIRCUITS = "apps/dae/spice/circuits/"
TIGHT = ["-dae_rtol", "1e-8", "-dae_atol", "1e-11"]


class CircuitTest(unittest.TestCase):
    def write(self, text):
        folder = tempfile.TemporaryDirectory(prefix="rhumb-")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "net.cir"
        path.write_text(text)
        return path

    def run_file(self, path, *words, ranks=None, out=None):
        return driver.run("rhumb-dae", "-problem", "circuit", "-netlist", path, *words, ranks=ranks, out=out)

    def solve(self, text_or_file, *words, **how):
        path = self.write(text_or_file) if "\n" in text_or_file else CIRCUITS + text_or_file
        done = self.run_file(path, *words, **how)
        self.assertEqual(done.code, 0, done.errors)
        return done.summary

    def refuse(self, text):
        done = self.run_file(self.write(text))
        self.assertEqual(done.code, 2, done.errors + done.output)
        return done.errors


class Linear(CircuitTest):
    def test_series_resonance_is_the_closed_form(self):
        L, C, R, t = 1e-3, 1e-6, 20.0, 0.3e-3
        results = self.solve(f"rlc\nv1 a 0 pwl(0 0 1u 1)\nr1 a b {R}\nl1 b c 1m\nc1 c 0 1u\n.tran 1u 0.3m\n.end\n", *TIGHT)["results"]
        decay, omega = R / (2 * L), math.sqrt(1 / (L * C) - (R / (2 * L)) ** 2)

        def step(s):  # integral of the step response
            e = math.exp(-decay * s)
            w2 = decay**2 + omega**2
            return s - ((2 * decay / w2) - e * (2 * decay / w2 * math.cos(omega * s)
                                                + (decay**2 - omega**2) / (w2 * omega) * math.sin(omega * s)))

        self.assertAlmostEqual(results["v(c)"], (step(t) - step(t - 1e-6)) / 1e-6, delta=1e-6)

    def test_corners_of_sources_are_met_exactly(self):
        # v' = (E - v)/RC with a ramp from 1 ms to 2 ms
        results = self.solve("ramp\nv1 a 0 pwl(0 0 1m 0 2m 1)\nr1 a b 1k\nc1 b 0 1u\n.tran 1u 3m\n.end\n", *TIGHT)
        tau = 1e-3
        at_top = 1 - tau / 1e-3 * (1 - math.exp(-1))
        self.assertAlmostEqual(results["results"]["v(b)"], 1 - (1 - at_top) * math.exp(-1), delta=1e-7)
        self.assertEqual(results["restarts"], 2)

    def test_subcircuits_and_parameters_are_expanded(self):
        results = self.solve("divider\n.param r=1k k=3\n.subckt div in out rr=1\nra in out {rr}\nrb out 0 {rr*k}\n.ends\n"
                             "v1 a 0 8\nx1 a b div rr={2*r}\nx2 b c div\n.tran 1 1\n.end\n")["results"]
        self.assertAlmostEqual(results["v(c)"] / results["v(b)"], 0.75, delta=1e-9)

    def test_controlled_sources_do_what_they_say(self):
        results = self.solve("controlled\nv1 a 0 2\nr1 a 0 1\ne1 b 0 a 0 3\nr2 b 0 1\ng1 0 c a 0 0.5\nr3 c 0 4\n"
                             "f1 0 d v1 -2\nr4 d 0 1\nh1 e 0 v1 -5\nr5 e 0 1\n.tran 1 1\n.end\n")["results"]
        for node, value in {"b": 6, "c": 4, "d": 4, "e": 10}.items():
            self.assertAlmostEqual(results[f"v({node})"], value, delta=1e-9)

    def test_initial_conditions_are_taken(self):
        results = self.solve("rc\nr1 a 0 1k\nc1 a 0 1u ic=5\n.tran 1u 1m uic\n.end\n", *TIGHT)["results"]
        self.assertAlmostEqual(results["v(a)"], 5 * math.exp(-1), delta=1e-6)

    def test_coupled_coils_transform(self):
        # k = 1 - 1e-6: an ideal transformer 1:2 at this frequency
        results = self.solve("t\nv1 a 0 sin(0 1 1meg)\nr0 a a1 1m\nl1 a1 0 1m\nl2 b 0 4m\nk1 l1 l2 0.999999\nr1 b 0 1meg\n"
                             ".tran 1n 1.25u\n.end\n", *TIGHT)["results"]
        self.assertAlmostEqual(results["v(b)"], 2.0, delta=2e-3)


class Index(CircuitTest):
    def test_differentiator_is_index_two_and_differentiates(self):
        for ranks in (None, 2):
            results = self.solve("differentiator.cir", ranks=ranks)["results"]
            self.assertEqual(results["index"], 2)
            self.assertAlmostEqual(results["v(out)"], -1e-8 * 1e4 * 2 * math.pi * 1e3, delta=1e-5)

    def test_cascade_of_differentiators_is_refused_in_words(self):
        done = self.run_file(CIRCUITS + "cascade.cir", ranks=2)
        self.assertEqual(done.code, 2)
        self.assertIn("index 3", done.errors)
        self.assertIn("v_o2", done.errors)

    def test_loops_and_cutsets_are_named(self):
        loop = self.run_file(self.write("loop\nv1 a 0 sin(0 1 50)\nc1 a b 1u\nc2 b 0 2u\nr1 b 0 1k\n.tran 1m 40m\n.end\n"))
        self.assertEqual(loop.code, 0, loop.errors)
        self.assertRegex(loop.output + loop.errors, "loop of .*c2.* voltage sources and capacitors")
        cut = self.run_file(self.write("cut\ni1 0 a sin(0 1 50)\nl1 a b 1m\nr1 b 0 10\n.tran 1m 45m\n.end\n"))
        self.assertEqual(cut.code, 0, cut.errors)
        self.assertIn("only inductors and current sources (l1, i1)", cut.output + cut.errors)
        omega = 2 * math.pi * 50
        self.assertEqual(cut.summary["results"]["index"], 2)
        self.assertAlmostEqual(cut.summary["results"]["v(a)"], 10 + 1e-3 * omega * math.cos(omega * 0.045), delta=1e-4)

    def test_solvability_of_6_4_3_depends_on_the_resistances(self):
        net = "amp\nv1 1 0 1\nr1 1 2 {}\nr2 2 3 {}\nr4 3 4 {}\nr3 4 0 {}\nu1 4 2 3\n.tran 1 1\n.end\n"
        results = self.solve(net.format(1, 2, 3, 4))["results"]
        # v4 = v2, (v1 - v2)/R1 = (v2 - v3)/R2, v4/R3 = (v3 - v4)/R4
        v = np.linalg.solve([[1 / 1 + 1 / 2, -1 / 2], [1 / 4 + 1 / 3, -1 / 3]], [1, 0])
        self.assertAlmostEqual(results["v(3)"], v[1], delta=1e-9)
        self.assertIn("operating point", self.refuse(net.format(1, 2, 2, 1)))  # R2 R3 = R1 R4

    def test_capacitor_of_6_4_4_has_one_state_with_the_rate_of_its_pencil(self):
        # lambda C (G1 G4 - G2 G3) = G1 G2 G3
        results = self.solve("amp\nc1 1 0 1 ic=1\nr1 1 2 1\nr2 2 3 2\nr4 3 4 3\nr3 4 0 4\nu1 4 2 3\n.tran 1 1 uic\n.end\n",
                             *TIGHT)["results"]
        self.assertAlmostEqual(results["v(1)"], math.exp(0.6), delta=1e-6)


class Devices(CircuitTest):
    def test_nand_gate_ends_as_the_ivp_test_set_has_it(self):
        results = self.solve("nand.cir")["results"]
        for node, value in {"n1": 4.971088699385777, "n5": 4.970837023296724, "n6": -0.2091214032073855,
                            "n7": 4.970593243278363, "n10": -0.2090289583878100}.items():
            self.assertAlmostEqual(results[f"v({node})"], value, delta=2e-5, msg=node)

    def test_nand_gate_whose_transistors_conduct_alike_both_ways_ends_elsewhere(self):
        # the same equations without the tenth of the gain, integrated by SciPy between the corners
        deck = (driver.SOURCE / CIRCUITS / "nand.cir").read_text().replace("reverse=1.748e-4", "reverse=1.748e-3")
        results = self.solve(deck)["results"]
        for node, value in {"n1": 4.971206, "n5": 4.970956, "n6": -0.203554, "n10": -0.203461}.items():
            self.assertAlmostEqual(results[f"v({node})"], value, delta=2e-5, msg=node)

    def test_diode_has_its_exponential(self):
        results = self.solve("d\n.model m d is=1e-12 n=1\ni1 0 a 1m\nd1 a 0 m\n.tran 1 1\n.end\n")["results"]
        self.assertAlmostEqual(results["v(a)"], 0.0258649 * math.log(1e9 + 1), delta=1e-4)

    def charge_of_junction(self, u, cjo=1e-9, vj=0.7, m=0.4, fc=0.5):
        below = min(u, fc * vj)
        stored = cjo * vj / (1 - m) * (1 - (1 - below / vj) ** (1 - m))
        return stored + cjo * (1 - fc) ** (-1 - m) * ((1 - fc * (1 + m)) * (u - below) + m / (2 * vj) * (u * u - below**2))

    def test_charge_of_a_junction_is_what_the_current_brought(self):
        # With a constant current the charge is linear in time, and every BDF is exact for it; the voltage is not linear, and
        # where it is integrated (C(u) u' = i) the charge is off by 6e-4 and 1.6e-5 here.
        for sign, t in ((1, 0.65e-6), (-1, 4e-6)):
            net = f"q\n.model d d is=1e-30 cjo=1n vj=0.7 m=0.4\ni1 0 a {sign}m\nd1 a 0 d\n.tran 1u {t} uic\n.end\n"
            results = self.solve(net, "-dae_rtol", "1e-4", "-dae_atol", "1e-4")["results"]
            self.assertGreater(abs(results["v(a)"]), 0.5)
            self.assertAlmostEqual(self.charge_of_junction(results["v(a)"]) / (sign * 1e-3 * t), 1, delta=1e-5)

    def test_charge_of_transit_follows_the_current(self):
        # tt i' + i = 1 mA in the junction, u = vt ln(1 + i/is)
        results = self.solve("tt\n.model d d is=1e-14 tt=1u\ni1 0 a 1m\nd1 a 0 d\n.tran 1u 2u uic\n.end\n", *TIGHT)["results"]
        vt = 1.380649e-23 * 300.15 / 1.602176634e-19
        self.assertAlmostEqual(results["v(a)"], vt * math.log1p(1e-3 * (1 - math.exp(-2)) / 1e-14), delta=1e-7)

    def test_collector_current_has_early_voltage_high_injection_and_leakage(self):
        vt, vbe, vce = 1.380649e-23 * 300.15 / 1.602176634e-19, 0.75, 3.0
        s, bf, vaf, var, ikf, ise, ne, nf = 1e-15, 120.0, 60.0, 20.0, 5e-3, 1e-13, 1.8, 1.05
        model = f"is={s} bf={bf} br=2 nf={nf} vaf={vaf} var={var} ikf={ikf} ise={ise} ne={ne}"
        results = self.solve(f"gp\n.model m npn {model}\nvb b 0 {vbe}\nvc c 0 {vce}\nq1 c b 0 m\n.tran 1 1\n.end\n")
        forward = s * math.expm1(vbe / (nf * vt))
        charge = (1 + math.sqrt(1 + 4 * forward / ikf)) / 2 / (1 - (vbe - vce) / vaf - vbe / var)
        base, collector = (-i for i in results["results"]["source_currents"])
        self.assertAlmostEqual(collector / (forward / charge), 1, delta=1e-6)
        self.assertAlmostEqual(base / (forward / bf + ise * math.expm1(vbe / (ne * vt))), 1, delta=1e-6)

    def test_printed_values_stand_at_the_times_of_tran(self):
        # u' = (1 - u)/RC from 0: 1 - exp(-t/RC)
        deck = "print\nv1 a 0 1\nr1 a b 1k\nc1 b 0 1u ic=0\n.tran 0.5m 3m 1m uic\n.print tran v(b) v(a)\n.end\n"
        whole = self.solve(deck, *TIGHT)["results"]
        np.testing.assert_allclose(whole["print_times"], [1e-3, 1.5e-3, 2e-3, 2.5e-3, 3e-3], rtol=1e-12)
        np.testing.assert_allclose(whole["print_v(b)"], [1 - math.exp(-t / 1e-3) for t in whole["print_times"]], atol=1e-6)
        np.testing.assert_allclose(whole["print_v(a)"], 1.0, atol=1e-12)
        with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
            path = self.write(deck)
            first = self.run_file(path, *TIGHT, "-dae_max_steps", 60, out=pathlib.Path(folder) / "first")
            self.assertEqual(first.code, 3)
            second = self.run_file(path, *TIGHT, "-restart", first.folder)
            self.assertEqual(second.summary["results"]["print_v(b)"], whole["print_v(b)"])

    def test_ring_of_101_inverters_goes_round(self):
        results = self.solve("ring.cir", "-dae_rtol", "1e-4", "-dae_atol", "1e-7")["results"]
        voltages = results["node_voltages"]
        self.assertGreater(results["v(s1)"], 2.5)  # held at 0 at the start
        self.assertLess(results["v(s2)"], 0.5)
        self.assertGreater(max(voltages), 2.5)

    def test_continued_run_ends_as_the_one_in_one_go(self):
        with tempfile.TemporaryDirectory(prefix="rhumb-") as folder:
            whole = self.solve("transformer.cir")
            first = self.run_file(CIRCUITS + "transformer.cir", "-dae_max_steps", 300, out=pathlib.Path(folder) / "first")
            self.assertEqual(first.code, 3)
            kept = sorted((first.folder / "checkpoints").glob("*.h5"))[-1]
            second = self.solve("transformer.cir", "-restart", kept)
            self.assertEqual(second["results"]["node_voltages"], whole["results"]["node_voltages"])


class BadInput(CircuitTest):
    def test_what_cannot_be_printed_is_refused(self):
        deck = "print\nv1 a 0 1\nr1 a b 1k\nc1 b 0 1u\n.tran {} 3m\n.print tran v({})\n.end\n"
        self.assertIn("no such node is there; nearest: b", self.refuse(deck.format("1m", "bb")))
        self.assertIn("more than 100000", self.refuse(deck.format("1p", "b")))

    @staticmethod
    def nothing(levels, parts):
        """Subcircuits of subcircuits down to an empty one: no element, and parts^levels of them."""
        inner = "".join(f".subckt s{k} a\n" + "".join(f"x{i} a s{k + 1}\n" for i in range(parts)) + ".ends\n" for k in range(levels))
        return inner + f".subckt s{levels} a\n.ends\n"

    def test_bad_netlists_are_refused_with_their_line(self):
        end = "\n.tran 1 1\n.end\n"
        for text, message in (("t\nr1 a 0 many" + end, "line 2: 'many' is not a number"),
                              ("t\nr1 a 0 -1" + end, "must be positive"), ("t\nz1 a 0 1" + end, "is no element"),
                              ("t\nr1 a 0 1\nr1 a 0 1" + end, "given before"), ("t\nr1 a a 1" + end, "with itself"),
                              ("t\nd1 a 0 nomodel" + end, "no model"), ("t\nx1 a 0 nosub" + end, "no subcircuit"),
                              ("t\nv1 a 0 pulse(1)" + end, "pulse has"), ("t\nv1 a 0 1\nv2 a 0 2\nr1 a 0 1" + end, "loop of voltage"),
                              ("t\nr1 a 0 1\ni1 b 0 1" + end, "no path to ground"), ("t\nr1 a 0 1\n.tram 1 1\n", "nearest: .tran"),
                              ("t\n.model m d isx=1\nd1 a 0 m\nr1 a 0 1" + end, "isx"), ("t\nr1 a 0 1\n.end\n", ".tran"),
                              ("t\nf1 a 0 v9 1\nr1 a 0 1" + end, "no voltage source"),
                              ("t\n.subckt s a\nx1 a s\n.ends\nx1 b s\nr1 b 0 1" + end, "too deep"),
                              ("t\n.subckt s a\n.ends\nx1=a s r=3\nr1 a 0 1" + end, "line 4: X NAME of nodes"),
                              ("t\n" + self.nothing(levels=19, parts=8) + "x1 a s0\nr1 a 0 1" + end, "too many subcircuits")):
            with self.subTest(text=text):
                self.assertIn(message, self.refuse(text))


@unittest.skipUnless(shutil.which("ngspice"), "ngspice is not installed")
class BesideNgspice(CircuitTest):
    def test_waveforms_agree_over_the_whole_run(self):
        for name, most in {"amplifier": 2e-3, "gummel_poon": 2e-4, "rectifier": 1e-2, "transformer": 2e-3, "ring": 1e-2}.items():
            with self.subTest(circuit=name):
                ours, theirs = beside.rhumb(name), beside.ngspice(name)
                self.assertGreater(len(ours[0]), 200)
                self.assertLess(beside.difference(ours, theirs), most)  # of the largest voltage


if __name__ == "__main__":
    unittest.main()
