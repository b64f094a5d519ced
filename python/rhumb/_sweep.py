"""Many runs of one problem."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Sequence

import numpy as np

from . import _rhumb
from ._live import RunResult
from ._names import nearest


class Sweep:
    """The runs of a sweep in order: `sweep[i]` is a RunResult, `sweep["figure"]` an array over the runs, also of what was
    varied. A run that failed has nan; its `reason` is in sweep["reason"]."""

    def __init__(self, varied: list[dict[str, Any]], runs: list[RunResult]) -> None:
        self.varied = varied
        self.runs = runs

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, key: int | str) -> Any:
        if isinstance(key, int):
            return self.runs[key]
        if key == "reason":
            return np.array([run.reason for run in self.runs])
        if self.varied and key in self.varied[0]:
            return np.array([values[key] for values in self.varied])
        names = list(dict.fromkeys(name for run in self.runs for name in run.figures))
        if key not in names:
            raise _rhumb.BadInput(nearest(key, names, "figure"))
        return np.array([run.figures.get(key, np.nan) if run.success else np.nan for run in self.runs])


def sweep(problem: Any, vary: dict[str, Sequence[Any]], **arguments: Any) -> Sweep:
    """Runs a problem for all combinations of values, the last name fastest.

    problem    a Flow, Heat, ..., whose options are varied; or a function of the varied names that makes a problem
    vary       {'re': [100, 400], 'n': [(16, 16), (32, 32)]}
    arguments  those of `.run`

    >>> flow = rhumb.Flow(problem="cavity", n=(8, 8))
    >>> table = rhumb.sweep(flow, {"re": [10, 100]}, t_end=0.5)
    >>> table["re"], table["kinetic_energy"].round(4)
    (array([ 10, 100]), array([0.029 , 0.0148]))
    """
    if not vary or not all(len(values) for values in vary.values()):
        raise _rhumb.BadInput("vary needs at least one name, and values of each")
    if arguments.get("out") is not None:
        raise _rhumb.BadInput("the runs of a sweep share no folder; leave out away, or use the driver's -study sweep")
    varied = [dict(zip(vary, values)) for values in itertools.product(*vary.values())]
    return Sweep(varied, [_run_one(problem, values, arguments) for values in varied])


def _run_one(problem: Any | Callable[..., Any], values: dict[str, Any], arguments: dict[str, Any]) -> RunResult:
    if hasattr(problem, "run"):
        return problem.run(**{**arguments, **values})
    return problem(**values).run(**arguments)
