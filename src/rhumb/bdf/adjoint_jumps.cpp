#include <rhumb/bdf/backward_sweep.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/dae/scalar_differences.hpp>
#include <cmath>
#include <fmt/format.h>

/// Restarts, differentiated backwards. At the time tau of an event, g(tau, y, y'; p) = 0, the system makes y+ of y, the
/// start C makes that consistent, and the integration begins anew. The steps behind stay where they are: a later event
/// means that they begin on the solution carried back, y+ - y+' dtau. With a = dG/dy at the start,
///   c = C_y^T a,   dG/dtau = c^T (y+_y y' - y+' + y+_t),
///   dG/dy = y+_y^T c - dG/dtau g_y / (dg/dt),   and the same for y' and p.
/// A break has neither g nor y+.

namespace rhumb::bdf {

using core::check;

namespace {
/// Of the run: how far the time of an event is moved for differences; of a parameter's scale, as for sensitivities.
constexpr double time_part = 1e-6, side_offset = 1e-6;
/// Of the run: behind an event, where F is asked whether it depends on what the system remembers of it.
constexpr double look_behind = 1e-3;
} // namespace

void BackwardSweep::enter(const Tape::Stretch& stretch) {
  dae::System& system = parts_.guarded.system();
  const auto known = system.parameters();
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].value != stretch.parameters[i]) parts_.guarded.set_parameter(i, stretch.parameters[i]);
  if (!stretch.saved_state.empty()) system.restore_state(stretch.saved_state);
  for (auto& parameter : parameters_)
    if (!parameter.memory.empty()) parameter.memory = stretch.saved_state;
  parts_.weights.refresh_kinds();
}

void BackwardSweep::pass_jump(std::size_t index) {
  const Tape::Stretch &stretch = tape_.stretches()[index], &before = tape_.stretches()[index - 1];
  const Tape::Jump& jump = *stretch.jump;
  enter(stretch);
  for (auto& column : columns_) pass_start(column, stretch);
  if (!jump.events.empty()) check_memory_of_events(stretch);
  enter(before);
  if (!jump.saved_state.empty()) parts_.guarded.system().restore_state(jump.saved_state);
  if (!jump.events.empty())
    for (auto& column : columns_) {
      pass_events(column, jump);
      pass_event_time(column, jump);
    }
  if (before.first == stretch.first) return; // no step between two starts
  const std::size_t last = stretch.first - 1;
  if (!tape_.has(last)) replay(last);
  for (auto& column : columns_) pass_interpolation(column, jump, tape_[last]);
}

void BackwardSweep::pass_start(Column& column, const Tape::Stretch& stretch) {
  const Tape::Jump& jump = *stretch.jump;
  const LinearizationPoint start{stretch.t, jump.new_y, jump.new_ydot};
  if (has_higher_index() && !start_is_projection())
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      double product = 0.0;
      differentiate_start(parameters_[i], &jump);
      check(VecDot(column.b[1], work_, &product));
      column.gradient.by_parameter[i] += product;
    }
  by_given_values(column, sum_, start);
  if (start_is_projection())
    for (std::size_t i = 0; i < parameters_.size(); ++i) constraints_by_parameter(column, i, start);
  check(VecCopy(sum_, column.b[1]));
  for (std::size_t i = 2; i < column.b.size(); ++i) check(VecSet(column.b[i], 0.0));
  check(VecSet(column.lambda, 0.0));
  double along = 0.0;
  check(VecDot(column.b[1], jump.new_ydot, &along));
  column.by_event_time = -along;
  for (std::size_t q = 0; q < column.of_integral.size(); ++q)
    column.by_event_time -=
        column.of_integral[q][1] * column.functional.integrals[q].value(stretch.t, jump.new_y, jump.new_ydot);
}

double BackwardSweep::change_by_events(const Tape::Jump& jump, double t, Vec y, Vec ydot, Vec weights) {
  const auto of_system = parts_.of_system(jump.events);
  if (of_system.empty()) return 0.0;
  dae::System& system = parts_.guarded.system();
  check(VecCopy(y, work_));
  check(VecCopy(ydot, work2_));
  parts_.guarded.on_event(t, of_system, work_, work2_);
  if (!jump.saved_state.empty()) system.restore_state(jump.saved_state);
  double change = 0.0;
  check(VecAXPY(work_, -1.0, y));
  check(VecDot(weights, work_, &change));
  return change;
}

double BackwardSweep::by_parameter(const TangentParameter& parameter, const Tape::Jump& jump,
                                   const std::function<double()>& value) {
  const auto moved = parameter.moved(side_offset);
  const auto value_at = [&](double at) {
    parts_.guarded.set_parameter(moved.index, at);
    if (!jump.saved_state.empty()) parts_.guarded.system().restore_state(jump.saved_state);
    return value();
  };
  const double above = value_at(moved.above()), below = value_at(moved.below());
  value_at(moved.value);
  return (above - below) / (moved.above() - moved.below());
}

