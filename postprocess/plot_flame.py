#!/usr/bin/python3
"""Draws a flame in a closed vessel (rhumb-ignite): temperature over radius and time, profiles of T and of the species,
the pressure and the flame's radius over time."""

import sys

import matplotlib.pyplot as plt
import numpy as np

import rhumb_draw as draw
import rhumb_read

LEAST_FRACTION = 1e-8  # of what is drawn


def command():
    parser = draw.arguments(__doc__, "flame.png")
    parser.add_argument("-t", "--time", type=float, help="time of the species (default: in the middle of the run)")
    words = parser.parse_args()
    run = rhumb_read.open_run(words.run)
    snapshots = run.snapshots
    if run[-1].mesh.kind != "moving" or "T" not in run[-1].fields:
        raise rhumb_read.NotARun(f"'{words.run}' is no run of a vessel")
    figure, panels = plt.subplots(2, 2, figsize=(10.0, 7.2))
    draw_map(figure, panels[0][0], snapshots)
    draw_profiles(panels[0][1], snapshots)
    time = words.time if words.time is not None else 0.5 * (snapshots[0].time + snapshots[-1].time)
    draw_species(panels[1][0], run.at(time))
    draw_history(panels[1][1], run)
    draw.save(figure, words.output)
    return 0


def radius_and(snapshot, name):
    return 1e3 * snapshot.mesh.points[:, 0], np.ravel(snapshot.field(name).values)


def draw_map(figure, axes, snapshots):
    widest = max(1e3 * np.max(s.mesh.points[:, 0]) for s in snapshots)
    r = np.linspace(0.0, widest, 400)
    T = np.array([np.interp(r, *radius_and(s, "T")) for s in snapshots])
    drawn = axes.pcolormesh(r, [1e3 * s.time for s in snapshots], T, cmap="inferno", shading="nearest")
    figure.colorbar(drawn, ax=axes, label="T (K)")
    axes.set(xlabel="r (mm)", ylabel="t (ms)", title="temperature over radius and time")


def draw_profiles(axes, snapshots):
    chosen = [snapshots[i] for i in np.unique(np.linspace(0, len(snapshots) - 1, 9).astype(int))]
    for i, snapshot in enumerate(chosen):
        axes.plot(*radius_and(snapshot, "T"), color=plt.get_cmap("viridis")(0.9 * i / max(len(chosen) - 1, 1)),
                  label=f"{1e3 * snapshot.time:.3g} ms")
    axes.set(xlabel="r (mm)", ylabel="T (K)", title="temperature")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_species(axes, snapshot):
    names = [name for name in snapshot.fields if name.startswith("Y_")]
    for name in names:
        r, Y = radius_and(snapshot, name)
        if np.max(Y) > LEAST_FRACTION:
            axes.semilogy(r, np.where(Y > LEAST_FRACTION, Y, np.nan), label=name[2:])
    axes.set(xlabel="r (mm)", ylabel="mass fraction", title=f"species at {1e3 * snapshot.time:.3g} ms")
    if names:
        axes.legend(fontsize="small", ncol=2)


def draw_history(axes, run):
    series = run.series
    t = 1e3 * np.asarray(series["time"])
    axes.plot(t, 1e-5 * np.asarray(series["p"]), color="C0")
    axes.set(xlabel="t (ms)", title="pressure and flame")
    axes.set_ylabel("p (bar)", color="C0")
    other = axes.twinx()
    other.plot(t, 1e3 * np.asarray(series["flame_radius"]), color="C3")
    other.set_ylabel("flame radius (mm)", color="C3")


if __name__ == "__main__":
    sys.exit(draw.main(command))
