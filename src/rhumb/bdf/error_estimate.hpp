#pragma once
/// The local error and the Taylor terms of one trial: vectors in, norms out. The tests differ in which variables count
/// and in what is applied to the correction e = y - y^(0) before the norm is taken:
///   standard, exclude   e itself                                     BCP (5.2.21)
///   filter              alpha G^-1 A e                               BCP (5.4.9)
///   strong              (alpha_0 kappa/T X + alpha^2 X^2) e, X = G^-1 A  SIE (5.12)
///   projected           alpha^2 X^2 e                                LP2 (5.2)-(5.5)
/// with A = dF/dy', G the kept iteration matrix, alpha its own leading coefficient over h, and T the interval of the
/// integration. All become the first for an explicit ODE as h goes to 0.
///
/// Why X^2 is the projected estimate: by LP2 (3.10), alpha X turns (tau_u, tau_v) into e_u = (I - P) tau_u + ... and
/// e_v = -P tau_u / gamma + (I - P) tau_v. Once more, P e_u = 0 takes the large term away and leaves (I - P) e_v, which
/// is (5.5), without a word from the system on which velocity belongs to which position.

#include <rhumb/bdf/amplification.hpp>
#include <rhumb/bdf/newton.hpp>
#include <rhumb/bdf/order.hpp>

namespace rhumb::bdf {

struct Estimate {
  double error = 0.0;      ///< ERR of (5.2.21); the step is good when at most 1
  double correction = 0.0; ///< ||e|| in the Newton norm, for SIE (6.1); only where the test filters
  TaylorTerms terms = {};
  /// linear_failed: a solve for the filter failed; residual_failed: F has no value where the filter evaluates it.
  Outcome outcome = Outcome::accepted;
};

/// The test to begin with for a system with these counts of kinds, when the user leaves the choice to us.
ErrorTest automatic_test(const dae::Weights& weights);

class ErrorEstimate {
public:
  ErrorEstimate(dae::GuardedSystem& system, dae::Weights& weights, Linear& linear, const IntegratorOptions& options,
                Phases& phases);

  /// `with_higher`: also the term for order k+1.
  enum class Higher : std::uint8_t { leave, include };
  Estimate evaluate(const History& history, const Coefficients& c, const Trial& trial, Higher higher);

  /// The one that the options ask for; the automatic one by the kinds of the variables, which may have changed at a
  /// restart.
  void choose_test();
  ErrorTest test() const { return test_; }
  /// Whether a look at what algebraic variables make of errors is due in the step with this number: only where the
  /// choice is left to us and the standard test is in use.
  bool is_look_due(long step, const Estimate& estimate, const FailureCounts& failures) const {
    return watches_ && (failures.error_test > 0 || amplification_.is_due(step, estimate.error));
  }
  /// Looks at an accepted trial; true where that was the look that made the filter the test. One reduction beside the solve's.
  bool look_for_amplification(const Trial& trial, long step);
  /// Whether looks have found that they amplify these.
  bool amplifies() const { return options_.error_test == ErrorTest::automatic && amplification_.found(); }
  Amplification::State amplification() const { return amplification_.saved_state(); }
  void restore_amplification(const Amplification::State& state) { amplification_.restore_state(state); }
  /// Which kinds count in a step of size h, and how much.
  dae::KindScale counted(double h) const;
  /// Fields of which not every entry is measured. Collective.
  std::vector<std::string> uncontrolled_fields() const;
  /// Whether a vector is filtered through the iteration matrix before it is measured.
  bool filters() const { return test_ > ErrorTest::exclude; }
  long solves() const { return solves_; }
  long iterations() const { return iterations_; }
  void set_counts(long solves, long iterations) {
    solves_ = solves;
    iterations_ = iterations;
  }
  std::string describe() const;

private:
  /// The vectors whose norms are the estimates, after filtering; weights of differences included.
  struct Inputs {
    Vec correction, lower, two_lower, higher;
  };
  bool filter_inputs(const History& history, const Coefficients& c, const Trial& trial, Higher higher);
  bool apply_filter(const Trial& trial, double leading, Vec v, Vec out);
  bool apply_x(const Trial& trial, Vec v, Vec out, double tolerance, double increment);
  Outcome failed_solve();
  bool solve_for_filter(Vec out, double tolerance);
  void mass_product(const Trial& trial, Vec v, Vec out, double increment);
  void residual_beside(const Trial& trial, Vec v, Vec out, double alpha);
  Estimate norms(const Coefficients& c, const Inputs& in, Vec test_vector, Vec correction) const;
  void make_vectors();

  dae::GuardedSystem& system_;
  dae::Weights& weights_;
  Linear& linear_;
  Phases& phases_;
  const IntegratorOptions& options_;
  ErrorTest test_ = ErrorTest::standard;
  Exclude exclude_ = Exclude::higher_index; ///< with ErrorTest::exclude
  double kappa_ = 0.0;
  Amplification amplification_;
  bool watches_ = false;
  core::VecHandle filtered_, filtered_lower_, filtered_two_lower_, filtered_higher_, work_, product_, moved_;
  bool base_known_ = false; ///< work_ holds F at the trial
  long solves_ = 0, iterations_ = 0;
};

} // namespace rhumb::bdf