/// What the system does at its events: c in b_1 becomes y+_y^T c, b_2 becomes y+_y'^T c.
void BackwardSweep::pass_events(Column& column, const Tape::Jump& jump) {
  const auto c = core::same_layout(column.b[1]);
  check(VecCopy(column.b[1], c));
  const auto change = [&](double t, Vec y, Vec ydot) { return change_by_events(jump, t, y, ydot, c); };
  const double apart = time_part * std::abs(parts_.t_end - parts_.t_start);
  column.by_event_time +=
      (change(jump.t + apart, jump.y, jump.ydot) - change(jump.t - apart, jump.y, jump.ydot)) / (2.0 * apart);
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    column.gradient.by_parameter[i] +=
        by_parameter(parameters_[i], jump, [&] { return change(jump.t, jump.y, jump.ydot); });
  dae::ScalarDifferences differences(
      parts_.guarded.system(), [&](Vec y, Vec ydot) { return change(jump.t, y, ydot); }, jump.y, jump.ydot);
  differences.by_y(sum_);
  check(VecAXPY(column.b[1], 1.0, sum_));
  differences.by_ydot(column.b[2]);
}

void BackwardSweep::pass_event_time(Column& column, const Tape::Jump& jump) {
  double along = 0.0;
  check(VecDot(column.b[1], jump.ydot, &along));
  column.by_event_time += along;
  for (std::size_t q = 0; q < column.of_integral.size(); ++q)
    column.by_event_time += column.of_integral[q][1] * column.functional.integrals[q].value(jump.t, jump.y, jump.ydot);
  if (column.by_event_time == 0.0 || jump.root_rate == 0.0) return;
  const double factor = -column.by_event_time / jump.root_rate;
  const auto first = static_cast<std::size_t>(jump.events.front());
  const auto root = [&](Vec y, Vec ydot) { return parts_.root_of(first, jump.t, y, ydot); };
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    column.gradient.by_parameter[i] +=
        factor * by_parameter(parameters_[i], jump, [&] { return root(jump.y, jump.ydot); });
  dae::ScalarDifferences differences(parts_.guarded.system(), root, jump.y, jump.ydot);
  differences.by_y(sum_);
  check(VecAXPY(column.b[1], factor, sum_));
  differences.by_ydot(sum_);
  check(VecAXPY(column.b[2], factor, sum_));
}

void BackwardSweep::pass_interpolation(Column& column, const Tape::Jump& jump, const Tape::Step& step) {
  const int order = step.coefficients.order;
  const InterpolantWeights w = interpolant_weights(step.steps, jump.t - step.t, order);
  check(VecCopy(column.b[1], work_));
  check(VecCopy(column.b[2], work2_));
  for (std::size_t i = 1; i <= static_cast<std::size_t>(order) + 1; ++i) {
    check(VecAXPBYPCZ(column.b[i], w.value[i], w.derivative[i], 0.0, work_, work2_));
    for (auto& b : column.of_integral)
      if (i > 1) b[i] = w.value[i] * b[1];
  }
  for (auto& b : column.of_integral) b[1] *= w.value[1];
}

std::vector<double> BackwardSweep::memory_after_events(const Tape::Jump& jump, double t) {
  dae::System& system = parts_.guarded.system();
  system.restore_state(jump.saved_state);
  check(VecCopy(jump.y, work_));
  check(VecCopy(jump.ydot, work2_));
  parts_.guarded.on_event(t, parts_.of_system(jump.events), work_, work2_);
  return system.saved_state();
}

/// An integration whose F depends on the time of an event has a derivative by it that is not followed here.
void BackwardSweep::check_memory_of_events(const Tape::Stretch& stretch) {
  const Tape::Jump& jump = *stretch.jump;
  if (jump.saved_state.empty() || parts_.of_system(jump.events).empty()) return;
  dae::System& system = parts_.guarded.system();
  const double run = std::abs(parts_.t_end - parts_.t_start);
  const auto memory = memory_after_events(jump, jump.t), later = memory_after_events(jump, jump.t + time_part * run);
  double difference = 0.0;
  if (memory != later)
    for (const double t : {stretch.t, stretch.t + look_behind * run}) {
      double size = 0.0;
      system.restore_state(memory);
      parts_.guarded.residual(t, jump.new_y, jump.new_ydot, work_);
      system.restore_state(later);
      parts_.guarded.residual(t, jump.new_y, jump.new_ydot, work2_);
      check(VecAXPY(work_, -1.0, work2_));
      check(VecNorm(work_, NORM_INFINITY, &size));
      difference = std::max(difference, size);
    }
  system.restore_state(stretch.saved_state);
  if (difference > 0.0)
    throw core::BadInput(
        fmt::format("behind the event at t = {:g} the equations depend on its time, and the sweep back "
                    "does not follow that; nearest: -sensitivity, which does",
                    jump.t));
}

} // namespace rhumb::bdf
