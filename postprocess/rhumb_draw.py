"""What the drawing commands share: figures without a display, labels with units, colours, the words of their command
lines, and how a field is drawn."""

import argparse
import pathlib
import sys

import matplotlib
import matplotlib.pyplot as plt
import matplotlib.tri as tri
import numpy as np
from matplotlib.collections import LineCollection

import rhumb_read
import rhumb_section

STYLE = {
    "figure.dpi": 120,
    "font.size": 10,
    "axes.grid": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}


def main(command):
    """Runs a command, which needs no display; what the user got wrong is one line, not a traceback."""
    matplotlib.use("Agg")
    plt.rcParams.update(STYLE)
    try:
        return command()
    except rhumb_read.NotARun as reason:
        print(f"{pathlib.Path(sys.argv[0]).name}: {reason}", file=sys.stderr)
        return 2


def arguments(text, output):
    """A parser with what every drawing command takes."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("run", help="folder of the run")
    parser.add_argument("-o", "--output", default=output, help=f"file to write (default {output})")
    return parser


def add_field_arguments(parser):
    parser.add_argument("-f", "--field", help="field to draw (default: the first)")
    parser.add_argument("--component", type=int, help="component of a vector field (default: its length)")


def add_picture_arguments(parser):
    """What a picture of a field takes, alone or in a film."""
    add_field_arguments(parser)
    parser.add_argument("--lines", metavar="FIELD", help="lines of equal values of this field on top (psi: stream lines)")
    parser.add_argument("--mesh", action="store_true", help="show the cells, too")
    parser.add_argument("--range", metavar="LOW,HIGH", help="values at the ends of the colours, --range=-5,5 (default: all)")


def add_extras(axes, snapshot, field, words):
    """The cells and the lines of another field, where they are asked for."""
    if words.mesh:
        draw_mesh(axes, field)
    if words.lines:
        draw_lines(axes, snapshot.field(words.lines))


def label(name, unit):
    return f"{name} [{unit}]" if unit else name


def field_label(field, component=None):
    name = field.long_name
    if field.components > 1:
        name = f"length of {name}" if component is None else f"{name}, component {component}"
    return label(name, field.unit)


def choose_field(snapshot, name):
    """The named field, or the first."""
    if name is None and not snapshot.fields:
        raise rhumb_read.NotARun(f"'{snapshot.file}' has no fields")
    return snapshot.field(name if name is not None else snapshot.fields[0])


def save(figure, file):
    try:
        figure.savefig(file, bbox_inches="tight")
    except (OSError, ValueError) as reason:
        raise rhumb_read.NotARun(f"cannot write '{file}': {reason}") from None
    plt.close(figure)
    print(f"wrote {file}")


def number(value):
    return f"{value:.6g}"


class Colours:
    """A colour map and its range: viridis, or blue over white to red around zero where both signs weigh."""

    def __init__(self, low, high):
        finite = np.isfinite(low) and np.isfinite(high)
        low, high = (float(low), float(high)) if finite else (0.0, 1.0)
        if low < 0.0 < high and min(-low, high) > 0.1 * max(-low, high):
            high = max(-low, high)
            self.range = dict(cmap="RdBu_r", vmin=-high, vmax=high)
        else:
            margin = 1e-12 * max(abs(low), abs(high), 1e-300) if low == high else 0.0
            self.range = dict(cmap="viridis", vmin=low - margin, vmax=high + margin)

    @classmethod
    def of(cls, values):
        finite = values[np.isfinite(values)]
        return cls(finite.min(), finite.max()) if finite.size else cls(0.0, 1.0)


def read_range(text):
    """The colours between two given values; None without any."""
    if text is None:
        return None
    try:
        low, high = (float(word) for word in text.split(","))
    except ValueError:
        raise rhumb_read.NotARun(f"'{text}' is no range: two numbers with a comma between them") from None
    return Colours(low, high)


def is_line(field):
    """Whether a field is drawn as a curve."""
    return field.mesh.kind == "moving" or field.mesh.dimension <= 1


def line_of(field, component=None):
    """(x, values, label of x) of a field on a line; without a place, over the number of the entry."""
    values = field.scalar(component)
    if field.coordinates is None:
        return np.arange(values.size), values.ravel(), "entry"
    if field.mesh.kind == "box":
        axis = field.mesh.axes[0]
        return field.closed_coordinates[0], field.closed(values), label(axis.name, axis.unit)
    return field.coordinates[:, 0], values, label("x", field.mesh.point_unit)


def middle(field, values):
    """What is drawn of values: a box of three directions by its middle plane in z, periodic directions closed."""
    if field.mesh.kind != "box":
        return values, ""
    values = field.closed(values)
    if values.ndim < 3:
        return values, ""
    k = values.shape[0] // 2
    axis = field.mesh.axes[2]
    return values[k], f", {axis.name} = {number(field.closed_coordinates[2][k])} {axis.unit}".rstrip()


def draw_plane(axes, field, component=None, colours=None):
    """Draws a field of two or three directions in colours; returns what a colour bar belongs to, and a note."""
    values, note = middle(field, field.scalar(component))
    colours = colours or Colours.of(values)
    if field.mesh.kind == "box":
        x, y = field.mesh.axes[0], field.mesh.axes[1]
        along_x, along_y = field.closed_coordinates[:2]
        if values.shape == (y.points.size - 1, x.points.size - 1):
            drawn = axes.pcolormesh(x.points, y.points, values, shading="flat", **colours.range)
        else:
            drawn = axes.pcolormesh(along_x, along_y, values, shading="gouraud", **colours.range)
        names = label(x.name, x.unit), label(y.name, y.unit)
    else:
        in_space = field.mesh.shape in ("Tetrahedron", "Hexahedron")
        drawn, note = (_draw_section if in_space else _draw_cells)(axes, field, values, colours)
        names = label("x", field.mesh.point_unit), label("y", field.mesh.point_unit)
    axes.set(xlabel=names[0], ylabel=names[1])
    axes.set_aspect("equal" if field.mesh.kind == "unstructured" or _is_compact(axes) else "auto")  # shapes stay shapes
    return drawn, note


def draw_field(field, component=None, axes=None, colours=None):
    """Draws a field of any sort with its labels and a colour bar; returns the axes. Without `axes` on a new figure."""
    if axes is None:
        _, axes = plt.subplots(figsize=figure_size(field), layout="constrained")
    if is_line(field):
        x, values, name = line_of(field, component)
        axes.plot(x, values, marker="." if x.size <= 200 else None, color="tab:blue")
        axes.set(xlabel=name, ylabel=field_label(field, component))
        axes.grid(alpha=0.3)
        return axes
    drawn, note = draw_plane(axes, field, component, colours)
    beside = axes.inset_axes([1.03, 0.0, 0.03, 1.0])  # as high as the picture, however flat that is
    axes.figure.colorbar(drawn, cax=beside, label=field_label(field, component), extend="both" if colours else "neither")
    axes.set_title(note.lstrip(", "))
    return axes


def draw_lines(axes, field, count=24):
    """Draws lines of equal values of a field on a box, on a plane or in the middle plane of a space. They are closer where
    the field is near its ends, so that weak eddies show as well as the main one."""
    if field.mesh.kind != "box" or field.mesh.dimension < 2:
        raise rhumb_read.NotARun(f"lines of '{field.name}' need a structured grid of two or three directions")
    values, _ = middle(field, field.scalar())
    low, high = float(values.min()), float(values.max())
    steps = np.linspace(0.0, 1.0, count // 2 + 1)[1:] ** 3
    levels = np.unique(np.concatenate([low * steps if low < 0.0 else [], high * steps if high > 0.0 else []]))
    if levels.size:
        axes.contour(*field.closed_coordinates[:2], values, levels=levels, colors="black", linewidths=0.5,
                     linestyles="solid")


def draw_mesh(axes, field):
    """Draws the edges of the cells; on a line a stroke at every point."""
    style = dict(color="black", linewidth=0.3, alpha=0.6)
    if is_line(field):
        x, _, _ = line_of(field)
        axes.vlines(x, 0.0, 0.03, transform=axes.get_xaxis_transform(), **style)
    elif field.mesh.kind == "box":
        x, y = field.mesh.axes[0].points, field.mesh.axes[1].points
        axes.vlines(x, y[0], y[-1], **style)
        axes.hlines(y, x[0], x[-1], **style)
    elif field.mesh.shape in ("Tetrahedron", "Hexahedron"):
        raise rhumb_read.NotARun("the cells of a mesh in space are not drawn; ParaView does")
    else:
        edges, widths = _edges(axes, field.mesh)
        axes.add_collection(LineCollection(edges, colors="0.5", linewidths=widths))


def _edges(axes, mesh):
    """The edges of cells in the plane, each once, and their widths: thinner where cells are narrow in the picture, so that
    lines do not hide the field."""
    pairs, narrow = [], []
    for count in sorted({len(nodes) for nodes in mesh.cells}):
        cells = np.array([nodes for nodes in mesh.cells if len(nodes) == count])
        following = np.roll(cells, -1, axis=1)
        (x, y), (next_x, next_y) = np.moveaxis(mesh.points[cells], -1, 0)[:2], np.moveaxis(mesh.points[following], -1, 0)[:2]
        area = 0.5 * np.abs((x * next_y - next_x * y).sum(axis=1))
        longest = np.hypot(next_x - x, next_y - y).max(axis=1)
        pairs.append(np.sort(np.stack([cells, following], axis=-1).reshape(-1, 2), axis=1))
        narrow.append(np.repeat(area / longest, count))
    edges, places = np.unique(np.concatenate(pairs), axis=0, return_inverse=True)
    width = np.full(len(edges), np.inf)
    np.minimum.at(width, places.ravel(), np.concatenate(narrow))
    axes.autoscale_view()
    inches = axes.bbox.width / axes.figure.dpi / np.ptp(axes.get_xlim())  # a length of one in the picture
    return mesh.points[edges, :2], np.clip(0.3 * 72.0 * inches * width, 0.02, 0.4)


def figure_size(field):
    """Inches; a long channel gets a wide picture."""
    if field.mesh.kind != "unstructured":
        return 6.4, 4.8
    width, height, _ = np.ptp(field.mesh.points, axis=0)
    return (12.0, 4.8) if width > 2.5 * height else (6.4, 4.8)


def _is_compact(axes):
    """Whether equal scales leave both directions readable."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    return 0.2 < (right - left) / (high - low) < 5.0


