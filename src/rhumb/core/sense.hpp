#pragma once
/// An order of times for integrations that go forwards or backwards.

#include <cmath>

namespace rhumb::core {

struct Sense {
  double sign = 1.0; ///< of every step

  /// Of an integration from one time to another.
  static Sense of(double from, double to) { return {to < from ? -1.0 : 1.0}; }
  /// Whether the integration is at a before it is at b.
  bool before(double a, double b) const { return sign * a < sign * b; }
  double earlier(double a, double b) const { return before(b, a) ? b : a; }
  double later(double a, double b) const { return before(b, a) ? a : b; }
  bool forwards() const { return sign > 0.0; }
};

} // namespace rhumb::core
