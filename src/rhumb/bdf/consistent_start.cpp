#include <rhumb/bdf/consistent_start.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace rhumb::bdf {

using core::check;
using core::Readable;
using core::Writable;
using dae::Kind;

namespace {
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr int most_iterations = 30;
constexpr int most_steps = 7;            // artificial steps tried, each this part of the last:
constexpr double next_step = 1e-2;       // (DASPK: five, each a tenth)
constexpr double projection_part = 1e-4; // of it for the projection, so that other variables hardly move
// Where only y' is sought the rate is as a rule h's alone: a worse one with the first step asks for a shorter one.
constexpr double max_contraction_first_try = 0.03;
constexpr double converged_rates = 1e-8;     // of the first correction: y' alone may have this part of it as an error
constexpr double interval_fraction = 1e-3;   // the first of them, of the interval
constexpr double converged = 1e-10;          // weighted norm of the correction, where rounding is the aim
constexpr double converged_for_steps = 1e-2; // where steps follow, which leave more
constexpr double rounding = 1e-5;            // rounding may keep a correction above `converged`, but not above this
constexpr double negligible = 1e-3;          // of the tolerance: given values of index 3 are good so far
constexpr double slow = 0.25;                // a worse rate asks for a new matrix
constexpr double enough_decrease = 1e-4;     // Armijo
constexpr double shortest = 1e-3;            // of the line search
constexpr double difference_fraction = 1e-2; // step of the differenced constraint, of the artificial step
} // namespace

ConsistentStart::ConsistentStart(dae::GuardedSystem& system, dae::Weights& weights, Linear& linear, Precision precision)
    : system_(system), weights_(weights), linear_(linear), precision_(precision),
      residual_(system.system().create_vector()) {
  equation_kinds_.resize(weights.kinds().size());
  auto fields = system.system().fields();
  if (std::ranges::any_of(fields, [](const auto& f) { return f.sign != dae::Sign::free; }))
    bounded_ = std::move(fields);
  std::array<double, 1> higher{0.0};
  for (std::size_t i = 0; i < equation_kinds_.size(); ++i) {
    equation_kinds_[i] = system.system().equation_kind(static_cast<PetscInt>(i));
    if (equation_kinds_[i] == Kind::index2) higher[0] += 1.0;
  }
  system.reduce(higher);
  has_index2_ = higher[0] > 0.0;
  // What is left of y comes back divided by h in variables of higher index.
  if (has_index2_ || weights.count(Kind::index2) + weights.count(Kind::index3) > 0) precision_ = Precision::full;
}

void ConsistentStart::give_slopes(std::span<const std::string> names) {
  if (names.empty()) return;
  const auto fields = system_.system().fields();
  std::vector<bool> given(fields.size());
  for (const auto& name : names) {
    const auto found = std::ranges::find(fields, name, &dae::Field::name);
    if (found == fields.end()) {
      std::string known;
      for (const auto& field : fields) known += (known.empty() ? "" : ", ") + field.name;
      throw core::BadInput(fmt::format(
          "the slope of field '{}' was said to be given, but there is no such field; there are {}", name, known));
    }
    if (found->kind != Kind::differential)
      throw core::BadInput(fmt::format(
          "field '{}' has no slope in the equations that could be given at the start: it is algebraic", name));
    given[static_cast<std::size_t>(found - fields.begin())] = true;
  }
  if (weights_.count(Kind::index2) + weights_.count(Kind::index3) > 0)
    throw core::BadInput("slopes cannot be given at the start of a system with variables of index 2 or 3: its "
                         "constraints decide about them");
  if (!linear_.uses_kept_matrix())
    throw core::BadInput("slopes can be given at the start only where the linear solver multiplies with the assembled "
                         "matrix");
  slope_given_ = core::same_layout(residual_);
  const Writable is_given(slope_given_);
  for (std::size_t i = 0; i < is_given.size(); ++i) {
    const bool named = given[static_cast<std::size_t>(system_.system().field_of(static_cast<PetscInt>(i)))];
    is_given[i] = named && weights_.kinds()[i] == Kind::differential ? 1.0 : 0.0;
  }
}

double ConsistentStart::enough(const Task& task) const {
  return (task.precision.value_or(precision_) == Precision::full ? converged : converged_for_steps) * task.unit;
}

