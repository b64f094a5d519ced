#include "sparse_factors.hpp"

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::problems::spice {

using core::check;

SparseFactors::SparseFactors(const dae::SparseLinearisation& at, double alpha, double shunt, std::size_t nodes) {
  const auto size = static_cast<PetscInt>(at.row_starts().size()) - 1;
  std::vector<PetscInt> per_row;
  for (PetscInt i = 0; i < size; ++i)
    per_row.push_back(at.row_starts()[static_cast<std::size_t>(i) + 1] - at.row_starts()[i]);
  check(MatCreateSeqAIJ(PETSC_COMM_SELF, size, size, 0, per_row.data(), matrix_.out()));
  for (PetscInt i = 0; i < size; ++i)
    for (auto k = static_cast<std::size_t>(at.row_starts()[i]);
         k < static_cast<std::size_t>(at.row_starts()[static_cast<std::size_t>(i) + 1]); ++k) {
      const bool shunted = at.columns()[k] == i && static_cast<std::size_t>(i) < nodes;
      check(MatSetValue(matrix_, i, at.columns()[k], alpha * at.dydot()[k] + at.dy()[k] + (shunted ? shunt : 0.0),
                        INSERT_VALUES));
    }
  check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
  MatFactorInfo info;
  check(MatFactorInfoInitialize(&info));
  check(MatGetFactor(matrix_, MATSOLVERUMFPACK, MAT_FACTOR_LU, factors_.out()));
  try {
    check(MatLUFactorSymbolic(factors_, matrix_, nullptr, nullptr, &info));
    check(MatLUFactorNumeric(factors_, matrix_, &info));
  } catch (const core::LibraryError&) {
    good_ = false;
  }
}

std::optional<std::vector<double>> SparseFactors::solve(const std::vector<double>& right) const {
  if (!good_) return std::nullopt;
  core::VecHandle b, x;
  check(MatCreateVecs(matrix_, x.out(), b.out()));
  {
    const core::Writable values(b);
    std::ranges::copy(right, values.begin());
  }
  try {
    check(MatSolve(factors_, b, x));
  } catch (const core::LibraryError&) {
    return std::nullopt;
  }
  const core::Readable values(x);
  std::vector<double> out(values.begin(), values.end());
  if (!std::ranges::all_of(out, [](double v) { return std::isfinite(v); })) return std::nullopt;
  return out;
}

} // namespace rhumb::problems::spice
