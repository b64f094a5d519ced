#pragma once
/// numpy arrays on the memory of PETSc's vectors, without a copy.

#include <petscvec.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <span>

namespace rhumb::python {

namespace py = pybind11;

/// The local entries of a vector. The array holds a reference to the vector: a callback that keeps it sees other values
/// later, but never memory that is gone.
py::array readable(Vec vector);
py::array writable(Vec vector);

/// Copies what a function returned (an array, a list, a number) into `out`. Throws ValueError where the sizes differ;
/// `what` names the function.
void copy_result(const py::object& result, std::span<double> out, const char* what);

} // namespace rhumb::python
