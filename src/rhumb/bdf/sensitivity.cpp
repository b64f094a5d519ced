#include <rhumb/bdf/sensitivity.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace rhumb::bdf {

using core::check;
using core::Readable;
using core::Writable;

namespace {
constexpr int most_iterations = 8; // as with y; the equations are linear, and a slow rate may be waited for
/// Of Newton's tolerance: where GMRES has the operator of the equation itself its error is the only one, and no rate is
/// measured with it.
constexpr double single_solve_tolerance = 0.3;
} // namespace

Sensitivity::Sensitivity(Parts parts, const IntegratorOptions& options, Phases& phases, const History& history,
                         Vec model)
    : parts_(parts), options_(options), history_(history),
      tangent_(parts.system, parts.linear.direct() ? Tangent::Matrices::cheap : Tangent::Matrices::dear, phases,
               model) {
  const auto known = parts.system.system().parameters();
  for (const auto& wanted : options.sensitivities.parameters) {
    const dae::Parameter& about = known.at(wanted.index);
    const double size = wanted.scale > 0.0 ? wanted.scale : std::abs(about.value);
    columns_.push_back({{wanted.index, about.value, size > 0.0 ? size : 1.0, about.lower, about.upper},
                        History(model),
                        core::same_layout(model),
                        core::same_layout(model),
                        core::same_layout(model),
                        {},
                        0.0,
                        0.0,
                        {}});
  }
  for (auto* v : {&residual_, &delta_, &product_, &weighed_}) *v = core::same_layout(model);
  if (parts.linear.needs_residual()) residual_of_y_ = core::same_layout(model);
  if (options.sensitivities.corrector == SensitivityCorrector::simultaneous) parts.newton.accompany_by(*this);
}

Sensitivity::Result Sensitivity::complete(const Coefficients& c, const Trial& trial, ErrorEstimate::Higher higher) {
  Result result;
  if (options_.sensitivities.corrector == SensitivityCorrector::staggered) result.outcome = correct_all(c, trial);
  if (result.outcome == Outcome::accepted && options_.sensitivities.in_error_test) {
    result.estimate = worst_error(c, trial, higher);
    result.outcome = result.estimate.outcome;
    if (result.outcome == Outcome::accepted && result.estimate.error > 1.0) result.outcome = Outcome::error_too_large;
  }
  parts_.weights.update(history_.difference(1));
  return result;
}

/// All columns with the matrix of the step; where it does not serve one of them, all with a new one.
Outcome Sensitivity::correct_all(const Coefficients& c, const Trial& trial) {
  prepare(trial, c.leading());
  if (residual_of_y_) parts_.system.residual(trial.t, trial.y, trial.ydot, residual_of_y_);
  parts_.linear.linearize({trial.t, trial.y, trial.ydot}, residual_of_y_, c.leading());
  for (bool renewed = false;; renewed = true) {
    predict(c);
    remember_matrix(c.leading());
    Outcome outcome = Outcome::accepted;
    for (auto& column : columns_) {
      outcome = correct(column, c, trial);
      if (outcome != Outcome::accepted) break;
    }
    const bool matrix_to_blame = outcome == Outcome::newton_diverged || outcome == Outcome::linear_failed;
    if (!matrix_to_blame || renewed) return outcome;
    parts_.weights.update(history_.difference(1));
    outcome = renew_matrix(c, trial);
    if (outcome != Outcome::accepted) return outcome;
  }
}

/// With a new matrix the rates of the old one mean nothing, with another alpha little.
void Sensitivity::remember_matrix(double alpha) {
  const long setups = parts_.linear.counts().pc_setups;
  for (auto& column : columns_) {
    if (setups != setups_)
      column.rate.begin_with_new_matrix();
    else if (alpha != alpha_)
      column.rate.doubt(parts_.newton.contraction_after_change(alpha));
  }
  setups_ = setups;
  alpha_ = alpha;
}

