"""Random equations of the language with solutions that are known because the test makes their sources: second order on
lines, in planes and in space, whatever stands on the sides."""

import random
import unittest

import sympy

import driver

X = sympy.symbols("x y z")
T = sympy.Symbol("t")
SIDES = (("left", "right"), ("bottom", "top"), ("back", "front"))
CELLS = {1: (24, 48), 2: (12, 24), 3: (8, 16)}


def text(expression):
    """As the language of formulas writes it."""
    return str(expression).replace("**", "^")


def smooth(rng, dimension, periodic):
    """A solution: linear in time, so that the error is the one in space."""
    product = sympy.Integer(1)
    for d in range(dimension):
        number = 2 * sympy.pi if periodic[d] else sympy.Rational(rng.randint(8, 16), 10)
        product *= sympy.sin(number * X[d] + sympy.Rational(rng.randint(1, 9), 10))
    return sympy.Rational(3, 2) + (1 + T / 2) * product / 2


class Term:
    """A term of the right side as text and as what it is of the solution; the flux that it brings through sides."""

    def __init__(self, words, value, flux=None):
        self.words, self.value, self.flux = words, value, flux


def divergence(vector):
    return sum(sympy.diff(component, X[d]) for d, component in enumerate(vector))


def diffusion(rng, name, u, dimension):
    """div(k grad(u)), written in one of several ways."""
    gradient = [sympy.diff(u, X[d]) for d in range(dimension)]
    kind = rng.choice(("lap", "k(u)", "k(x)", "power", "tensor" if dimension > 1 else "lap"))
    if kind == "lap":
        factor = sympy.Rational(rng.randint(5, 20), 10)
        return Term(f"{float(factor)}*lap({name})", factor * divergence(gradient), [factor * g for g in gradient])
    if kind == "power":
        return Term(f"lap({name}^2)", divergence([2 * u * g for g in gradient]), [2 * u * g for g in gradient])
    if kind == "tensor":  # with mixed derivatives
        flux = [gradient[0] + gradient[1] / 4, gradient[1] + gradient[0] / 4] + gradient[2:]
        words = f"vector(dx({name}) + dy({name})/4, dy({name}) + dx({name})/4" + (f", dz({name})" if dimension > 2 else "")
        return Term(f"div({words}))", divergence(flux), flux)
    k, k_words = {"k(u)": (1 + u**2 / 4, f"(1 + {name}^2/4)"), "k(x)": (1 + X[0]**2 / 2, "(1 + x^2/2)")}[kind]
    flux = [k * g for g in gradient]
    return Term(f"div({k_words}*grad({name}))", divergence(flux), flux)


def extra(rng, name, u, dimension):
    """What is no flux."""
    d = rng.randrange(dimension)
    slope, letter = sympy.diff(u, X[d]), "xyz"[d]
    return rng.choice((Term(f"sin({name})", sympy.sin(u)), Term(f"{name}*d{letter}({name})", u * slope),
                       Term(f"-{name}^3", -u**3), Term(f"d{letter}({name}^2)/2", u * slope),
                       Term(f"dot(grad({name}), grad({name}))", sum(sympy.diff(u, X[i])**2 for i in range(dimension))),
                       Term(f"exp(-{name})*d{letter}({name})", sympy.exp(-u) * slope)))


def conditions(rng, name, u, flux, periodic, dimension):
    """One for each side that there is, from what the solution is there."""
    options = []
    for d in range(dimension):
        for upper, side in enumerate(SIDES[d]):
            if periodic[d]:
                continue
            out = 1 if upper else -1
            outward = -flux[d] * out  # what flows out: the equation is dt(u) = div(flux)
            kind = rng.choice(("value", "flux", "robin", "dn"))
            if kind == "value" or not options:
                options += [f"-boundary_{side}_{name}", text(u)]
            elif kind == "flux":
                options += [f"-boundary_{side}_flux({name})", text(outward)]
            elif kind == "robin":
                options += [f"-boundary_{side}_flux({name})", f"2*{name} + {text(outward - 2 * u)}"]
            else:
                options += [f"-boundary_{side}_dn({name})", text(sympy.diff(u, X[d]) * out)]
    return options


def random_case(rng, dimension, may_be_periodic=0.3):
    """Options of rhumb-pde, but for the grid."""
    periodic = [rng.random() < may_be_periodic for _ in range(dimension)]
    fields = rng.choice((("u",), ("u", "v")))
    solutions = {name: smooth(rng, dimension, periodic) for name in fields}
    equations, options, errors = [], [], []
    for name, u in solutions.items():
        first = diffusion(rng, name, u, dimension)
        if periodic[0] and "x^2" in first.words:  # a coefficient that is not periodic
            first = Term(f"lap({name})", divergence([sympy.diff(u, X[d]) for d in range(dimension)]),
                         [sympy.diff(u, X[d]) for d in range(dimension)])
        second = extra(rng, name, u, dimension)
        other = Term("0", 0)
        if len(fields) > 1:
            partner = "v" if name == "u" else "u"
            other = Term(f"{name}*{partner}", u * solutions[partner])
        algebraic = name == "v" and rng.random() < 0.5
        left = "0" if algebraic else rng.choice((f"dt({name})", f"2*dt({name})"))
        rate = {"0": 0, f"dt({name})": 1, f"2*dt({name})": 2}[left] * sympy.diff(u, T)
        sink = f"4*{name}" if algebraic else "0"  # keeps the algebraic equation solvable
        source = rate - first.value - second.value - other.value + (4 * u if algebraic else 0)
        equations.append(f"{left} = {first.words} + {second.words} + {other.words} - {sink} + ({text(source)})")
        options += conditions(rng, name, u, first.flux, periodic, dimension)
        options += [f"-initial_{name}", text(u.subs(T, 0))]
        errors.append(f"average(({name} - ({text(u)}))^2)")
    if any(periodic):
        options += ["-periodic", ",".join("xyz"[d] for d in range(dimension) if periodic[d])]
    return ["-fields", ",".join(fields), "-equations", ", ".join(equations),
            "-figures_error", f"sqrt({' + '.join(errors)})", *options]


class RandomEquations(unittest.TestCase):
    def error(self, words, dimension, cells):
        run = driver.run("rhumb-pde", *words, "-n", ",".join([str(cells)] * dimension), "-t_end", "0.1", "-dae_rtol",
                         "1e-7", "-dae_atol", "1e-8", "-quiet")
        self.assertEqual(run.code, 0, f"{words}\n{run.errors}")
        return run.summary["results"]["error"]

    def orders(self, dimension, count):
        rng = random.Random(29 + dimension)
        for _ in range(count):
            words = random_case(rng, dimension)
            coarse, fine = (self.error(words, dimension, cells) for cells in CELLS[dimension])
            self.assertLess(fine, 2e-2, words)
            self.assertGreater(coarse / fine, 3.2, f"errors {coarse}, {fine}: {words}")

    def test_on_lines_have_order_two(self):
        self.orders(1, 26)

    def test_in_planes_have_order_two(self):
        self.orders(2, 18)

    def test_in_space_have_order_two(self):
        self.orders(3, 8)


if __name__ == "__main__":
    unittest.main()
