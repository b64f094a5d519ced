#!/usr/bin/python3
"""Draws how a run stepped: step size with the failures, order, and iterations, over time."""

import sys

import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

import rhumb_draw as draw
import rhumb_read


def command():
    parser = draw.arguments(__doc__, "steps.png")
    parser.add_argument("--log-time", action="store_true", help="logarithmic time")
    words = parser.parse_args()

    run = rhumb_read.open_run(words.run)
    steps = run.steps
    if steps["t"].size == 0:
        raise rhumb_read.NotARun(f"'{run.folder}' took no step")
    figure, (size, order, work) = plt.subplots(3, 1, figsize=(7.2, 7.2), sharex=True,
                                               gridspec_kw={"height_ratios": (3, 2, 2)})
    draw_size(size, steps)
    order.step(steps["t"], steps["order"], where="pre", color="tab:blue")
    order.set(ylabel="order", ylim=(0.5, max(5.5, steps["order"].max() + 0.5)))
    order.yaxis.set_major_locator(MaxNLocator(integer=True))
    draw_work(work, steps)
    for axes in (size, order, work):
        axes.grid(alpha=0.3)
        if words.log_time:
            axes.set_xscale("log")
    size.set_title(f"{run.folder.resolve().name}: {steps['t'].size} steps", loc="left")
    draw.save(figure, words.output)
    return 0


def draw_size(axes, steps):
    axes.semilogy(steps["t"], steps["h"], color="tab:blue", label="step size")
    for column, text, marker, colour in (("error_failures", "error test failed", "x", "tab:orange"),
                                         ("convergence_failures", "Newton failed", "v", "tab:red")):
        failed = steps[column] > 0
        if failed.any():
            axes.semilogy(steps["t"][failed], steps["h"][failed], marker, color=colour,
                          label=f"{text} ({int(steps[column].sum())})")
    axes.set_ylabel("h")
    legend_above(axes)


def draw_work(axes, steps):
    axes.step(steps["t"], steps["newton"], where="pre", color="tab:blue", label="Newton iterations")
    if steps["krylov"].any():
        axes.step(steps["t"], steps["krylov"], where="pre", color="tab:orange", label="Krylov iterations")
    axes.set(xlabel="t", ylabel="per step")
    axes.set_ylim(bottom=0)
    legend_above(axes)


def legend_above(axes):
    """In one line over the curves, where it hides nothing."""
    axes.legend(fontsize="small", ncol=3, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)


if __name__ == "__main__":
    sys.exit(draw.main(command))
