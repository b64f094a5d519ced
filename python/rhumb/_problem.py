"""Runs on PETSc's vectors, on all ranks: `System`, and the drivers' problems."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any, Iterator, Mapping

import numpy as np
from petsc4py import PETSc

from . import _rhumb
from ._live import RunResult, Step, result_of
from ._names import enum_value
from ._progress import ProgressLine


class _Runnable:
    _driver = ""
    _case_file = ""
    _case_text = ""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}
        self.comm: Any = None

    def steps(self, t_end: float | None = None, out: str | PathLike[str] | None = None, **options: Any) -> Iterator[Step]:
        """The run step by step: `for step in problem.steps(t_end=1): ...`. Leaving the loop ends the run there.

        Collective: under mpirun all ranks must make the same steps. Between steps Ctrl-C is Python's; the state is in
        `step`.
        """
        run = self._start(t_end, out, options)
        going, reached = True, run.t
        try:
            while going:
                going = run.step()
                if going or run.t > reached:  # a step that failed leaves nothing to see
                    yield Step(run)
                reached = run.t
        finally:
            run.finish()
        result_of(run, _folder(out))

    def run(self, t_end: float | None = None, out: str | PathLike[str] | None = None, *, progress: bool = False,
            **options: Any) -> RunResult:
        """Runs to the end. Collective.

        out       the folder to write, as the drivers do; None: nothing is written
        progress  one line that follows the run
        options   for this run only, as on the driver's command line: rtol=1e-6, out_times=[1, 2], dae_max_order=2

        A run that the integrator gives up is a result with success == False and the diagnosis in `message`. An exception
        in a method of a System is raised here; on other ranks rhumb.RemoteError is. After Ctrl-C, at the end of a step,
        rhumb.Interrupted is raised with the result so far in `.solution`.
        """
        run = self._start(t_end, out, options)
        line = ProgressLine(run, progress)
        with _rhumb.DeferredInterrupt():
            while run.step():
                line.show()
            line.end()
            run.finish()
        return result_of(run, _folder(out))

    def _start(self, t_end: float | None, out: str | PathLike[str] | None, options: dict[str, Any]) -> Any:
        request = self._request(t_end, out, options)
        _forget_dropped_objects(request.comm)
        return _rhumb.ProblemRun(request)

    def _request(self, t_end: float | None, out: str | PathLike[str] | None, options: dict[str, Any]) -> Any:
        given = {**self.options, **options, "out": _folder(out) or "none", "quiet": True}
        if t_end is not None:
            given["t_end"] = t_end
        for short in ("rtol", "atol"):
            if short in given:
                given["dae_" + short] = given.pop(short)
        request = _rhumb.RunRequest()
        request.options = {name.removesuffix("_"): _text(value) for name, value in given.items()}  # with_ is -with
        request.driver, request.case_file, request.case_text = self._driver, self._case_file, self._case_text
        request.comm = PETSc.Comm(self.comm) if self.comm is not None else PETSc.COMM_WORLD
        return request


def _folder(out: str | PathLike[str] | None) -> str | None:
    return None if out is None else str(out)


_held: dict[int, Any] = {}  # one object on each communicator of a run


def _forget_dropped_objects(comm: Any) -> None:
    """Frees what Python has dropped on all ranks.

    petsc4py puts parallel objects that Python drops into a list, which PETSc compares between the ranks that have one, here
    and at its end. A rank may have dropped none (the traceback of an exception keeps vectors alive there), or all: PETSc
    then frees its copy of the communicator on that rank only, and its next object waits for the others. So each rank
    keeps an object and has a list.
    """
    key = comm.tompi4py().py2f()
    if key not in _held:
        _held[key] = PETSc.Vec().create(comm)
    PETSc.Vec().create(comm)
    PETSc.garbage_cleanup(comm)


class System(_Runnable):
    """A DAE F(t, y, y') = 0 as a class on petsc4py vectors, distributed over the ranks of `create_vector`'s communicator.

    To define: `field_names`, `create_vector`, `initial_values`, `residual`. May be defined: `create_matrix`, `jacobian`,
    `product`, `mass_product`, `configure` (of the PC), `kinds` (of each local entry), `events` (a list of (name,
    direction)), `event_values`, `on_event`, `after_step`, `figures`. What a class defines is used.

    >>> from petsc4py import PETSc
    >>> class Decay(rhumb.System):
    ...     field_names = ["u"]
    ...     def create_vector(self):
    ...         return PETSc.Vec().createMPI(4)
    ...     def initial_values(self, t, y, ydot):
    ...         y.set(1.0)
    ...     def residual(self, t, y, ydot, f):
    ...         f.array[:] = ydot.array_r + y.array_r
    >>> result = Decay().run(t_end=1, rtol=1e-6)
    >>> result.success, round(result.y.max()[1], 4)
    (True, 0.3679)
    """

    name = "python"
    field_names: list[str] = ["y"]
    t_start = 0.0
    t_end = 1.0

    def create_vector(self) -> Any:
        raise NotImplementedError("a System must define create_vector()")

    def initial_values(self, t: float, y: Any, ydot: Any) -> None:
        raise NotImplementedError("a System must define initial_values(t, y, ydot)")

    def residual(self, t: float, y: Any, ydot: Any, f: Any) -> None:
        raise NotImplementedError("a System must define residual(t, y, ydot, f)")

    def create_matrix(self) -> Any: ...
    def jacobian(self, t: float, y: Any, ydot: Any, alpha: float, matrix: Any) -> None: ...
    def product(self, t: float, y: Any, ydot: Any, alpha: float, v: Any, out: Any) -> None: ...
    def mass_product(self, t: float, y: Any, ydot: Any, v: Any, out: Any) -> None: ...
    def configure(self, pc: Any, matrix: Any) -> None: ...
    def kinds(self) -> Any: ...
    def after_step(self, t: float, y: Any, ydot: Any) -> None: ...

    def events(self) -> list[tuple[str, int]]:
        return []

    def event_values(self, t: float, y: Any, ydot: Any) -> Any:
        raise NotImplementedError("a System with events() must define event_values(t, y, ydot)")

    def on_event(self, t: float, which: list[int], y: Any, ydot: Any) -> str:
        """Called at events; may change y and ydot. Returns 'go_on', 'restart' (something changed) or 'stop'."""
        return "go_on"

    def figures(self, t: float, y: Any, ydot: Any) -> dict[str, Any]:
        """What the run reports at its end. Called on all ranks."""
        return {}

    def _fields(self) -> list[Any]:
        return [_rhumb.FieldDescription(name, "", _rhumb.Kind.differential, _rhumb.Sign.free) for name in self.field_names]

    def _kinds(self) -> list[Any]:
        return [enum_value(_rhumb.Kind, kind, "kinds()") for kind in self.kinds()]

    def _on_event(self, t: float, which: list[int], y: Any, ydot: Any) -> Any:
        return enum_value(_rhumb.AfterEvent, self.on_event(t, which, y, ydot), "on_event")

    def _request(self, t_end: float | None, out: str | PathLike[str] | None, options: dict[str, Any]) -> Any:
        if not hasattr(self, "options"):  # a class with its own __init__
            _Runnable.__init__(self)
        request = super()._request(t_end, out, options)
        request.system = self
        return request


class _Driver(_Runnable):
    def __init__(self, case_file: str | PathLike[str] = "", *, comm: Any = None, **options: Any) -> None:
        super().__init__()
        self._case_file = str(case_file)
        self.options = options
        self.comm = comm


class Flow(_Driver):
    """Incompressible flow, as rhumb-flow: a case file, options, or both. `.options` may change between runs.

    >>> flow = rhumb.Flow(problem="cavity", re=100, n=(16, 16))
    >>> run = flow.run(t_end=0.5)
    >>> u = run.field("u")
    >>> u.values.shape, [len(c) for c in u.coordinates]
    ((16, 17), [17, 16])
    >>> flow.options["re"] = 400
    >>> flow.run(t_end=0.5).figures["kinetic_energy"] < run.figures["kinetic_energy"]
    True
    """

    _driver = "flow"


class Heat(_Driver):
    """The heat equation, as rhumb-heat: Heat("chip.yaml", n=(80, 24)).

    >>> heat = rhumb.Heat(problem="plate", n=(8, 8), k="1", initial="300 + x")
    >>> for step in heat.steps(t_end=0.1):
    ...     warmest = step.field("T").values.max()
    >>> round(step.t, 6) >= 0.1, 300 < warmest < 301
    (True, True)
    """

    _driver = "heat"


class Mesh(_Driver):
    """PDEs on meshes that move with the solution, as rhumb-mesh.

    >>> run = rhumb.Mesh(problem="burgers").run(t_end=0.1)
    >>> u = run.field("u")
    >>> u.values.shape == u.coordinates[:, 0].shape
    True
    """

    _driver = "mesh"


class Ignite(_Driver):
    """Combustion, as rhumb-ignite: Ignite("delay.yaml"), Ignite(problem="onestep").

    >>> rhumb.Ignite(problem="onestep").run(t_end=1e-6).success
    True
    """

    _driver = "ignite"


class Pipes(_Driver):
    """Gas and water in networks of pipes, as rhumb-pipes: Pipes("tee.yaml"), Pipes(network="net.csv")."""

    _driver = "pipes"


class Pde(_Driver):
    """PDEs on a line, in a rectangle or in a box from a page of text, as rhumb-pde; the page is a case file (a path), a
    string of several lines, or a dict. Parameters may be changed as options: parameters_D=0.1.

    >>> page = {"n": 40, "upper": 1, "fields": "u", "parameters": {"D": 0.1}, "equations": ["dt(u) = D*lap(u)"],
    ...         "initial": {"u": "cos(pi*x)"}, "figures": {"u_max": "maximum(u)"}}
    >>> heat = rhumb.Pde(page)
    >>> round(heat.run(t_end=1, rtol=1e-6).figures["u_max"], 3)
    0.373
    >>> round(heat.run(t_end=1, rtol=1e-6, parameters_D=0.2).figures["u_max"], 3)
    0.139
    """

    _driver = "pde"

    def __init__(self, page: str | PathLike[str] | Mapping[str, Any], *, comm: Any = None, **options: Any) -> None:
        is_text = isinstance(page, str) and "\n" in page
        super().__init__("" if is_text or isinstance(page, Mapping) else page, comm=comm, **options)
        if isinstance(page, Mapping):
            self._case_text = json.dumps(page, default=float)  # JSON is YAML
        elif is_text:
            self._case_text = str(page)


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_text(item) for item in value)
    return repr(float(value)) if isinstance(value, np.floating) else str(value)
