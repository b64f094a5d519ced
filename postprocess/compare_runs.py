#!/usr/bin/python3
"""Compares the fields of two runs at the times that both have. Prints the largest and the root-mean-square difference of
each field; with --tolerance, ends with 1 when a difference is larger than that share of the field's size. Fields on
lines with different points are compared by linear interpolation on the points of the first run."""

import argparse
import json
import sys

import numpy as np

import rhumb_draw as draw
import rhumb_read


def command():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", help="folder of a run")
    parser.add_argument("second", help="folder of another")
    parser.add_argument("-f", "--field", action="append", help="compare this field only (may be repeated)")
    parser.add_argument("--tolerance", type=float, help="largest relative difference to accept")
    parser.add_argument("--all", action="store_true", help="print every time, not only the worst of each field")
    parser.add_argument("--json", action="store_true", help="print as JSON")
    words = parser.parse_args()

    rows = compare(rhumb_read.open_run(words.first), rhumb_read.open_run(words.second), words.field)
    shown = rows if words.all else worst_of(rows)
    print(json.dumps(shown, indent=1) if words.json else table(shown))
    if words.tolerance is None:
        return 0
    return 0 if all(row["relative"] <= words.tolerance for row in rows) else 1


def compare(first, second, only=None):
    """One row per common time and field: the differences and the size of the field in the first run."""
    pairs = common_times(first, second)
    if not pairs:
        raise rhumb_read.NotARun(f"'{first.folder}' and '{second.folder}' have no output time in common")
    rows = []
    for one, other in pairs:
        names = only or [name for name in one.fields if name in other.fields]
        for name in names:
            rows.append({"time": one.time, "field": name, **difference(one.field(name), other.field(name))})
    return rows


def common_times(first, second):
    """Pairs of snapshots whose times agree to rounding."""
    pairs = []
    for snapshot in first.snapshots:
        if not second.snapshots:
            break
        other = second.at(snapshot.time)
        if abs(other.time - snapshot.time) <= 1e-9 * max(abs(snapshot.time), abs(other.time)):
            pairs.append((snapshot, other))
    return pairs


def difference(one, other):
    a, b = one.values, on_points_of(one, other)
    gap = np.abs(a - b)
    size = float(np.max(np.abs(a), initial=0.0))
    largest = float(np.max(gap, initial=0.0))
    mean = float(np.sqrt(np.mean(gap**2))) if gap.size else 0.0
    relative = 0.0 if largest == 0.0 else largest / size if size > 0.0 else float("inf")
    return {"max": largest, "rms": mean, "size": size, "relative": relative}


def on_points_of(one, other):
    """The values of `other` where those of `one` are."""
    if not draw.is_line(one) or one.coordinates is None or one.components > 1:
        if one.values.shape != other.values.shape:
            raise rhumb_read.NotARun(f"field '{one.name}' has sizes {list(one.values.shape)} and "
                                     f"{list(other.values.shape)}: different grids cannot be compared")
        return other.values
    x, _, _ = draw.line_of(one)
    y, values, _ = draw.line_of(other)
    return values if np.array_equal(x, y) else np.interp(x, y, values)


def worst_of(rows):
    worst = {}
    for row in rows:
        name = row["field"]
        if name not in worst or row["relative"] > worst[name]["relative"]:
            worst[name] = row
    return list(worst.values())


def table(rows):
    width = max(len("field"), *(len(row["field"]) for row in rows))
    lines = [f"{'field':<{width}}  {'time':>12}  {'max diff':>10}  {'rms diff':>10}  {'size':>10}  {'relative':>10}"]
    for row in rows:
        lines.append(f"{row['field']:<{width}}  {row['time']:>12.6g}  {row['max']:>10.3e}  {row['rms']:>10.3e}  "
                     f"{row['size']:>10.3e}  {row['relative']:>10.3e}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(draw.main(command))