double ConsistentStart::may_remain(const Task& task) const {
  return std::max(rounding * (task.relative > 0.0 ? task.unit : 1.0), enough(task));
}

void ConsistentStart::allocate() {
  for (auto* v : {&plain_residual_, &direction_, &next_, &moved_y_, &moved_ydot_}) *v = core::same_layout(residual_);
  if (!has_index2_ || system_.offers().hidden_constraint) return;
  for (auto* v : {&ahead_, &ahead_residual_}) *v = core::same_layout(residual_);
}

void ConsistentStart::find(double t, double interval, Vec y, Vec ydot) {
  if (already_consistent(t, y, ydot)) return;
  allocate();
  ahead_sign_ = std::copysign(1.0, interval);
  double h = interval_fraction * std::abs(interval);
  if (weights_.count(Kind::index3) > 0 && nearly_consistent(t, h, y, ydot)) return;
  const double speed = weights_.norm(ydot, dae::only_differential);
  if (speed * h > 0.5) h = 0.5 / speed;
  const core::VecHandle given_y = core::same_layout(y), given_ydot = core::same_layout(y);
  check(VecCopy(y, given_y));
  check(VecCopy(ydot, given_ydot));
  const bool only_rates =
      !slope_given_ && weights_.count(Kind::index1) + weights_.count(Kind::index2) + weights_.count(Kind::index3) == 0;
  if (only_rates) h *= next_step; // no equation in y is solved, and what G holds of dF/dy is in the way
  for (const Patience patience : {Patience::brief, Patience::full}) {
    double step = h;
    for (int attempt = 0; attempt < most_steps; ++attempt, step *= next_step) {
      const bool projected = !has_index2_ || newton({Stage::project, t, projection_part * step, patience}, y, ydot);
      Task task{Stage::solve, t, step, patience};
      if (only_rates) {
        task.unit = step / h; // corrections are those of y', times the artificial step
        task.relative = converged_rates;
        task.precision = Precision::full; // what is short in y is not in y'
        if (attempt == 0) task.max_contraction = max_contraction_first_try;
      } else if (precision_ == Precision::of_steps) {
        task.unit = std::max(step / h, converged / converged_for_steps);
      }
      if (projected && newton(task, y, ydot)) {
        forget_algebraic_rates(ydot);
        return;
      }
      check(VecCopy(given_y, y));
      check(VecCopy(given_ydot, ydot));
    }
  }
  give_up_without_value(t, y, ydot);
  reject_singular("no consistent values were found", t, y, ydot);
  reject("no consistent values were found", t);
}

/// Derivatives of algebraic variables do not occur in F (BCP 7.5). Those that the system knows are kept: a prediction
/// without them would violate constraints that hold differential and algebraic variables together.
void ConsistentStart::forget_algebraic_rates(Vec ydot) const {
  const bool known = system_.offers().algebraic_rates;
  const Writable rate(ydot);
  for (std::size_t i = 0; i < rate.size(); ++i) {
    const Kind kind = weights_.kinds()[i];
    if (kind != Kind::differential && !(known && kind == Kind::index1)) rate[i] = 0.0;
  }
}

void ConsistentStart::find_steady(double t, Vec y, Vec ydot) {
  allocate();
  if (newton({Stage::steady, t, 0.0}, y, ydot)) return;
  give_up_without_value(t, y, ydot);
  reject_singular("no y was found that belongs to the given y'", t, y, ydot);
  reject("no y was found that belongs to the given y'", t);
}

void ConsistentStart::give_up_without_value(double t, Vec y, Vec ydot) {
  system_.residual(t, y, ydot, residual_);
  if (system_.has_value(residual_)) return;
  throw core::SolverGaveUp(
      fmt::format("the residual has no value (NaN, or a recoverable failure) at the start values, t = {:g}", t));
}

bool ConsistentStart::already_consistent(double t, Vec y, Vec ydot) {
  if (has_index2_) return false;
  system_.residual(t, y, ydot, residual_);
  std::array<double, 1> nonzero{0.0};
  {
    const Readable r(residual_);
    // No tolerance belongs to F itself, so only rounding counts as zero.
    for (const double v : r) nonzero[0] += std::abs(v) <= 4.0 * std::numeric_limits<double>::epsilon() ? 0.0 : 1.0;
  }
  system_.reduce(nonzero);
  return nonzero[0] == 0.0;
}

