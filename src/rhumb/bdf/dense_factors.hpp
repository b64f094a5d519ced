#pragma once
/// LU of a matrix so small that a sparse factorization is mostly overhead: full rows, equilibrated (the scaling of
/// algebraic rows that LP2 section 3 asks for), with partial pivoting.

#include <rhumb/core/handle.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace rhumb::bdf {

class DenseFactors {
public:
  /// Whether a matrix is small, on one rank, and of a type whose entries can be read in place.
  static bool suit(Mat matrix);

  /// For the sparsity of this matrix, which must not change.
  explicit DenseFactors(Mat matrix);

  /// Takes the matrix's present entries.
  enum class Outcome : std::uint8_t { good, singular, not_a_number };
  Outcome factor(Mat matrix);
  /// x of the last matrix that was factored well; b and x must not overlap.
  void solve(std::span<const double> b, std::span<double> x) const;

private:
  double& entry(std::size_t row, std::size_t column) { return entries_[row * size_ + column]; }
  double entry(std::size_t row, std::size_t column) const { return entries_[row * size_ + column]; }
  Outcome equilibrate();
  void swap_rows(std::size_t a, std::size_t b);

  std::size_t size_;
  std::vector<std::size_t> offsets_; ///< where the matrix's entries stand among ours
  std::vector<double> entries_;      ///< by rows: L below the diagonal, U above it, 1 / U_ii on it
  std::vector<double> scale_;        ///< of the rows in their first order
  std::vector<std::size_t> order_;   ///< the row that stands in this place
};

} // namespace rhumb::bdf
