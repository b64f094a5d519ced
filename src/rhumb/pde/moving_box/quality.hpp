#pragma once
/// How well the simplices of a mesh are shaped, and how large they are.

#include <rhumb/pde/moving_box/simplices.hpp>

namespace rhumb::moving_box {

/// Corners of a simplex; two or three coordinates of each count.
using Corners = std::array<std::array<double, 3>, 4>;

/// Signed.
double volume_of(const Corners& corners, int dimension);

/// Volume over the mean square of the edges, one for a regular simplex, zero for a flat one.
double shape_of(const Corners& corners, int dimension);

/// How far a simplex is from a scaled and turned copy of its shape in the reference, J the map's derivative:
/// tr(J^T J) / (D det(J^T J)^(1/D)), one where it is such a copy.
double alignment_of(const Corners& corners, const Corners& reference, int dimension);

/// Of a whole mesh, on all ranks.
struct Quality {
  double smallest_volume = 0.0, largest_volume = 0.0;
  double worst_shape = 1.0;
  double equidistribution = 1.0; ///< largest monitor times volume over its mean
  double alignment = 1.0;        ///< largest
  /// Simplices with a shape of 0 ... 0.1, 0.1 ... 0.2, up to 1.
  std::array<double, 10> shapes{};
};

} // namespace rhumb::moving_box
