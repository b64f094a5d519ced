#!/usr/bin/python3
"""Draws scalars of a run over time: an energy, a force, what a probe sees."""

import sys

import matplotlib.pyplot as plt

import rhumb_draw as draw
import rhumb_read


def command():
    parser = draw.arguments(__doc__, "series.png")
    parser.add_argument("-f", "--figures", help="a,b,c: which to draw (default: all)")
    parser.add_argument("--log", action="store_true", help="logarithmic values")
    words = parser.parse_args()

    run = rhumb_read.open_run(words.run)
    series = run.series
    known = [name for name in series if name not in ("time", "step", "snapshot")]
    names = words.figures.split(",") if words.figures else known
    for name in names:
        if name not in known:
            raise rhumb_read.NotARun(f"'{words.run}' has no series '{name}'; it has {', '.join(known) or 'none'}")
    figure, panels = plt.subplots(max(len(names), 1), 1, sharex=True, squeeze=False,
                                  figsize=(6.4, max(4.8, 1.8 * len(names))))
    for axes, name in zip(panels[:, 0], names):
        axes.plot(series["time"], series[name], color="tab:blue", marker="." if len(series["time"]) <= 60 else None)
        axes.set_ylabel(name.replace("_", " "))
        axes.grid(alpha=0.3)
        if words.log:
            axes.set_yscale("log")
    panels[0, 0].set_title(run[-1].about["problem"])
    panels[-1, 0].set_xlabel("t")
    draw.save(figure, words.output)
    return 0


if __name__ == "__main__":
    sys.exit(draw.main(command))
