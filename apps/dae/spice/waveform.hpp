#pragma once
/// What a source does over time: a constant, or SPICE's pulse, sin, exp and pwl.

#include <string>
#include <vector>

namespace rhumb::problems::spice {

struct Waveform {
  enum class Shape : char { constant, pulse, sine, exponential, linear };
  Shape shape = Shape::constant;
  double dc = 0.0;               ///< the constant; of other shapes the value at the operating point is that at t = 0
  std::vector<double> arguments; ///< SPICE's, with its defaults filled in; pwl: times and values in turn

  double value(double t) const;
  /// From the right, where there is a kink.
  double rate(double t) const;
  /// The first time after t at which the waveform or its rate jumps; infinity where there is none.
  double next_kink(double t) const;
};

} // namespace rhumb::problems::spice