def _draw_section(axes, field, values, colours):
    """The middle plane of cells in space, whose fields are at points."""
    if field.location != "point":
        raise rhumb_read.NotARun(f"'{field.name}' has a value per cell in space, which is not drawn; ParaView does")
    points = field.mesh.points
    z = 0.5 * (points[:, 2].min() + points[:, 2].max())
    cells = rhumb_section.tetrahedra(field.mesh.shape, field.mesh.topology)
    places, triangles, found = rhumb_section.section(points, cells, values, z)
    # Cutting makes slivers, which matplotlib's shaded triangles widen to spikes: narrow bands of colour instead.
    low, high = colours.range["vmin"], colours.range["vmax"]
    levels = np.linspace(low, high, 201)
    axes.tricontourf(tri.Triangulation(places[:, 0], places[:, 1], triangles), found, levels=levels, extend="both",
                     **colours.range)
    note = f", z = {number(round(z, 12))} {field.mesh.point_unit}".rstrip()
    return plt.cm.ScalarMappable(plt.Normalize(low, high), colours.range["cmap"]), note


def _draw_cells(axes, field, values, colours):
    corners, owners = [], []
    for i, nodes in enumerate(field.mesh.cells):
        for k in range(1, len(nodes) - 1):  # a polygon as a fan of triangles
            corners.append((nodes[0], nodes[k], nodes[k + 1]))
            owners.append(i)
    points = field.mesh.points
    mesh = tri.Triangulation(points[:, 0], points[:, 1], corners)
    if field.location == "cell":
        return axes.tripcolor(mesh, facecolors=values[owners], **colours.range), ""
    return axes.tripcolor(mesh, values, shading="gouraud", **colours.range), ""
