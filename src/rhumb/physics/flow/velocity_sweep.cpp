#include <rhumb/physics/flow/velocity_sweep.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <stdexcept>

namespace rhumb::flow {

using core::check;

namespace {

/// This rank's rows and columns of an AIJ matrix, for reading: the matrix does not count as changed.
class LocalRows {
public:
  explicit LocalRows(Mat matrix) : matrix_(matrix) {
    PetscBool distributed = PETSC_FALSE, done = PETSC_FALSE;
    check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(matrix), MATMPIAIJ, &distributed));
    if (distributed == PETSC_TRUE) check(MatMPIAIJGetSeqAIJ(matrix, &matrix_, nullptr, nullptr));
    check(MatGetRowIJ(matrix_, 0, PETSC_FALSE, PETSC_FALSE, &count_, &starts_, &columns_, &done));
    if (done == PETSC_FALSE) throw std::logic_error("a matrix without compressed rows");
    check(MatSeqAIJGetArrayRead(matrix_, &values_));
  }
  ~LocalRows() {
    PetscBool done = PETSC_FALSE;
    MatSeqAIJRestoreArrayRead(matrix_, &values_);
    MatRestoreRowIJ(matrix_, 0, PETSC_FALSE, PETSC_FALSE, &count_, &starts_, &columns_, &done);
  }
  LocalRows(const LocalRows&) = delete;
  LocalRows& operator=(const LocalRows&) = delete;

  /// Columns ascend.
  struct Row {
    const PetscInt *begin, *end;
    const PetscScalar* values;
  };
  Row operator[](PetscInt row) const {
    const PetscInt* start = starts_ + row;
    return {columns_ + start[0], columns_ + start[1], values_ + start[0]};
  }

private:
  Mat matrix_;
  PetscInt count_ = 0;
  const PetscInt *starts_ = nullptr, *columns_ = nullptr;
  const PetscScalar* values_ = nullptr;
};

} // namespace

VelocitySweep::VelocitySweep(Mat matrix, std::span<const PetscInt> rows) : matrix_(matrix), rows_(rows) {
  PetscInt owned = 0;
  check(MatGetLocalSize(matrix, &owned, nullptr));
  x_.resize(static_cast<std::size_t>(owned));
}

void VelocitySweep::apply(Vec r, Vec u) {
  const LocalRows matrix(matrix_);
  const core::Readable given(r);
  const core::Writable out(u);
  std::fill(x_.begin(), x_.end(), 0.0);
  // What the forward half leaves of r is all that the backward half needs of the entries below the diagonal.
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto& [column, end, value] = matrix[rows_[i]];
    double rest = given[i];
    PetscInt k = 0;
    for (; column[k] < rows_[i]; ++k) rest -= value[k] * x_[column[k]];
    out[i] = rest;
    x_[rows_[i]] = rest / value[k];
  }
  for (std::size_t i = rows_.size(); i-- > 0;) {
    const auto& [column, end, value] = matrix[rows_[i]];
    double rest = out[i];
    PetscInt k = static_cast<PetscInt>(end - column) - 1;
    for (; column[k] > rows_[i]; --k) rest -= value[k] * x_[column[k]];
    out[i] = x_[rows_[i]] = rest / value[k];
  }
}

/// r = (D + L^T)^-1 D (D + U^T)^-1 u: rows are columns of the transpose, and what belongs to a pressure is never read.
void VelocitySweep::apply_transposed(Vec u, Vec r) {
  const LocalRows matrix(matrix_);
  const core::Readable given(u);
  const core::Writable out(r);
  std::fill(x_.begin(), x_.end(), 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) x_[rows_[i]] = given[i];
  for (const PetscInt row : rows_) {
    const auto& [column, end, value] = matrix[row];
    PetscInt k = static_cast<PetscInt>(end - column) - 1;
    const PetscInt* diagonal = std::lower_bound(column, end, row);
    const double y = x_[row] / value[diagonal - column];
    for (; column[k] > row; --k) x_[column[k]] -= value[k] * y;
  }
  for (std::size_t i = rows_.size(); i-- > 0;) {
    const PetscInt row = rows_[i];
    const auto& [column, end, value] = matrix[row];
    const PetscInt* diagonal = std::lower_bound(column, end, row);
    out[i] = x_[row] / value[diagonal - column];
    for (PetscInt k = 0; column[k] < row; ++k) x_[column[k]] -= value[k] * out[i];
  }
}

} // namespace rhumb::flow
