"""Reads the folder of a run.

    import rhumb_read
    run = rhumb_read.open_run("out")
    run.times                          # of the snapshots
    snapshot = run.at(0.5)             # the snapshot nearest to a time; run[3], run[-1] by position
    field = snapshot.field("temperature")
    field.values, field.unit, field.coordinates
    run.series["energy"], run.steps["h"], run.summary["steps"]

Nothing is read before it is asked for. Arrays are in C order, [z, y, x(, component)].
"""

import json
import pathlib
import re
from dataclasses import dataclass
from functools import cached_property

import h5py
import numpy as np


class NotARun(Exception):
    """The folder, or what was asked of it, is not there; the text says what."""


def open_run(folder):
    return Run(folder)


@dataclass(frozen=True)
class Axis:
    """One direction of a box: its points, ascending."""

    name: str
    unit: str
    points: np.ndarray
    periodic: bool = False  # the first point comes again, one cell behind the last

    @property
    def closed_points(self):
        """The points, and of a periodic direction the place where the first comes again."""
        if not self.periodic:
            return self.points
        return np.append(self.points, 2.0 * self.points[-1] - self.points[-2])

    @property
    def centres(self):
        return 0.5 * (self.points[1:] + self.points[:-1])


@dataclass(frozen=True)
class Mesh:
    kind: str  # "none", "box", "moving" or "unstructured"
    dimension: int
    axes: tuple  # of a box, x first
    points: np.ndarray  # [n, 3] otherwise
    point_unit: str
    shape: str  # of the cells: "Triangle", ..., "Mixed"
    topology: np.ndarray  # as in the file

    @property
    def cells(self):
        """The nodes of each cell of an unstructured mesh: a list of index arrays."""
        if self.topology is None:
            return []
        if self.shape != "Mixed":
            return list(self.topology)
        return list(_mixed_cells(self.topology))


# Nodes per cell by XDMF's number of the shape; a polyline (2) says its own.
_NODES = {4: 3, 5: 4, 6: 4, 7: 5, 8: 6, 9: 8}


def _mixed_cells(listed):
    at = 0
    while at < len(listed):
        shape = listed[at]
        at += 1
        if shape in _NODES:
            nodes = _NODES[shape]
        else:
            nodes = listed[at]
            at += 1
        yield listed[at : at + nodes]
        at += nodes


@dataclass(frozen=True)
class Field:
    name: str
    unit: str
    long_name: str
    location: str  # "none", "point", "cell", "face_x", "face_y", "face_z"
    components: int
    values: np.ndarray
    mesh: Mesh

    @property
    def coordinates(self):
        """Places of the values. Box: one array per direction, x first. Otherwise: [n, 3]. None without a mesh."""
        if self.mesh.kind == "box" and self.location != "none":
            return [self._along(axis, letter) for axis, letter in zip(self.mesh.axes, "xyz")]
        if self.mesh.kind == "none" or self.location == "none":
            return None
        if self.location == "point":
            return self.mesh.points
        if self.mesh.kind == "moving":
            return 0.5 * (self.mesh.points[1:] + self.mesh.points[:-1])
        return np.array([self.mesh.points[nodes].mean(axis=0) for nodes in self.mesh.cells])

    def closed(self, values):
        """Values at the points of a box with those of periodic directions again at the other end; directions z first."""
        for direction, axis in enumerate(reversed(self.mesh.axes)):
            if axis.periodic and values.shape[direction] == axis.points.size:
                values = np.concatenate([values, values.take([0], axis=direction)], axis=direction)
        return values

    @property
    def closed_coordinates(self):
        """The coordinates of `closed` values, one array per direction, x first."""
        return [axis.closed_points if found.size == axis.points.size else found
                for axis, found in zip(self.mesh.axes, self.coordinates)]

    def _along(self, axis, letter):
        at_points = self.location == "point" or self.location == "face_" + letter
        return axis.points if at_points else axis.centres

    def __array__(self, dtype=None):
        """numpy's functions take the field itself."""
        return np.asarray(self.values, dtype=dtype)

    def scalar(self, component=None):
        """The values as one number per place: a component of a vector, or its length."""
        if self.components == 1:
            return self.values
        if component is None:
            return np.sqrt((self.values**2).sum(axis=-1))
        if not 0 <= component < self.components:
            raise NotARun(f"field '{self.name}' has components 0 to {self.components - 1}, not {component}")
        return self.values[..., component]