Outcome Sensitivity::renew_matrix(const Coefficients& c, const Trial& trial) {
  parts_.system.residual(trial.t, trial.y, trial.ydot, residual_);
  switch (parts_.linear.setup({trial.t, trial.y, trial.ydot}, residual_, c.leading())) {
  case SetupResult::good:
    parts_.newton.matrix_was_renewed(c.leading());
    return Outcome::accepted;
  case SetupResult::singular:
    return Outcome::matrix_singular;
  default:
    return Outcome::residual_failed;
  }
}

Outcome Sensitivity::correct(Column& column, const Coefficients& c, const Trial& trial) {
  const double alpha = c.leading();
  const dae::KindScale scale = parts_.weights.index_scaled(c.h);
  const LinearizationPoint at{trial.t, trial.y, trial.ydot};
  const bool kept = parts_.linear.uses_kept_matrix();
  const double damping = kept ? 2.0 / (1.0 + alpha / parts_.linear.alpha_of_setup()) : 1.0;
  const double tolerance =
      kept ? parts_.newton.linear_tolerance() / damping : single_solve_tolerance * parts_.newton.tolerance();
  weigh(column, c, trial.y);
  for (int m = 0; m < most_iterations; ++m) {
    if (m == 0 || !tangent_.has_products()) {
      tangent_.residual(at, column.parameter, column.z, column.zdot, column.increment, residual_);
    } else { // the residual is linear in z
      tangent_.product(at, delta_, product_);
      check(VecAXPY(residual_, -damping, product_));
    }
    const SolveResult solved = parts_.linear.solve(residual_, delta_, tolerance);
    ++counts_.iterations;
    counts_.krylov += solved.iterations;
    if (!solved.converged)
      return parts_.system.has_value(residual_) ? Outcome::linear_failed : Outcome::residual_failed;
    const double length = update(column, -damping, alpha, scale);
    if (!std::isfinite(length)) return Outcome::residual_failed;
    if (!kept) return Outcome::accepted; // the operator was that of this very equation
    switch (column.rate.judge(m, length, parts_.newton.tolerance())) {
    case RateTest::Verdict::converged:
      return Outcome::accepted;
    case RateTest::Verdict::diverged:
      return Outcome::newton_diverged;
    default:
      break;
    }
  }
  return Outcome::newton_diverged;
}

void Sensitivity::predict(const Coefficients& c) {
  for (auto& column : columns_) {
    column.history.predict(c, column.z, column.zdot);
    check(VecSet(column.correction, 0.0));
  }
}

/// The simultaneous corrector: all blocks take a correction from residuals at the same iterate.
Companion::Result Sensitivity::iterate(const Coefficients& c, const Trial& trial, Vec residual) {
  const double alpha = c.leading();
  const dae::KindScale scale = parts_.weights.index_scaled(c.h);
  const double damping = parts_.linear.uses_kept_matrix() ? 2.0 / (1.0 + alpha / parts_.linear.alpha_of_setup()) : 1.0;
  prepare(trial, alpha);
  parts_.linear.linearize({trial.t, trial.y, trial.ydot}, residual, alpha);
  Companion::Result result;
  for (auto& column : columns_) {
    weigh(column, c, trial.y);
    tangent_.residual({trial.t, trial.y, trial.ydot}, column.parameter, column.z, column.zdot, column.increment,
                      residual_);
    const SolveResult solved = parts_.linear.solve(residual_, delta_, parts_.newton.linear_tolerance() / damping);
    ++counts_.iterations;
    counts_.krylov += solved.iterations;
    const double length = update(column, -damping, alpha, scale);
    result.length = std::max(result.length, solved.converged ? length : std::numeric_limits<double>::quiet_NaN());
    if (!std::isfinite(length) || !solved.converged) {
      result.length = std::numeric_limits<double>::quiet_NaN();
      break;
    }
  }
  parts_.weights.update(history_.difference(1));
  parts_.linear.rescale(scale);
  return result;
}

void Sensitivity::prepare(const Trial& trial, double alpha) {
  tangent_.linearize({trial.t, trial.y, trial.ydot}, alpha);
  choose_increments(trial.y);
  for (auto& column : columns_) differentiate_memory(column);
}

