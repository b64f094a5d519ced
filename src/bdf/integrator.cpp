#include "bdf/integrator.hpp"

#include "bdf/attempt.hpp"
#include "bdf/consistent_start.hpp"
#include "bdf/diagnosis.hpp"
#include "bdf/events.hpp"
#include "bdf/step_size.hpp"
#include "core/arrays.hpp"
#include "core/check.hpp"
#include "core/failure.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::bdf {

using core::check;

namespace {

/// Beyond this the predictor has little to do with the solution and Newton may find another one: SIE (6.1), as a part
/// of the size of y in the weighted norm.
constexpr double longest_correction = 0.5;

void validate(const Options& o) {
  const auto refuse = [](const std::string& what) { throw core::BadInput(what); };
  if (!(o.tolerances.rtol >= 0.0)) refuse(fmt::format("rtol = {:g}: must not be negative", o.tolerances.rtol));
  if (!(o.tolerances.atol >= 0.0)) refuse(fmt::format("atol = {:g}: must not be negative", o.tolerances.atol));
  if (o.max_order < 1 || o.max_order > highest_order)
    refuse(fmt::format("max_order = {}: must be 1 to {}", o.max_order, highest_order));
  if (!(o.h_max > 0.0)) refuse(fmt::format("h_max = {:g}: must be positive", o.h_max));
  if (!(o.h0 >= 0.0)) refuse(fmt::format("h0 = {:g}: must not be negative", o.h0));
  if (!(o.kappa >= 0.0)) refuse(fmt::format("kappa = {:g}: must not be negative", o.kappa));
  if (o.fixed_step < 0.0) refuse(fmt::format("fixed_step = {:g}: must be positive", o.fixed_step));
  if (o.fixed_order < 0 || o.fixed_order > highest_order)
    refuse(fmt::format("fixed_order = {}: must be 1 to {}", o.fixed_order, highest_order));
}

} // namespace

class Integrator::Implementation {
public:
  Implementation(dae::System& system, Options wish)
      : options(std::move(wish)), guarded(system), weights(guarded, options.tolerances),
        linear(guarded, weights, options, phases), newton(guarded, weights, linear, options, phases),
        error(guarded, weights, linear, options, phases), attempt(guarded, newton, error), y(system.create_vector()),
        ydot(core::same_layout(y)), scratch_y(core::same_layout(y)), scratch_ydot(core::same_layout(y)), history(y),
        consistent(guarded, weights, linear), events(system.events()) {}

  void start(double t0, double t_final);
  void begin_here(double t);
  void begin_fixed(double t);
  Progress step();
  void give_up(const AttemptResult& last, const FailureCounts& failures, double h);

  bool fixed() const { return options.fixed_step > 0.0; }
  int fixed_order() const { return options.fixed_order > 0 ? options.fixed_order : 1; }
  RootFunctions root_functions();

  Options options;
  Phases phases;
  dae::GuardedSystem guarded;
  dae::Weights weights;
  Linear linear;
  Newton newton;
  ErrorEstimate error;
  Attempt attempt;
  core::VecHandle y, ydot, scratch_y, scratch_ydot;
  History history;
  ConsistentStart consistent;
  Events events;
  Statistics statistics;
  double t_end = 0.0;
  std::optional<double> limit; ///< of stop_at

  // What the next attempt will use, and what the choice of the one after it needs.
  double h = 0.0;
  int order = 1;
  int order_used = 1;   ///< of the last accepted step: degree of the interpolant
  bool starting = true; ///< order and step still grow with every step
  int steps_at_order = 0;
  int constant_steps = 0; ///< with the same step and order

private:
  double bounded_step(double wish) const;
  ErrorEstimate::Higher higher_term() const;
  void accept(const Coefficients& c, const AttemptResult& result);
  void choose_next(const Coefficients& c, const AttemptResult& result);
  void recover(const AttemptResult& result, FailureCounts& failures, double tried);
  void handle_events(Progress& progress);
  std::vector<FailedTest> tests_; ///< of the step under way
  double first_h_ = 0.0;
};

// ---- start ---------------------------------------------------------------------------------------------------------

void Integrator::Implementation::start(double t0, double t_final) {
  if (!(t_final > t0))
    throw core::BadInput(fmt::format("the run must end after its start: t = {:g} to {:g}", t0, t_final));
  t_end = t_final;
  guarded.system().initial_values(t0, y, ydot);
  begin_here(t0);
}

