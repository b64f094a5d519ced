"""What `solve` returns."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Sequence

import numpy as np

from ._names import nearest

_STATUS = {"done": 0, "stopped_by_event": 1, "interrupted": -2}
_MESSAGE = {"done": "the end of the interval was reached", "stopped_by_event": "an event ended the run"}


class Solution:
    """The solution of a small system. Names are those of scipy.integrate.solve_ivp where it has one.

    t         times: those of `t_eval`, else the ends of the steps
    y         values at them, [variable, time]
    sol(t)    y at any time of the run, [variable] or [variable, time]; with `dense_output`
    t_events  times of each event, a list of arrays in the order of `events`
    y_events  y there, [event, variable], before what the event's action changes
    sensitivities        dy/dp by the name of each parameter, [variable, time] as y
    sensitivity(name, t) the same at any time of the run, as sol(t)
    status    0: the end was reached, 1: an event ended the run, -1: the integrator gave up, -2: Ctrl-C
    t_end, y_end  where the run ended, also after a failure: the last good state
    success, message, statistics, nfev, njev, nlu
    """

    def __init__(self, result: Any, t_eval: np.ndarray | None, dense_output: bool, events: int,
                 parameters: Sequence[str] = ()) -> None:
        self._result = result
        self._dense = dense_output
        self._size = result.y_end.size
        self._parameters = list(parameters)
        self._t_eval = None if t_eval is None else t_eval[: len(result.y_eval)]
        self.status: int = _STATUS.get(result.reason, -1)
        self.t_end: float = result.t
        self.y_end: np.ndarray = result.y_end
        self.success: bool = self.status >= 0
        self.message: str = result.message or _MESSAGE[result.reason]
        self.statistics: dict[str, Any] = result.statistics
        self.nfev: int = self.statistics["residual_evals"]
        self.njev: int = self.statistics["jacobian_evals"]
        self.nlu: int = self.statistics["pc_setups"]
        self.t_events, self.y_events = _by_event(result.events, events, self._size)

    @property
    def t(self) -> np.ndarray:
        if self._t_eval is not None:
            return self._t_eval
        return self._step_times

    @cached_property
    def _step_times(self) -> np.ndarray:
        times = self._result.trajectory.times() if self._dense else np.empty(0)
        return times if times.size else np.array([self.t_end])

    @cached_property
    def y(self) -> np.ndarray:
        if self._t_eval is not None:
            return self._result.y_eval.T
        if self._step_times.size == 1:
            return self.y_end[:, None]
        return self.sol(self._step_times)

    def sol(self, t: float | Sequence[float] | np.ndarray) -> np.ndarray:
        """y at any time of the run, by the integrator's own polynomials; where an event changed y, before the event."""
        return self._at(self._result.trajectory, t)

    def sensitivity(self, parameter: str, t: float | Sequence[float] | np.ndarray) -> np.ndarray:
        """dy/dp at any time of the run."""
        return self._at(self._result.sensitivity_trajectories[self._index(parameter)], t)

    @cached_property
    def sensitivities(self) -> dict[str, np.ndarray]:
        if self._t_eval is not None:
            return {name: s.T for name, s in zip(self._parameters, self._result.sensitivities_eval)}
        if self._step_times.size == 1:
            return {name: s[:, None] for name, s in zip(self._parameters, self._result.sensitivities_end)}
        return {name: self.sensitivity(name, self._step_times) for name in self._parameters}

    def _index(self, parameter: str) -> int:
        if parameter not in self._parameters:
            raise ValueError(nearest(parameter, self._parameters, "parameter among the sensitivities asked for,"))
        return self._parameters.index(parameter)

    def _at(self, trajectory: Any, t: float | Sequence[float] | np.ndarray) -> np.ndarray:
        if not self._dense:
            raise ValueError("the solution between the times of t_eval was not kept; ask for dense_output=True")
        times = np.atleast_1d(np.asarray(t, dtype=float))
        states = trajectory.states(times, self._size).T
        return states[:, 0] if np.ndim(t) == 0 else states

    __call__ = sol

    def __repr__(self) -> str:
        rows = ["   message: " + self.message.split("\n")[0], f"    status: {self.status}", f"         t: {self.t_end:.10g}"]
        steps = f"{self.statistics['steps']} steps, {self.nfev} evaluations, {self.njev} matrices"
        return "\n".join([*rows, "      cost: " + steps])


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came. The run stopped at the end of its step; `solution` is what there is up to there."""

    def __init__(self, solution: Any) -> None:
        super().__init__("stopped by Ctrl-C; the solution so far is in the exception's `solution`")
        self.solution = solution


def _by_event(located: list[Any], events: int, size: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    times: list[list[float]] = [[] for _ in range(events)]
    states: list[list[np.ndarray]] = [[] for _ in range(events)]
    for event in located:
        for which in event.which:
            times[which].append(event.t)
            states[which].append(event.y)
    return [np.array(t) for t in times], [np.array(y).reshape(-1, size) for y in states]
