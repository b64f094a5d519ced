#pragma once
/// A matrix whose entries come from a sweep over the grid, `sweep(emit)`, that calls emit(row, column, value) for this
/// rank's rows: all of one row in one go, the same rows and columns in the same order every time, a column perhaps more
/// than once. Which entry of its row each call adds to is found once and kept in one byte: PETSc's COO interface keeps
/// sixteen, and wants all values in one array.

#include <rhumb/core/check.hpp>
#include <rhumb/core/handle.hpp>
#include <algorithm>
#include <cstdint>
#include <petscmat.h>
#include <vector>

namespace rhumb::flow {

/// The rank's rows of an AIJ matrix in compressed form: columns of this rank, and those of others.
class CompressedRows {
public:
  explicit CompressedRows(Mat matrix);
  ~CompressedRows();
  CompressedRows(const CompressedRows&) = delete;
  CompressedRows& operator=(const CompressedRows&) = delete;

  PetscInt first_row() const { return first_row_; }
  /// The byte of the entry in that row.
  std::uint8_t find(PetscInt row, PetscInt column) const;
  double& entry(PetscInt row, std::uint8_t found) {
    Part& part = found < of_others ? local_ : others_;
    return part.values[part.starts[row - first_row_] + found % of_others];
  }

private:
  struct Part {
    Mat matrix = nullptr;
    const PetscInt *starts = nullptr, *columns = nullptr;
    PetscScalar* values = nullptr;
  };
  static constexpr std::uint8_t of_others = 128; ///< bytes from here on are of others_
  static Part open(Mat matrix);
  static void close(Part& part);

  PetscInt first_row_ = 0, first_column_ = 0, end_column_ = 0;
  Part local_, others_;
  const PetscInt* column_of_ = nullptr; ///< of others_: PETSc's numbers of its columns, ascending
};

/// Sizes of a matrix on this rank and, per row, how many entries are in columns of this rank and of others.
struct MatrixShape {
  PetscInt rows = 0, columns = 0;
  std::vector<PetscInt> local = {}, others = {};
};

/// Collects the columns of a row, each once.
class RowPattern {
public:
  void add(PetscInt column);
  const std::vector<PetscInt>& columns() const { return columns_; }
  void clear() { columns_.clear(); }

private:
  std::vector<PetscInt> columns_;
};

core::MatHandle allocate_matrix(MPI_Comm comm, const MatrixShape& shape);

/// Calls body(row, columns) for every row of the sweep.
template <class Sweep, class Body>
void for_each_pattern(Sweep&& sweep, Body&& body) {
  RowPattern pattern;
  PetscInt current = -1;
  const auto finish = [&] {
    if (current >= 0) body(current, pattern.columns());
    pattern.clear();
  };
  sweep([&](PetscInt row, PetscInt column, double) {
    if (row != current) finish();
    current = row;
    pattern.add(column);
  });
  finish();
}

/// A matrix of zeros for the sweep. Collective.
template <class Sweep>
core::MatHandle create_swept_matrix(MPI_Comm comm, PetscInt rows, PetscInt columns, Sweep&& sweep) {
  PetscInt row_end = 0, column_end = 0;
  core::check_mpi(MPI_Scan(&rows, &row_end, 1, MPIU_INT, MPI_SUM, comm));
  core::check_mpi(MPI_Scan(&columns, &column_end, 1, MPIU_INT, MPI_SUM, comm));
  const PetscInt first_row = row_end - rows, first_column = column_end - columns;
  MatrixShape shape{rows, columns, std::vector<PetscInt>(static_cast<std::size_t>(rows), 0), {}};
  shape.others = shape.local;
  for_each_pattern(sweep, [&](PetscInt row, const std::vector<PetscInt>& pattern) {
    const auto index = static_cast<std::size_t>(row - first_row);
    for (const PetscInt column : pattern)
      ++(column >= first_column && column < column_end ? shape.local : shape.others)[index];
  });
  core::MatHandle matrix = allocate_matrix(comm, shape);
  std::vector<PetscScalar> zeros;
  for_each_pattern(sweep, [&](PetscInt row, const std::vector<PetscInt>& pattern) {
    zeros.resize(std::max(zeros.size(), pattern.size()), 0.0);
    core::check(MatSetValues(matrix, 1, &row, static_cast<PetscInt>(pattern.size()), pattern.data(), zeros.data(),
                             INSERT_VALUES));
  });
  core::check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  core::check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return matrix;
}

class SweepAssembly {
public:
  /// Gives the matrix the values of the sweep. Matrices of one assembly have one pattern.
  template <class Sweep>
  void assemble(Mat matrix, Sweep&& sweep) {
    core::check(MatZeroEntries(matrix));
    add_values(matrix, sweep);
    // PETSc counts changes of the parts of a distributed matrix, and has to be told that the whole has changed.
    core::check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    core::check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  }

private:
  template <class Sweep>
  void add_values(Mat matrix, Sweep&& sweep) {
    CompressedRows rows(matrix);
    if (found_.empty()) find_entries(rows, sweep);
    const std::uint8_t* next = found_.data();
    sweep([&](PetscInt row, PetscInt, double value) { rows.entry(row, *next++) += value; });
  }
  template <class Sweep>
  void find_entries(const CompressedRows& rows, Sweep&& sweep) {
    std::size_t count = 0;
    sweep([&](PetscInt, PetscInt, double) { ++count; });
    found_.reserve(count);
    sweep([&](PetscInt row, PetscInt column, double) { found_.push_back(rows.find(row, column)); });
  }

  std::vector<std::uint8_t> found_; ///< in the order of the sweep
};

} // namespace rhumb::flow
