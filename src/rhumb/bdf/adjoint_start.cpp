#include <rhumb/bdf/backward_sweep.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <cmath>
#include <limits>

/// The start of a run, differentiated: how the first y depends on parameters and on the initial values given. Its y' has
/// no part in it: it enters the first predictions alone.

namespace rhumb::bdf {

using core::check;
using core::Writable;

namespace {
/// Of the parameter's scale: as for forward sensitivities, and for central differences of F.
constexpr double side_offset = 1e-6;
const double difference_part = std::cbrt(std::numeric_limits<double>::epsilon());
/// Of the interval: the artificial step of a projection.
constexpr double projection_step = 1e-7;
/// In as many steps dense output may still reach back to the start.
constexpr std::size_t few_steps = 8;
} // namespace

/// Differential variables of index 1 are taken as given; algebraic ones of the start have no influence on later steps.
bool BackwardSweep::start_depends_on_search() const {
  return parts_.options.start == Start::steady || !parts_.options.given_slopes.empty() || tape_.count() < few_steps ||
         has_higher_index();
}

/// Of what is given, onto the constraints; multipliers and y' that belong to it have no influence on later steps.
bool BackwardSweep::start_is_projection() const {
  return parts_.options.start == Start::find && tape_.count() >= few_steps &&
         parts_.weights.count(dae::Kind::index2) > 0 && parts_.weights.count(dae::Kind::index3) == 0;
}

bool BackwardSweep::has_higher_index() const {
  return parts_.weights.count(dae::Kind::index2) + parts_.weights.count(dae::Kind::index3) > 0;
}

void BackwardSweep::differentiate_saved_state(TangentParameter& parameter) {
  dae::System& system = parts_.guarded.system();
  const std::vector<double> present = system.saved_state();
  if (present.empty()) return;
  const auto moved = parameter.moved(side_offset);
  const auto state_at = [&](double value) {
    parts_.guarded.set_parameter(moved.index, value);
    system.initial_values(tape_.stretches().front().t, work_, work2_);
    return system.saved_state();
  };
  const auto above = state_at(moved.above()), below = state_at(moved.below());
  parts_.guarded.set_parameter(moved.index, moved.value);
  system.restore_state(present);
  if (above == below || above.size() != below.size()) return;
  parameter.memory = present;
  for (std::size_t i = 0; i < above.size(); ++i) {
    const double rate = (above[i] - below[i]) / (moved.above() - moved.below());
    parameter.memory_rate.push_back(std::isfinite(rate) ? rate : 0.0);
  }
}

void BackwardSweep::differentiate_start(const TangentParameter& parameter, const Tape::Jump* given) {
  const auto moved = parameter.moved(side_offset);
  const double t = given ? given->t : tape_.stretches().front().t;
  const auto value_at = [&](double value, Vec y) {
    parts_.guarded.set_parameter(moved.index, value);
    if (given) {
      check(VecCopy(given->new_y, y));
      check(VecCopy(given->new_ydot, sum_));
    } else {
      parts_.guarded.system().initial_values(t, y, sum_);
    }
    if (start_depends_on_search() && !start_is_projection()) parts_.search_consistent(t, y, sum_);
  };
  value_at(moved.above(), work_);
  value_at(moved.below(), work2_);
  parts_.guarded.set_parameter(moved.index, moved.value);
  check(VecAXPY(work_, -1.0, work2_));
  check(VecScale(work_, 1.0 / (moved.above() - moved.below())));
}

/// After by_given_values: where the start is a projection, x_given and the constraints are what depends on p.
void BackwardSweep::start_by_parameters(const LinearizationPoint& at) {
  const dae::EvaluationCounts counts = parts_.guarded.counts;
  const long iterations = parts_.statistics.start_iterations;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    differentiate_start(parameters_[i]);
    for (auto& column : columns_) {
      double product = 0.0;
      check(VecDot(start_is_projection() ? column.gradient.by_initial_values : column.b[1], work_, &product));
      column.gradient.by_parameter[i] += product;
    }
    for (auto& column : columns_)
      if (start_is_projection()) constraints_by_parameter(column, i, at);
  }
  parts_.guarded.counts = counts;
  parts_.statistics.start_iterations = iterations;
}

void BackwardSweep::constraints_by_parameter(Column& column, std::size_t i, const LinearizationPoint& at) {
  double product = 0.0;
  parts_.guarded.parameter_derivative(at.t, at.y, at.ydot, parameters_[i].moved(difference_part),
                                      {work_.get(), work2_.get()}, by_parameter_[i]);
  check(VecDot(column.lambda, by_parameter_[i], &product));
  column.gradient.by_parameter[i] -= product;
}

/// Index 2: the start moves differential variables onto the constraints c(x; p) = 0, along what the multipliers act on:
/// dx = (I - D G^-1 R C) dx_given - D G^-1 R c_p dp, with D and R the parts of differential variables and of constraints
/// and C = c_x; here transposed. R^T G^-T D^T b_1 stays in column.lambda.
void BackwardSweep::by_given_values(Column& column, Vec out, const LinearizationPoint& at) {
  const auto kinds = parts_.weights.kinds();
  dae::System& system = parts_.guarded.system();
  const auto keep = [&](Vec v, const auto& wanted) {
    const Writable values(v);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!wanted(i)) values[i] = 0.0;
  };
  const auto differential = [&](std::size_t i) { return kinds[i] == dae::Kind::differential; };
  const auto constraint = [&](std::size_t i) {
    return system.equation_kind(static_cast<PetscInt>(i)) == dae::Kind::index2;
  };
  check(VecCopy(column.b[1], out));
  check(VecSet(column.lambda, 0.0));
  keep(out, differential);
  if (parts_.weights.count(dae::Kind::index2) == 0 || parts_.options.start != Start::find) return;
  matrix_.linearize(at, 1.0 / (projection_step * std::abs(parts_.t_end - tape_.stretches().front().t)));
  matrix_.solve(out, column.lambda);
  keep(column.lambda, constraint);
  matrix_.products(column.lambda, by_y_, by_rate_);
  check(VecAXPY(out, -1.0, by_y_));
  keep(out, differential);
}

} // namespace rhumb::bdf
