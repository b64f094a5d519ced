#pragma once
/// The mesh and the fields of a problem at a state, as dicts of numpy arrays: this rank's parts, with their places in
/// the whole.

#include <rhumb/dae/problem.hpp>
#include <pybind11/pybind11.h>

namespace rhumb::python {

/// kind, axes (name, unit, points), point_unit, points, cells (shape, nodes). Collective.
pybind11::dict mesh_dict(dae::Problem& problem, double t, Vec y);

/// name, unit, long_name, location, components, and the block. Collective.
pybind11::list field_list(MPI_Comm comm, dae::Problem& problem, double t, Vec y, Vec ydot);

} // namespace rhumb::python