void Integrator::Implementation::begin_here(double t) {
  weights.update(y);
  if (!guarded.all_well())
    throw core::BadInput("an error weight is zero or not a number: give an atol > 0 for fields that can be zero, and "
                         "check the initial values");
  if (fixed()) {
    begin_fixed(t);
    return;
  }
  const double interval = t_end - t;
  if (options.start == Start::find) consistent.find(t, interval, y, ydot);
  if (options.start == Start::steady) consistent.find_steady(t, y, ydot);
  weights.update(y);
  if (options.check_jacobian) {
    guarded.residual(t, y, ydot, scratch_y);
    linear.check_jacobian({t, y, ydot}, scratch_y, 1.0 / interval);
  }
  newton.forget_matrix();
  h = options.h0 > 0.0 ? options.h0 : first_step(t, t_end, weights.norm(ydot, dae::only_differential));
  h = bounded_step(h);
  order = order_used = 1;
  starting = true;
  steps_at_order = constant_steps = 0;
  history.begin(t, y, ydot, h);
  if (events.any()) events.begin(t, root_functions());
}

/// Fixed step and order: past values from the exact solution where there is one, else the order grows step by step.
void Integrator::Implementation::begin_fixed(double t) {
  h = options.fixed_step;
  order = order_used = fixed_order();
  starting = false;
  if (guarded.offers().exact) {
    std::vector<core::VecHandle> past(static_cast<std::size_t>(order) + 1);
    for (std::size_t i = 0; i < past.size(); ++i) {
      past[i] = core::same_layout(y);
      guarded.system().exact(t - static_cast<double>(i) * h, past[i]);
    }
    history.begin(t, past, h);
    check(VecCopy(past[0], y));
  } else {
    if (options.start == Start::find) consistent.find(t, t_end - t, y, ydot);
    order = order_used = 1;
    history.begin(t, y, ydot, h);
  }
  newton.forget_matrix();
  if (events.any()) events.begin(t, root_functions());
}

// ---- one step ------------------------------------------------------------------------------------------------------

Progress Integrator::Implementation::step() {
  if (statistics.steps >= options.max_steps) give_up({.outcome = Outcome::accepted}, {}, h);
  Progress progress;
  FailureCounts failures;
  tests_.clear();
  first_h_ = h;
  weights.update(history.difference(1));
  for (;;) {
    const double tried = fixed() ? h : bounded_step(h);
    if (std::abs(tried) < smallest_step(history.time(), t_end)) give_up({}, failures, tried);
    if (history.committed() == 0 && tried != history.steps()[0]) history.rescale_first_step(tried);
    const Coefficients c = coefficients(history.steps(), tried, order);
    AttemptResult result = attempt.run(history, c, higher_term());
    progress.step.newton += result.newton;
    progress.step.krylov += result.krylov;
    statistics.newton_iterations += result.newton;
    statistics.linear_iterations += result.krylov;
    if (fixed() && result.outcome == Outcome::error_too_large) result.outcome = Outcome::accepted;
    if (result.outcome == Outcome::accepted) {
      progress.step.error = result.estimate.error;
      accept(c, result);
      break;
    }
    recover(result, failures, tried);
  }
  progress.step.t = history.time();
  progress.step.h = history.steps()[0];
  progress.step.order = order_used;
  progress.step.error_failures = failures.error_test;
  progress.step.convergence_failures = failures.convergence;
  if (events.any()) handle_events(progress);
  return progress;
}

double Integrator::Implementation::bounded_step(double wish) const {
  double bounded = std::copysign(std::min(std::abs(wish), options.h_max), wish);
  if (limit) {
    const double room = *limit - history.time();
    if (bounded >= room)
      bounded = room;
    else if (2.0 * bounded > room)
      bounded = 0.5 * room; // two equal steps instead of a whole and a sliver
  }
  return bounded;
}

/// The term for order k+1 needs k+2 past points at order k or above; DASSL also wants them equidistant.
ErrorEstimate::Higher Integrator::Implementation::higher_term() const {
  const int wanted = options.controller == Controller::dassl ? order + 1 : std::min(order + 1, 3);
  const int have = options.controller == Controller::dassl ? constant_steps : steps_at_order;
  return !fixed() && !starting && order < options.max_order && have + 1 > wanted ? ErrorEstimate::Higher::include
                                                                                 : ErrorEstimate::Higher::leave;
}