class Snapshot:
    """One output time."""

    def __init__(self, file):
        self.file = pathlib.Path(file)
        try:
            with h5py.File(self.file) as stored:
                self.number = int(stored.attrs["number"])
                self.time = float(stored.attrs["time"])
                self.step = int(stored.attrs["step"])
        except (OSError, KeyError) as reason:
            raise NotARun(f"'{self.file}' is no snapshot: {reason}") from None

    @cached_property
    def fields(self):
        """The names of the fields."""
        with h5py.File(self.file) as stored:
            return list(stored["fields"])

    @cached_property
    def about(self):
        """Program, problem and version."""
        with h5py.File(self.file) as stored:
            return {name: _text(stored.attrs[name]) for name in ("app", "problem", "version")}

    @cached_property
    def options(self):
        """The effective options of the run."""
        with h5py.File(self.file) as stored:
            return {name: _text(value) for name, value in stored["options"].attrs.items()}

    @cached_property
    def mesh(self):
        with h5py.File(self.file) as stored:
            group = stored["mesh"]
            names = _text(group.attrs.get("axes", "")).split()
            has_points = "points" in group and not names
            return Mesh(
                kind=_text(group.attrs["kind"]),
                dimension=int(group.attrs["dimension"]),
                axes=tuple(self._axis(group[name], name, cells) for name, cells in zip(names, self._cells())),
                points=group["points"][()] if has_points else None,
                point_unit=_text(group["points"].attrs["units"]) if has_points else "",
                shape=_text(group.attrs.get("shape", "")),
                topology=group["topology"][()] if "topology" in group else None,
            )

    def _cells(self):
        """How many cells the box has along each direction, as the run's options say; None where they do not."""
        numbers = re.split("[,x]", self.options.get("n", ""))
        return [int(number) if number.strip().isdigit() else None for number in numbers] + 3 * [None]

    @staticmethod
    def _axis(stored, name, cells):
        points = stored[()]  # a periodic direction has as many points as cells, any other one more
        return Axis(name, _text(stored.attrs["units"]), points, periodic=cells == points.size and cells > 1)

    def field(self, name):
        if name not in self.fields:
            raise NotARun(f"'{self.file}' has no field '{name}'; it has {', '.join(self.fields)}")
        with h5py.File(self.file) as stored:
            data = stored["fields"][name]
            return Field(
                name=name,
                unit=_text(data.attrs["units"]),
                long_name=_text(data.attrs["long_name"]),
                location=_text(data.attrs["location"]),
                components=int(data.attrs["components"]),
                values=data[()],
                mesh=self.mesh,
            )


class Run:
    """A run's folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        if not self.folder.is_dir():
            raise NotARun(f"there is no folder '{folder}'")

    @cached_property
    def snapshots(self):
        files = sorted((self.folder / "snapshots").glob("[0-9]*.h5"), key=lambda file: int(file.stem))
        return [Snapshot(file) for file in files]

    def __len__(self):
        return len(self.snapshots)

    def __getitem__(self, position):
        if not self.snapshots:
            raise NotARun(f"'{self.folder}' has no snapshots")
        try:
            return self.snapshots[position]
        except IndexError:
            raise NotARun(f"'{self.folder}' has {len(self)} snapshots, none at {position}") from None

    def at(self, time):
        """The snapshot nearest to a time."""
        return self[int(np.argmin(np.abs(self.times - time)))] if self.snapshots else self[0]

    @cached_property
    def times(self):
        return np.array([snapshot.time for snapshot in self.snapshots])

    @cached_property
    def series(self):
        """The scalar time series by name, with `time`, `step` and `snapshot`."""
        file = self.folder / "series.h5"
        if not file.exists():
            raise NotARun(f"'{self.folder}' has no series.h5")
        with h5py.File(file) as stored:
            return {name: data[()] for name, data in stored["series"].items()}

    @cached_property
    def steps(self):
        """The columns of steps.csv by name: one entry per accepted step."""
        file = self.folder / "steps.csv"
        if not file.exists():
            raise NotARun(f"'{self.folder}' has no steps.csv")
        lines = file.read_text().split("\n")
        names = lines[0].split(",")
        # A run that was killed may have left half a line.
        rows = [line.split(",") for line in lines[1:-1] if line.count(",") == len(names) - 1]
        table = np.array(rows, dtype=float).reshape(len(rows), len(names))
        return {name: table[:, i] for i, name in enumerate(names)}

    @cached_property
    def summary(self):
        """run.json."""
        file = self.folder / "run.json"
        if not file.exists():
            raise NotARun(f"'{self.folder}' has no run.json")
        return json.loads(file.read_text())


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)