/// Index 3: G^-1 F in index-scaled variables (LP2 section 4) is what a first step of h would correct by. Given values
/// are taken as they are where that is far below the tolerance, since the equations do not determine the multipliers.
bool ConsistentStart::nearly_consistent(double t, double h, Vec y, Vec ydot) {
  const dae::KindScale scale = weights_.index_scaled(h);
  const Task task{Stage::solve, t, h};
  linear_.rescale(scale);
  residual(task, y, ydot);
  if (linear_.setup({t, y, ydot}, plain_residual_, task.alpha()) != SetupResult::good) return false;
  return std::isfinite(solve_residual(task, y, ydot, direction_)) && weights_.norm(direction_, scale) <= negligible;
}

bool ConsistentStart::newton(const Task& task, Vec y, Vec ydot) {
  linear_.rescale(dae::all_kinds);
  const double at_last = may_remain(task);
  double enough_left = enough(task);
  bool renew = true;
  double before = not_a_number;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (renew) {
      residual(task, y, ydot);
      const Vec values_only = task.stage == Stage::solve ? slope_given_.get() : nullptr;
      const SetupResult setup = linear_.setup({task.t, y, ydot}, plain_residual_, task.alpha(), values_only);
      singular_ = setup == SetupResult::singular;
      if (setup != SetupResult::good) return false;
      before = solve_residual(task, y, ydot, direction_);
      if (iteration == 0 && std::isfinite(before)) enough_left = std::max(enough_left, task.relative * before);
    }
    if (!(before < std::numeric_limits<double>::infinity())) return false;
    if (before <= enough_left) {
      if (before > converged * task.unit) add(task, direction_, y, ydot);
      return true;
    }
    const double after = line_search(task, before, y, ydot);
    if (!std::isfinite(after)) return before <= at_last;
    check(VecCopy(moved_y_, y));
    check(VecCopy(moved_ydot_, ydot));
    if (after <= enough_left) {
      add(task, next_, y, ydot);
      return true;
    }
    if (after <= at_last && after > 0.5 * before) return true;
    if (renew && after > task.max_contraction * before && task.patience == Patience::brief) return false;
    renew = after > slow * before;
    // With the same matrix the correction that the line search has seen is the next one.
    std::swap(direction_, next_);
    before = after;
  }
  return false;
}

double ConsistentStart::line_search(const Task& task, double before, Vec y, Vec ydot) {
  const double last = task.patience == Patience::brief ? 1.0 : shortest;
  for (double lambda = 1.0; lambda >= last; lambda *= 0.5) {
    move(task, lambda, y, ydot);
    if (loses_sign(y)) continue;
    const double after = correction(task, moved_y_, moved_ydot_, next_);
    if (after <= (1.0 - enough_decrease * lambda) * before) return after;
  }
  return not_a_number;
}

double ConsistentStart::correction(const Task& task, Vec y, Vec ydot, Vec out) {
  residual(task, y, ydot);
  return solve_residual(task, y, ydot, out);
}

double ConsistentStart::solve_residual(const Task& task, Vec y, Vec ydot, Vec out) {
  linear_.linearize({task.t, y, ydot}, plain_residual_, task.alpha());
  const SolveResult solved = linear_.solve(residual_, out, 0.1 * std::max(converged, enough(task)));
  krylov_iterations_ += solved.iterations;
  check(VecScale(out, -1.0));
  const double length =
      weights_.norm(out, task.stage == Stage::project ? dae::only_differential : dae::all_kinds); // what moves
  // A solve that broke down, or whose right side has no value, leaves 0; that says nothing.
  return solved.converged || length > may_remain(task) ? length : not_a_number;
}

void ConsistentStart::residual(const Task& task, Vec y, Vec ydot) {
  system_.residual(task.t, y, ydot, residual_);
  check(VecCopy(residual_, plain_residual_));
  if (!has_index2_ || task.stage == Stage::steady) return;
  if (task.stage == Stage::project) {
    const Writable r(residual_);
    for (std::size_t i = 0; i < r.size(); ++i)
      if (equation_kinds_[i] != Kind::index2) r[i] = 0.0;
  } else if (system_.offers().hidden_constraint) {
    system_.hidden_constraint(task.t, y, ydot, residual_);
    const Writable r(residual_);
    for (std::size_t i = 0; i < r.size(); ++i)
      if (equation_kinds_[i] == Kind::index2) r[i] *= task.h;
  } else {
    difference_constraint(task, y, ydot);
  }
}

