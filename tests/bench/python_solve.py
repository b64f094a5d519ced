"""Robertson's reaction by rhumb.solve_ode and by scipy's BDF and Radau: CPU time, evaluations, error."""

import time

import numpy as np
import rhumb
from scipy.integrate import solve_ivp

EXACT = np.array([5.2083e-08, 2.0833e-13, 1.0])  # Hairer and Wanner, at t = 4e10


def rate(t, y):
    r = 1e4 * y[1] * y[2]
    return np.array([-0.04 * y[0] + r, 0.04 * y[0] - r - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2])


def best_of(solve, times=5):
    seconds = []
    for _ in range(times):
        began = time.process_time()
        solution = solve()
        seconds.append(time.process_time() - began)
    return min(seconds), solution


settings = {"rtol": 1e-6, "atol": 1e-12}
runs = {"rhumb": lambda: rhumb.solve_ode(rate, (0, 4e10), [1, 0, 0], **settings),
        "scipy BDF": lambda: solve_ivp(rate, (0, 4e10), [1, 0, 0], method="BDF", **settings),
        "scipy Radau": lambda: solve_ivp(rate, (0, 4e10), [1, 0, 0], method="Radau", **settings)}
for name, run in runs.items():
    cpu, s = best_of(run)
    print(f"{name:12} {1e3 * cpu:7.1f} ms, {s.nfev:5} evaluations, y1 = {s.y[0, -1]:.5e} (exact {EXACT[0]:.4e})")
