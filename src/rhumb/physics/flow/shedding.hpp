#pragma once
/// Coefficients of a force over time, from their values at the steps: the largest of each cycle, and how long a cycle
/// is. A cycle ends at a maximum of the lift. Between steps the values are those of the polynomial through five of
/// them.

#include <array>
#include <span>
#include <vector>

namespace rhumb::flow {

class Shedding {
public:
  void add(double t, double drag, double lift);

  /// Of the last whole cycle.
  struct Cycle {
    double drag_min, drag_max, lift_min, lift_max;
    double period;
    double steps;
  };
  /// Whether there was one, and not long ago: a flow that has come to rest sheds nothing.
  bool known() const;
  const Cycle& last() const { return last_; }

  std::vector<double> saved_state() const;
  void restore_state(std::span<const double> values);
  static std::size_t memory_size();

private:
  struct Sample {
    double t = 0.0, drag = 0.0, lift = 0.0;
  };
  struct Extremum {
    double t, value;
  };
  /// `sign` is 1 for a maximum, -1 for a minimum.
  Extremum extremum(double Sample::*of, double sign) const;
  void close_cycle(const Extremum& peak);
  void forget_cycle();

  static constexpr std::size_t window = 5;
  std::vector<Sample> samples_; ///< the newest last
  double cycle_began_ = 0.0, cycle_steps_ = 0.0;
  double drag_min_, drag_max_, lift_min_; ///< so far in this cycle
  double peaks_ = 0.0;                    ///< maxima of the lift so far
  double cycles_ = 0.0;
  Cycle last_{};

public:
  Shedding() { forget_cycle(); }
};

} // namespace rhumb::flow
