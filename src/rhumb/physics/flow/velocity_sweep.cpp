#include <rhumb/physics/flow/velocity_sweep.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <stdexcept>

namespace rhumb::flow {

using core::check;

namespace {

/// The parts of an AIJ matrix on this rank: columns of its own, and those of others by their number among PETSc's `names`.
struct Parts {
  Mat here = nullptr, others = nullptr;
  const PetscInt* names = nullptr;
};

Parts parts_of(Mat matrix) {
  Parts out{.here = matrix};
  PetscBool distributed = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(matrix), MATMPIAIJ, &distributed));
  if (distributed == PETSC_TRUE) check(MatMPIAIJGetSeqAIJ(matrix, &out.here, &out.others, &out.names));
  return out;
}

/// For reading: the matrix does not count as changed.
class Rows {
public:
  explicit Rows(Mat matrix) : matrix_(matrix) {
    PetscBool done = PETSC_FALSE;
    check(MatGetRowIJ(matrix_, 0, PETSC_FALSE, PETSC_FALSE, &count_, &starts_, &columns_, &done));
    if (done == PETSC_FALSE) throw std::logic_error("a matrix without compressed rows");
    check(MatSeqAIJGetArrayRead(matrix_, &values_));
  }
  ~Rows() {
    PetscBool done = PETSC_FALSE;
    MatSeqAIJRestoreArrayRead(matrix_, &values_);
    MatRestoreRowIJ(matrix_, 0, PETSC_FALSE, PETSC_FALSE, &count_, &starts_, &columns_, &done);
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

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

double diagonal(const Rows::Row& row, PetscInt number) {
  return row.values[std::lower_bound(row.begin, row.end, number) - row.begin];
}

} // namespace

VelocitySweep::VelocitySweep(Mat matrix, std::span<const PetscInt> rows) : matrix_(matrix), rows_(rows) {
  check(MatCreateVecs(matrix, x_.out(), nullptr));
  const Parts parts = parts_of(matrix);
  if (parts.others) couple(parts.others, parts.names);
}

void VelocitySweep::couple(Mat others, const PetscInt* columns) {
  PetscInt count = 0;
  check(MatGetSize(others, nullptr, &count));
  check(VecCreateSeq(PETSC_COMM_SELF, count, of_others_.out()));
  core::IsHandle wanted;
  check(ISCreateGeneral(PETSC_COMM_SELF, count, columns, PETSC_COPY_VALUES, wanted.out()));
  check(VecScatterCreate(x_, wanted, of_others_, nullptr, exchange_.out()));
}

void VelocitySweep::apply(Vec r, Vec u) {
  const Parts parts = parts_of(matrix_);
  const Rows here(parts.here);
  const core::Readable given(r);
  const core::Writable out(u);
  check(VecSet(x_, 0.0));
  // What the forward half leaves of r is all that the backward half needs of the entries below the diagonal.
  {
    const core::Writable x(x_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& [column, end, value] = here[rows_[i]];
      double rest = given[i];
      PetscInt k = 0;
      for (; column[k] < rows_[i]; ++k) rest -= value[k] * x[column[k]];
      out[i] = rest;
      x[rows_[i]] = rest / value[k];
    }
  }
  if (exchange_) {
    check(VecScatterBegin(exchange_, x_, of_others_, INSERT_VALUES, SCATTER_FORWARD));
    check(VecScatterEnd(exchange_, x_, of_others_, INSERT_VALUES, SCATTER_FORWARD));
    const Rows others(parts.others);
    const core::Readable x(of_others_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& [column, end, value] = others[rows_[i]];
      for (std::ptrdiff_t k = 0; k < end - column; ++k) out[i] -= value[k] * x[column[k]];
    }
  }
  const core::Writable x(x_);
  for (std::size_t i = rows_.size(); i-- > 0;) {
    const auto& [column, end, value] = here[rows_[i]];
    double rest = out[i];
    std::ptrdiff_t k = end - column - 1;
    for (; column[k] > rows_[i]; --k) rest -= value[k] * x[column[k]];
    out[i] = x[rows_[i]] = rest / value[k];
  }
}

/// r = (D + L^T)^-1 (D - O^T) (D + U^T)^-1 u: rows are columns of the transpose, and what belongs to a pressure is
/// never read.
void VelocitySweep::apply_transposed(Vec u, Vec r) {
  const Parts parts = parts_of(matrix_);
  const Rows here(parts.here);
  const core::Readable given(u);
  const core::Writable out(r);
  check(VecSet(x_, 0.0));
  {
    const core::Writable x(x_);
    for (std::size_t i = 0; i < rows_.size(); ++i) x[rows_[i]] = given[i];
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const PetscInt number = rows_[i];
      const Rows::Row row = here[number];
      out[i] = x[number] / diagonal(row, number);
      for (std::ptrdiff_t k = row.end - row.begin - 1; row.begin[k] > number; --k)
        x[row.begin[k]] -= row.values[k] * out[i];
    }
  }
  if (exchange_) {
    check(VecSet(of_others_, 0.0));
    {
      const Rows others(parts.others);
      const core::Writable x(of_others_);
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        const auto& [column, end, value] = others[rows_[i]];
        for (std::ptrdiff_t k = 0; k < end - column; ++k) x[column[k]] -= value[k] * out[i];
      }
    }
    check(VecScatterBegin(exchange_, of_others_, x_, ADD_VALUES, SCATTER_REVERSE));
    check(VecScatterEnd(exchange_, of_others_, x_, ADD_VALUES, SCATTER_REVERSE));
  }
  const core::Writable x(x_);
  for (std::size_t i = rows_.size(); i-- > 0;) {
    const PetscInt number = rows_[i];
    const Rows::Row row = here[number];
    out[i] = x[number] / diagonal(row, number);
    for (std::ptrdiff_t k = 0; row.begin[k] < number; ++k) x[row.begin[k]] -= row.values[k] * out[i];
  }
}

} // namespace rhumb::flow
