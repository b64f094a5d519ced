"""Heat problems with a known solution, as options of rhumb-heat.

T = 2 + (1 + t/2) G(x): linear in time, so that the error is the one in space. The source is what is left over,
s = T_t - div(k grad T) with rho c = 1, and each boundary type gets the value that G implies on that side.
"""

SIDES = (("left", "right"), ("bottom", "top"), ("back", "front"))
GROWTH = "(1+0.5*t)"


class Waves:
    """G = product of f(x_d): sines that no side treats specially, cosines that are flat on all sides, or periodic."""

    def __init__(self, dimension, kind="general"):
        self.letters = "xyz"[:dimension]
        self.radial = 0
        self.number = {"general": "1", "symmetry": "pi", "periodic": "(2*pi)"}[kind]
        self.shift = {"general": "0.4", "symmetry": "(pi/2)", "periodic": "0.3"}[kind]

    def _factor(self, letter, function):
        return f"{function}({self.number}*{letter}+{self.shift})"

    def G(self):
        return "*".join(self._factor(c, "sin") for c in self.letters)

    def slope(self, direction):
        """dG/dx_direction"""
        return f"{self.number}*" + "*".join(
            self._factor(c, "cos" if d == direction else "sin") for d, c in enumerate(self.letters))

    def laplacian(self):
        return f"(-{len(self.letters)}*{self.number}^2*{self.G()})"


class Radial:
    """G = r^2 - r^4/4 in a cylinder (m = 1) or a sphere (m = 2)."""

    letters = "x"

    def __init__(self, m):
        self.radial = m

    def G(self):
        return "(x^2-x^4/4)"

    def slope(self, direction):
        return "(2*x-x^3)"

    def laplacian(self):
        m = self.radial
        return f"({2 + 2 * m}-{3 + m}*x^2)"


def conductivity(kind):
    """k, and its derivatives in x (first direction) and in T."""
    return {"constant": ("1.5", "0", "0"), "of_T": ("(1+0.3*T)", "0", "0.3"), "of_x": ("(1+x)", "1", "0")}[kind]


def options(solution, n, wall, k="constant", lower=0.0, upper=1.0):
    """The words after `rhumb-heat` for boundary type `wall` on all sides."""
    dimension = len(solution.letters)
    T = f"(2+{GROWTH}*{solution.G()})"
    k_text, k_x, k_T = (part.replace("T", T) for part in conductivity(k))
    gradients = [f"({GROWTH}*{solution.slope(d)})" for d in range(dimension)]
    square = "+".join(f"{g}^2" for g in gradients)
    divergence = f"{k_text}*{GROWTH}*{solution.laplacian()}+{k_x}*{gradients[0]}+{k_T}*({square})"
    words = ["-n", ",".join([str(n)] * dimension), "-lower", ",".join([str(lower)] * dimension), "-upper",
             ",".join([str(upper)] * dimension), "-k", conductivity(k)[0], "-initial", f"2+{solution.G()}", "-exact", T,
             "-source", f"0.5*{solution.G()}-({divergence})", "-face_mean", "arithmetic", "-stefan_boltzmann", "1"]
    if solution.radial:
        words += ["-symmetry", ["", "cylinder", "sphere"][solution.radial]]
    for d in range(dimension):
        for side, sign in zip(SIDES[d], "-+"):
            if solution.radial and side == "left" and lower == 0.0:
                words += ["-bc_left_type", "symmetry"]
                continue
            flux = f"(0{sign}{k_text}*{gradients[d]})"
            values = {"dirichlet": {"value": T}, "flux": {"value": flux},
                      "convection": {"h": "2", "ambient": f"{T}+{flux}/2"},
                      "radiation": {"emissivity": "0.7", "ambient": f"({T}^4+{flux}/0.7)^0.25"},
                      "symmetry": {}, "periodic": {}}[wall]
            words += [f"-bc_{side}_type", wall]
            for name, value in values.items():
                words += [f"-bc_{side}_{name}", value]
    return words
