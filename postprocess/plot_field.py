#!/usr/bin/python3
"""Draws a field of a run at one time: a curve on a line, colours on a plane, the middle plane of a space."""

import sys

import matplotlib.pyplot as plt

import rhumb_draw as draw
import rhumb_read


def command():
    parser = draw.arguments(__doc__, "field.png")
    draw.add_picture_arguments(parser)
    when = parser.add_mutually_exclusive_group()
    when.add_argument("-t", "--time", type=float, help="time; the nearest snapshot is drawn (default: the last)")
    when.add_argument("-s", "--snapshot", type=int, help="position in the list of snapshots, from 0; -1 is the last")
    words = parser.parse_args()

    run = rhumb_read.open_run(words.run)
    snapshot = run.at(words.time) if words.time is not None else run[-1 if words.snapshot is None else words.snapshot]
    field = draw.choose_field(snapshot, words.field)
    figure, axes = plt.subplots(figsize=draw.figure_size(field))
    title = f"{snapshot.about['problem']}, t = {draw.number(snapshot.time)}"
    draw.draw_field(field, words.component, axes, draw.read_range(words.range))
    draw.add_extras(axes, snapshot, field, words)
    note = axes.get_title()
    axes.set_title(f"{title}, {note}" if note else title)
    draw.save(figure, words.output)
    return 0


if __name__ == "__main__":
    sys.exit(draw.main(command))
