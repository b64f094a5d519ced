#include <rhumb/bdf/newton.hpp>

#include <rhumb/bdf/timer.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::bdf {

using core::check;
using core::Readable;
using core::Writable;

namespace {
constexpr int most_iterations = 6;       // BCP has 4; a fresh matrix that converges slowly beats a cut step
constexpr int most_full_iterations = 30; // of a fixed step, which cannot be cut
constexpr double least_damping = 1e-2;   // part of a correction that is still tried
constexpr double tolerated_rate = 0.25;  // mu of BCP (5.2.14): beyond it the matrix is made anew
// The preconditioner alone may be older: GMRES does the rest. A step that doubles twice has 0.6: the limit must not be
// there, where rounding would decide.
constexpr double tolerated_rate_krylov = 0.58;
constexpr double caution_after_change = 1.5;     // times the rate (5.2.14) that a changed alpha brings
constexpr int extra_iterations_small_system = 3; // iterations beyond the first that a kept matrix may cost in all,
constexpr int extra_iterations_large_system = 6; // before it is made anew; matrices by differences add their own cost
constexpr double krylov_growth = 2.0;            // a preconditioner that needs this many times its first count is old
constexpr double krylov_slack = 4.0;
// What Newton leaves in x comes back divided by h in variables of index 2: with them it goes on to this part.
constexpr double higher_index_part = 0.1;
} // namespace

Newton::Newton(dae::GuardedSystem& system, dae::Weights& weights, Linear& linear, const IntegratorOptions& options,
               Phases& phases)
    : system_(system), weights_(weights), linear_(linear), phases_(phases), options_(options),
      residual_(system.system().create_vector()) {
  choose_strictness();
  PetscInt size = 0;
  check(VecGetSize(residual_, &size));
  patience_ =
      (size <= dae::small_system ? extra_iterations_small_system : extra_iterations_large_system) + linear.colours();
  delta_ = core::same_layout(residual_);
  if (fixed()) next_ = core::same_layout(residual_);
}

void Newton::choose_strictness() {
  const bool higher_index = weights_.count(dae::Kind::index2) + weights_.count(dae::Kind::index3) > 0;
  tolerance_ = options_.newton_tolerance * (higher_index ? higher_index_part : 1.0);
  linear_tolerance_ = options_.linear_tolerance * tolerance_;
}

void Newton::matrix_was_renewed(double alpha) {
  forced_ = false;
  krylov_after_setup_ = 0.0;
  rate_.begin_with_new_matrix();
  last_alpha_ = alpha;
  extra_iterations_ = 0;
}

bool Newton::matrix_is_stale(double alpha) const {
  if (forced_ || !linear_.ready()) return true;
  return rate_of_change(alpha) > (linear_.uses_kept_matrix() ? tolerated_rate : tolerated_rate_krylov);
}

/// BCP (5.2.14): the rate of convergence that a change of alpha since the setup allows.
double Newton::rate_of_change(double alpha) const {
  const double kept = linear_.alpha_of_setup();
  return std::abs((kept - alpha) / (kept + alpha));
}

double Newton::contraction_after_change(double alpha) const {
  const double rate = std::min(RateTest::slowest_rate, caution_after_change * rate_of_change(alpha));
  return rate / (1.0 - rate);
}

NewtonResult Newton::solve(const History& history, const Coefficients& c, const Trial& trial) {
  const double alpha = c.leading();
  NewtonResult result;
  bool renew = matrix_is_stale(alpha);
  linear_.rescale(weights_.index_scaled(c.h));
  for (;;) {
    guess(history, c, trial);
    if (companion_) companion_->predict(c);
    {
      const Timer timer(phases_.residual);
      system_.residual(trial.t, trial.y, trial.ydot, residual_);
    }
    if (renew) {
      const SetupResult setup = linear_.setup({trial.t, trial.y, trial.ydot}, residual_, alpha);
      if (setup != SetupResult::good) {
        result.outcome = setup == SetupResult::singular ? Outcome::matrix_singular : Outcome::residual_failed;
        return result;
      }
      matrix_was_renewed(alpha);
    } else if (alpha != last_alpha_) {
      rate_.doubt(contraction_after_change(alpha));
    }
    last_alpha_ = alpha;
    const int before = result.iterations;
    result.outcome = iterate(c, trial, result);
    extra_iterations_ = renew ? 0 : extra_iterations_ + result.iterations - before - 1;
    if (extra_iterations_ >= patience_) forced_ = true;
    const bool matrix_to_blame = result.outcome == Outcome::newton_diverged || result.outcome == Outcome::linear_failed;
    if (!matrix_to_blame) return result;
    if (renew) {
      if (fixed() && !companion_) iterate_fully(history, c, trial, result);
      return result;
    }
    renew = true;
  }
}

/// y^(0); in the first fixed steps with the multipliers of index 3 as they were. In the first k steps they have errors of
/// O(1) (BCP 6.3), and extrapolated from k + 1 points of which one is such they end on another branch of the solution.
void Newton::guess(const History& history, const Coefficients& c, const Trial& trial) const {
  history.predict(c, trial.y, trial.ydot);
  if (!fixed()) return;
  const double alpha = c.leading();
  const Readable before(history.difference(1));
  const Writable y(trial.y), ydot(trial.ydot), correction(trial.correction);
  const auto kinds = weights_.kinds();
  const bool wrong_multipliers = history.committed() <= 2 * options_.max_order + 1;
  for (std::size_t i = 0; i < y.size(); ++i) {
    correction[i] = wrong_multipliers && kinds[i] == dae::Kind::index3 ? before[i] - y[i] : 0.0;
    y[i] += correction[i];
    ydot[i] += alpha * correction[i];
  }
}

