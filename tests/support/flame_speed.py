"""The speed of a planar one-step flame with Lewis number 1, as an eigenvalue.

With G = lambda dT/dx, the mass flux m and Y = (T_b - T)/(T_b - T_u), the steady flame is
    dG/dT = m c_p - lambda(T) rho(T) B c_p (T_b - T) e^(-T_a/T) / G,   G = 0 at T_u and T_b:
from the burnt side, where G = s (T_b - T) with s^2 + m c_p s = c_p lambda rho B e^(-T_a/T_b), down to a temperature at
which nothing reacts, where G must be m c_p (T - T_u).
"""

import math


def burning_speed(T_u, p, rise=1500.0, frequency=1e9, T_a=15000.0, cp=1005.0, conductivity=0.026, exponent=0.0,
                  weight=0.02896, steps=4000):
    gas = 8.31446261815324 / weight
    T_b = T_u + rise
    cold = T_u + 0.1 * rise

    def source(T):
        return (conductivity * (T / 300.0) ** exponent * p / (gas * T) * frequency * cp * (T_b - T) * math.exp(-T_a / T))

    def mismatch(m):
        hot = 1e-4 * rise
        a = source(T_b - hot) / hot
        s = 0.5 * (-m * cp + math.sqrt((m * cp) ** 2 + 4.0 * a))
        T, G, h = T_b - hot, s * hot, -(rise - hot - (cold - T_u)) / steps
        for _ in range(steps):
            k1 = m * cp - source(T) / G
            k2 = m * cp - source(T + h / 2) / (G + h / 2 * k1)
            k3 = m * cp - source(T + h / 2) / (G + h / 2 * k2)
            k4 = m * cp - source(T + h) / (G + h * k3)
            T, G = T + h, G + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            if G <= 0.0:
                return -1.0
        return G - m * cp * (cold - T_u)

    low, high = 1e-3, 10.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if mismatch(middle) > 0.0 else (low, middle)
    return low * gas * T_u / p


if __name__ == "__main__":
    print(burning_speed(300.0, 101325.0))
