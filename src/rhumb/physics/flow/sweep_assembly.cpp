#include <rhumb/physics/flow/sweep_assembly.hpp>

#include <algorithm>
#include <stdexcept>

namespace rhumb::flow {

using core::check;

CompressedRows::Part CompressedRows::open(Mat matrix) {
  Part part{.matrix = matrix};
  PetscInt rows = 0;
  PetscBool done = PETSC_FALSE;
  check(MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &part.starts, &part.columns, &done));
  if (done == PETSC_FALSE) throw std::logic_error("a matrix without compressed rows");
  check(MatSeqAIJGetArray(matrix, &part.values));
  return part;
}

void CompressedRows::close(Part& part) {
  PetscInt rows = 0;
  PetscBool done = PETSC_FALSE;
  MatSeqAIJRestoreArray(part.matrix, &part.values);
  MatRestoreRowIJ(part.matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &part.starts, &part.columns, &done);
}

CompressedRows::CompressedRows(Mat matrix) {
  check(MatGetOwnershipRange(matrix, &first_row_, nullptr));
  check(MatGetOwnershipRangeColumn(matrix, &first_column_, &end_column_));
  PetscBool distributed = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(matrix), MATMPIAIJ, &distributed));
  if (distributed == PETSC_FALSE) {
    local_ = open(matrix);
    return;
  }
  Mat local = nullptr, others = nullptr;
  check(MatMPIAIJGetSeqAIJ(matrix, &local, &others, &column_of_));
  local_ = open(local);
  others_ = open(others);
}

CompressedRows::~CompressedRows() {
  close(local_);
  if (others_.matrix) close(others_);
}

std::uint8_t CompressedRows::find(PetscInt row, PetscInt column) const {
  const bool here = column >= first_column_ && column < end_column_;
  const Part& part = here ? local_ : others_;
  const PetscInt *begin = part.columns + part.starts[row - first_row_],
                 *end = part.columns + part.starts[row - first_row_ + 1];
  const auto number = [&](PetscInt c) { return here ? c + first_column_ : column_of_[c]; };
  const PetscInt* found = std::lower_bound(begin, end, column, [&](PetscInt c, PetscInt x) { return number(c) < x; });
  if (found == end || number(*found) != column || found - begin >= of_others)
    throw std::logic_error("an entry outside of the matrix's pattern");
  return static_cast<std::uint8_t>((here ? 0 : of_others) + (found - begin));
}

void RowPattern::add(PetscInt column) {
  if (std::ranges::find(columns_, column) == columns_.end()) columns_.push_back(column);
}

core::MatHandle allocate_matrix(MPI_Comm comm, const MatrixShape& shape) {
  core::MatHandle matrix;
  check(MatCreate(comm, matrix.out()));
  check(MatSetSizes(matrix, shape.rows, shape.columns, PETSC_DETERMINE, PETSC_DETERMINE));
  check(MatSetType(matrix, MATAIJ));
  check(MatSeqAIJSetPreallocation(matrix, 0, shape.local.data()));
  check(MatMPIAIJSetPreallocation(matrix, 0, shape.local.data(), 0, shape.others.data()));
  return matrix;
}

} // namespace rhumb::flow
