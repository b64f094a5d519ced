"""Robertson's reaction by rhumb.solve_ode and by scipy's BDF and Radau; the examples of the pendulum and the ball, and what a
user of scipy writes in their place: CPU time, evaluations, error."""

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


def robertson():
    settings = {"rtol": 1e-6, "atol": 1e-12}
    runs = {"rhumb": lambda: rhumb.solve_ode(rate, (0, 4e10), [1, 0, 0], **settings),
            "scipy BDF": lambda: solve_ivp(rate, (0, 4e10), [1, 0, 0], method="BDF", **settings),
            "scipy Radau": lambda: solve_ivp(rate, (0, 4e10), [1, 0, 0], method="Radau", **settings)}
    for name, run in runs.items():
        cpu, s = best_of(run)
        print(f"robertson, {name:12} {1e3 * cpu:7.1f} ms, {s.nfev:5} evaluations, y1 = {s.y[0, -1]:.5e} (exact {EXACT[0]:.4e})")


def pendulum():
    """Index 2 as it stands; for scipy the constraint is differentiated twice by hand, and the length drifts."""

    def constrained(t, y, yp):
        x, z, u, w, force = y
        return [yp[0] - u, yp[1] - w, yp[2] + force * x, yp[3] + force * z + 9.81, x * u + z * w]

    def explicit(t, y):
        x, z, u, w = y
        force = (u * u + w * w - 9.81 * z) / (x * x + z * z)
        return [u, w, -force * x, -force * z - 9.81]

    kinds = 4 * ["differential"] + ["index2"]
    runs = {"rhumb": lambda: rhumb.solve(constrained, (0, 10), [1, 0, 0, 0, 0], kinds=kinds, rtol=1e-6, atol=1e-8),
            "scipy BDF": lambda: solve_ivp(explicit, (0, 10), [1, 0, 0, 0], method="BDF", rtol=1e-6, atol=1e-8),
            "scipy Radau": lambda: solve_ivp(explicit, (0, 10), [1, 0, 0, 0], method="Radau", rtol=1e-6, atol=1e-8)}
    truth = solve_ivp(explicit, (0, 10), [1, 0, 0, 0], method="DOP853", rtol=1e-13, atol=1e-13).y[:2, -1]
    for name, run in runs.items():
        cpu, s = best_of(run)
        x, z = s.y[:2, -1]
        print(f"pendulum, {name:12} {1e3 * cpu:7.1f} ms, {s.nfev:5} evaluations, error {np.hypot(*(s.y[:2, -1] - truth)):.1e}, "
              f"length off by {abs(np.hypot(x, z) - 1):.1e}")


def ball():
    """An event that changes the solution; for scipy a loop around runs that end at the floor."""

    def bounce(t, y):
        y[1] = -0.8 * y[1]

    def fall(t, y):
        return [y[1], -9.81]

    def floor(t, y):
        return y[0]

    floor.terminal, floor.direction = True, -1
    # the exact times: sqrt(2/g) (1 + 2 (0.8 + 0.8^2 + ...))
    first = np.sqrt(2 / 9.81)
    exact = first * (1 + 2 * np.concatenate([[0], np.cumsum(0.8 ** np.arange(1, 20))]))
    exact = exact[exact < 3]

    def by_rhumb():
        s = rhumb.solve_ode(fall, (0, 3), [1, 0], events=[rhumb.Event(floor, direction=-1, action=bounce)], rtol=1e-6, atol=1e-8)
        return s.nfev, np.asarray(s.t_events[0])

    def by_scipy():
        t, y, hits, evaluations = 0.0, [1.0, 0.0], [], 0
        while t < 3:
            s = solve_ivp(fall, (t, 3), y, method="BDF", events=floor, rtol=1e-6, atol=1e-8)
            t, y, evaluations = s.t[-1], [1e-15, -0.8 * s.y[1, -1]], evaluations + s.nfev
            if s.status == 1:
                hits.append(t)
        return evaluations, np.array(hits)

    for name, run in (("rhumb", by_rhumb), ("scipy BDF", by_scipy)):
        cpu, (evaluations, hits) = best_of(run)
        few = min(len(hits), len(exact))
        print(f"ball, {name:12} {1e3 * cpu:7.1f} ms, {evaluations:5} evaluations, {len(hits)} of {len(exact)} bounces, "
              f"the last off by {abs(hits[few - 1] - exact[few - 1]):.1e}")


robertson()
pendulum()
ball()
