#pragma once
/// The integral over time of a rate that is known at the ends of steps of any size: over each step that of the
/// polynomial through its end and up to four points before it, a rule of the order of the integrator (Adams-Moulton).

#include <cstddef>
#include <span>
#include <vector>

namespace rhumb::core {

class StepIntegral {
public:
  /// The rate at the end of a step. Another rate at the last time is a jump: what follows does not look back beyond it.
  /// A time on the other side of it than the points before: the run was taken back, and they do not count any more.
  /// Time may run backwards; the integral then has the sign of its limits.
  void add(double t, double rate);
  /// The rate is about to jump at the last time.
  void cut();
  /// From the first time to t, which may lie in the last step.
  double value(double t) const;

  std::vector<double> saved_state() const;
  /// Takes back what `saved_state` gave, from the front of `values`; returns the rest.
  std::span<const double> restore_state(std::span<const double> values);
  static constexpr std::size_t max_points = 5;
  static constexpr std::size_t state_size = 2 + 2 * max_points;

private:
  double between(double from, double to) const;

  std::vector<double> times_, rates_; ///< the last points, in their order
  double sum_ = 0.0;                  ///< up to the last of them
};

} // namespace rhumb::core