/// h d/dt g along (t + s, y + s y') by one-sided differences with two points, BCP (5.3.8):
///   d/dt g = (4 g(s/2) - g(s) - 3 g(0)) / s.
void ConsistentStart::difference_constraint(const Task& task, Vec y, Vec ydot) {
  const double s = ahead_sign_ * difference_fraction * task.h;
  const auto add = [&](double step, double weight, double weight_of_old) {
    check(VecWAXPY(ahead_, step, ydot, y));
    system_.residual(task.t + step, ahead_, ydot, ahead_residual_);
    const Readable ahead(ahead_residual_);
    const Writable r(residual_);
    for (std::size_t i = 0; i < r.size(); ++i)
      if (equation_kinds_[i] == Kind::index2) r[i] = weight_of_old * r[i] + weight * task.h / s * ahead[i];
  };
  add(0.5 * s, 4.0, -3.0 * task.h / s);
  add(s, -1.0, 1.0);
}

bool ConsistentStart::loses_sign(Vec y) const {
  if (bounded_.empty()) return false;
  std::array<double, 1> lost{0.0};
  {
    const Readable before(y), now(moved_y_), inverse(weights_.inverse());
    for (std::size_t i = 0; i < now.size(); ++i) {
      const dae::Field& field = bounded_[system_.system().field_of(static_cast<PetscInt>(i))];
      const double bound = -field.sign_slack - 1.0 / inverse[i];
      if (field.sign == dae::Sign::nonnegative && before[i] >= bound && now[i] < bound) lost[0] += 1.0;
      if (field.sign == dae::Sign::positive && before[i] > 0.0 && now[i] <= 0.0) lost[0] += 1.0;
    }
  }
  system_.reduce(lost);
  return lost[0] > 0.0;
}

void ConsistentStart::add(const Task& task, Vec correction, Vec y, Vec ydot) {
  if (task.precision.value_or(precision_) == Precision::full) return;
  if (correction != direction_.get()) std::swap(direction_, next_);
  move(task, 1.0, y, ydot);
  if (loses_sign(y)) return;
  check(VecCopy(moved_y_, y));
  check(VecCopy(moved_ydot_, ydot));
}

void ConsistentStart::move(const Task& task, double lambda, Vec y, Vec ydot) {
  const Readable from_y(y), from_ydot(ydot), direction(direction_);
  std::optional<Readable> slope_given;
  if (slope_given_) slope_given.emplace(slope_given_);
  const Writable to_y(moved_y_), to_ydot(moved_ydot_);
  const auto kinds = weights_.kinds();
  for (std::size_t i = 0; i < from_y.size(); ++i) {
    const bool differential = kinds[i] == Kind::differential;
    const double step = lambda * direction[i];
    const bool moves_rate = task.stage == Stage::solve && differential && !(slope_given && (*slope_given)[i] > 0.0);
    const bool moves_y = task.stage == Stage::steady || (task.stage == Stage::project ? differential : !moves_rate);
    to_y[i] = from_y[i] + (moves_y ? step : 0.0);
    to_ydot[i] = from_ydot[i] + (moves_rate ? step / task.h : 0.0);
  }
}

void ConsistentStart::reject_singular(const std::string& what, double t, Vec y, Vec ydot) {
  const std::string unset = unset_rows(system_, t, y, ydot);
  if (!unset.empty())
    throw core::BadInput(
        fmt::format("{} at t = {:g}: the residual never sets the equations of field {}", what, t, unset));
  if (!singular_) return;
  throw core::BadInput(fmt::format("{} at t = {:g}: the iteration matrix is singular: {}. Check that the equations "
                                   "determine every variable, and the kinds of the variables",
                                   what, t, linear_.singular_parts().in_words()));
}

void ConsistentStart::reject(const std::string& what, double t) {
  const auto worst = weights_.largest(direction_, dae::all_kinds);
  throw core::BadInput(
      fmt::format("{} at t = {:g}: field '{}' resists most (a correction of {:.3g} tolerances is still "
                  "wanted). Check the initial values, the kinds of the variables, and whether the "
                  "equations have a solution there",
                  what, t, system_.system().fields()[worst.field].name, worst.size));
}

} // namespace rhumb::bdf
