#pragma once
/// The integral in time of a rate that is known at the ends of steps: over each step the polynomial through the last
/// four rates, so that the integral is as good as the steps deserve.

#include <span>
#include <vector>

namespace rhumb::combustion {

class Quadrature {
public:
  /// The rate at the end of a step, t >= 0. A time that is already known only replaces its rate.
  void add(double t, double rate);
  /// The rate is about to jump: what follows does not look back.
  void cut();
  /// The integral up to t, a time in the last step.
  double up_to(double t) const;
  double total() const { return total_; }

  /// For checkpoints.
  std::vector<double> saved_state() const;
  void restore_state(std::span<const double> values);
  static constexpr std::size_t count = 10;

private:
  struct Known {
    double t = 0.0, rate = 0.0;
  };
  double over(double from, double to) const;

  std::vector<Known> known_;          ///< the last four, ascending
  double total_ = 0.0, before_ = 0.0; ///< integral up to the last time, and up to the one before
};

} // namespace rhumb::combustion
