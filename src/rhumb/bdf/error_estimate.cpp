#include <rhumb/bdf/error_estimate.hpp>

#include <rhumb/bdf/timer.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace rhumb::bdf {

using core::check;
using core::Readable;
using core::Writable;

namespace {

/// A loose solve serves: the filter's error enters the estimate, not the solution.
constexpr double filter_tolerance = 0.1;
/// Of the residual, asked for beside it: what the filter is to find is large where the right side is small, and an
/// iteration that is short in the norm of the right side has not seen it yet.
constexpr double filter_reduction = 1e-3;

constexpr dae::KindScale only_index1{0, 1, 0, 0};

/// A test that leaves every variable out would let the step grow without end.
dae::KindScale or_everything(const dae::KindScale& scale, const dae::Weights& weights) {
  PetscInt measured = 0;
  for (std::size_t kind = 0; kind < scale.size(); ++kind)
    if (scale[kind] > 0.0) measured += weights.count(static_cast<dae::Kind>(kind));
  return measured > 0 ? scale : dae::all_kinds;
}

} // namespace

ErrorTest automatic_test(const dae::Weights& weights) {
  if (weights.count(dae::Kind::index2) + weights.count(dae::Kind::index3) > 0) return ErrorTest::exclude;
  return ErrorTest::standard;
}

ErrorEstimate::ErrorEstimate(dae::GuardedSystem& system, dae::Weights& weights, Linear& linear,
                             const IntegratorOptions& options, Phases& phases)
    : system_(system), weights_(weights), linear_(linear), phases_(phases), options_(options) {
  choose_test();
}

void ErrorEstimate::choose_test() {
  test_ = options_.error_test == ErrorTest::automatic ? automatic_test(weights_) : options_.error_test;
  if (test_ == ErrorTest::standard && amplifies()) test_ = ErrorTest::filter;
  watches_ = options_.error_test == ErrorTest::automatic && test_ == ErrorTest::standard &&
             weights_.count(dae::Kind::index1) > 0 && options_.fixed_step == 0.0;
  kappa_ = test_ == ErrorTest::projected ? 0.0 : options_.kappa;
  exclude_ = options_.exclude;
  if (exclude_ == Exclude::automatic)
    exclude_ = options_.error_test == ErrorTest::automatic ? Exclude::higher_index : Exclude::algebraic;
  make_vectors();
}

/// Those that the test needs, and are not there.
void ErrorEstimate::make_vectors() {
  const auto make = [&](std::initializer_list<core::VecHandle*> vectors) {
    for (core::VecHandle* v : vectors)
      if (!*v) *v = system_.system().create_vector();
  };
  if (filters() || watches_) make({&filtered_, &product_, &moved_});
  if (filters()) make({&work_});
  if (filters() && test_ != ErrorTest::filter) make({&filtered_lower_, &filtered_two_lower_, &filtered_higher_});
}

/// The filter leaves in a variable of index 2 what an error of its equation makes of it, larger by 1/h than the error
/// itself: h times that is measured, or nobody would control how well such a variable is known (P82 3.2: a kink).
dae::KindScale ErrorEstimate::counted(double h) const {
  switch (test_) {
  case ErrorTest::exclude:
    return or_everything(exclude_ == Exclude::algebraic ? dae::only_differential : dae::without_higher_index, weights_);
  case ErrorTest::filter:
    return weights_.index_scaled(h);
  case ErrorTest::projected:
    return or_everything(dae::without_higher_index, weights_);
  default:
    return dae::all_kinds;
  }
}

Estimate ErrorEstimate::evaluate(const History& history, const Coefficients& c, const Trial& trial, Higher higher) {
  const Timer timer(phases_.error_test);
  base_known_ = false;
  const int k = c.order;
  const bool raise = higher == Higher::include && k < highest_order;
  Inputs in{trial.correction, k > 1 ? history.difference(k + 1) : nullptr, k > 2 ? history.difference(k) : nullptr,
            raise ? history.difference(k + 2) : nullptr};
  Vec tested = trial.correction;
  if (test_ == ErrorTest::filter) {
    if (!apply_filter(trial, -c.alpha_s, trial.correction, filtered_)) return {.outcome = failed_solve()};
    tested = filtered_;
  } else if (filters()) {
    if (!filter_inputs(history, c, trial, higher)) return {.outcome = failed_solve()};
    in = {filtered_, in.lower ? filtered_lower_.get() : nullptr, in.two_lower ? filtered_two_lower_.get() : nullptr,
          in.higher ? filtered_higher_.get() : nullptr};
    tested = filtered_;
  }
  return norms(c, in, tested, trial.correction);
}

