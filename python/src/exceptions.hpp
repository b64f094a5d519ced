#pragma once
/// Exceptions on their way between Python and C++. In Python: rhumb.BadInput (a ValueError), rhumb.RemoteError, and
/// rhumb.Recoverable, which a residual may raise to say "not here, try a smaller step".

#include <rhumb/core/failure.hpp>
#include <pybind11/pybind11.h>
#include <utility>

namespace rhumb::python {

namespace py = pybind11;

/// Makes the classes and what translates into them.
void add_exceptions(py::module_& module);

/// The class rhumb.Recoverable.
py::handle recoverable_type();

/// Runs `body`, which calls Python. rhumb.Recoverable becomes core::Recoverable; all else stays what it is.
template <class Body>
auto translated(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (py::error_already_set& error) {
    if (error.matches(recoverable_type())) throw core::Recoverable(py::str(error.value()));
    throw;
  }
}

} // namespace rhumb::python
