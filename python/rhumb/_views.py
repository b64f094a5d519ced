"""What live and stored runs have in common: states with fields, and runs with states."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from rhumb_read import Field

from . import _rhumb
from ._names import nearest


class StateView:
    """A solution at one time.

    t            the time
    fields       the names of its fields
    field(name)  one of them: `.values` (a numpy array, [z, y, x] or [point], components last), `.coordinates`, `.unit`;
                 numpy functions take the field itself. Under mpirun a live run has the part of this rank.
    mesh         the grid: `.kind`, `.axes` or `.points`, `.cells`
    """

    t: float
    fields: list[str]

    def field(self, name: str) -> Field:
        raise NotImplementedError

    def plot(self, field: str | None = None, *, component: int | None = None, axes: Any = None) -> Any:
        """Draws a field (without a name: the first) with matplotlib; returns the axes."""
        import rhumb_draw

        drawn = rhumb_draw.draw_field(self.field(field or self.fields[0]), component, axes)
        drawn.set_title(f"t = {self.t:g}")
        return drawn

    def to_xarray(self) -> Any:
        """The fields as an xarray.Dataset, with coordinates; needs xarray."""
        from ._xarray import dataset_of_state

        return dataset_of_state(self)


class RunView:
    """A run that is over: the same for one that has just ended and for one that `rhumb.open` finds in a folder.

    success, reason, message   how it ended; reason is 'done', 'stopped_by_event', 'signal', 'solver_gave_up', ...
    t                          how far it came
    figures                    what the problem reports, by name
    errors                     of the figures, after a run with error_bars=True: {'lift': {'time':, 'space':, 'total':}}
    sensitivities              of the figures, after a run with sensitivity="re,nu": {'drag': {'re': d(drag)/d(re), 'nu':}}
    gradients                  the same by one sweep back, after a run with gradient="drag", with_="re,nu"
    times, states              the output times (`out_dt`, `out_times`; without: start and end) and the solution there
    run[i], run.at(t)          one of the states, by position or the one nearest to a time
    field(name)                a field of the last state
    series                     the problem's time series by name, as arrays, with 'time'
    statistics, options        what it cost, and all options with their effective values
    """

    t: float
    success: bool
    reason: str
    message: str
    figures: dict[str, Any]
    times: np.ndarray
    states: Sequence[StateView]
    series: dict[str, np.ndarray]
    statistics: dict[str, Any]
    options: dict[str, str]

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, position: int) -> StateView:
        return self.states[position]

    def at(self, t: float) -> StateView:
        """The state at the output time nearest to t."""
        if not len(self.states):
            raise _rhumb.BadInput("the run has no states")
        return self.states[int(np.argmin(np.abs(np.asarray(self.times) - t)))]

    def field(self, name: str) -> Field:
        """A field of the last state."""
        return self.states[-1].field(name)

    def plot(self, name: str | None = None, **how: Any) -> Any:
        """Draws a time series, or a field of the last state; returns matplotlib's axes."""
        if name in self.series:
            return self._plot_series(str(name), **how)
        last = self.states[-1]
        if name is not None and name not in last.fields:
            raise _rhumb.BadInput(nearest(name, [*last.fields, *self.series], "field or series"))
        return last.plot(name, **how)

    def _plot_series(self, name: str, axes: Any = None) -> Any:
        import matplotlib.pyplot as plt

        drawn = axes if axes is not None else plt.subplots()[1]
        drawn.plot(self.series["time"], self.series[name])
        drawn.set(xlabel="t", ylabel=name)
        return drawn

    def to_xarray(self) -> Any:
        """All states as an xarray.Dataset with the dimension `time`; needs xarray, and a grid that does not change."""
        from ._xarray import dataset_of_run

        return dataset_of_run(self)

    def __repr__(self) -> str:
        figures = {name: value for name, value in self.figures.items() if isinstance(value, float)}
        listed = "".join(f"\n  {name} = {value:.6g}" for name, value in list(figures.items())[:12])
        return f"<{self.reason} at t = {self.t:g}, {len(self.times)} states>{listed}"