Outcome Newton::iterate(const Coefficients& c, const Trial& trial, NewtonResult& counts) {
  const double alpha = c.leading();
  const dae::KindScale scale = weights_.index_scaled(c.h);
  // The factor for a stale matrix; the operator is current otherwise (BCP 5.2.2, 7.5).
  const double kept = linear_.alpha_of_setup();
  const double damping = linear_.uses_kept_matrix() ? 2.0 / (1.0 + alpha / kept) : 1.0;
  for (int m = 0; m < most_iterations; ++m) {
    Companion::Result beside;
    if (companion_) beside = companion_->iterate(c, trial, residual_);
    counts.krylov += beside.krylov;
    linear_.linearize({trial.t, trial.y, trial.ydot}, residual_, alpha);
    const SolveResult solved = linear_.solve(residual_, delta_, linear_tolerance_ / damping);
    ++counts.iterations;
    counts.krylov += solved.iterations;
    note_krylov(solved.iterations);
    if (!solved.converged) {
      if (!system_.has_value(residual_)) return Outcome::residual_failed;
      return linear_.direct() ? Outcome::matrix_singular : Outcome::linear_failed;
    }
    double length = m == 0 && !fixed() ? update<Correction::first>(trial, -damping, alpha, scale)
                                       : update<Correction::further>(trial, -damping, alpha, scale);
    if (!std::isfinite(length) || !std::isfinite(beside.length)) return Outcome::residual_failed;
    length = std::max(length, beside.length);
    switch (rate_.judge(m, length, tolerance_)) {
    case RateTest::Verdict::converged:
      return Outcome::accepted;
    case RateTest::Verdict::diverged:
      return Outcome::newton_diverged;
    default:
      break;
    }
    if (m + 1 == most_iterations) break;
    const Timer timer(phases_.residual);
    system_.residual(trial.t, trial.y, trial.ydot, residual_);
  }
  return Outcome::newton_diverged;
}

/// Newton with a new matrix in every iteration and damping, from the prediction: what is left where modified Newton fails
/// and the step cannot be cut, as in the first fixed steps of an index-3 system, whose multiplier moves by O(1) (BCP
/// 6.3).
void Newton::iterate_fully(const History& history, const Coefficients& c, const Trial& trial, NewtonResult& counts) {
  const double alpha = c.leading();
  const dae::KindScale scale = dae::index_scaled(c.h);
  guess(history, c, trial);
  forced_ = true;
  system_.residual(trial.t, trial.y, trial.ydot, residual_);
  for (int m = 0; m < most_full_iterations; ++m) {
    if (linear_.setup({trial.t, trial.y, trial.ydot}, residual_, alpha) != SetupResult::good) return;
    if (!linear_.solve(residual_, delta_, linear_tolerance_).converged) return;
    ++counts.iterations;
    const double length = update<Correction::further>(trial, -1.0, alpha, scale);
    if (!std::isfinite(length)) return;
    if (length <= tolerance_) {
      counts.outcome = Outcome::accepted;
      return;
    }
    if (!damp(trial, alpha)) return;
  }
}

/// Takes back halves of the correction in delta_ until the next one with the same matrix is shorter, multipliers
/// counted in full: they are what has gone too far. False where none is; residual_ belongs to the trial afterwards.
bool Newton::damp(const Trial& trial, double alpha) {
  const double length = weights_.norm(delta_, dae::all_kinds);
  for (double taken = 1.0; taken >= least_damping; taken *= 0.5) {
    system_.residual(trial.t, trial.y, trial.ydot, residual_);
    if (!linear_.solve(residual_, next_, linear_tolerance_).converged) return false;
    if (weights_.norm(next_, dae::all_kinds) < length) return true;
    update<Correction::further>(trial, 0.5 * taken, alpha, dae::all_kinds);
  }
  return false;
}

/// y, y' and the correction take `factor` times delta, and its norm is taken, in one pass. One reduction.
template <Newton::Correction which>
double Newton::update(const Trial& trial, double factor, double alpha, const dae::KindScale& scale) {
  std::array<double, 1> part{0.0};
  {
    const Readable delta(delta_), norm_factor(weights_.norm_factors());
    const Writable y(trial.y), ydot(trial.ydot), correction(trial.correction);
    const auto kinds = weights_.kinds();
    weights_.with_norm([&](auto add) {
      for (std::size_t i = 0; i < delta.size(); ++i) {
        const double d = factor * delta[i];
        const double e = d * norm_factor[i] * scale[static_cast<std::size_t>(kinds[i])];
        y[i] += d;
        ydot[i] += alpha * d;
        correction[i] = which == Correction::first ? d : correction[i] + d;
        add(part[0], e * e);
      }
    });
  }
  weights_.reduce(part);
  return weights_.finish(part[0], scale);
}

/// A preconditioner is kept as long as it serves: until GMRES needs clearly more iterations than when it was new.
void Newton::note_krylov(int iterations) {
  if (linear_.direct()) return;
  if (krylov_after_setup_ == 0.0)
    krylov_after_setup_ = std::max(1, iterations);
  else if (iterations > krylov_growth * krylov_after_setup_ + krylov_slack)
    forced_ = true;
}

void Newton::doubt_rate() {
  rate_.doubt();
}

void Newton::restore_state(const NewtonState& saved_state) {
  rate_.set_contraction(saved_state.contraction);
  last_alpha_ = saved_state.alpha;
  krylov_after_setup_ = saved_state.krylov_after_setup;
  forced_ = saved_state.forced != 0.0;
  extra_iterations_ = static_cast<int>(saved_state.extra_iterations);
}

} // namespace rhumb::bdf
