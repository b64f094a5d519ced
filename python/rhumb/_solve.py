"""`solve` and `solve_ode`: from functions of numpy arrays to a Solution."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _rhumb
from ._names import enum_value, nearest
from ._solution import Interrupted, Solution

_FULL_MATRIX = 2000  # variables up to which a full matrix is made, as dae::small_system


@dataclass
class Event:
    """Where `value(t, y, yp)` (of an ODE `value(t, y)`) changes sign.

    direction  -1: from above only, 1: from below only, 0: both
    action     called there, in the order of time, as `action(t, y, yp)` (of an ODE `action(t, y)`); it may change y and
               yp in place, and the run starts anew from there; the run ends where it returns something true
    terminal   the run ends there

    A plain function will do in the list of events, too, with the attributes `direction` and `terminal` that scipy has.
    """

    value: Callable[..., float]
    direction: int = 0
    action: Callable[..., Any] | None = None
    terminal: bool = False
    name: str = ""


def solve(F: Callable[..., Any], t_span: tuple[float, float], y0: Any, yp0: Any = None, *, jac: Callable[..., Any] | None = None,
          jac_sparsity: Any = None, kinds: Sequence[Any] | None = None, signs: Sequence[Any] | None = None, params: Any = None,
          **settings: Any) -> Solution:
    """Integrates the DAE F(t, y, y') = 0.

    F(t, y, yp) returns the residual as an array or a list. If its last argument is named `out`, F(t, y, yp, out), it
    fills that array instead. y, yp and out are views on the integrator's memory, y and yp not writable; to keep values
    beyond the call, copy them.

    yp0          y' at the start where it is known. It need not be consistent, and neither need the algebraic part of y0.
    kinds        'differential', 'index1', 'index2' or 'index3' for each variable. Without: a variable whose derivative
                 stands in no equation is of index 1. Systems of index 2 and 3 need them. Of more than 2000 variables
                 the equation with the same number decides.
    jac          jac(t, y, yp, alpha): alpha dF/dy' + dF/dy, a full or a scipy.sparse matrix; else by differences
    jac_sparsity where that matrix may have entries; needed above 2000 variables, without a sparse jac
    signs        'free', 'nonnegative' or 'positive' for each variable

    All other settings are those of `solve_ode`.

    Robertson's reaction, with the sum of the three species as an algebraic equation:

    >>> def F(t, y, yp):
    ...     r = 1e4 * y[1] * y[2]
    ...     return [yp[0] + 0.04 * y[0] - r, yp[1] - 0.04 * y[0] + r + 3e7 * y[1] ** 2, y.sum() - 1]
    >>> s = rhumb.solve(F, (0, 4e10), [1, 0, 0], rtol=1e-6, atol=1e-12)
    >>> print(s.sol(0.4).round(5))
    [9.8517e-01 3.0000e-05 1.4790e-02]

    How it depends on the rates, dy/dk at t = 40:

    >>> def F(t, y, yp, p):
    ...     r = p.k2 * y[1] * y[2]
    ...     return [yp[0] + p.k1 * y[0] - r, yp[1] - p.k1 * y[0] + r + p.k3 * y[1] ** 2, y.sum() - 1]
    >>> s = rhumb.solve(F, (0, 40), [1, 0, 0], params={"k1": 0.04, "k2": 1e4, "k3": 3e7}, sensitivities=["k1", "k2"],
    ...                 rtol=1e-7, atol=[1e-10, 1e-14, 1e-10])
    >>> print(s.sensitivity("k1", 40).round(2))
    [-4.25  0.    4.25]
    >>> s.sensitivities["k2"].shape == s.y.shape
    True
    """
    functions = _functions(F, y0, params, jac=jac, kinds=kinds, signs=signs)
    if yp0 is not None:
        functions.ydot = _start(yp0, "yp0", functions.y.size)
    return _run(functions, t_span, jac_sparsity, **settings)


def solve_ode(f: Callable[..., Any], t_span: tuple[float, float], y0: Any, *, jac: Callable[..., Any] | None = None,
              jac_sparsity: Any = None, signs: Sequence[Any] | None = None, params: Any = None, **settings: Any) -> Solution:
    """Integrates the ODE y' = f(t, y). f(t, y) returns y', or fills it where its last argument is named `out`.

    jac(t, y) is df/dy, a full or a scipy.sparse matrix.

    rtol, atol    tolerances; atol one number, or one of each variable
    t_eval        times at which y is wanted; without: the ends of the steps
    dense_output  keep y at any time; by default where there is no t_eval
    events        functions or `Event`s
    params        a dict of numbers, {'k': 0.04}, or a list: handed on to all functions as their argument p behind y (and
                  yp and alpha), as p.k or p[0]; y0 may then be a function of p
    sensitivities names (of a list: positions) of parameters, or True for all: the solution has dy/dp by each. p is moved
                  to either side of its value while the run goes on
    sensitivity_errors  True: the errors of dy/dp bound the steps, too
    max_step, first_step, max_order (1 to 5), max_steps
    error_test    'automatic', 'standard', 'exclude', 'filter', 'strong' or 'projected'
    start         'find' consistent values, take those 'given', or begin 'steady'
    options       of PETSc's solvers: {'dae_pc_type': 'lu'}

    A run that the integrator gives up is a Solution with success == False and the diagnosis in `message`. An exception
    in a function is raised here. After Ctrl-C `rhumb.Interrupted` is raised, with the solution so far.

    >>> bounce = rhumb.Event(lambda t, y: y[0], direction=-1, action=lambda t, y: y.__setitem__(1, -0.5 * y[1]))
    >>> s = rhumb.solve_ode(lambda t, y: [y[1], -9.81], (0, 1), [1, 0], events=[bounce])
    >>> s.t_events[0].round(4)
    array([0.4515, 0.903 ])
    """
    functions = _functions(f, y0, params, jac=jac, kinds=None, signs=signs)
    functions.is_rate = True
    return _run(functions, t_span, jac_sparsity, **settings)


def _functions(function: Callable[..., Any], y0: Any, params: Any = None, *, jac: Any, kinds: Any, signs: Any) -> Any:
    out = _rhumb.Functions()
    out.function = function
    out.fills = _has_out(function)
    out.jacobian = jac
    _set_parameters(out, params)
    if callable(y0):
        if params is None:
            raise _rhumb.BadInput("y0 is a function of the parameters, but there are no params")
        out.initial_values = y0
        y0 = y0(out.parameters)
    out.y = _start(y0, "y0")
    size = out.y.size
    out.kinds = _of_each(kinds, _rhumb.Kind, "kinds", size)
    out.signs = _of_each(signs, _rhumb.Sign, "signs", size)
    return out


def _start(values: Any, name: str, size: int | None = None) -> np.ndarray:
    out = np.ascontiguousarray(values, dtype=float)
    if out.ndim != 1 or out.size == 0:
        raise _rhumb.BadInput(f"{name} has the shape {out.shape}; a list of numbers is needed")
    if size is not None and out.size != size:
        raise _rhumb.BadInput(f"{name} has {out.size} values, y0 has {size}")
    return out


def _of_each(names: Any, enum: Any, what: str, size: int) -> list[Any]:
    if names is None:
        return []
    out = [enum_value(enum, name, what) for name in names]
    if len(out) != size:
        raise _rhumb.BadInput(f"{what} has {len(out)} entries, y0 has {size}")
    return out


def _has_out(function: Callable[..., Any]) -> bool:
    """Whether the last positional argument is named `out`."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # compiled functions may have none
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return bool(positional) and positional[-1].name == "out"


def _set_pattern(functions: Any, sparsity: Any, t0: float) -> None:
    """The sparsity of the matrix: from the user, or from what jac returns at the start."""
    size = functions.y.size
    if sparsity is None and functions.jacobian is not None and size > _FULL_MATRIX:
        sparsity = _jacobian_at_start(functions, t0)
    if sparsity is None:
        return
    import scipy.sparse

    given = scipy.sparse.csr_matrix(sparsity)
    if given.shape != (size, size):
        raise _rhumb.BadInput(f"jac_sparsity has the shape {given.shape}, expected {(size, size)}")
    pattern = scipy.sparse.csr_matrix((np.ones(given.nnz), given.indices, given.indptr), shape=given.shape)
    with_diagonal = (pattern + scipy.sparse.identity(size, format="csr")).tocsr()
    with_diagonal.sort_indices()
    functions.pattern_starts = with_diagonal.indptr
    functions.pattern_columns = with_diagonal.indices


def _jacobian_at_start(functions: Any, t0: float) -> Any:
    arguments = [t0, functions.y]
    if not functions.is_rate:
        arguments += [functions.ydot if functions.ydot.size else np.zeros_like(functions.y), 1.0]
    if functions.parameters is not None:
        arguments.append(functions.parameters)
    return functions.jacobian(*arguments)


def _set_parameters(functions: Any, params: Any) -> None:
    if params is None:
        return
    if isinstance(params, Mapping):
        names = [str(name) for name in params]
        values = np.array([float(value) for value in params.values()])
        named = SimpleNamespace(**dict(zip(names, values.tolist())))
        functions.parameters = named
        functions.set_parameter = lambda i, value: setattr(named, names[i], value)
    else:
        values = np.array(params, dtype=float)
        names = [f"p{i}" for i in range(values.size)]
        functions.parameters = values
        functions.set_parameter = values.__setitem__
    functions.parameter_list = [_rhumb.Parameter(name, value) for name, value in zip(names, values)]


def _sensitivities(wanted: Any, functions: Any) -> dict[str, int]:
    """Indices of the parameters by their names."""
    names = [parameter.name for parameter in functions.parameter_list]
    listed = names if wanted is True else [wanted] if isinstance(wanted, str) else list(wanted or ())
    out = {}
    for name in (names[item] if isinstance(item, int) and 0 <= item < len(names) else str(item) for item in listed):
        if name not in names:
            raise _rhumb.BadInput(f"sensitivities: {nearest(name, names, 'parameter')}")
        out[name] = names.index(name)
    return out


def _event(event: Any, position: int) -> Any:
    if not callable(getattr(event, "value", event)):
        raise _rhumb.BadInput(f"event {position} is neither a function nor a rhumb.Event")
    function = getattr(event, "value", event)
    name = getattr(event, "name", "") or getattr(function, "__name__", "") or f"event {position}"
    direction = int(np.sign(getattr(event, "direction", 0)))
    return _rhumb.EventFunctions(function, getattr(event, "action", None), direction, bool(getattr(event, "terminal", False)), name)


def _interval(t_span: Any) -> tuple[float, float]:
    t0, t1 = (float(t) for t in t_span)
    if not (np.isfinite(t0) and np.isfinite(t1) and t1 > t0):
        raise _rhumb.BadInput(f"the interval ({t0:g}, {t1:g}) must be finite, and its end later than its start")
    return t0, t1


def _tolerance(atol: Any, size: int) -> np.ndarray:
    out = np.atleast_1d(np.asarray(atol, dtype=float))
    if out.shape not in ((1,), (size,)):
        raise _rhumb.BadInput(f"atol has the shape {out.shape}; one number, or one of each of the {size} variables")
    return out


def _times(t_eval: Any, t0: float, t1: float) -> np.ndarray | None:
    if t_eval is None:
        return None
    out = np.array(t_eval, dtype=float).ravel()
    if out.size and (np.any(np.diff(out) < 0) or out[0] < t0 or out[-1] > t1):
        raise _rhumb.BadInput(f"t_eval must be ascending and lie in ({t0:g}, {t1:g})")
    return out


def _run(functions: Any, t_span: Any, sparsity: Any, *, rtol: float = 1e-4, atol: Any = 1e-8, t_eval: Any = None,
         dense_output: bool | None = None, events: Any = (), sensitivities: Any = (), sensitivity_errors: bool = False, max_step: float = np.inf,
         first_step: float | None = None, max_order: int = 5, max_steps: int = 1_000_000, error_test: str = "automatic",
         start: str = "find", options: Mapping[str, Any] | None = None) -> Solution:
    request = _rhumb.SolveRequest()
    request.t0, request.t1 = _interval(t_span)
    times = _times(t_eval, request.t0, request.t1)
    request.rtol, request.atol = float(rtol), _tolerance(atol, functions.y.size)
    request.t_eval = times
    request.dense_output = times is None if dense_output is None else dense_output
    request.max_step, request.first_step = float(max_step), float(first_step or 0)
    request.max_order, request.max_steps = max_order, max_steps
    request.error_test = enum_value(_rhumb.ErrorTest, error_test, "error_test")
    request.start = enum_value(_rhumb.Start, start, "start")
    request.options = {name: _option(value) for name, value in (options or {}).items()}
    listed = [events] if callable(events) or isinstance(events, Event) else list(events or ())
    functions.events = [_event(event, i) for i, event in enumerate(listed)]
    by = _sensitivities(sensitivities, functions)
    request.sensitivities, request.sensitivity_errors = list(by.values()), sensitivity_errors
    _set_pattern(functions, sparsity, request.t0)
    result = _rhumb.solve(functions, request)
    solution = Solution(result, times, request.dense_output, len(listed), list(by))
    if result.reason == "interrupted":
        raise Interrupted(solution)
    return solution


def _option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
