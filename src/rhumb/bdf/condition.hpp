#pragma once
/// How nearly singular an iteration matrix is (P82 section 5): asked for where steps have failed again and again.

#include <rhumb/bdf/linear.hpp>
#include <optional>

namespace rhumb::bdf {

/// About the condition of the kept matrix G, rows divided by their size and variables in tolerances:
/// B = R^-1 G W,  ||B|| about 1,  and ||B^-1|| from a few solves, so never more than the true one.
/// Nullopt where solves are not direct or no factors are there. Collective.
std::optional<double> condition_estimate(dae::GuardedSystem& system, const dae::Weights& weights, Linear& linear);

} // namespace rhumb::bdf
