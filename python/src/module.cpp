/// The extension module rhumb._rhumb. The package around it (python/rhumb) is what users see.

#include "exceptions.hpp"
#include "run_bindings.hpp"
#include "solve_bindings.hpp"
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/version.hpp>
#include <petscsys.h>

namespace {
namespace py = pybind11;

/// petsc4py has started PETSc before: it also ends it.
void expect_petsc() {
  PetscBool running = PETSC_FALSE;
  rhumb::core::check(PetscInitialized(&running));
  if (!running) throw py::import_error("rhumb._rhumb must be imported by the package rhumb, which starts PETSc");
}
} // namespace

PYBIND11_MODULE(_rhumb, module) {
  expect_petsc();
  module.attr("version") = rhumb::version;
  rhumb::python::add_exceptions(module);
  rhumb::python::add_solve(module);
  rhumb::python::add_runs(module);
}
