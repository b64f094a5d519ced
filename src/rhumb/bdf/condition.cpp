#include <rhumb/bdf/condition.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <array>
#include <cmath>

namespace rhumb::bdf {

using core::check;
using core::Readable;
using core::Writable;

namespace {

constexpr int probes = 3;           // vectors of signs by which rows are measured
constexpr int power_iterations = 3; // each multiplies with B^-1

/// 1 or -1, as if by chance, but the same for every number of ranks.
double sign_of(PetscInt entry, int which) {
  const double x = std::sin(static_cast<double>(entry + 1) * (12.9898 + 4.1414 * which)) * 43758.5453;
  return x - std::floor(x) < 0.5 ? -1.0 : 1.0;
}

double largest(Vec v) {
  PetscReal size = 0.0;
  check(VecNorm(v, NORM_INFINITY, &size));
  return size;
}

} // namespace

std::optional<double> condition_estimate(dae::GuardedSystem& system, const dae::Weights& weights, Linear& linear) {
  if (!linear.direct() || !linear.ready()) return std::nullopt;
  std::array<core::VecHandle, 4> vectors;
  for (auto& v : vectors) v = core::same_layout(weights.inverse());
  const auto& [rows, signs, x, product] = vectors;
  PetscInt first = 0, end = 0;
  check(VecGetOwnershipRange(rows, &first, &end));
  check(VecSet(rows, 0.0));
  for (int probe = 0; probe < probes; ++probe) {
    {
      const Writable sign(signs);
      for (PetscInt i = first; i < end; ++i) sign[i - first] = sign_of(i, probe);
    }
    check(VecPointwiseDivide(x, signs, weights.inverse()));
    linear.multiply_by_matrix(x, product);
    check(VecAbs(product));
    check(VecPointwiseMax(rows, rows, product));
  }
  double growth = 0.0;
  for (int iteration = 0; iteration < power_iterations; ++iteration) {
    check(VecScale(signs, 1.0 / largest(signs)));
    check(VecPointwiseMult(product, rows, signs));
    if (!linear.solve(product, x, 0.0).converged) return std::nullopt;
    check(VecPointwiseMult(signs, x, weights.inverse()));
    growth = std::max(growth, largest(signs));
    if (!std::isfinite(growth) || growth == 0.0) return std::nullopt;
  }
  return system.all_well() ? std::optional(growth) : std::nullopt;
}

} // namespace rhumb::bdf
