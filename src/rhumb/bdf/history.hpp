#pragma once
/// The past: modified divided differences phi_1 .. phi_{k+2}, at most phi_6, and the last step sizes. A step is tried
/// on vectors outside; the history changes in `commit` alone, so a failed attempt leaves nothing to repair.

#include <rhumb/bdf/coefficients.hpp>
#include <rhumb/core/handle.hpp>

namespace rhumb::bdf {

class History {
public:
  explicit History(Vec model);

  /// One point and a slope: phi_1 = y, phi_2 = h y'.
  void begin(double t, Vec y, Vec ydot, double h);
  /// A full past on equidistant points t - i h: phi from the given values, newest first.
  void begin(double t, std::span<const core::VecHandle> values, double h);
  /// The first step will be h instead: the slope's phi_2 follows. Only before the first commit.
  void rescale_first_step(double h);

  double time() const { return time_; }
  /// The state is taken for that of a time within rounding of its own.
  void set_time(double t) { time_ = t; }
  /// h_n, h_{n-1}, ...
  std::span<const double> steps() const { return steps_; }
  /// Steps committed since `begin`.
  long committed() const { return committed_; }
  /// phi_i(n).
  Vec difference(int i) const { return phi_[i]; }

  /// y^(0) and y'^(0) of BCP 5.2.1.
  void predict(const Coefficients& c, Vec y, Vec ydot) const;
  /// Takes the step to t with y = y^(0) + correction; t is time() + c.h but for rounding.
  void commit(const Coefficients& c, double t, Vec correction);
  /// The interpolant (5.2.9) of the last step, of degree `order`, and its derivative; ydot may be null.
  void interpolate(double t, int order, Vec y, Vec ydot) const;

  /// Takes over everything from a history of the same layout.
  void copy_from(const History& other);
  /// For checkpoints.
  void restore(double t, std::span<const double> steps, long committed);

private:
  std::array<core::VecHandle, kept_differences + 1> phi_;
  std::array<double, past_step_count> steps_{};
  double time_ = 0.0;
  long committed_ = 0;
};

} // namespace rhumb::bdf
