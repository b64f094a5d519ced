#pragma once
/// PETSc's objects as those of petsc4py, and back. Both sides hold references to the same object.

#include <petscksp.h>
#include <pybind11/pybind11.h>

namespace rhumb::python {

/// Fetches petsc4py's functions; once, before the others.
void import_petsc4py_api();

pybind11::object to_python(Vec vector);
pybind11::object to_python(Mat matrix);
pybind11::object to_python(PC preconditioner);

/// The object inside, with a reference of its own for the caller. Throws TypeError where it is none.
Vec vec_reference(const pybind11::object& object);
Mat mat_reference(const pybind11::object& object);
/// Without one; null of None.
Vec vec_of(const pybind11::object& object);
MPI_Comm comm_of(const pybind11::object& petsc_comm);

} // namespace rhumb::python
