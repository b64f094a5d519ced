"""Rhumb: differential-algebraic equations F(t, y, y') = 0, from three equations to PDEs on many processors.

Small systems, as functions of numpy arrays:

>>> import rhumb
>>> s = rhumb.solve_ode(lambda t, y: -y, (0, 1), [1.0], rtol=1e-8, atol=1e-10)
>>> round(float(s.y[0, -1]), 6)
0.367879

- `solve` takes a DAE F(t, y, y') = 0, `solve_ode` an ODE y' = f(t, y); both return a `Solution`.
- `System` is a DAE as a class on petsc4py vectors, `Flow`, `Heat`, `Mesh`, `Ignite`, `Pipes` and `Pde` (equations as
  text) are the drivers' problems; both
  have `.run(t_end=...)` and `.steps(t_end=...)`, on one rank or under mpirun. A run gives figures, time series, and
  fields as numpy arrays with their coordinates.
- `open` finds the same in the folder of a run that wrote one; `sweep` runs a problem for many values.
- `Event` says where a function of the solution changes sign, and what is to happen there.
- A function may raise `Recoverable` where it has no value: the integrator then takes a smaller step.
- `Interrupted` is raised after Ctrl-C, at the end of a step, and holds the solution so far.

Under mpirun all ranks import the package and make the same calls; `mpirun -n 2 python3 -m mpi4py script.py` ends all
ranks when one has an exception that nobody catches. PETSc runs from the import on. To give it options of its own, call `petsc4py.init(sys.argv)` before `import rhumb`.
"""

import petsc4py as _petsc4py

# A file .petscrc in the working folder must not change what a program does there.
_petsc4py.init(["rhumb", "-skip_petscrc"])

from ._rhumb import BadInput, Recoverable, RemoteError  # noqa: E402
from ._rhumb import version as __version__  # noqa: E402
from ._live import RunResult, State, Step  # noqa: E402
from ._problem import Flow, Heat, Ignite, Mesh, Pde, Pipes, System  # noqa: E402
from ._solution import Interrupted, Solution  # noqa: E402
from ._solve import Event, solve, solve_ode  # noqa: E402
from ._stored import StoredRun  # noqa: E402
from ._stored import open_run as open  # noqa: E402
from ._sweep import sweep  # noqa: E402

__all__ = ["BadInput", "Event", "Flow", "Heat", "Ignite", "Interrupted", "Mesh", "Pde", "Pipes", "Recoverable", "RemoteError", "RunResult",
           "Solution", "State", "Step", "StoredRun", "System", "__version__", "open", "solve", "solve_ode", "sweep"]
