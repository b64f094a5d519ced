#include <rhumb/physics/mechanics/saddle_point.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::mechanics {

using core::check;

namespace {

constexpr const char* singular = "the mechanism cannot be set in motion: its constraints depend on each other, or a "
                                 "coordinate has no mass";

PetscInt index(std::size_t i) {
  return static_cast<PetscInt>(i);
}

void add_part(const Part& part, double t, std::span<const double> q, std::size_t first_row, std::span<const char> open,
              Mat matrix) {
  const std::size_t n = part.coordinates.size();
  std::vector<double> local(n);
  for (std::size_t i = 0; i < n; ++i) local[i] = q[part.coordinates[i]];
  const auto mass = part.element->mass(local);
  const auto gradient = part.element->gradient(t, local);
  for (std::size_t i = 0; i < n; ++i) {
    const PetscInt row = index(part.coordinates[i]);
    for (std::size_t j = 0; j < n; ++j)
      check(MatSetValue(matrix, row, index(part.coordinates[j]), mass(i, j), ADD_VALUES));
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      if (open[first_row + k - q.size()] != 0) continue;
      check(MatSetValue(matrix, row, index(first_row + k), gradient[k][i], ADD_VALUES));
      check(MatSetValue(matrix, index(first_row + k), row, gradient[k][i], ADD_VALUES));
    }
  }
}

} // namespace

SaddlePoint::SaddlePoint(double t, std::span<const double> q, std::span<const Part> parts,
                         std::span<const std::size_t> first_multiplier, std::span<const char> open) {
  const std::size_t constraints = open.size();
  const PetscInt size = index(q.size() + constraints);
  std::vector<PetscInt> per_row(q.size() + constraints, 1);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto entries = index(parts[p].coordinates.size() + parts[p].element->constraints());
    for (const std::size_t i : parts[p].coordinates) per_row[i] += entries;
    for (std::size_t k = 0; k < parts[p].element->constraints(); ++k)
      per_row[q.size() + first_multiplier[p] + k] += entries;
  }
  check(MatCreateSeqAIJ(PETSC_COMM_SELF, size, size, 0, per_row.data(), matrix_.out()));
  for (std::size_t p = 0; p < parts.size(); ++p)
    add_part(parts[p], t, q, q.size() + first_multiplier[p], open, matrix_);
  for (PetscInt i = 0; i < size; ++i) {
    const auto k = static_cast<std::size_t>(i) - q.size(); // beyond all constraints where this is a coordinate
    check(MatSetValue(matrix_, i, i, k < constraints && open[k] != 0 ? 1.0 : 0.0, ADD_VALUES));
  }
  check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
  MatFactorInfo info;
  check(MatFactorInfoInitialize(&info));
  check(MatGetFactor(matrix_, MATSOLVERUMFPACK, MAT_FACTOR_LU, factors_.out()));
  check(MatLUFactorSymbolic(factors_, matrix_, nullptr, nullptr, &info));
  try {
    check(MatLUFactorNumeric(factors_, matrix_, &info));
  } catch (const core::LibraryError&) {
    throw core::BadInput(singular);
  }
}

void SaddlePoint::solve(std::span<double> force, std::span<double> constraint) const {
  core::VecHandle right, left;
  check(MatCreateVecs(matrix_, left.out(), right.out()));
  double* values = nullptr;
  check(VecGetArray(right, &values));
  std::copy(force.begin(), force.end(), values);
  std::copy(constraint.begin(), constraint.end(), values + force.size());
  check(VecRestoreArray(right, &values));
  check(MatSolve(factors_, right, left));
  const double* answer = nullptr;
  check(VecGetArrayRead(left, &answer));
  std::copy_n(answer, force.size(), force.begin());
  std::copy_n(answer + force.size(), constraint.size(), constraint.begin());
  check(VecRestoreArrayRead(left, &answer));
  for (const double x : force)
    if (!std::isfinite(x)) throw core::BadInput(singular);
}

} // namespace rhumb::mechanics
