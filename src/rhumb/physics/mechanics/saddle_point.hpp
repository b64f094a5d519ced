#pragma once
/// The saddle point [M G^T; G 0] of a mechanism at one point: what moves positions and velocities onto their constraints
/// and gives accelerations and multipliers at the start.

#include <rhumb/core/handle.hpp>
#include <rhumb/physics/mechanics/element.hpp>

namespace rhumb::mechanics {

class SaddlePoint {
public:
  /// At (t, q). `first_multiplier` is the index of each part's first constraint; constraints that are `open` hold
  /// nothing, and their multiplier is what stands on the right-hand side. Throws core::BadInput where the matrix is
  /// singular: constraints that depend on each other, or a coordinate without mass.
  SaddlePoint(double t, std::span<const double> q, std::span<const Part> parts,
              std::span<const std::size_t> first_multiplier, std::span<const char> open);

  /// [M G^T; G 0] (x, lambda) = (force, constraint), in place.
  void solve(std::span<double> force, std::span<double> constraint) const;

private:
  core::MatHandle matrix_, factors_;
};

} // namespace rhumb::mechanics
