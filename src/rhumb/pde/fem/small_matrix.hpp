#pragma once
/// Determinant and inverse of the slope of a cell's map, dx_i/dxi_k at [i * d + k], for d = 2 and 3.

#include <array>
#include <cstddef>

namespace rhumb::fem {

inline double determinant(const std::array<double, 9>& J, std::size_t d) {
  if (d == 2) return J[0] * J[3] - J[1] * J[2];
  return J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) + J[2] * (J[3] * J[7] - J[4] * J[6]);
}

/// dxi_k/dx_i at [k * d + i].
inline std::array<double, 9> inverse(const std::array<double, 9>& J, std::size_t d, double det) {
  if (d == 2) return {J[3] / det, -J[1] / det, -J[2] / det, J[0] / det};
  const auto minor = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t e) {
    return (J[a] * J[e] - J[b] * J[c]) / det;
  };
  return {minor(4, 5, 7, 8), minor(2, 1, 8, 7), minor(1, 2, 4, 5), minor(5, 3, 8, 6), minor(0, 2, 6, 8),
          minor(2, 0, 5, 3), minor(3, 4, 6, 7), minor(1, 0, 7, 6), minor(0, 1, 3, 4)};
}

} // namespace rhumb::fem
