#include <rhumb/pde/moving_box/quality.hpp>

#include <cmath>

namespace rhumb::moving_box {

double volume_of(const Corners& x, int dimension) {
  std::array<std::array<double, 3>, 3> e{};
  for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a)
    for (std::size_t d = 0; d < 3; ++d) e[a][d] = x[a + 1][d] - x[0][d];
  if (dimension == 2) return 0.5 * (e[0][0] * e[1][1] - e[0][1] * e[1][0]);
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6.0;
}

double shape_of(const Corners& x, int dimension) {
  double squares = 0.0;
  int edges = 0;
  for (std::size_t a = 0; a <= static_cast<std::size_t>(dimension); ++a)
    for (std::size_t b = 0; b < a; ++b, ++edges)
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
        squares += (x[a][d] - x[b][d]) * (x[a][d] - x[b][d]);
  const double edge = std::sqrt(squares / edges);
  const double regular = dimension == 2 ? std::sqrt(3.0) / 4.0 : std::sqrt(2.0) / 12.0; // of edges of length one
  return volume_of(x, dimension) / (regular * std::pow(edge, dimension));
}

/// Edges from the first corner as columns; J E_reference = E. With the rows r_a of E_reference^-1, J = sum_a e_a r_a.
double alignment_of(const Corners& corners, const Corners& reference, int dimension) {
  const auto D = static_cast<std::size_t>(dimension);
  const double whole = volume_of(reference, dimension);
  std::array<std::array<double, 3>, 3> J{};
  for (std::size_t a = 1; a <= D; ++a)
    for (std::size_t d = 0; d < D; ++d) {
      // The barycentric coordinate of corner a grows by r in the direction d.
      Corners moved = reference;
      moved[a] = reference[0];
      moved[a][d] += 1.0;
      const double r = volume_of(moved, dimension) / whole;
      for (std::size_t i = 0; i < D; ++i) J[i][d] += (corners[a][i] - corners[0][i]) * r;
    }
  double trace = 0.0;
  for (const auto& row : J)
    for (const double j : row) trace += j * j;
  const double determinant = volume_of(corners, dimension) / whole;
  return trace / (dimension * std::pow(std::abs(determinant), 2.0 / dimension));
}

} // namespace rhumb::moving_box
