#pragma once
/// What to do after which failure, how often: BCP 5.2.2 and 5.2.3. Pure arithmetic.

#include <cstdint>

namespace rhumb::bdf {

/// What one attempt at a step came to.
enum class Outcome : std::uint8_t {
  accepted,
  error_too_large,     ///< the error test failed
  newton_diverged,     ///< with a fresh matrix
  linear_failed,       ///< GMRES did not reach its tolerance with a fresh preconditioner
  residual_failed,     ///< NaN or Recoverable
  matrix_singular,     ///< the factorization failed
  constraint_violated, ///< a field lost its sign
};

/// Failures since the last accepted step.
struct FailureCounts {
  int error_test = 0;
  int convergence = 0; ///< Newton, linear, residual, matrix, constraint
};

struct Recovery {
  bool give_up = false;
  double factor = 1.0; ///< for the step
  int order = 1;       ///< for the next attempt
};

/// After a failed error test number `failures.error_test` (counted already). `lowered_order` and `estimate` are what
/// lower_or_keep chose.
Recovery after_error_test(const FailureCounts& failures, int lowered_order, double estimate);

/// The same before any step was accepted: the estimate of order 1, which no past step distorts, says how short the
/// first step must be, however short that is.
Recovery after_first_error_test(const FailureCounts& failures, double estimate);

/// After a failure to solve the corrector equation (counted already). For a lost sign, `sign_ratio` is the part of the
/// step at which the field would have reached zero.
Recovery after_convergence(Outcome outcome, const FailureCounts& failures, int order, double sign_ratio);

inline constexpr int most_failures = 10;  ///< of one sort in one step
inline constexpr int untrusted_after = 3; ///< from this failure on: order one

/// The last failed error test. Every change of step or order makes a jump in the error of the solution, which the
/// differences of the next steps hold, the higher the more. A controller that forgets the failure can go in circles: an
/// order whose differences look small while the step is kept is chosen with a longer step, fails, is left, and is
/// chosen again.
struct LastFailedTest {
  int order = 0;        ///< of the attempt that failed; 0: there was none
  long steps_since = 0; ///< accepted ones
  /// For as many steps as the current order: the step does not grow.
  bool is_recent(int current_order) const;
  /// Whether an accepted step may lower the order to `lower`: for ten steps not to one that has failed, or below it.
  bool allows(int lower) const;
};

} // namespace rhumb::bdf
