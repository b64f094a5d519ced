#!/usr/bin/python3
"""Draws the map of a network of pipes at one time: pressure as colour, flow as width."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

import rhumb_draw as draw
import rhumb_read

BAR = 1e5
WIDEST = 9.0  # points, of the largest flow
THINNEST = 0.6  # of none


def command():
    parser = draw.arguments(__doc__, "network.png")
    parser.add_argument("-t", "--time", type=float, help="time; the nearest snapshot is drawn (default: the last)")
    parser.add_argument("--range", metavar="LOW,HIGH", help="pressures at the ends of the colours in bar (default: all)")
    words = parser.parse_args()

    run = rhumb_read.open_run(words.run)
    snapshot = run[-1] if words.time is None else run.at(words.time)
    mesh = snapshot.mesh
    if mesh.topology is None:
        raise rhumb_read.NotARun(f"{words.run} is no network: it has no pipes")
    points, links = mesh.points[:, :2], mesh.topology
    if np.ptp(points, axis=0).max() == 0.0:
        raise rhumb_read.NotARun("all nodes are at one place: the network gives no x and y")
    pressure, flow = snapshot.field("pressure").values / BAR, snapshot.field("flow").values
    largest = max(np.abs(flow).max(), np.finfo(float).tiny)
    width = lambda q: THINNEST + (WIDEST - THINNEST) * np.abs(q) / largest

    figure, axes = plt.subplots(figsize=(9, 6.5))
    lines = LineCollection(points[links], array=pressure[links].mean(axis=1), linewidths=width(flow), capstyle="round",
                           cmap="viridis")
    limits = draw.read_range(words.range)
    if limits:
        lines.set_clim(*limits)
    axes.add_collection(lines)
    degree = np.bincount(links.ravel(), minlength=len(points))
    meets = degree != 2  # pipes begin, end or meet there
    axes.plot(*points[meets].T, "o", color="black", markersize=3, zorder=3)
    arrows(axes, points, links, meets, flow, largest)
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale_view()
    axes.margins(0.05)
    figure.colorbar(lines, ax=axes, label="pressure, bar", shrink=0.8)
    scale = [Line2D([], [], color="0.4", linewidth=width(q), label=f"{q:.3g} kg/s")
             for q in (0.25 * largest, 0.5 * largest, largest)]
    axes.legend(handles=scale, loc="upper center", bbox_to_anchor=(0.5, -0.06), ncol=3, frameon=False)
    axes.set_title(f"{snapshot.about['problem']}, t = {draw.number(snapshot.time)} s")
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    draw.save(figure, words.output)
    return 0


def arrows(axes, points, links, meets, flow, largest):
    """One in the middle of every chain of links between two places where pipes meet, in the direction of the flow."""
    breaks = np.flatnonzero((links[1:, 0] != links[:-1, 1]) | meets[links[1:, 0]]) + 1
    for chain in np.split(np.arange(len(links)), breaks):
        middle = chain[len(chain) // 2]
        if abs(flow[middle]) < 0.01 * largest:
            continue
        begin, end = points[links[middle]] if flow[middle] > 0 else points[links[middle]][::-1]
        centre, direction = (begin + end) / 2, (end - begin)
        axes.annotate("", centre + 0.01 * direction, centre, zorder=4,
                      arrowprops={"arrowstyle": "-|>", "color": "black", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 11})


if __name__ == "__main__":
    sys.exit(draw.main(command))
