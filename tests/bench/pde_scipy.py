"""Side by side with Python: the same grids by scipy's solve_ivp (BDF, sparse Jacobian pattern), at equal error; wall time on
one core. Errors are against a reference with tight tolerances on the same grid."""

import time

import numpy
import scipy.sparse
from scipy.integrate import solve_ivp

import driver


def laplacian_1d(n, h):
    return scipy.sparse.diags([1, -2, 1], [-1, 0, 1], shape=(n, n)) / h**2


def brusselator(n=400):
    """On a line, as apps/pde/brusselator.yaml."""
    x = numpy.linspace(0, 1, n + 1)[1:-1]
    lap = laplacian_1d(n - 1, 1 / n).tocsr()
    sides = numpy.zeros(n - 1)
    sides[[0, -1]] = n**2

    def rate(_, y):
        u, v = y[:n - 1], y[n - 1:]
        return numpy.concatenate([1 + u * u * v - 4 * u + 0.02 * (lap @ u + sides), 3 * u - u * u * v + 0.02 * (lap @ v + 3 * sides)])

    one = scipy.sparse.identity(n - 1)
    pattern = scipy.sparse.bmat([[abs(lap) + one, one], [one, abs(lap) + one]])
    start = numpy.concatenate([1 + numpy.sin(2 * numpy.pi * x), numpy.full(n - 1, 3.0)])
    middle = n // 2 - 1
    return rate, start, pattern, 10.0, middle, ("apps/pde/brusselator.yaml", "-n", str(n)), "u_middle"


def gray_scott(n=64):
    """In a plane, as apps/pde/gray_scott.yaml."""
    ring = scipy.sparse.diags([1, 1, -2, 1, 1], [-(n - 1), -1, 0, 1, n - 1], shape=(n, n)) / (2.5 / n)**2
    lap = scipy.sparse.kronsum(ring, ring).tocsr()
    x = numpy.arange(n) * 2.5 / n
    y, x = numpy.meshgrid(x, x, indexing="ij")
    inside = (abs(x - 1.25) < 0.25) & (abs(y - 1.25) < 0.25)
    blob = numpy.where(inside, (numpy.sin(4 * numpy.pi * x) * numpy.sin(4 * numpy.pi * y))**2 / 4, 0).ravel()

    def rate(_, w):
        u, v = w[:n * n], w[n * n:]
        r = u * v * v
        return numpy.concatenate([8e-5 * (lap @ u) - r + 0.024 * (1 - u), 4e-5 * (lap @ v) + r - 0.084 * v])

    one = scipy.sparse.identity(n * n)
    pattern = scipy.sparse.bmat([[abs(lap), one], [one, abs(lap)]])
    return (rate, numpy.concatenate([1 - 2 * blob, blob]), pattern, 200.0, n * n + (n // 2) * n + n // 2,
            ("apps/pde/gray_scott.yaml", "-n", f"{n},{n}", "-figures_middle", "at(v, 1.25, 1.25)"), "middle")


def ours(words, figure, rtol):
    start = time.perf_counter()
    run = driver.run("rhumb-pde", *words, "-dae_rtol", str(rtol), "-dae_atol", str(rtol / 100), "-quiet")
    return run.summary["results"][figure], time.perf_counter() - start


def main():
    for make in (brusselator, gray_scott):
        rate, start, pattern, end, entry, words, figure = make()
        exact, _ = ours(words, figure, 1e-9)
        for rtol in (1e-3, 1e-4, 1e-5, 1e-6):
            began = time.perf_counter()
            found = solve_ivp(rate, (0, end), start, "BDF", rtol=rtol, atol=rtol / 100, jac_sparsity=pattern, t_eval=[end])
            scipys = time.perf_counter() - began
            value, wall = ours(words, figure, rtol)
            print(f"{make.__name__:12} rtol {rtol:g}: scipy {scipys:6.2f} s, error {abs(found.y[entry, -1] - exact):.1e};  "
                  f"rhumb-pde {wall:6.2f} s, error {abs(value - exact):.1e}", flush=True)


if __name__ == "__main__":
    main()