void Integrator::Implementation::accept(const Coefficients& c, const AttemptResult& result) {
  const bool same = c.h == history.steps()[0] && c.order == order_used && history.committed() > 0;
  steps_at_order = c.order == order_used ? steps_at_order + 1 : 1;
  constant_steps = same ? constant_steps + 1 : 1;
  history.commit(c, attempt.trial().correction);
  check(VecCopy(attempt.trial().y, y));
  check(VecCopy(attempt.trial().ydot, ydot));
  order_used = c.order;
  auto& s = statistics;
  ++s.steps;
  ++s.order_histogram[static_cast<std::size_t>(c.order)];
  const double size = std::abs(c.h);
  s.h_min = s.h_min == 0.0 ? size : std::min(s.h_min, size);
  s.h_max = std::max(s.h_max, size);
  choose_next(c, result);
}

void Integrator::Implementation::choose_next(const Coefficients& c, const AttemptResult& result) {
  if (fixed()) {
    order = std::min(fixed_order(), order + (history.committed() >= order ? 1 : 0));
    return;
  }
  const OrderChoice choice = lower_keep_or_raise(c.order, options.max_order, result.estimate.terms);
  if (choice.order < c.order || c.order == options.max_order) starting = false;
  if (starting && history.committed() > 1) {
    order = c.order + 1;
    h = 2.0 * c.h;
    return;
  }
  if (starting) return;
  order = choice.order;
  double ratio = wanted_ratio(choice.estimate, choice.order);
  if (error.test() == ErrorTest::filter || error.test() == ErrorTest::strong)
    ratio =
        std::min(ratio, ratio_for_correction(result.estimate.correction,
                                             longest_correction / std::max(options.tolerances.rtol, 1e-12), c.order));
  h = c.h * factor_after_success(options.controller, ratio);
}

void Integrator::Implementation::recover(const AttemptResult& result, FailureCounts& failures, double tried) {
  starting = false;
  Recovery action;
  if (result.outcome == Outcome::error_too_large) {
    ++failures.error_test;
    ++statistics.error_test_failures;
    tests_.push_back({tried, result.estimate.error});
    const OrderChoice choice = lower_or_keep(order, result.estimate.terms);
    action = after_error_test(failures, choice.order, choice.estimate);
  } else {
    ++failures.convergence;
    ++(result.outcome == Outcome::constraint_violated ? statistics.constraint_failures
                                                      : statistics.convergence_failures);
    action = after_convergence(result.outcome, failures, order, result.sign_ratio);
  }
  if (action.give_up || fixed()) give_up(result, failures, tried);
  if (action.order != order) steps_at_order = constant_steps = 0;
  order = action.order;
  h = tried * action.factor;
  if (std::abs(h) < smallest_step(history.time(), t_end)) give_up(result, failures, h);
}

// ---- failure -------------------------------------------------------------------------------------------------------

void Integrator::Implementation::give_up(const AttemptResult& last, const FailureCounts& failures, double tried) {
  Evidence e;
  e.last = last.outcome;
  e.failures = failures;
  e.too_many_steps = statistics.steps >= options.max_steps;
  e.step_too_small = std::abs(tried) < smallest_step(history.time(), t_end);
  e.t = history.time();
  e.h = tried;
  e.first_h = first_h_;
  e.steps = history.committed();
  e.tests = tests_;
  e.has_index3 = weights.count(dae::Kind::index3) > 0;
  e.filtered = error.test() == ErrorTest::filter || error.test() == ErrorTest::strong;
  if (last.outcome == Outcome::matrix_singular) e.empty_rows = linear.empty_rows();
  if (last.outcome != Outcome::residual_failed && last.outcome != Outcome::matrix_singular && !e.too_many_steps) {
    const auto [entry, size] = weights.largest(attempt.trial().correction, error.counted());
    struct {
      double value;
      int rank;
    } worst{size, 0};
    int self = 0;
    core::check_mpi(MPI_Comm_rank(guarded.comm(), &self));
    worst.rank = self;
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, guarded.comm()));
    std::array<int, 2> where{0, static_cast<int>(entry)};
    if (self == worst.rank && entry >= 0) where[0] = guarded.system().field_of(entry);
    core::check_mpi(MPI_Bcast(where.data(), 2, MPI_INT, worst.rank, guarded.comm()));
    e.worst_field = guarded.system().fields()[static_cast<std::size_t>(where[0])].name;
    e.worst_place = fmt::format("entry {} on rank {}", where[1], worst.rank);
    e.worst_size = worst.value;
  }
  throw core::SolverGaveUp(explain(e));
}

