#!/usr/bin/python3
"""Draws a field of one direction at several times, or where its grid points go. On a plane, draws the values along a
line. Of a system without space, draws its fields over time."""

import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

import rhumb_draw as draw
import rhumb_read


def command():
    parser = draw.arguments(__doc__, "profile.png")
    draw.add_field_arguments(parser)
    parser.add_argument("--times", help="a,b,c: times to draw; the nearest snapshots are taken")
    parser.add_argument("--count", type=int, help="how many times to draw at most when none are given (default: 25)")
    parser.add_argument("--trajectories", action="store_true", help="draw the grid points over time")
    parser.add_argument("--along", choices=("x", "y"), default="x", help="direction of the line on a plane (default x)")
    parser.add_argument("--at", type=float, help="where the line is, in the other direction (default: the middle)")
    parser.add_argument("--points", metavar="FILE", help="table to compare with: lines of place,value; # is a comment")
    parser.add_argument("--log", action="store_true", help="logarithmic values")
    words = parser.parse_args()

    run = rhumb_read.open_run(words.run)
    figure, axes = plt.subplots(figsize=(6.4, 4.8))
    if words.trajectories:
        draw_trajectories(axes, run)
    elif run[-1].mesh.kind == "none":
        draw_over_time(axes, run, words.field)
    else:
        draw_profiles(figure, axes, run, words)
    axes.grid(alpha=0.3)
    if words.log:
        axes.set_yscale("log")
    draw.save(figure, words.output)
    return 0


def chosen(run, words):
    """The snapshots to draw, in order of time."""
    if words.times:
        try:
            wanted = [float(word) for word in words.times.split(",")]
        except ValueError:
            raise rhumb_read.NotARun(f"'{words.times}' is no list of times") from None
        return [run.at(time) for time in wanted]
    return [run[i] for i in evenly(len(run), words.count)]


MANY = 25  # curves are still told apart by their colours


def evenly(stored, count=None):
    """Which of the stored times to draw, up to the last: all of them where they are few, else about `count` with one
    distance between them, so that times that are equally spaced stay so."""
    if count is None:
        count = MANY
    count = min(max(count, 1), stored)
    if count == 1:
        return [stored - 1]
    least = -(-(stored - 1) // (count - 1))
    fitting = [stride for stride in range(least, 2 * least) if (stored - 1) % stride == 0]
    stride = fitting[0] if fitting else least
    return list(range((stored - 1) % stride, stored, stride))


def profile(field, words):
    """(x, values, label of x, note) along the line."""
    if draw.is_line(field):
        return *draw.line_of(field, words.component), ""
    if field.mesh.kind != "box":
        raise rhumb_read.NotARun("profiles along a line need a structured grid; plot_field draws the others")
    values, note = draw.middle(field, field.scalar(words.component))
    here = "xy".index(words.along)
    axis, other = field.mesh.axes[here], field.mesh.axes[1 - here]
    across = field.closed_coordinates[1 - here]
    at = np.argmin(np.abs(across - (words.at if words.at is not None else across.mean())))
    line = values[at, :] if here == 0 else values[:, at]
    note = f"{other.name} = {draw.number(across[at])} {other.unit}".rstrip() + note
    return field.closed_coordinates[here], line, draw.label(axis.name, axis.unit), note


def draw_profiles(figure, axes, run, words):
    snapshots = chosen(run, words)
    first, last = snapshots[0].time, snapshots[-1].time
    scale = Normalize(first, last if last > first else first + 1.0)
    colour = plt.get_cmap("viridis")
    for snapshot in snapshots:
        field = draw.choose_field(snapshot, words.field)
        x, values, name, note = profile(field, words)
        text = f"t = {draw.number(snapshot.time)}"
        axes.plot(x, values, color=colour(0.9 * scale(snapshot.time)), marker="." if x.size <= 60 else None, label=text)
    axes.set(xlabel=name, ylabel=draw.field_label(field, words.component))
    axes.set_title(", ".join(part for part in (run[-1].about["problem"], note) if part))
    if words.points:
        axes.plot(*read_points(words.points), "o", color="tab:red", markerfacecolor="none",
                  label=pathlib.Path(words.points).stem.replace("_", " "))
    if len(snapshots) <= 8:
        legend_beside(axes)
    else:
        bar = figure.colorbar(ScalarMappable(Normalize(first, first + (last - first) / 0.9), colour), ax=axes, label="t")
        bar.ax.set_ylim(first, last)


def read_points(file):
    """(places, values) of a table."""
    try:
        table = np.loadtxt(file, delimiter=",", ndmin=2)
    except (OSError, ValueError) as reason:
        raise rhumb_read.NotARun(f"cannot read points from '{file}': {reason}") from None
    if table.shape[1] != 2:
        raise rhumb_read.NotARun(f"'{file}' has {table.shape[1]} columns, not two")
    return table.T


def draw_over_time(axes, run, only):
    names = [only] if only else run[-1].fields
    units = set()
    for name in names:
        values = np.array([snapshot.field(name).values.ravel() for snapshot in run.snapshots])
        field = run[-1].field(name)
        units.add(field.unit)
        for i, curve in enumerate(values.T):
            entry = f"[{i}]" if values.shape[1] > 1 else ""
            axes.plot(run.times, curve, label=draw.label(field.name + entry, field.unit))
    one = len(names) == 1
    unit = units.pop() if len(units) == 1 else ""
    axes.set(xlabel="t", ylabel=draw.field_label(run[-1].field(names[0])) if one else draw.label("value", unit),
             title=run[-1].about["problem"])
    if 1 < len(axes.lines) <= 12:
        legend_beside(axes)


def legend_beside(axes):
    """To the right of the curves, where it hides nothing."""
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_trajectories(axes, run):
    mesh = run[-1].mesh
    if mesh.kind != "moving":
        raise rhumb_read.NotARun(f"the mesh of '{run.folder}' does not move")
    places = [snapshot.mesh.points[:, 0] for snapshot in run.snapshots]
    start = 0
    for i in range(1, len(places) + 1):  # a new bundle of curves wherever the number of points changes
        if i == len(places) or places[i].size != places[start].size:
            marker = "." if i - start == 1 else None
            axes.plot(np.array(places[start:i]), run.times[start:i], color="tab:blue", linewidth=0.7, marker=marker,
                      markersize=2)
            start = i
    axes.set(xlabel=draw.label("x", mesh.point_unit), ylabel="t", title=f"{run[-1].about['problem']}: grid points")


if __name__ == "__main__":
    sys.exit(draw.main(command))
