#pragma once
/// The corrector equation F(t, y, alpha y + beta) = 0 by modified Newton, BCP 5.2.2: rate test, and when the iteration
/// matrix is too old. Corrections are measured in index-scaled variables (LP2 section 4).

#include <rhumb/bdf/history.hpp>
#include <rhumb/bdf/linear.hpp>
#include <rhumb/bdf/rate_test.hpp>
#include <rhumb/bdf/recovery.hpp>

namespace rhumb::bdf {

/// The trial that an attempt works on; the integrator owns the vectors.
struct Trial {
  double t = 0.0;
  Vec y = nullptr;
  Vec ydot = nullptr;
  Vec correction = nullptr; ///< y - y^(0)
};

struct NewtonResult {
  Outcome outcome = Outcome::accepted; ///< accepted: converged
  int iterations = 0;
  int krylov = 0;
};

/// Equations that are solved in the same iteration, each with the iteration matrix of y.
class Companion {
public:
  virtual ~Companion() = default;
  virtual void predict(const Coefficients& c) = 0;
  struct Result {
    double length = 0.0; ///< the largest weighted norm of a correction; NaN where one has no value
    int krylov = 0;
  };
  /// One iteration at the trial's present y and y', whose residual is given.
  virtual Result iterate(const Coefficients& c, const Trial& trial, Vec residual) = 0;
};

class Newton {
public:
  Newton(dae::GuardedSystem& system, dae::Weights& weights, Linear& linear, const IntegratorOptions& options,
         Phases& phases);

  /// Predicts and corrects. With a kept matrix that does not serve, once more with a fresh one.
  NewtonResult solve(const History& history, const Coefficients& c, const Trial& trial);

  /// `companion` is solved for together with y from now on.
  void accompany_by(Companion& companion) { companion_ = &companion; }
  /// rho/(1 - rho) that a change of alpha since the matrix was made may bring, cautiously.
  double contraction_after_change(double alpha) const;
  /// The matrix was made anew outside, for a step with this alpha.
  void matrix_was_renewed(double alpha);

  /// The matrix must be made anew before the next solve (after a restart, say).
  void forget_matrix() { forced_ = true; }

  /// Of the weighted norm of what is left of y.
  double tolerance() const { return tolerance_; }
  double linear_tolerance() const { return linear_tolerance_; }

  /// By the kinds of the variables, which may have changed at a restart.
  void choose_strictness();

  /// The rate of convergence that was last seen is not to be trusted: the next solve measures it.
  void doubt_rate();

  /// What a checkpoint keeps beside the point of the last setup.
  struct NewtonState {
    double contraction = 0.0, alpha = 0.0, krylov_after_setup = 0.0, forced = 0.0, extra_iterations = 0.0;
  };
  NewtonState saved_state() const {
    return {rate_.contraction(), last_alpha_, krylov_after_setup_, forced_ ? 1.0 : 0.0, 1.0 * extra_iterations_};
  }
  void restore_state(const NewtonState& saved_state);

private:
  bool matrix_is_stale(double alpha) const;
  double rate_of_change(double alpha) const;
  bool fixed() const { return options_.fixed_step > 0.0; }
  void guess(const History& history, const Coefficients& c, const Trial& trial) const;
  Outcome iterate(const Coefficients& c, const Trial& trial, NewtonResult& counts);
  void iterate_fully(const History& history, const Coefficients& c, const Trial& trial, NewtonResult& counts);
  bool damp(const Trial& trial, double alpha);
  enum class Correction : std::uint8_t { first, further };
  template <Correction which>
  double update(const Trial& trial, double factor, double alpha, const dae::KindScale& scale);
  void note_krylov(int iterations);

  dae::GuardedSystem& system_;
  dae::Weights& weights_;
  Linear& linear_;
  Phases& phases_;
  const IntegratorOptions& options_;
  Companion* companion_ = nullptr;
  double tolerance_ = 0.0, linear_tolerance_ = 0.0;
  core::VecHandle residual_, delta_;
  core::VecHandle next_; ///< of a fixed step: the correction after the one in delta_
  RateTest rate_;
  double last_alpha_ = 0.0;
  double krylov_after_setup_ = 0.0; ///< iterations of the first solve with this preconditioner
  bool forced_ = false;
  int patience_ = 0;         ///< extra iterations that the kept matrix may cost
  int extra_iterations_ = 0; ///< that it has cost since it was made
};

} // namespace rhumb::bdf
