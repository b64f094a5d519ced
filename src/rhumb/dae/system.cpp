#include <rhumb/dae/system.hpp>

#include <rhumb/core/check.hpp>
#include <fmt/format.h>
#include <stdexcept>
#include <vector>

namespace rhumb::dae {

using core::check;

namespace {
[[noreturn]] void not_given(const char* member) {
  throw std::logic_error(fmt::format("the system offers '{}' but does not define it", member));
}
} // namespace

int System::field_of(PetscInt local) const {
  return static_cast<int>(local % static_cast<PetscInt>(fields().size()));
}

Kind System::variable_kind(PetscInt local) const {
  return fields()[field_of(local)].kind;
}

core::MatHandle System::create_matrix() const {
  const auto model = create_vector();
  PetscInt local = 0, global = 0;
  check(VecGetLocalSize(model, &local));
  check(VecGetSize(model, &global));
  if (global > small_system)
    throw std::logic_error(
        fmt::format("a system of {} unknowns must define create_matrix (its sparsity): a full matrix "
                    "is made for at most {}",
                    global, small_system));
  core::MatHandle matrix;
  check(MatCreateAIJ(PetscObjectComm(reinterpret_cast<PetscObject>(model.get())), local, local, global, global, local,
                     nullptr, global - local, nullptr, matrix.out()));
  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(matrix, &first, &last));
  std::vector<PetscInt> columns(static_cast<std::size_t>(global));
  for (PetscInt j = 0; j < global; ++j) columns[j] = j;
  const std::vector<PetscScalar> zeros(columns.size(), 0.0);
  for (PetscInt i = first; i < last; ++i)
    check(MatSetValues(matrix, 1, &i, global, columns.data(), zeros.data(), INSERT_VALUES));
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return matrix;
}

void System::configure(PC preconditioner, Mat matrix) const {
  PetscInt size = 0;
  check(MatGetSize(matrix, &size, nullptr));
  check(PCSetType(preconditioner, size <= small_system ? PCLU : PCBJACOBI));
}

void System::jacobian(double, Vec, Vec, double, Mat) {
  not_given("jacobian");
}
void System::product(double, Vec, Vec, double, Vec, Vec) {
  not_given("product");
}
void System::mass_product(double, Vec, Vec, Vec, Vec) {
  not_given("mass_product");
}
void System::hidden_constraint(double, Vec, Vec, Vec) {
  not_given("hidden_constraint");
}
void System::exact(double, Vec) const {
  not_given("exact");
}
void System::event_values(double, Vec, Vec, std::span<double>) {
  not_given("event_values");
}
AfterEvent System::on_event(double, std::span<const int>, Vec, Vec) {
  return AfterEvent::go_on;
}
bool System::parameter_derivative(double, Vec, Vec, std::size_t, Vec) {
  return false;
}

} // namespace rhumb::dae
