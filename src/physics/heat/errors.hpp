#pragma once
/// Errors against the exact solution, the largest over the times at which they were taken.

#include "physics/heat/coefficients.hpp"
#include "physics/heat/modes.hpp"
#include <optional>

namespace rhumb::heat {

class Errors {
public:
  /// Throws core::BadInput when -exact_profile is given for a case whose solution does not separate.
  Errors(const Case& heat_case, const grid::Box& box, const Coefficients& coefficients);

  bool known() const { return case_.exact.has_value() || modes_.has_value(); }
  /// Compares y with the solution at t. Called on all ranks.
  void take(double t, Vec y);
  double largest() const { return largest_; } ///< error_max, K
  double mean_square() const { return l2_; }  ///< error_l2: root of the volume mean of the squares, K

  std::vector<double> memory() const { return {largest_, l2_}; }
  std::span<const double> set_memory(std::span<const double> numbers);

private:
  const Case& case_;
  const grid::Box& box_;
  const Coefficients& coefficients_;
  std::optional<Modes> modes_;
  double largest_ = 0.0, l2_ = 0.0;
};

} // namespace rhumb::heat
