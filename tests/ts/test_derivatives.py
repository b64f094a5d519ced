"""TSForward and TSAdjoint with -ts_type rhumb: van der Pol's oscillator against its linearized equations, solved by scipy."""

import unittest

import numpy
import scipy.integrate
from programs import BUILD, Case, run

TIGHT = ("-ts_rtol", 1e-9, "-ts_atol", 1e-11)


def truth(mu, t_end):
    """Derivatives of (y, z, integral of y^2) at the end by y and z at the start and by mu, whose start depends on it."""
    start = [2.0, -2 / 3 + 10 / (81 * mu) - 292 / (2187 * mu**2)]
    columns = numpy.array([[1, 0, 0], [0, 1, -10 / (81 * mu**2) + 584 / (2187 * mu**3)], [0, 0, 0]])

    def rates(_, state):
        y, z = state[:2]
        s = state[3:].reshape(3, 3)
        jacobian = numpy.array([[0, 1, 0], [mu * (-2 * y * z - 1), mu * (1 - y * y), 0], [2 * y, 0, 0]])
        by_mu = numpy.array([[0, 0, 0], [0, 0, (1 - y * y) * z - y], [0, 0, 0]])
        return numpy.concatenate([[z, mu * ((1 - y * y) * z - y), y * y], (jacobian @ s + by_mu).ravel()])

    end = scipy.integrate.solve_ivp(rates, (0, t_end), [*start, 0, *columns.ravel()], method="Radau", rtol=1e-11,
                                    atol=1e-14).y[:, -1]
    return end[:3], end[3:].reshape(3, 3)


class VanDerPol(Case):
    def assert_close(self, found, expected, relative):
        for one, other in zip(found, expected, strict=True):
            self.assertAlmostEqual(one, other, delta=relative * max(abs(other), 1e-6))

    def test_forward_sensitivities_are_the_linearized_equations(self):
        for mu, relative in ((10.0, 2e-5), (1e3, 1e-3)):  # a fast layer at the start, of which little is left
            _, derivatives = truth(mu, 0.5)
            for answer in self.on_1_and_2_ranks("vanderpol_derivatives", "-forward", "-mu", mu, *TIGHT):
                for column, name in enumerate(("by_y", "by_z", "by_mu")):
                    self.assert_close(answer.numbers(name), derivatives[:2, column], relative)

    def test_a_sweep_back_gives_the_same_by_start_and_parameter(self):
        for mu, relative in ((10.0, 2e-5), (1e3, 1e-3)):  # a fast layer at the start, of which little is left
            _, derivatives = truth(mu, 0.5)
            for answer in self.on_1_and_2_ranks("vanderpol_derivatives", "-adjoint", "-mu", mu, *TIGHT):
                for row, name in enumerate(("y", "z")):
                    self.assert_close(answer.numbers(f"{name}_by_start"), derivatives[row, :2], relative)
                    self.assert_close(answer.numbers(f"{name}_by_mu"), derivatives[row, 2:], relative)

    def test_an_integral_is_differentiated_back(self):
        end, derivatives = truth(10.0, 0.5)
        for answer in self.on_1_and_2_ranks("vanderpol_derivatives", "-adjoint", "-cost", "-mu", 10, *TIGHT):
            self.assert_close(answer.numbers("cost"), end[2:], 1e-6)
            self.assert_close(answer.numbers("cost_by_start"), derivatives[2, :2], 2e-5)
            self.assert_close(answer.numbers("cost_by_mu"), derivatives[2, 2:], 2e-5)

    def test_tao_finds_the_parameter_by_sweeps_back(self):
        answer = self.solve("vanderpol_derivatives", 1, "-fit", "-mu", 5, "-wanted", 10, *TIGHT)
        self.assertAlmostEqual(answer.number("mu"), 10, delta=1e-4)

    def test_a_sweep_over_a_part_of_the_steps_is_refused(self):
        answer = run([BUILD / "tests/ts/ts_vanderpol_derivatives"], 1, "-adjoint", "-mu", 10, "-steps_back", 3)
        self.assertNotEqual(answer.code, 0)
        self.assertIn("3 steps asked for", answer.text + answer.errors)


if __name__ == "__main__":
    unittest.main()
