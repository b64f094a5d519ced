#pragma once
/// A band matrix and its solve, for small systems that every rank solves for itself.

#include <cstddef>
#include <vector>

namespace rhumb::moving {

class Band {
public:
  /// size x size with `reach` diagonals on each side of the main one.
  Band(std::size_t size, std::size_t reach);

  double& at(std::size_t row, std::size_t column) { return entries_[row * width_ + (column + reach_ - row)]; }

  /// Solves A x = b by elimination with row exchanges inside the band; A is used up.
  std::vector<double> solve(std::vector<double> b) &&;

private:
  std::size_t size_, reach_;
  std::size_t width_; ///< stored per row: reach below, itself, and twice the reach above, which exchanges may fill
  std::vector<double> entries_;
};

} // namespace rhumb::moving
