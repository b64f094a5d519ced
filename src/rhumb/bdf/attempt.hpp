#pragma once
/// One try at a step: predict, correct, look at signs, test the error. Works on a trial; the history stays as it was.

#include <rhumb/bdf/error_estimate.hpp>

namespace rhumb::bdf {

struct AttemptResult {
  Outcome outcome = Outcome::accepted;
  Estimate estimate = {};
  double sign_ratio = 1.0; ///< part of the step at which the first bounded field reaches zero
  int newton = 0;
  int krylov = 0;
};

class Attempt {
public:
  Attempt(dae::GuardedSystem& system, Newton& newton, ErrorEstimate& error, double sign_slack);

  /// A step to t, which is history.time() + c.h but for rounding.
  AttemptResult run(const History& history, const Coefficients& c, double t, ErrorEstimate::Higher higher);
  /// Only the error test, of the trial that `run` has left: again, where it has become another one.
  AttemptResult test_error(const History& history, const Coefficients& c, const AttemptResult& before,
                           ErrorEstimate::Higher higher);
  /// Whether F has a value at the trial's y and y': Newton's last iterate is accepted without having been evaluated.
  bool trial_has_value(double t);

  const Trial& trial() const { return trial_; }

private:
  /// 1 where all bounded fields keep their sign; else the part of the step (of the change since y_n) that keeps it.
  double sign_ratio(Vec y_n) const;

  dae::GuardedSystem& system_;
  Newton& newton_;
  ErrorEstimate& error_;
  core::VecHandle y_, ydot_, correction_, residual_;
  Trial trial_;
  bool bounded_ = false;         ///< some field has a sign to keep
  std::vector<dae::Sign> signs_; ///< per local entry
  std::vector<double> slacks_;   ///< per local entry: Field::sign_slack or the larger one of the options
};

} // namespace rhumb::bdf
