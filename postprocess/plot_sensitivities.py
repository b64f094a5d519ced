#!/usr/bin/python3
"""Ranks the parameters of -sensitivity by how much a figure of the run depends on them: a bar chart of (p/f) df/dp, the
change of the figure in percent for a change of the parameter by one percent."""

import json
import math
import pathlib
import sys

import matplotlib.pyplot as plt

import rhumb_draw as draw
import rhumb_read


def number(value):
    """A finite number, the last of a list; else None."""
    value = value[-1] if isinstance(value, list) and value else value
    return value if isinstance(value, (int, float)) and math.isfinite(value) else None


class Summary:
    """What run.json has of sensitivities."""

    def __init__(self, folder):
        try:
            summary = json.loads((pathlib.Path(folder) / "run.json").read_text())
        except (OSError, ValueError) as reason:
            raise rhumb_read.NotARun(f"'{folder}' holds no run.json: {reason}") from reason
        if "sensitivities" not in summary:
            raise rhumb_read.NotARun(f"the run in '{folder}' has no sensitivities; ask for them with -sensitivity NAME,...")
        self.values = summary["sensitivity_parameters"]
        self.descriptions = summary.get("sensitivity_descriptions", {})
        self.results = summary["results"]
        self.derivatives = summary["sensitivities"]

    def choose(self, name):
        """The named figure, or the first that depends on a parameter."""
        if name is None:
            depends = [f for f, by in self.derivatives.items() if number(self.results[f]) and any(map(number, by.values()))]
            if not depends:
                raise rhumb_read.NotARun("no figure of the run depends on its parameters")
            return depends[0]
        if name not in self.derivatives:
            raise rhumb_read.NotARun(f"the run has no figure '{name}', but {', '.join(self.derivatives)}")
        return name

    def ranked(self, figure):
        """(parameter, (p/f) df/dp), the largest first. Of a figure or parameters that are 0: p df/dp, or df/dp."""
        value = number(self.results[figure]) or 1.0
        found = [(name, (self.values[name] or 1.0) * number(by) / value)
                 for name, by in self.derivatives[figure].items() if number(by) is not None]
        return sorted(found, key=lambda one: -abs(one[1]))

    def label(self, name):
        text = self.descriptions.get(name, "")
        return f"{text.split(' of ', 1)[-1]}  {name}" if text and len(text) < 80 else name


def command():
    parser = draw.arguments(__doc__, "sensitivities.png")
    parser.add_argument("-y", help="figure (default: the first that depends on a parameter)")
    parser.add_argument("--most", type=int, default=15, help="how many parameters (default 15)")
    words = parser.parse_args()
    summary = Summary(words.run)
    figure_name = summary.choose(words.y)
    bars = summary.ranked(figure_name)[:max(words.most, 1)]
    figure, axes = plt.subplots(figsize=(7.2, max(3.6, 0.9 + 0.28 * len(bars))))
    sizes = [size for _, size in bars]
    axes.barh(range(len(bars)), sizes, color=["C3" if size > 0.0 else "C0" for size in sizes])
    axes.set_yticks(range(len(bars)), [summary.label(name) for name, _ in bars])
    axes.invert_yaxis()
    axes.axvline(0.0, color="0.3", linewidth=0.8)
    axes.set_xlabel(f"percent of {figure_name} per percent of the parameter")
    for name, size in bars:
        print(f"{name} {size:.6g}")
    draw.save(figure, words.output)
    return 0


if __name__ == "__main__":
    sys.exit(draw.main(command))
