#pragma once
/// ProblemRun as Python sees it.

#include <pybind11/pybind11.h>

namespace rhumb::python {

void add_runs(pybind11::module_& module);

} // namespace rhumb::python
