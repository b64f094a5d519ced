#pragma once
/// Does a start of index 3 satisfy the derivative of its constraints? With velocities that do not, an integration in
/// the index-3 form gives wrong answers in silence (LP2 section 2). What such velocities lack is an impulse there,
///   M (v+ - v) = G Lambda,  d/dt g = 0 with v+,
/// and a solve with the iteration matrix finds it: with h d/dt g in the rows of g it has h (v+ - v) in the positions
/// and v+ - v in the velocities.

#include <rhumb/bdf/linear.hpp>
#include <optional>

namespace rhumb::bdf {

struct VelocityError {
  std::string field;
  double size = 0.0; ///< of the missing change, in tolerances
};

/// At a point where F = 0, at the begin of an integration over `interval`; uses `linear` for a matrix of its own.
/// Nullopt where the velocities are right to a tolerance, or where differences cannot tell.
std::optional<VelocityError> find_velocity_error(dae::GuardedSystem& system, dae::Weights& weights, Linear& linear,
                                                 const LinearizationPoint& at, double interval);

} // namespace rhumb::bdf
