"""Run by pvpython: opens an XDMF index and writes what ParaView sees as JSON, one entry per time.

    pvpython read_series.py series.xdmf out.json [picture.png field]
"""

import json
import sys

from paraview.simple import ColorBy, CreateView, SaveScreenshot, Show, XDMFReader
from paraview import servermanager
from paraview.vtk.util.numpy_support import vtk_to_numpy


def arrays(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)).tolist() for i in range(data.GetNumberOfArrays())}


def seen(reader, time):
    reader.UpdatePipeline(time)
    grid = servermanager.Fetch(reader)
    points = [grid.GetPoint(i) for i in range(grid.GetNumberOfPoints())]
    return {"time": time, "kind": grid.GetClassName(), "points": points, "cells": grid.GetNumberOfCells(),
            "point_fields": arrays(grid.GetPointData()), "cell_fields": arrays(grid.GetCellData())}


def draw(reader, time, file, field):
    view = CreateView("RenderView")
    view.ViewSize = [640, 480]
    view.ViewTime = time
    display = Show(reader, view)
    where = "POINTS" if field in reader.PointData.keys() else "CELLS"
    ColorBy(display, (where, field))
    display.RescaleTransferFunctionToDataRange(True)
    view.ResetCamera()
    SaveScreenshot(file, view)


def main():
    index, result, *picture = sys.argv[1:]
    reader = XDMFReader(FileNames=[index])
    times = list(reader.TimestepValues)
    with open(result, "w") as file:
        json.dump([seen(reader, time) for time in times], file)
    if picture:
        draw(reader, times[-1], *picture)


main()
