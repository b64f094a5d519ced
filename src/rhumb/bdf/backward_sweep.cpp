#include <rhumb/bdf/backward_sweep.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace rhumb::bdf {

using core::check;

namespace {
/// Of a parameter's scale: central differences of F and of integrands.
const double difference_part = std::cbrt(std::numeric_limits<double>::epsilon());

/// phi_1 ... phi_top change in a step of this order.
std::size_t top_of(const Coefficients& c) {
  return std::min<std::size_t>(static_cast<std::size_t>(c.order) + 2, kept_differences);
}
} // namespace

BackwardSweep::BackwardSweep(Integrator& integrator, Integrator::Implementation& parts,
                             std::vector<Functional> functionals, std::vector<std::size_t> parameters)
    : integrator_(integrator), parts_(parts), tape_(*parts.tape),
      matrix_(parts.guarded, parts.weights, parts.y, parts.options) {
  const auto known = parts.guarded.system().parameters();
  for (const std::size_t index : parameters) {
    const dae::Parameter& p = known.at(index);
    parameters_.push_back({index, p.value, p.value != 0.0 ? std::abs(p.value) : 1.0, p.lower, p.upper});
    by_parameter_.push_back(core::same_layout(parts.y));
  }
  for (auto* v : {&sum_, &by_y_, &by_rate_, &work_, &work2_, &integrand_by_y_}) *v = core::same_layout(parts.y);
  for (auto& functional : functionals) {
    Column column;
    column.gradient.by_parameter.assign(parameters.size(), 0.0);
    column.gradient.integrals.assign(functional.integrals.size(), 0.0);
    column.gradient.by_initial_values = core::same_layout(parts.y);
    column.lambda = core::same_layout(parts.y);
    for (std::size_t i = 1; i < column.b.size(); ++i) column.b[i] = core::same_layout(parts.y);
    column.of_integral.assign(functional.integrals.size(), {});
    column.functional = std::move(functional);
    columns_.push_back(std::move(column));
  }
}

AdjointCounts BackwardSweep::counts() const {
  return {static_cast<long>(tape_.count()), replayed_, matrix_.matrices(), matrix_.factorizations(),
          matrix_.iterations()};
}

void BackwardSweep::check_tape() const {
  if (tape_.count() == 0) throw core::BadInput("there is nothing to sweep back over: no step was taken");
  const auto& stretches = tape_.stretches();
  if (stretches.empty() || stretches.front().first != 0 || stretches.front().t != parts_.t_start)
    throw core::BadInput("gradients need the whole run: one that was continued has no record of its beginning");
  for (const auto& stretch : stretches)
    for (const auto& parameter : parameters_)
      if (stretch.parameters[parameter.index] != parameter.value)
        throw core::BadInput(
            fmt::format("an event sets parameter '{}' on the way: the run's end does not depend on its "
                        "value alone; nearest: a parameter that no event sets",
                        parts_.guarded.system().parameters()[parameter.index].name));
  if (stretches.front().exact_past)
    throw core::BadInput("fixed steps that begin with the exact solution at several points have no gradients; nearest: "
                         "-sensitivity");
}

std::vector<Gradient> BackwardSweep::run() {
  check_tape();
  dae::System& system = parts_.guarded.system();
  const std::vector<double> saved_state = system.saved_state();
  Tape::Checkpoint end;
  const bool complete = tape_.has(0);
  if (!complete) { // to come back from replays
    const CheckpointState state = integrator_.checkpoint_state();
    end.scalars = state.scalars;
    for (const auto& [name, vector] : state.vectors) {
      end.vectors.emplace_back(name, core::same_layout(vector));
      check(VecCopy(vector, end.vectors.back().second));
    }
  }
  for (auto& parameter : parameters_) differentiate_saved_state(parameter);
  const auto& stretches = tape_.stretches();
  std::size_t stretch = stretches.size() - 1;
  for (std::size_t left = tape_.count(); left > 0; --left) {
    while (stretch > 0 && stretches[stretch].first == left) pass_jump(stretch--);
    if (!tape_.has(left - 1)) replay(left - 1);
    sweep(left - 1);
    if (!complete) tape_.drop_from(left - 1);
  }
  begin_of_run();
  enter(stretches.back());
  if (!saved_state.empty()) system.restore_state(saved_state);
  if (!complete) {
    std::vector<std::pair<std::string, Vec>> vectors;
    for (const auto& [name, vector] : end.vectors) vectors.emplace_back(name, vector.get());
    integrator_.resume(end.scalars, vectors);
  }
  std::vector<Gradient> out;
  for (auto& column : columns_) out.push_back(std::move(column.gradient));
  return out;
}

