#pragma once
/// rhumb.solve's C++ side as Python sees it.

#include <pybind11/pybind11.h>

namespace rhumb::bdf {
struct Statistics;
}

namespace rhumb::python {

void add_solve(pybind11::module_& module);

/// By the names of run.json.
pybind11::dict statistics_dict(const bdf::Statistics& statistics);

} // namespace rhumb::python