bool ErrorEstimate::filter_inputs(const History& history, const Coefficients& c, const Trial& trial, Higher higher) {
  const int k = c.order;
  const double leading = -c.alpha_s;
  bool good = apply_filter(trial, leading, trial.correction, filtered_);
  if (good && k > 1) good = apply_filter(trial, leading, history.difference(k + 1), filtered_lower_);
  if (good && k > 2) good = apply_filter(trial, leading, history.difference(k), filtered_two_lower_);
  if (good && higher == Higher::include && k < highest_order)
    good = apply_filter(trial, leading, history.difference(k + 2), filtered_higher_);
  return good;
}

/// A solve fails where its right side, the last mass product, has no value; or by itself.
Outcome ErrorEstimate::failed_solve() {
  return system_.has_value(product_) ? Outcome::linear_failed : Outcome::residual_failed;
}

/// What a solve leaves is multiplied by alpha or, after a second one, by alpha^2: so much smaller is what it may leave.
bool ErrorEstimate::apply_filter(const Trial& trial, double leading, Vec v, Vec out) {
  const double alpha = linear_.alpha();
  if (!apply_x(trial, v, out, filter_tolerance / std::abs(alpha), alpha)) return false;
  if (test_ == ErrorTest::filter) {
    check(VecScale(out, alpha));
    return true;
  }
  // X v has the sign of time in it: so that a run backwards takes the steps of the mirrored one, alpha must have none.
  if (!apply_x(trial, out, moved_, filter_tolerance / (alpha * alpha), std::abs(alpha))) return false;
  // alpha_0 kappa/T X v + alpha^2 X^2 v, where X and T change their sign with that of time
  check(VecAXPBY(out, alpha * alpha, leading * kappa_ / std::copysign(weights_.time_scale(), alpha), moved_));
  return true;
}

/// X v = G^-1 A v.
bool ErrorEstimate::apply_x(const Trial& trial, Vec v, Vec out, double tolerance, double increment) {
  mass_product(trial, v, product_, increment);
  return solve_for_filter(out, tolerance);
}

/// Of the product.
bool ErrorEstimate::solve_for_filter(Vec out, double tolerance) {
  ++solves_;
  const double before = phases_.linear_solve;
  const SolveResult solved = linear_.solve(product_, out, tolerance, filter_reduction);
  phases_.error_test -= phases_.linear_solve - before; // it is counted there
  iterations_ += solved.iterations;
  return solved.converged;
}

/// (dF/dy') v from the system, or by the difference of F that BCP 5.4.2 has.
void ErrorEstimate::mass_product(const Trial& trial, Vec v, Vec out, double increment) {
  if (system_.offers().mass_product) {
    system_.mass_product(trial.t, trial.y, trial.ydot, v, out);
    return;
  }
  if (!base_known_) system_.residual(trial.t, trial.y, trial.ydot, work_);
  base_known_ = true;
  residual_beside(trial, v, out, increment);
  check(VecAXPBY(out, -1.0 / increment, 1.0 / increment, work_));
}

/// F(t, y, y' + alpha v): with alpha v added to y', as so much does a change v of y make of y', while v alone is so small
/// at short steps that a difference is rounding.
void ErrorEstimate::residual_beside(const Trial& trial, Vec v, Vec out, double alpha) {
  ++system_.counts.mass_product;
  check(VecWAXPY(moved_, alpha, v, trial.ydot));
  system_.residual(trial.t, trial.y, moved_, out);
}

bool ErrorEstimate::look_for_amplification(const Trial& trial, long step) {
  const Timer timer(phases_.error_test);
  const double alpha = linear_.alpha();
  if (system_.offers().mass_product) {
    system_.mass_product(trial.t, trial.y, trial.ydot, trial.correction, product_);
  } else { // F at the trial is zero but for what Newton has left, which does not matter here
    residual_beside(trial, trial.correction, product_, alpha);
    check(VecScale(product_, 1.0 / alpha));
  }
  const bool solved = solve_for_filter(filtered_, filter_tolerance / std::abs(alpha));
  std::array<double, 3> parts{weights_.local_part(filtered_, only_index1),
                              weights_.local_part(trial.correction, dae::only_differential),
                              weights_.local_part(trial.correction, dae::all_kinds)};
  weights_.reduce(parts);
  if (!solved || !std::isfinite(parts[0])) return false; // this look says nothing
  const double algebraic = std::abs(alpha) * weights_.finish(parts[0], only_index1);
  amplification_.note(algebraic, weights_.finish(parts[1], dae::only_differential),
                      weights_.finish(parts[2], dae::all_kinds), step);
  if (!amplifies()) return false;
  choose_test();
  return true;
}

