"""The steady state of small.net by other means: the equations along each pipe as an ODE in x, by Runge-Kutta, and the
flow around the ring by bisection."""

import math

R = 8.31446261815324


class Gas:
    """Papay's gas, with Hofer's friction."""

    def __init__(self, molar_mass, T, pc, Tc, viscosity=1.1e-5):
        self.RT, self.viscosity = R / molar_mass * T, viscosity
        self.a = 3.52 * math.exp(-2.26 * T / Tc) / pc
        self.b = 0.274 * math.exp(-1.878 * T / Tc) / pc**2

    def density(self, p):
        return p / (self.RT * (1 - self.a * p + self.b * p * p))

    def friction(self, q, D, k):
        Re = 4 * abs(q) / (math.pi * D * self.viscosity)
        return (-2 * math.log10(4.518 / Re * math.log10(Re / 7) + k / (3.71 * D))) ** -2


def end_pressure(gas, p, q, L, D, k, rise, steps=2000):
    """p at the end of a pipe: p' = -lambda q|q|/(2 D A^2 rho) - g rho rise/L."""
    A = math.pi / 4 * D * D
    drop = gas.friction(q, D, k) * q * abs(q) / (2 * D * A * A)

    def slope(p):
        rho = gas.density(p)
        return -drop / rho - 9.80665 * rho * rise / L

    h = L / steps
    for _ in range(steps):
        k1 = slope(p)
        k2 = slope(p + h / 2 * k1)
        k3 = slope(p + h / 2 * k2)
        k4 = slope(p + h * k3)
        p += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return p


def small_network(ratio):
    """Pressures of A, B, C, D and the flow from C to D."""
    gas = Gas(0.018, 283.15, 46e5, 195)
    out_c, out_d = 150e3 / 3600 * 0.8, 120e3 / 3600 * 0.8
    a = end_pressure(gas, 55e5, out_c + out_d, 40e3, 0.6, 2e-5, 50)
    b = ratio * a

    def ends(x):
        c = end_pressure(gas, b, out_c + x, 35e3, 0.5, 2e-5, -50)
        return c, end_pressure(gas, c, x, 30e3, 0.4, 2e-5, 80), end_pressure(gas, b, out_d - x, 45e3, 0.4, 5e-5, 30)

    low, high = 0.1, out_d - 0.1
    for _ in range(60):
        x = 0.5 * (low + high)
        _, through_c, direct = ends(x)
        low, high = (x, high) if through_c > direct else (low, x)
    c, d, _ = ends(x)
    return {"A": a, "B": b, "C": c, "D": d}, x
