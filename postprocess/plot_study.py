#!/usr/bin/python3
"""Draws a study (-study of any driver): a result over a parameter, a curve for each value of the other parameters. A
search is drawn, unless -x or -y say otherwise, as the values in the order in which they were tried, and the bracket that
closes."""

import csv
import math
import pathlib
import sys

import matplotlib.pyplot as plt

import rhumb_draw as draw
import rhumb_read

BEFORE_RESULTS = "reason"  # the columns before this one are the parameters
NOT_DRAWN = ("reason", "message", "holds")
COSTS = ("t", "steps", "unknowns", "wall_seconds")


def number(text):
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def short(text):
    return text if number(text) is None else f"{number(text):.4g}"


class Table:
    """study.csv: rows by column name."""

    def __init__(self, folder):
        try:
            with open(pathlib.Path(folder) / "study.csv", newline="") as file:
                reader = csv.DictReader(file)
                self.rows = list(reader)
            names = list(reader.fieldnames or [])
            self.parameters = names[:names.index(BEFORE_RESULTS)]
        except (OSError, ValueError, csv.Error) as reason:
            raise rhumb_read.NotARun(f"'{folder}' holds no study: {reason}") from reason
        if not self.rows or not self.parameters:
            raise rhumb_read.NotARun(f"'{folder}' holds a study without runs")
        self.results = [name for name in names if name not in self.parameters and name not in NOT_DRAWN]
        self.is_search = "holds" in names

    def column(self, name):
        return [number(row[name]) for row in self.rows]

    def choose(self, name, names, what):
        if name not in names:
            raise rhumb_read.NotARun(f"the study has no {what} '{name}', but {', '.join(names)}")
        return name

    def first_figure(self):
        """The first result of the runs themselves that is a number, and not the same everywhere."""
        changing = [name for name in self.results if len({v for v in self.column(name) if v is not None}) > 1]
        return next((name for name in changing if name not in COSTS), (changing or ["t"])[0])


def is_geometric(values):
    """Whether the values are spread over more than a power of ten, or keep their ratio and not their distance."""
    values = sorted({v for v in values if v is not None})
    if len(values) < 3 or values[0] <= 0.0:
        return len(values) == 2 and values[0] > 0.0 and values[1] >= 10.0 * values[0]
    ratios = [b / a for a, b in zip(values, values[1:])]
    return max(ratios) < 1.01 * min(ratios) or values[-1] >= 20.0 * values[0]


def draw_curves(axes, table, x, y):
    others = [name for name in table.parameters if name != x]
    curves = {}
    for row in table.rows:
        if row[y] != "" and row[x] != "":
            curves.setdefault(tuple(row[name] for name in others), []).append((row[x], row[y]))
    if not curves:
        raise rhumb_read.NotARun(f"no run has a {y}")
    xs = [number(p) for points in curves.values() for p, _ in points]
    ys = [number(q) for points in curves.values() for _, q in points]
    for of_curve, points in curves.items():
        if None not in xs:
            points = sorted(points, key=lambda point: float(point[0]))
        drawn = [(number(p) if None not in xs else p, number(q) if None not in ys else q) for p, q in points]
        label = ", ".join(f"{name} {short(value)}" for name, value in zip(others, of_curve))
        axes.plot(*zip(*drawn), "o-" if None not in ys else "o", markersize=4, label=label or None)
    if None not in xs and is_geometric(xs):
        axes.set_xscale("log")
    if None not in ys and is_geometric(ys):
        axes.set_yscale("log")
    axes.set(xlabel=x, ylabel=y)
    if others:
        axes.legend()


def draw_search(axes, table):
    name = table.parameters[0]
    values = table.column(name)
    bounds = {"yes": [], "no": []}
    for i, (row, value) in enumerate(zip(table.rows, values)):
        if row["holds"] not in bounds:
            axes.plot(i + 1, value, "x", color="0.5")
            continue
        holds = row["holds"] == "yes"
        axes.plot(i + 1, value, "^" if holds else "v", color="C3" if holds else "C0")
        bounds[row["holds"]].append(value)
        if all(bounds.values()):
            axes.vlines(i + 1, *bracket(bounds), color="0.8", linewidth=6, zorder=0)
    axes.plot([], [], "^", color="C3", label="the condition holds")
    axes.plot([], [], "v", color="C0", label="it does not")
    if min(values) > 0.0:
        axes.set_yscale("log")
    axes.set(xlabel="run", ylabel=name)
    if all(bounds.values()):
        axes.set_title("between {:.4g} and {:.4g}".format(*bracket(bounds)), loc="left")
    axes.legend()


def bracket(bounds):
    low, high = sorted(bounds.values(), key=max)
    return max(low), min(high)


def command():
    parser = draw.arguments(__doc__, "study.png")
    parser.add_argument("-x", help="parameter (default: the first)")
    parser.add_argument("-y", help="result (default: the first figure that is a number; of a search, the bracket)")
    words = parser.parse_args()
    table = Table(words.run)
    figure, axes = plt.subplots(figsize=(6.4, 4.0))
    if table.is_search and words.x is None and words.y is None:
        draw_search(axes, table)
    else:
        x = table.choose(words.x or table.parameters[0], table.parameters, "parameter")
        y = table.choose(words.y or table.first_figure(), table.results, "result")
        draw_curves(axes, table, x, y)
    draw.save(figure, words.output)
    return 0


if __name__ == "__main__":
    sys.exit(draw.main(command))
