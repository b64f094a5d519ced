"""The Brusselator in petsc4py, y1' = 1 + y1^2 y2 - 4 y1, y2' = 3 y1 - y1^2 y2; knows nothing of Rhumb."""

import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402


class Brusselator:
    def evalFunction(self, ts, t, u, udot, f):
        y, ydot = u.getArray(readonly=True), udot.getArray(readonly=True)
        if len(y):
            f.setArray([ydot[0] - 1 - y[0] ** 2 * y[1] + 4 * y[0], ydot[1] - 3 * y[0] + y[0] ** 2 * y[1]])
        f.assemble()


def main():
    comm = PETSc.COMM_WORLD
    last = comm.getRank() == comm.getSize() - 1
    u = PETSc.Vec().createMPI((2 if last else 0, 2), comm=comm)
    if last:
        u.setArray([1.5, 3.0])
    u.assemble()
    problem = Brusselator()
    ts = PETSc.TS().create(comm=comm)
    ts.setIFunction(problem.evalFunction, u.duplicate())
    ts.setMaxTime(20.0)
    ts.setTimeStep(1e-3)
    ts.setMaxSteps(100000)
    ts.setTolerances(rtol=1e-8, atol=1e-8)
    ts.setExactFinalTime(PETSc.TS.ExactFinalTime.MATCHSTEP)
    ts.setFromOptions()
    ts.solve(u)
    PETSc.Sys.Print(f"type {ts.getType()} time {ts.getSolveTime():.15g}")
    if last:
        print(" ".join(["u", *(f"{value:.12g}" for value in u.getArray())]) + "\n", end="", flush=True)


main()