/// All norms with one pass over the vectors and one reduction. phi*_i = beta_i phi_i; the vectors of (5.2.22) are
/// e, e + phi*_{k+1}, e + phi*_{k+1} + phi*_k, e - phi*_{k+2}.
Estimate ErrorEstimate::norms(const Coefficients& c, const Inputs& in, Vec test_vector, Vec correction) const {
  const auto k = static_cast<std::size_t>(c.order);
  // The filter of BCP 5.4.2 leaves the choice of the order to the differential variables, as algebraic ones only add
  // noise to differences; what is compared is then measured in the unit of what is tested.
  const dae::KindScale counted = this->counted(c.h);
  const bool by_filter = test_ == ErrorTest::filter;
  const bool plain_order = by_filter && weights_.count(dae::Kind::differential) > 0;
  const dae::KindScale order_kinds = plain_order ? dae::only_differential : counted;
  const dae::KindScale newton_kinds = weights_.index_scaled(c.h);
  enum : std::size_t { tested, base, lower, two_lower, higher, length, part_count };
  std::array<double, part_count> parts{};
  const Readable norm_factor(weights_.norm_factors()), e(in.correction);
  const auto kinds = weights_.kinds();
  const bool plain = test_vector == in.correction && counted == order_kinds; // what is tested is the base itself
  if (!plain) parts[tested] = weights_.local_part(test_vector, counted);
  if (filters()) parts[length] = weights_.local_part(correction, newton_kinds); // nobody else asks for it
  std::optional<Readable> low, low2, high;
  if (in.lower) low.emplace(in.lower);
  if (in.two_lower) low2.emplace(in.two_lower);
  if (in.higher) high.emplace(in.higher);
  weights_.with_norm([&](auto add) {
    for (std::size_t i = 0; i < e.size(); ++i) {
      const double w = norm_factor[i] * order_kinds[static_cast<std::size_t>(kinds[i])];
      double v = e[i];
      add(parts[base], v * v * w * w);
      if (high) {
        const double u = v - c.beta[k + 2] * (*high)[i];
        add(parts[higher], u * u * w * w);
      }
      if (low) {
        v += c.beta[k + 1] * (*low)[i];
        add(parts[lower], v * v * w * w);
      }
      if (low2) {
        v += c.beta[k] * (*low2)[i];
        add(parts[two_lower], v * v * w * w);
      }
    }
  });
  if (plain) parts[tested] = parts[base];
  weights_.reduce(parts);

  const auto norm = [&](std::size_t which, const dae::KindScale& scale) {
    return weights_.finish(parts[which], scale);
  };
  Estimate estimate;
  estimate.error = c.error_constant() * norm(tested, counted);
  estimate.correction = norm(length, newton_kinds);
  const double order = c.order;
  auto& terms = estimate.terms;
  const double current = by_filter ? norm(tested, counted) : norm(base, order_kinds);
  const double plain_current = norm(base, order_kinds);
  const double unit = by_filter && plain_current > 0.0 ? current / plain_current : 1.0;
  terms.current = (order + 1.0) * c.sigma[k + 1] * current;
  if (low) terms.one_lower = order * c.sigma[k] * unit * norm(lower, order_kinds);
  if (low2) terms.two_lower = (order - 1.0) * c.sigma[k - 1] * unit * norm(two_lower, order_kinds);
  if (high) terms.one_higher = (order + 2.0) * c.sigma[k + 2] * unit * norm(higher, order_kinds);
  if (!std::ranges::all_of(parts, [](double part) { return std::isfinite(part); }))
    estimate.outcome = Outcome::residual_failed;
  return estimate;
}

std::vector<std::string> ErrorEstimate::uncontrolled_fields() const {
  const auto fields = system_.system().fields();
  std::vector<int> left_out(fields.size(), 0);
  const dae::KindScale scale = counted(1.0);
  for (std::size_t i = 0; i < weights_.kinds().size(); ++i)
    if (scale[static_cast<std::size_t>(weights_.kinds()[i])] == 0.0)
      left_out[system_.system().field_of(static_cast<PetscInt>(i))] = 1;
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, left_out.data(), static_cast<int>(left_out.size()), MPI_INT, MPI_MAX,
                                system_.comm()));
  std::vector<std::string> names;
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (left_out[f]) names.push_back(fields[f].name);
  return names;
}

std::string ErrorEstimate::describe() const {
  switch (test_) {
  case ErrorTest::exclude:
    return exclude_ == Exclude::algebraic ? "exclude (differential variables only)"
                                          : "exclude (without variables of index 2 and 3)";
  case ErrorTest::filter:
    return amplifies() ? "filter, BCP (5.4.9), as algebraic variables amplify errors" : "filter, BCP (5.4.9)";
  case ErrorTest::strong:
    return fmt::format("strong, SIE (5.12) with kappa = {:g}", kappa_);
  case ErrorTest::projected:
    return "projected, LP2 (5.5)";
  default:
    return "standard (all variables)";
  }
}

} // namespace rhumb::bdf
