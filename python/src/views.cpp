#include "views.hpp"

#include <rhumb/core/check.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::python {

using core::check;

namespace {
void release(void* vector) {
  auto held = static_cast<Vec>(vector);
  PetscBool finished = PETSC_FALSE;
  PetscFinalized(&finished); // an array may outlive PETSc at the end of the program
  if (!finished) VecDestroy(&held);
}

py::array array_on(Vec vector, const double* data) {
  PetscInt size = 0;
  check(VecGetLocalSize(vector, &size));
  check(PetscObjectReference(reinterpret_cast<PetscObject>(vector)));
  const py::capsule owner(vector, release);
  return py::array_t<double>(static_cast<py::ssize_t>(size), data, owner);
}
} // namespace

py::array readable(Vec vector) {
  const PetscScalar* data = nullptr;
  check(VecGetArrayRead(vector, &data));
  py::array out = array_on(vector, data);
  check(VecRestoreArrayRead(vector, &data));
  py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return out;
}

py::array writable(Vec vector) {
  PetscScalar* data = nullptr;
  check(VecGetArray(vector, &data));
  py::array out = array_on(vector, data);
  check(VecRestoreArray(vector, &data)); // counts as a change, as it must
  return out;
}

void copy_result(const py::object& result, std::span<double> out, const char* what) {
  using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
  if (result.is_none())
    throw py::value_error(
        fmt::format("{} returned None; return an array, or name the last argument `out` and fill it", what));
  const auto values = Array::ensure(result);
  if (!values) throw py::error_already_set();
  if (static_cast<std::size_t>(values.size()) != out.size())
    throw py::value_error(fmt::format("{} returned {} values, expected {}", what, values.size(), out.size()));
  std::copy_n(values.data(), out.size(), out.begin());
}

} // namespace rhumb::python