void BackwardSweep::begin_of_run() {
  const double t = tape_.stretches().front().t;
  const auto y = core::same_layout(work_), ydot = core::same_layout(work_);
  parts_.guarded.system().initial_values(t, y, ydot);
  if (has_higher_index()) parts_.search_consistent(t, y, ydot);
  for (auto& column : columns_) by_given_values(column, column.gradient.by_initial_values, {t, y, ydot});
  start_by_parameters({t, y, ydot});
}

/// Steps from the checkpoint before this one, up to it.
void BackwardSweep::replay(std::size_t step) {
  const Tape::Checkpoint& from = tape_.checkpoint_before(step);
  dae::System& system = parts_.guarded.system();
  if (!from.saved_state.empty()) system.restore_state(from.saved_state);
  std::vector<std::pair<std::string, Vec>> vectors;
  for (const auto& [name, vector] : from.vectors) vectors.emplace_back(name, vector.get());
  replayed_ += static_cast<long>(step + 1 - from.step);
  tape_.begin_replay(from.step, step);
  parts_.limit = from.limit;
  integrator_.resume(from.scalars, vectors);
  while (!tape_.has(step)) integrator_.step();
}

void BackwardSweep::sweep(std::size_t index) {
  const Tape::Step& step = tape_[index];
  parts_.weights.update(step.y); // whatever was done before, the same bits come of it
  matrix_.linearize({step.t, step.y, step.ydot}, step.coefficients.leading());
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    parts_.guarded.parameter_derivative(step.t, step.y, step.ydot, parameters_[i].moved(difference_part),
                                        {work_.get(), work2_.get()}, by_parameter_[i]);
  const double from = step.t - step.coefficients.h, alpha = step.coefficients.leading();
  for (auto& column : columns_) {
    check(VecScale(column.lambda, alpha_ / alpha)); // lambda is about -h beta times a smooth function
    add_seeds(column, step, from, end_of(index));
    solve(column, step);
    by_parameters(column, step);
    pass_differences(column, step.coefficients);
  }
  alpha_ = alpha;
}

/// The last step may end before t_end by rounding; a jump may lie inside the step before it.
double BackwardSweep::end_of(std::size_t step) const {
  if (step + 1 == tape_.count()) return std::numeric_limits<double>::infinity();
  const auto& stretches = tape_.stretches();
  const auto next = std::ranges::lower_bound(stretches, step + 1, {}, &Tape::Stretch::first);
  return next != stretches.end() && next->first == step + 1 ? next->t : tape_[step].t;
}

/// What is taken from the dense output of this step.
void BackwardSweep::add_seeds(Column& column, const Tape::Step& step, double from, double to) const {
  const int order = step.coefficients.order;
  const auto inside = [&](double t) { return t > from && t <= to; };
  for (const auto& seed : column.functional.seeds) {
    if (!inside(seed.t)) continue;
    const InterpolantWeights w = interpolant_weights(step.steps, seed.t - step.t, order);
    for (std::size_t i = 1; i <= static_cast<std::size_t>(order) + 1; ++i) {
      if (seed.by_y) check(VecAXPY(column.b[i], w.value[i], seed.by_y));
      if (seed.by_ydot) check(VecAXPY(column.b[i], w.derivative[i], seed.by_ydot));
    }
  }
  for (std::size_t q = 0; q < column.of_integral.size(); ++q) {
    const double t = column.functional.integrals[q].t_end;
    if (!inside(t)) continue;
    const InterpolantWeights w = interpolant_weights(step.steps, t - step.t, order);
    for (std::size_t i = 1; i <= static_cast<std::size_t>(order) + 1; ++i) column.of_integral[q][i] += w.value[i];
  }
}

