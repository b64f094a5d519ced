#!/usr/bin/python3
"""Draws the runs of a study of the minimum ignition energy (rhumb-ignite -study mie): the energies in the order in which
they were tried, which ignited and which died, and the bracket that closes."""

import csv
import pathlib
import sys

import matplotlib.pyplot as plt

import rhumb_draw as draw
import rhumb_read


def command():
    parser = draw.arguments(__doc__, "mie.png")
    words = parser.parse_args()
    file = pathlib.Path(words.run) / "mie.csv"
    try:
        with open(file, newline="") as table:
            rows = list(csv.DictReader(table))
        energies = [float(row["energy"]) for row in rows]
    except (OSError, KeyError, ValueError) as reason:
        raise rhumb_read.NotARun(f"'{words.run}' holds no study: {reason}") from reason

    figure, axes = plt.subplots(figsize=(6.4, 4.0))
    low, high = [], []
    for i, row in enumerate(rows):
        ignited = row["fate"] == "ignited"
        axes.plot(i + 1, energies[i], "^" if ignited else "v", color="C3" if ignited else "C0")
        (high if ignited else low).append(energies[i])
        if low and high:
            axes.vlines(i + 1, max(low), min(high), color="0.8", linewidth=6, zorder=0)
    axes.plot([], [], "^", color="C3", label="ignited")
    axes.plot([], [], "v", color="C0", label="died")
    axes.set_yscale("log")
    axes.set_xlabel("run")
    axes.set_ylabel("energy")
    if low and high:
        axes.set_title(f"between {max(low):.4g} and {min(high):.4g}", loc="left")
    axes.legend()
    draw.save(figure, words.output)
    return 0


if __name__ == "__main__":
    sys.exit(draw.main(command))
