#pragma once
/// Small dense matrices, by columns as LAPACK has them, and the two factorizations that rank decisions need.

#include <cstddef>
#include <optional>
#include <vector>

namespace rhumb::dae {

struct DenseMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> entries; ///< by columns

  DenseMatrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), entries(row_count * column_count, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return entries[j * rows + i]; }
  double operator()(std::size_t i, std::size_t j) const { return entries[j * rows + i]; }
};

/// a b, and with a transposed.
DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b);
DenseMatrix transposed_product(const DenseMatrix& a, const DenseMatrix& b);
/// Rows [first, last) and columns [left, right).
DenseMatrix block(const DenseMatrix& a, std::size_t first, std::size_t last, std::size_t left, std::size_t right);

/// a = left diag(values) right^T with all columns of both orthogonal matrices; values descend.
struct SingularValues {
  DenseMatrix left, right;
  std::vector<double> values;
  /// How many exceed `tolerance`.
  std::size_t rank(double tolerance) const;
};
SingularValues singular_values(DenseMatrix a);

/// With one step of refinement, which makes small entries beside large ones right, too (Skeel 1980). Nothing where the
/// elimination meets a pivot of 0.
std::optional<DenseMatrix> inverted(DenseMatrix a);

} // namespace rhumb::dae
