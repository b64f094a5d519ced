"""A line that follows a run: on a terminal and in a notebook always the same one, elsewhere one now and then."""

from __future__ import annotations

import sys
import time
from typing import Any

from petsc4py import PETSc


class ProgressLine:
    """On rank 0, to stderr."""

    def __init__(self, run: Any, wanted: bool) -> None:
        self._run = run
        self._wanted = wanted and PETSc.COMM_WORLD.rank == 0
        self._rewrites = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._every = 0.2 if self._rewrites else 10.0
        self._began = self._last = time.monotonic()

    def show(self) -> None:
        now = time.monotonic()
        if self._wanted and now - self._last >= self._every:
            self._last = now
            self._print(now)

    def end(self) -> None:
        if self._wanted:
            self._print(time.monotonic())
            if self._rewrites:
                print(file=sys.stderr)

    def _print(self, now: float) -> None:
        steps = self._run.statistics["steps"]
        text = f"t = {self._run.t:.6g} of {self._run.t_end:g}, {steps} steps, {now - self._began:.0f} s"
        if self._rewrites:
            print(f"\r{text:<70}", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)
