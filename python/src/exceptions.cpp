#include "exceptions.hpp"

#include <exception>

namespace rhumb::python {

namespace {
py::handle bad_input, recoverable, failed_elsewhere; ///< live as long as the module, that is as the program
} // namespace

py::handle recoverable_type() {
  return recoverable;
}

void add_exceptions(py::module_& module) {
  bad_input = py::exception<core::BadInput>(module, "BadInput", PyExc_ValueError).release();
  recoverable = py::exception<core::Recoverable>(module, "Recoverable", PyExc_ArithmeticError).release();
  failed_elsewhere = py::exception<core::FailedElsewhere>(module, "RemoteError", PyExc_RuntimeError).release();
  py::register_exception_translator([](std::exception_ptr failure) {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (const core::BadInput& e) {
      PyErr_SetString(bad_input.ptr(), e.what());
    } catch (const core::Recoverable& e) {
      PyErr_SetString(recoverable.ptr(), e.what());
    } catch (const core::FailedElsewhere& e) {
      PyErr_SetString(failed_elsewhere.ptr(), e.what());
    } catch (const core::InputOutput& e) {
      PyErr_SetString(PyExc_OSError, e.what());
    }
  });
}

} // namespace rhumb::python
