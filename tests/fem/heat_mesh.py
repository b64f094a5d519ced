"""Helps the tests of rhumb-heat on meshes."""

import driver

CASES = driver.SOURCE / "apps" / "heat"
MESHES = driver.SOURCE / "meshes"


def heat(*words, **more):
    return driver.run("rhumb-heat", *words, "-quiet", **more)


def results(*words, **more):
    run = heat(*words, **more)
    assert run.code == 0, run.errors
    return run.summary["results"]


def mesh(name):
    return ("-mesh", MESHES / f"{name}.msh")

