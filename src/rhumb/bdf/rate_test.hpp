#pragma once
/// The rate test of a modified Newton iteration, BCP (5.2.15): rho/(1 - rho) ||d|| bounds what is left after a
/// correction d. Pure arithmetic.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rhumb::bdf {

class RateTest {
public:
  static constexpr double guess_after_setup = 1.0; ///< rho/(1 - rho) before a rate is known
  static constexpr double slowest_rate = 0.9;      ///< BCP 5.2.2

  enum class Verdict : std::uint8_t { converged, go_on, diverged };

  /// After correction number m = 0, 1, ... of this length.
  Verdict judge(int m, double length, double tolerance) {
    if (m == 0) {
      first_ = length;
      if (length <= negligible * tolerance) return Verdict::converged;
      contraction_ = std::max(contraction_, least_remembered);
    } else {
      const double rate = std::pow(length / first_, 1.0 / m);
      if (rate > slowest_rate) return Verdict::diverged;
      contraction_ = rate / (1.0 - rate);
    }
    return contraction_ * length <= tolerance ? Verdict::converged : Verdict::go_on;
  }

  /// The rate that was last seen is not to be trusted: it is at least the one that belongs to this rho/(1 - rho).
  void doubt(double least = guess_after_setup) { contraction_ = std::max(contraction_, least); }
  void begin_with_new_matrix() { contraction_ = guess_after_setup; }

  /// For checkpoints.
  double contraction() const { return contraction_; }
  void set_contraction(double value) { contraction_ = value; }

private:
  static constexpr double negligible = 1e-4; ///< of the tolerance: no rate can be had from such a correction
  /// A rate seen with a new matrix does not stay: without one of its own, a step must not pass a long correction by it.
  static constexpr double least_remembered = 0.05;

  double contraction_ = 0.0; ///< rho / (1 - rho), or a cautious guess
  double first_ = 0.0;
};

} // namespace rhumb::bdf