// ---- events --------------------------------------------------------------------------------------------------------

RootFunctions Integrator::Implementation::root_functions() {
  return [this](double t, std::span<double> values) {
    if (t == history.time()) {
      guarded.system().event_values(t, y, ydot, values);
      return;
    }
    history.interpolate(t, order_used, scratch_y, scratch_ydot);
    guarded.system().event_values(t, scratch_y, scratch_ydot, values);
  };
}

void Integrator::Implementation::handle_events(Progress& progress) {
  const RootFunctions g = root_functions();
  double from = history.time() - history.steps()[0];
  const double to = history.time();
  while (const auto root = events.next(from, to, g)) {
    if (root->t == to) {
      check(VecCopy(y, scratch_y));
      check(VecCopy(ydot, scratch_ydot));
    } else {
      history.interpolate(root->t, order_used, scratch_y, scratch_ydot);
    }
    const auto after = guarded.system().on_event(root->t, root->which, scratch_y, scratch_ydot);
    progress.events.push_back({root->t, root->which, after});
    if (after != dae::AfterEvent::go_on) {
      check(VecCopy(scratch_y, y));
      check(VecCopy(scratch_ydot, ydot));
      if (after == dae::AfterEvent::restart) {
        ++statistics.restarts;
        begin_here(root->t);
      } else {
        history.begin(root->t, y, ydot, h);
        progress.stopped = true;
      }
      return;
    }
    from = root->t;
    if (from >= to) return;
  }
}

// ---- the public face -----------------------------------------------------------------------------------------------

Integrator::Integrator(dae::System& system, Options options) {
  validate(options);
  own_ = std::make_unique<Implementation>(system, std::move(options));
}
Integrator::~Integrator() = default;
Integrator::Integrator(Integrator&&) noexcept = default;

void Integrator::start(double t0, double t_end) {
  own_->start(t0, t_end);
}
void Integrator::stop_at(std::optional<double> t) {
  own_->limit = t;
}
Progress Integrator::step() {
  return own_->step();
}
Progress Integrator::advance(double t) {
  Progress all;
  while (time() < t) {
    Progress one = step();
    all.step = one.step;
    std::move(one.events.begin(), one.events.end(), std::back_inserter(all.events));
    all.stopped = one.stopped;
    if (one.stopped) break;
  }
  return all;
}
double Integrator::time() const {
  return own_->history.time();
}
double Integrator::previous_time() const {
  return own_->history.committed() == 0 ? time() : time() - own_->history.steps()[0];
}
double Integrator::step_size() const {
  return own_->h;
}
int Integrator::order() const {
  return own_->order;
}
Vec Integrator::state() const {
  return own_->y;
}
Vec Integrator::derivative() const {
  return own_->ydot;
}
void Integrator::interpolate(double t, Vec y, Vec ydot) const {
  own_->history.interpolate(t, own_->order_used, y, ydot);
}
void Integrator::restart() {
  ++own_->statistics.restarts;
  own_->begin_here(time());
}

Statistics Integrator::statistics() const {
  Statistics s = own_->statistics;
  const auto& counts = own_->guarded.counts;
  s.residual_evals = counts.residual;
  s.residual_evals_krylov = counts.residual_krylov;
  s.residual_evals_jacobian = counts.residual_matrix;
  s.jacobian_evals = own_->linear.jacobian_evals();
  s.pc_setups = own_->linear.pc_setups();
  s.filter_solves = own_->error.solves();
  s.filter_iterations = own_->error.iterations();
  s.linear_iterations += s.filter_iterations;
  s.reductions = counts.reductions;
  return s;
}
const Phases& Integrator::phases() const {
  return own_->phases;
}
std::string Integrator::describe() const {
  return fmt::format("error test {}; linear solver {}", own_->error.describe(), own_->linear.describe());
}
core::VecHandle Integrator::new_vector() const {
  return core::same_layout(own_->y);
}

} // namespace rhumb::bdf
