#include <rhumb/bdf/attempt.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <limits>

namespace rhumb::bdf {

using core::Readable;

namespace {
/// A field that must be positive and has just become 0 has lost its sign, too.
constexpr double below_one = 1.0 - std::numeric_limits<double>::epsilon();
} // namespace

Attempt::Attempt(dae::GuardedSystem& system, Newton& newton, ErrorEstimate& error, double sign_slack)
    : system_(system), newton_(newton), error_(error), y_(system.system().create_vector()) {
  ydot_ = core::same_layout(y_);
  correction_ = core::same_layout(y_);
  trial_ = {0.0, y_, ydot_, correction_};
  const auto fields = system.system().fields();
  bounded_ = std::any_of(fields.begin(), fields.end(), [](const auto& f) { return f.sign != dae::Sign::free; });
  if (!bounded_) return;
  PetscInt size = 0;
  core::check(VecGetLocalSize(y_, &size));
  for (PetscInt i = 0; i < size; ++i) {
    const auto& field = fields[system.system().field_of(i)];
    signs_.push_back(field.sign);
    slacks_.push_back(field.sign == dae::Sign::nonnegative ? std::max(field.sign_slack, sign_slack) : 0.0);
  }
}

AttemptResult Attempt::run(const History& history, const Coefficients& c, double t, ErrorEstimate::Higher higher) {
  trial_.t = t;
  AttemptResult result;
  const NewtonResult newton = newton_.solve(history, c, trial_);
  result.outcome = newton.outcome;
  result.newton = newton.iterations;
  result.krylov = newton.krylov;
  if (result.outcome != Outcome::accepted) return result;

  result.sign_ratio = sign_ratio(history.difference(1));
  if (result.sign_ratio < 1.0) {
    result.outcome = Outcome::constraint_violated;
    return result;
  }
  return test_error(history, c, result, higher);
}

AttemptResult Attempt::test_error(const History& history, const Coefficients& c, const AttemptResult& before,
                                  ErrorEstimate::Higher higher) {
  AttemptResult result = before;
  result.estimate = error_.evaluate(history, c, trial_, higher);
  result.outcome = result.estimate.outcome;
  if (result.outcome == Outcome::accepted && result.estimate.error > 1.0) result.outcome = Outcome::error_too_large;
  return result;
}

bool Attempt::trial_has_value(double t) {
  if (!residual_) residual_ = core::same_layout(y_);
  system_.residual(t, y_, ydot_, residual_);
  return system_.has_value(residual_);
}

double Attempt::sign_ratio(Vec y_n) const {
  if (!bounded_) return 1.0;
  double ratio = 1.0;
  const Readable now(y_), before(y_n);
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    // An event's state is of the dense output, which knows no bounds: what lies beyond one may not go further.
    const bool lost = (signs_[i] == dae::Sign::nonnegative && now[i] < std::min(-slacks_[i], before[i])) ||
                      (signs_[i] == dae::Sign::positive && now[i] <= 0.0);
    const double margin = before[i] + slacks_[i];
    if (lost) ratio = std::min(ratio, margin > 0.0 ? std::min(below_one, margin / (before[i] - now[i])) : 0.0);
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &ratio, 1, MPI_DOUBLE, MPI_MIN, system_.comm()));
  ++system_.counts.reductions;
  return ratio;
}

} // namespace rhumb::bdf