/// lambda, F_y^T lambda and F_y'^T lambda.
void BackwardSweep::solve(Column& column, const Tape::Step& step) {
  check(VecSet(sum_, 0.0));
  for (std::size_t i = 1; i <= top_of(step.coefficients); ++i) check(VecAXPY(sum_, -1.0, column.b[i]));
  check(VecSet(integrand_by_y_, 0.0));
  pass_integrals(column, step);
  check(VecAXPY(sum_, 1.0, integrand_by_y_));
  matrix_.solve(sum_, column.lambda);
  matrix_.products(column.lambda, by_y_, by_rate_);
  check(VecAXPY(by_y_, -1.0, integrand_by_y_));
}

/// q' - g(t, y) = 0: mu = -ebar / alpha, and mu g_y stands on the right side of lambda's equation.
void BackwardSweep::pass_integrals(Column& column, const Tape::Step& step) {
  const Coefficients& c = step.coefficients;
  for (std::size_t q = 0; q < column.of_integral.size(); ++q) {
    Differences& b = column.of_integral[q];
    double sum = 0.0;
    for (std::size_t i = 1; i <= top_of(c); ++i) sum += b[i];
    const double mu = -sum / c.leading();
    if (mu != 0.0) differentiate_integrand(column, q, step, mu);
    double passed = 0.0;
    for (std::size_t l = 1; l <= static_cast<std::size_t>(c.order) + 1; ++l) {
      passed += b[l];
      b[l] = c.beta[l] * (passed + c.gamma[l] * mu);
    }
    for (std::size_t l = static_cast<std::size_t>(c.order) + 2; l < b.size(); ++l) b[l] = 0.0;
  }
}

/// The integral is linear in the integrand, so that the weights are those of its value, too.
void BackwardSweep::differentiate_integrand(Column& column, std::size_t which, const Tape::Step& step, double weight) {
  const AdjointIntegral& integral = column.functional.integrals[which];
  column.gradient.integrals[which] -= weight * integral.value(step.t, step.y, step.ydot);
  integral.gradient(step.t, step.y, step.ydot, work_);
  check(VecAXPY(integrand_by_y_, weight, work_));
  if (integral.by_parameters) {
    const auto rates = integral.by_parameters(step.t, step.y, step.ydot);
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      column.gradient.by_parameter[i] -= weight * rates.at(parameters_[i].index);
    return;
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto moved = parameters_[i].moved(difference_part);
    const auto value_at = [&](double value) {
      parts_.guarded.set_parameter(moved.index, value);
      return integral.value(step.t, step.y, step.ydot);
    };
    const double above = value_at(moved.above()), below = value_at(moved.below());
    parts_.guarded.set_parameter(moved.index, moved.value);
    column.gradient.by_parameter[i] -= weight * (above - below) / (moved.above() - moved.below());
  }
}

void BackwardSweep::by_parameters(Column& column, const Tape::Step& step) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    double product = 0.0;
    check(VecDot(column.lambda, by_parameter_[i], &product));
    if (!std::isfinite(product))
      throw core::SolverGaveUp(fmt::format("the residual has no value beside the solution at t = {:g}", step.t));
    column.gradient.by_parameter[i] += product;
  }
}

void BackwardSweep::pass_differences(Column& column, const Coefficients& c) {
  const auto count = static_cast<std::size_t>(c.order) + 1;
  for (std::size_t l = 1; l <= count; ++l) {
    check(VecAXPY(by_y_, 1.0, column.b[l]));
    check(VecAXPBYPCZ(column.b[l], c.beta[l], c.beta[l] * c.gamma[l], 0.0, by_y_, by_rate_));
  }
  for (std::size_t l = count + 1; l < column.b.size(); ++l) check(VecSet(column.b[l], 0.0));
}

} // namespace rhumb::bdf
