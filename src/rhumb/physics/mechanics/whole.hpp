#pragma once
/// The rows of all parts of a mechanism, summed up.

#include <rhumb/physics/mechanics/mechanism.hpp>

namespace rhumb::mechanics {

/// At (t, q, v) with these accelerations and no multipliers.
struct Whole {
  std::vector<double> dynamics, position, velocity, acceleration;
};

Whole whole_at(const Assembly& assembly, double t, std::span<const double> q, std::span<const double> v,
               std::span<const double> a);

inline std::vector<double> negative(std::vector<double> values) {
  for (double& x : values) x = -x;
  return values;
}

} // namespace rhumb::mechanics
