"""The states of a run in this process."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import rhumb_read

from . import _rhumb
from ._names import nearest
from ._solution import Interrupted
from ._views import RunView, StateView


class LiveField(rhumb_read.Field):
    """A field of a run in this process. Under mpirun `values` and `coordinates` are this rank's part."""

    offset: tuple[int, ...] | None = None  # of the part, on a box
    is_part = False  # values on other ranks

    @property
    def coordinates(self) -> Any:
        if self.mesh.kind == "unstructured" and self.location == "cell" and self.is_part:
            raise _rhumb.BadInput("the corners of cells are on other ranks, too; run with out=folder and use rhumb.open")
        whole = super().coordinates
        if self.mesh.kind != "box" or whole is None or self.offset is None:
            return whole
        shape = self.values.shape[: len(whole)]
        return [points[first:first + size] for points, first, size in zip(whole, self.offset[::-1], shape[::-1])]


class State(StateView):
    """A live solution: also y and ydot, petsc4py vectors on all ranks, and `series`, the problem's scalars now."""

    def __init__(self, run: Any, t: float, y: Any, ydot: Any = None) -> None:
        self._run = run
        self.t = t
        self.y = y
        self.ydot = ydot

    @cached_property
    def _blocks(self) -> dict[str, Any]:
        return {block["name"]: block for block in self._run.fields(self.t, self.y, self.ydot)}

    @property
    def fields(self) -> list[str]:
        return list(self._blocks)

    @cached_property
    def mesh(self) -> rhumb_read.Mesh:
        return _mesh(self._run.mesh(self.t, self.y))

    @property
    def series(self) -> dict[str, float]:
        return self._run.series(self.t, self.y, self.ydot)

    def field(self, name: str) -> LiveField:
        if name not in self._blocks:
            raise _rhumb.BadInput(nearest(name, self.fields, "field"))
        block = self._blocks[name]
        field = LiveField(name=name, unit=block["unit"], long_name=block["long_name"], location=block["location"],
                          components=block["components"], values=_values(block), mesh=self.mesh)
        object.__setattr__(field, "offset", tuple(block["offset"]) or None)  # the class is frozen
        object.__setattr__(field, "is_part", field.values.size < int(np.prod(block["global"])))
        return field


class Step(State):
    """Where a run stands after a step: t, y, ydot, series, statistics, and the fields. Valid until the next step."""

    def __init__(self, run: Any) -> None:
        super().__init__(run, run.t, run.y, run.ydot)
        self.statistics: dict[str, Any] = run.statistics


class RunResult(RunView):
    """A run of this process that is over. Beyond what all runs have (see RunView): y and ydot, petsc4py vectors at its
    end, and `events`, a list of (t, name)."""

    def __init__(self, run: Any, folder: str | None) -> None:
        self._run = run
        self._folder = folder
        summary = run.summary
        self.t = run.t
        self.y, self.ydot = run.y, run.ydot
        self.reason = summary["reason"]
        self.message = summary["message"]
        self.success = self.reason in ("done", "stopped_by_event")
        self.figures = summary["figures"]
        self.errors: dict[str, dict[str, float | None]] = summary["errors"]
        self.sensitivities: dict[str, dict[str, float]] = summary["sensitivities"]
        self.gradients: dict[str, dict[str, float]] = summary["gradients"]
        self.events: list[tuple[float, str]] = summary["events"]
        self.wall_seconds: float = summary["wall_seconds"]
        self.statistics = run.statistics
        self.options = run.options
        self.times = np.array(run.recorded_times)
        self.series = {"time": self.times, **run.recorded_series}

    @cached_property
    def states(self) -> Any:
        if self._folder is not None:  # they are there, and not in memory too
            from ._stored import StoredRun

            return StoredRun(self._folder).states
        return [State(self._run, t, y) for t, y in zip(self.times, self._run.states)]

    def field(self, name: str) -> LiveField:
        """A field at the end of the run."""
        return State(self._run, self.t, self.y, self.ydot).field(name)


def result_of(run: Any, folder: str | None) -> RunResult:
    """Raises Interrupted after Ctrl-C."""
    result = RunResult(run, folder)
    if result.reason == "signal":
        raise Interrupted(result)
    return result


def _values(block: Any) -> np.ndarray:
    """In the shape of the grid: all of it, or this rank's part."""
    values = block["values"]
    rows = block["rows"]
    if block["count"]:
        return values.reshape(block["count"])
    values = values.reshape([rows.size, *block["global"][1:]])
    if rows.size < block["global"][0]:
        return values
    whole = np.empty_like(values)
    whole[rows] = values
    return whole


def _mesh(mesh: Any) -> rhumb_read.Mesh:
    axes = tuple(rhumb_read.Axis(name, unit, points) for name, unit, points in mesh["axes"])
    points, shape, topology = None, "", None
    if mesh["kind"] in ("moving", "unstructured"):
        given = _values(mesh["points"])
        given = given.reshape(len(given), -1)
        points = np.zeros((len(given), 3))
        points[:, : given.shape[1]] = given
    cells = [(name, _values(nodes)) for name, nodes in mesh["cells"]]
    if cells:
        shape = cells[0][0] if len(cells) == 1 else "Mixed"
        topology = cells[0][1] if len(cells) == 1 else _mixed(cells)
    dimension = len(axes) or (0 if points is None else given.shape[1])
    return rhumb_read.Mesh(mesh["kind"], dimension, axes, points, mesh["point_unit"], shape, topology)


# XDMF's numbers of the shapes, as in the files.
_SHAPES = {"Triangle": 4, "Quadrilateral": 5, "Tetrahedron": 6, "Pyramid": 7, "Wedge": 8, "Hexahedron": 9}


def _mixed(cells: list[tuple[str, np.ndarray]]) -> np.ndarray:
    """Cells of several shapes as one list, each behind the number of its shape."""
    return np.concatenate([np.insert(nodes, 0, _SHAPES[shape], axis=1).ravel() for shape, nodes in cells])
