#include "petsc_objects.hpp"

#include <rhumb/core/check.hpp>
#include <petsc4py/petsc4py.h>

namespace rhumb::python {

namespace py = pybind11;

namespace {
py::object owned(PyObject* object) {
  if (!object) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

template <class Object>
Object with_reference(Object object) {
  if (!object) throw py::error_already_set();
  core::check(PetscObjectReference(reinterpret_cast<PetscObject>(object)));
  return object;
}
} // namespace

void import_petsc4py_api() {
  if (import_petsc4py() < 0) throw py::error_already_set();
}

py::object to_python(Vec vector) {
  return owned(PyPetscVec_New(vector));
}
py::object to_python(Mat matrix) {
  return owned(PyPetscMat_New(matrix));
}
py::object to_python(PC preconditioner) {
  return owned(PyPetscPC_New(preconditioner));
}

Vec vec_reference(const py::object& object) {
  return with_reference(PyPetscVec_Get(object.ptr()));
}
Mat mat_reference(const py::object& object) {
  return with_reference(PyPetscMat_Get(object.ptr()));
}

Vec vec_of(const py::object& object) {
  if (object.is_none()) return nullptr;
  const Vec vector = PyPetscVec_Get(object.ptr());
  if (!vector) throw py::error_already_set();
  return vector;
}

MPI_Comm comm_of(const py::object& petsc_comm) {
  const MPI_Comm comm = PyPetscComm_Get(petsc_comm.ptr());
  if (PyErr_Occurred()) throw py::error_already_set();
  return comm;
}

} // namespace rhumb::python
