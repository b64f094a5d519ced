"""Runs in folders, by postprocess' reader: `rhumb.open`."""

from __future__ import annotations

from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import rhumb_read

from . import _rhumb
from ._names import nearest
from ._views import RunView, StateView


class StoredState(StateView):
    """A snapshot in a run's folder. Nothing is read before it is asked for."""

    def __init__(self, snapshot: rhumb_read.Snapshot) -> None:
        self._snapshot = snapshot
        self.t = snapshot.time

    @property
    def fields(self) -> list[str]:
        return self._snapshot.fields

    @property
    def mesh(self) -> rhumb_read.Mesh:
        return self._snapshot.mesh

    def field(self, name: str) -> rhumb_read.Field:
        if name not in self.fields:
            raise _rhumb.BadInput(nearest(name, self.fields, "field"))
        return self._snapshot.field(name)


class StoredRun(RunView):
    """A run in a folder. Beyond what all runs have (see RunView): `folder`, `summary` (run.json) and `steps` (the columns
    of steps.csv). While the run goes there is no summary, and the states are those written so far."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        try:
            self._run = rhumb_read.open_run(folder)
        except rhumb_read.NotARun as reason:
            raise FileNotFoundError(str(reason)) from None
        self.folder = self._run.folder
        if not (self.folder / "run.json").exists() and not self._run.snapshots:
            raise FileNotFoundError(f"'{folder}' is no run's folder: it has neither run.json nor snapshots")

    @cached_property
    def summary(self) -> dict[str, Any]:
        """run.json; without entries while the run goes."""
        return self._run.summary if (self.folder / "run.json").exists() else {}

    @property
    def reason(self) -> str:
        return self.summary.get("reason", "running")

    @property
    def success(self) -> bool:
        return self.reason in ("done", "stopped_by_event")

    @property
    def message(self) -> str:
        return self.summary.get("message", "")

    @property
    def t(self) -> float:
        return float(self.summary["t"]) if "t" in self.summary else float(self.times[-1])

    @property
    def figures(self) -> dict[str, Any]:
        return self.summary.get("results", {})

    @property
    def errors(self) -> dict[str, Any]:
        return self.summary.get("errors", {})

    @property
    def sensitivities(self) -> dict[str, dict[str, float]]:
        return self.summary.get("sensitivities", {})

    @property
    def gradients(self) -> dict[str, dict[str, float]]:
        return self.summary.get("gradients", {})

    @property
    def options(self) -> dict[str, str]:
        return self.summary.get("options", {})

    @property
    def statistics(self) -> dict[str, Any]:
        return self.summary

    @cached_property
    def states(self) -> list[StoredState]:
        return [StoredState(snapshot) for snapshot in self._run.snapshots]

    @property
    def times(self) -> np.ndarray:
        return self._run.times

    @cached_property
    def series(self) -> dict[str, np.ndarray]:
        return self._run.series if (self.folder / "series.h5").exists() else {}

    @cached_property
    def steps(self) -> dict[str, np.ndarray]:
        return self._run.steps


def open_run(folder: str | PathLike[str]) -> StoredRun:
    """The run in a folder, with what the result of `.run()` has: figures, times, states, fields, series, plots.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     live = rhumb.Heat(problem="plate", n=(8, 8), k="1", initial="300 + x").run(t_end=0.1, out=folder)
    ...     stored = rhumb.open(folder)
    ...     stored.reason, len(stored), stored.field("T").values.shape
    ('done', 2, (9, 9))
    """
    return StoredRun(folder)
