"""Runs on PETSc's vectors, on all ranks: `System`, and the drivers' problems."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
from petsc4py import PETSc

from . import _rhumb
from ._names import enum_value
from ._solution import Interrupted


class Step:
    """Where a run stands after a step: t, y and ydot (petsc4py vectors of the run itself), statistics, fields."""

    def __init__(self, run: Any) -> None:
        self._run = run

    t = property(lambda self: self._run.t)
    y = property(lambda self: self._run.y)
    ydot = property(lambda self: self._run.ydot)
    statistics = property(lambda self: self._run.statistics)

    def field(self, name: str) -> np.ndarray:
        """This rank's values of a field; on one rank all of them, in the shape of the grid."""
        fields = {field["name"]: field for field in self._run.fields()}
        if name not in fields:
            raise _rhumb.BadInput(f"no field '{name}'; there are {', '.join(fields)}")
        field = fields[name]
        shape = field["count"] or [len(field["rows"]), *field["global"][1:]]
        return field["values"].reshape(shape)


class RunResult(Step):
    """A run that is over: success, reason, message, figures, events, output_times, states, at(t), and what a Step has."""

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        summary = run.summary
        self.reason: str = summary["reason"]
        self.message: str = summary["message"]
        self.success: bool = self.reason in ("done", "stopped_by_event")
        self.figures: dict[str, Any] = summary["figures"]
        self.events: list[tuple[float, str]] = summary["events"]
        self.output_times: list[float] = summary["output_times"]
        self.states: list[Any] = summary["states"]

    def at(self, t: float) -> Any:
        """y at an output time, or in the last step, as a petsc4py vector."""
        return self._run.at(t)


class _Runnable:
    _driver = ""
    _case_file = ""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}
        self.comm: Any = None

    def steps(self, t_end: float | None = None, out: str | None = None, **options: Any) -> Iterator[Step]:
        """The run step by step: `for step in problem.steps(t_end=1): ...`. Leaving the loop ends the run there."""
        run = _rhumb.ProblemRun(self._request(t_end, out, options))
        try:
            going, reached = True, run.t
            while going:
                going = run.step()
                if going or run.t > reached:  # a step that failed leaves nothing to see
                    yield Step(run)
                reached = run.t
        finally:
            run.finish()
        if run.summary["reason"] == "signal":
            raise Interrupted(RunResult(run))

    def run(self, t_end: float | None = None, out: str | None = None, **options: Any) -> RunResult:
        """Runs to the end. `out` is the folder to write; None: nothing is written. Collective."""
        run = _rhumb.ProblemRun(self._request(t_end, out, options))
        while run.step():
            pass
        run.finish()
        result = RunResult(run)
        if result.reason == "signal":
            raise Interrupted(result)
        return result

    def _request(self, t_end: float | None, out: str | None, options: dict[str, Any]) -> Any:
        given = {**self.options, **options, "out": "none" if out is None else out, "quiet": True}
        if t_end is not None:
            given["t_end"] = t_end
        for short in ("rtol", "atol"):
            if short in given:
                given["dae_" + short] = given.pop(short)
        request = _rhumb.RunRequest()
        request.options = {name: _text(value) for name, value in given.items()}
        request.driver, request.case_file = self._driver, self._case_file
        request.comm = PETSc.Comm(self.comm) if self.comm is not None else PETSc.COMM_WORLD
        return request


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

    def _request(self, t_end: float | None, out: str | None, options: dict[str, Any]) -> Any:
        if not hasattr(self, "options"):  # a class with its own __init__
            _Runnable.__init__(self)
        request = super()._request(t_end, out, options)
        request.system = self
        return request


class _Driver(_Runnable):
    def __init__(self, case_file: str = "", *, comm: Any = None, **options: Any) -> None:
        super().__init__()
        self._case_file = case_file
        self.options = options
        self.comm = comm


class Flow(_Driver):
    """Incompressible flow, as rhumb-flow: Flow(problem="cavity", re=400, n=(32, 32)).run(t_end=2)."""

    _driver = "flow"


class Heat(_Driver):
    """The heat equation, as rhumb-heat: Heat("chip.yaml", n=(80, 24)).run(t_end=1)."""

    _driver = "heat"


class Mesh(_Driver):
    """PDEs in one dimension on moving meshes, as rhumb-mesh: Mesh(problem="burgers").run()."""

    _driver = "mesh"


class Ignite(_Driver):
    """Combustion, as rhumb-ignite: Ignite("delay.yaml").run()."""

    _driver = "ignite"


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_text(item) for item in value)
    return repr(float(value)) if isinstance(value, np.floating) else str(value)
