"""States and runs as xarray datasets."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray

from . import _rhumb


def dataset_of_state(state: Any) -> xarray.Dataset:
    dataset = xarray.Dataset({name: _array(state.field(name)) for name in state.fields})
    return dataset.assign_coords(time=state.t)


def dataset_of_run(run: Any) -> xarray.Dataset:
    states = [dataset_of_state(state) for state in run.states]
    if not states:
        raise _rhumb.BadInput("the run has no states")
    if any(dict(state.sizes) != dict(states[0].sizes) for state in states):
        raise _rhumb.BadInput("the grid changes between the states; use to_xarray() of each")
    return xarray.concat(states, dim="time", join="override" if _same_places(states) else "exact")


def _same_places(states: list[xarray.Dataset]) -> bool:
    return all(np.array_equal(states[0][name], state[name]) for state in states for name in state.indexes)


def _array(field: Any) -> xarray.DataArray:
    dims, coordinates = _places(field)
    if field.components > 1:
        dims = [*dims, f"component_{field.components}"]
    about = {"units": field.unit, "long_name": field.long_name, "location": field.location}
    return xarray.DataArray(field.values, dims=dims, coords=coordinates, attrs=about)


def _places(field: Any) -> tuple[list[str], dict[str, Any]]:
    """Dimensions, slowest first, and coordinates. Fields on faces have other places than those in cells: their dimensions
    have other names, x_face."""
    given = field.coordinates
    if given is None:
        return [f"{field.name}_{i}" for i in range(field.values.ndim - (field.components > 1))], {}
    if field.mesh.kind != "box":
        columns = zip("xyz"[: max(1, field.mesh.dimension)], given.T)
        return [field.location], {f"{name}_{field.location}": (field.location, column) for name, column in columns}
    names = [_dimension(field, axis, letter) for axis, letter in zip(field.mesh.axes, "xyz")]
    return names[::-1], {name: (name, places) for name, places in zip(names, given)}


def _dimension(field: Any, axis: Any, letter: str) -> str:
    at_points = field.location in ("point", "face_" + letter)
    return axis.name + ("_point" if field.location == "point" else "_face") if at_points else axis.name
