#!/usr/bin/python3
"""Animates a field of a run over all its snapshots, with fixed axes and colours. Writes a GIF, or an MP4 where ffmpeg is
installed and the output's name ends in .mp4."""

import shutil
import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FFMpegWriter, PillowWriter

import rhumb_draw as draw
import rhumb_read


def command():
    parser = draw.arguments(__doc__, "run.gif")
    draw.add_picture_arguments(parser)
    parser.add_argument("--fps", type=float, default=10.0, help="pictures per second (default 10)")
    parser.add_argument("--every", type=int, default=1, help="draw every n-th snapshot (default 1)")
    words = parser.parse_args()

    run = rhumb_read.open_run(words.run)
    snapshots = run.snapshots[:: max(words.every, 1)] or [run[0]]
    colours = draw.read_range(words.range)
    low, high = (colours.range["vmin"], colours.range["vmax"]) if colours else value_range(snapshots, words)
    writer = writer_for(words)
    figure, axes = plt.subplots(figsize=draw.figure_size(draw.choose_field(snapshots[0], words.field)))
    with writer.saving(figure, words.output, dpi=100):
        for snapshot in snapshots:
            field = draw.choose_field(snapshot, words.field)
            if draw.is_line(field):
                draw_line(axes, field, words, low, high)
            else:
                draw_plane(figure, axes, field, words, colours or draw.Colours(low, high))
            draw.add_extras(axes, snapshot, field, words)
            axes.set_title(f"{snapshot.about['problem']}, t = {draw.number(snapshot.time)}")
            writer.grab_frame()
    print(f"wrote {words.output}: {len(snapshots)} pictures")
    return 0


def writer_for(words):
    if not words.output.endswith(".mp4"):
        return PillowWriter(fps=words.fps)
    if shutil.which("ffmpeg") is None:
        raise rhumb_read.NotARun("an MP4 needs ffmpeg, which is not installed; choose an output that ends in .gif")
    return FFMpegWriter(fps=words.fps)


def value_range(snapshots, words):
    ranges = []
    for snapshot in snapshots:
        values = draw.choose_field(snapshot, words.field).scalar(words.component)
        values = values[np.isfinite(values)]
        if values.size:
            ranges.append((values.min(), values.max()))
    if not ranges:
        return 0.0, 1.0
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def draw_line(axes, field, words, low, high):
    x, values, name = draw.line_of(field, words.component)
    margin = 0.05 * (high - low) or 1.0
    axes.clear()
    axes.plot(x, values, marker="." if x.size <= 200 else None, color="tab:blue")
    axes.set(xlabel=name, ylabel=draw.field_label(field, words.component), ylim=(low - margin, high + margin))
    axes.grid(alpha=0.3)


def draw_plane(figure, axes, field, words, colours):
    axes.clear()
    drawn, _ = draw.draw_plane(axes, field, words.component, colours)
    if len(figure.axes) == 1:
        figure.colorbar(drawn, ax=axes, label=draw.field_label(field, words.component))


if __name__ == "__main__":
    sys.exit(draw.main(command))