/// One reduction for up to five columns.
void Sensitivity::choose_increments(Vec y) {
  constexpr std::size_t at_once = dae::GuardedSystem::max_sums - 1;
  for (std::size_t first = 0; first < columns_.size(); first += at_once) {
    std::array<double, at_once + 1> sums{};
    const std::size_t here = std::min(at_once, columns_.size() - first);
    for (std::size_t i = 0; i < here; ++i)
      sums[i] = parts_.weights.local_part(columns_[first + i].history.difference(1), dae::all_kinds);
    sums[here] = parts_.weights.local_part(y, dae::all_kinds);
    parts_.weights.reduce(std::span(sums).first(here + 1));
    const double norm = parts_.weights.finish(sums[here], dae::all_kinds);
    for (std::size_t i = 0; i < here; ++i) {
      const double part = Tangent::increment(norm, parts_.weights.finish(sums[i], dae::all_kinds));
      columns_[first + i].increment = std::isfinite(part) ? part : Tangent::increment(0.0, 0.0);
    }
  }
}

/// Norms and solves are those of this column from here on. Where neither z nor a tolerance gives a weight, y does.
void Sensitivity::weigh(const Column& column, const Coefficients& c, Vec y) {
  {
    const Readable z(column.history.difference(1)), value(y);
    const Writable out(weighed_);
    parts_.weights.with_tolerances([&](auto, auto atol) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = z[i] == 0.0 && atol(i) == 0.0 ? value[i] : z[i];
    });
  }
  parts_.weights.update(weighed_);
  parts_.linear.rescale(parts_.weights.index_scaled(c.h));
}

double Sensitivity::update(Column& column, double factor, double alpha, const dae::KindScale& scale) {
  std::array<double, 1> part{0.0};
  {
    const Readable delta(delta_), norm_factor(parts_.weights.norm_factors());
    const Writable z(column.z), zdot(column.zdot), correction(column.correction);
    const auto kinds = parts_.weights.kinds();
    parts_.weights.with_norm([&](auto add) {
      for (std::size_t i = 0; i < delta.size(); ++i) {
        const double d = factor * delta[i];
        const double e = d * norm_factor[i] * scale[static_cast<std::size_t>(kinds[i])];
        z[i] += d;
        zdot[i] += alpha * d;
        correction[i] += d;
        add(part[0], e * e);
      }
    });
  }
  parts_.weights.reduce(part);
  return parts_.weights.finish(part[0], scale);
}

Estimate Sensitivity::worst_error(const Coefficients& c, const Trial& trial, ErrorEstimate::Higher higher) {
  Estimate worst;
  for (const auto& column : columns_) {
    weigh(column, c, trial.y);
    const Estimate own =
        parts_.error.evaluate(column.history, c, {trial.t, trial.y, trial.ydot, column.correction}, higher);
    if (own.outcome != Outcome::accepted) return own;
    if (own.error >= worst.error) worst = own;
  }
  return worst;
}

void Sensitivity::commit(const Coefficients& c, double t) {
  for (auto& column : columns_) column.history.commit(c, t, column.correction);
}

void Sensitivity::rescale_first_step(double h) {
  for (auto& column : columns_) column.history.rescale_first_step(h);
}

void Sensitivity::set_time(double t) {
  for (auto& column : columns_) column.history.set_time(t);
}

void Sensitivity::restore(double t, std::span<const double> steps, long committed) {
  for (auto& column : columns_) column.history.restore(t, steps, committed);
}

void Sensitivity::interpolate(std::size_t column, double t, int degree, Vec z, Vec zdot) const {
  columns_[column].history.interpolate(t, degree, z, zdot);
}

std::vector<std::string> Sensitivity::vector_names(std::size_t column) {
  std::vector<std::string> names;
  for (int i = 1; i <= kept_differences; ++i) names.push_back(fmt::format("sensitivity{}_phi{}", column + 1, i));
  return names;
}

std::vector<std::pair<std::string, Vec>> Sensitivity::vectors() const {
  std::vector<std::pair<std::string, Vec>> out;
  for (const auto& column : columns_) {
    const auto names = vector_names(index_of(column));
    for (int i = 1; i <= kept_differences; ++i)
      out.emplace_back(names[static_cast<std::size_t>(i) - 1], column.history.difference(i));
  }
  return out;
}

} // namespace rhumb::bdf
