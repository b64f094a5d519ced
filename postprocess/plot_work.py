#!/usr/bin/python3
"""Draws work over error, a panel per problem, from the figures of `./run bench peers`."""

import argparse
import json
import pathlib
import sys

import matplotlib.pyplot as plt

import rhumb_draw as draw
import rhumb_read

LABELS = {"residuals": "residual evaluations", "cpu_seconds": "CPU seconds", "steps": "steps", "linear": "linear iterations"}


def command():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", type=pathlib.Path, help="file that the measurement wrote")
    parser.add_argument("-o", "--output", default="work.png", help="file to write (default work.png)")
    parser.add_argument("--work", choices=LABELS, default="residuals", help="what is drawn (default residuals)")
    words = parser.parse_args()
    try:
        problems = json.loads(words.figures.read_text())["problems"]
    except (OSError, ValueError, KeyError) as reason:
        raise rhumb_read.NotARun(f"'{words.figures}' holds no figures of ./run bench peers: {reason}") from reason

    columns = min(len(problems), 4)
    rows = -(-len(problems) // columns)
    figure, panels = plt.subplots(rows, columns, figsize=(3.6 * columns, 3.2 * rows), squeeze=False)
    for axes in panels.flat[len(problems):]:
        axes.set_axis_off()
    for axes, (name, curves) in zip(panels.flat, problems.items()):
        draw_problem(axes, name, curves, words.work)
    for axes in panels[:, 0]:
        axes.set_ylabel(LABELS[words.work])
    handles = {label: line for axes in panels.flat for line, label in zip(*axes.get_legend_handles_labels())}
    figure.legend(handles.values(), handles.keys(), loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=5, fontsize="small")
    draw.save(figure, words.output)
    return 0


def draw_problem(axes, name, curves, key):
    for label, curve in curves.items():
        points = sorted((p["error"], p[key]) for p in curve if "failed" not in p and 0.0 < p["error"] < 1.0 and p[key] > 0)
        own = label.startswith("rhumb")
        if points:
            axes.loglog(*zip(*points), "o-" if own else ".--", linewidth=2 if own else 1, color=colour(label), label=label)
    axes.invert_xaxis()
    axes.set_title(name, loc="left")
    axes.set_xlabel("error")
    axes.grid(alpha=0.3)


def colour(label):
    """The same code has the same colour in every panel."""
    known = ["rhumb automatic", "ida all", "ida suppress", "ts bdf2", "ts bdf3", "ts bdf4", "ts bdf5", "ts rosw",
             "rhumb strong", "rhumb exclude"]
    others = {"ida matrix": "navy", "daspk all": "black", "daspk suppress": "lightgreen"}
    return f"C{known.index(label)}" if label in known else others.get(label, "silver")


if __name__ == "__main__":
    sys.exit(draw.main(command))
