#include <rhumb/bdf/implementation.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>

/// What a bit-identical continuation needs: the differences, the last steps, the numbers that steer the next attempt,
/// and the point at which the kept matrix was made, from which the same matrix is made again.

namespace rhumb::bdf {

using core::check;

namespace {

constexpr const char* setup_y_name = "matrix_y";
constexpr const char* setup_ydot_name = "matrix_ydot";

std::string difference_name(int i) {
  return fmt::format("phi{}", i);
}

/// Visits every number of the state by name; the same list writes and reads.
template <class Visit>
void for_each_scalar(Integrator::Implementation& in, Visit&& visit) {
  visit("h", in.h);
  visit("t_end", in.t_end);
  visit("order", in.order);
  visit("order_used", in.order_used);
  visit("starting", in.starting);
  visit("steps_at_order", in.steps_at_order);
  visit("constant_steps", in.constant_steps);
  visit("steps_to_check", in.steps_to_check);
  visit("failed_order", in.last_failed.order);
  visit("steps_since_failed", in.last_failed.steps_since);
  auto& s = in.statistics;
  visit("count_steps", s.steps);
  visit("count_newton", s.newton_iterations);
  visit("count_linear", s.linear_iterations);
  visit("count_start_iterations", s.start_iterations);
  visit("count_error_failures", s.error_test_failures);
  visit("count_convergence_failures", s.convergence_failures);
  visit("count_constraint_failures", s.constraint_failures);
  visit("count_restarts", s.restarts);
  visit("count_kind_check_residuals", s.kind_check_residuals);
  visit("count_kind_check_matrices", s.kind_check_matrices);
  visit("h_min", s.h_min);
  visit("h_max", s.h_max);
  for (std::size_t k = 1; k < s.order_histogram.size(); ++k)
    visit(fmt::format("count_order_{}", k), s.order_histogram[k]);
  auto& c = in.guarded.counts;
  visit("count_residual", c.residual);
  visit("count_residual_krylov", c.residual_krylov);
  visit("count_residual_matrix", c.residual_matrix);
  visit("count_mass_product", c.mass_product);
  visit("count_reductions", c.reductions);
}

/// Larger counts are not whole numbers any more as doubles.
constexpr double max_count = 9007199254740992.0;

void require(bool good, const std::string& name, double value, const std::string& expected) {
  if (!good)
    throw core::BadInput(fmt::format("the checkpoint's number '{}' is {:g}: expected {}", name, value, expected));
}

void require_whole(const std::string& name, double value, double low, double high) {
  require(value >= low && value <= high && value == std::floor(value), name, value,
          fmt::format("a whole number of {:.0f} ... {:.0f}", low, high));
}

void require_finite(const std::string& name, double value) {
  require(std::isfinite(value), name, value, "a finite number");
}

void require_size(const std::string& name, double value) {
  require(std::isfinite(value) && value >= 0.0, name, value, "a finite number >= 0");
}

/// What a number of that type may be.
void require_kind(const std::string& name, double value, const double&) {
  require_finite(name, value);
}
void require_kind(const std::string& name, double value, const bool&) {
  require_whole(name, value, 0.0, 1.0);
}
void require_kind(const std::string& name, double value, const int&) {
  require_whole(name, value, 0.0, std::numeric_limits<int>::max());
}
void require_kind(const std::string& name, double value, const long&) {
  require_whole(name, value, 0.0, max_count);
}

/// Finds numbers by name; a missing one is a damaged or foreign checkpoint.
class ScalarLookup {
public:
  explicit ScalarLookup(const std::vector<std::pair<std::string, double>>& list) : list_(list) {}
  double operator[](const std::string& name) const {
    const auto found = std::find_if(list_.begin(), list_.end(), [&](const auto& n) { return n.first == name; });
    if (found == list_.end())
      throw core::BadInput(fmt::format("the checkpoint has no number '{}': it is of another version", name));
    return found->second;
  }

private:
  const std::vector<std::pair<std::string, double>>& list_;
};

} // namespace

std::vector<std::string> Integrator::snapshot_vectors() const {
  std::vector<std::string> names{"y", "ydot", setup_y_name, setup_ydot_name};
  for (int i = 1; i <= kept_differences; ++i) names.push_back(difference_name(i));
  for (std::size_t column = 0; column < sensitivities(); ++column)
    for (const auto& name : Sensitivity::vector_names(column)) names.push_back(name);
  return names;
}

CheckpointState Integrator::checkpoint_state() const {
  auto& in = *implementation_;
  if (!in.options.resumable) throw std::logic_error("this integrator's options.resumable is false: no snapshots");
  CheckpointState out;
  const auto put = [&](const std::string& name, double value) { out.scalars.emplace_back(name, value); };
  put("t", in.time());
  put("t_step", in.history.time());
  put("committed", static_cast<double>(in.history.committed()));
  for (std::size_t i = 0; i < in.history.steps().size(); ++i) put(fmt::format("step_{}", i), in.history.steps()[i]);
  for_each_scalar(in, [&](const std::string& name, auto value) { put(name, static_cast<double>(value)); });
  const Newton::NewtonState newton = in.newton.saved_state();
  put("newton_contraction", newton.contraction);
  put("newton_alpha", newton.alpha);
  put("newton_krylov", newton.krylov_after_setup);
  put("newton_forced", newton.forced);
  put("newton_extra", newton.extra_iterations);
  // A matrix that will not be used again need not be made again, and cannot where an event has changed the equations.
  put("matrix_ready", in.linear.ready() && newton.forced == 0.0 ? 1.0 : 0.0);
  const Amplification::State amplification = in.error.amplification();
  put("amplification_score", amplification.score);
  put("amplification_next_look", static_cast<double>(amplification.next_look));
  put("amplification_pause", static_cast<double>(amplification.pause));
  put("time_scale", in.weights.time_scale());
  put("matrix_alpha", in.linear.alpha_of_setup());
  put("matrix_t", in.linear.setup_time());
  const auto counts = in.linear.counts();
  put("count_jacobian", static_cast<double>(counts.jacobian_evals));
  put("count_pc_setups", static_cast<double>(counts.pc_setups));
  put("count_filter_solves", static_cast<double>(in.error.solves()));
  put("count_filter_iterations", static_cast<double>(in.error.iterations()));
  for (std::size_t i = 0; i < in.events.count(); ++i) put(fmt::format("event_sign_{}", i), in.events.signs()[i]);
  put("events_handled_to", in.pending ? in.events_handled_to : in.history.time());

  out.vectors = {{"y", in.y}, {"ydot", in.ydot}};
  out.vectors.emplace_back(setup_y_name, in.linear.setup_state());
  out.vectors.emplace_back(setup_ydot_name, in.linear.setup_derivative());
  for (int i = 1; i <= kept_differences; ++i) out.vectors.emplace_back(difference_name(i), in.history.difference(i));
  if (in.sensitivity) {
    in.sensitivity->visit_values(put);
    for (const auto& vector : in.sensitivity->vectors()) out.vectors.push_back(vector);
  }
  return out;
}

namespace {
/// Sensitivities go on only where they were.
void require_same_sensitivities(const Integrator::Implementation& in,
                                const std::vector<std::pair<std::string, double>>& scalars) {
  if (!in.sensitivity) return;
  in.sensitivity->visit_values([&](const std::string& name, double value) {
    const bool counts = name == "sensitivities" || name.ends_with("_parameter") || name.ends_with("_value");
    const auto found = std::ranges::find(scalars, name, &std::pair<std::string, double>::first);
    if (counts && (found == scalars.end() || found->second != value))
      throw core::BadInput("the checkpoint is of a run without these sensitivities: a continued run has the same "
                           "parameters, in the same order, with the same values");
  });
}
} // namespace

void Integrator::check_scalars(const std::vector<std::pair<std::string, double>>& scalars) const {
  auto& in = *implementation_;
  const ScalarLookup scalar(scalars);
  require_same_sensitivities(in, scalars);
  for_each_scalar(in, [&](const std::string& name, const auto& value) { require_kind(name, scalar[name], value); });
  for (const char* name : {"order", "order_used"}) require_whole(name, scalar[name], 1.0, highest_order);
  require(scalar["h"] != 0.0, "h", scalar["h"], "a step other than 0");
  const core::Sense sense{std::copysign(1.0, scalar["h"])};
  require(scalar["time_scale"] > 0.0 && std::isfinite(scalar["time_scale"]), "time_scale", scalar["time_scale"],
          "a finite number > 0");
  require_size("amplification_score", scalar["amplification_score"]);
  for (const char* name : {"amplification_next_look", "amplification_pause"})
    require_whole(name, scalar[name], 0.0, max_count);
  require_finite("t_step", scalar["t_step"]);
  require_whole("committed", scalar["committed"], 0.0, max_count);
  for (int i = 0; i < past_step_count; ++i) {
    const std::string name = fmt::format("step_{}", i);
    require(std::isfinite(scalar[name]) && sense.sign * scalar[name] >= 0.0, name, scalar[name],
            "a step in the direction of h");
  }
  require(!sense.before(scalar["t"], scalar["events_handled_to"]) && !sense.before(scalar["t_step"], scalar["t"]), "t",
          scalar["t"], "one between those up to which events are handled and the last step goes");
  require(!sense.before(scalar["events_handled_to"], scalar["t_step"] - scalar["step_0"]), "events_handled_to",
          scalar["events_handled_to"], "a time in the last step");
  for (const char* name : {"newton_contraction", "newton_alpha", "newton_krylov", "matrix_alpha", "matrix_t"})
    require_finite(name, scalar[name]);
  for (const char* name : {"newton_forced", "matrix_ready"}) require_whole(name, scalar[name], 0.0, 1.0);
  for (const char* name : {"steps_at_order", "constant_steps"})
    require_whole(name, scalar[name], 0.0, scalar["count_steps"]);
  require_whole("newton_extra", scalar["newton_extra"], 0.0, std::numeric_limits<int>::max() / 2); // it grows
  for (const char* name : {"count_jacobian", "count_pc_setups", "count_filter_solves", "count_filter_iterations"})
    require_whole(name, scalar[name], 0.0, max_count);
  for (std::size_t i = 0; i < in.events.count(); ++i)
    require_whole(fmt::format("event_sign_{}", i), scalar[fmt::format("event_sign_{}", i)], -1.0, 1.0);
}

void Integrator::resume(const std::vector<std::pair<std::string, double>>& scalars,
                        const std::vector<std::pair<std::string, Vec>>& vectors) {
  auto& in = *implementation_;
  check_scalars(scalars);
  in.weights.refresh_kinds(); // those of the system's memory
  in.newton.choose_strictness();
  const ScalarLookup scalar(scalars);
  in.error.restore_amplification({scalar["amplification_score"], static_cast<long>(scalar["amplification_next_look"]),
                                  static_cast<long>(scalar["amplification_pause"])});
  in.error.choose_test();
  const CheckpointState current = checkpoint_state();
  for (const auto& [name, target] : current.vectors) {
    const auto found =
        std::find_if(vectors.begin(), vectors.end(), [&, n = name](const auto& v) { return v.first == n; });
    if (found == vectors.end()) throw core::BadInput(fmt::format("the checkpoint has no vector '{}'", name));
    double sum = 0.0;
    check(VecNorm(found->second, NORM_1, &sum)); // the largest entry would hide a NaN
    if (!std::isfinite(sum)) throw core::BadInput(fmt::format("the checkpoint's vector '{}' is not finite", name));
    check(VecCopy(found->second, target));
  }
  std::array<double, past_step_count> steps{};
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = scalar[fmt::format("step_{}", i)];
  in.weights.set_time_scale(scalar["time_scale"]);
  in.sense = {std::copysign(1.0, scalar["h"])};
  in.history.restore(scalar["t_step"], steps, static_cast<long>(scalar["committed"]));
  if (in.sensitivity) in.sensitivity->restore(scalar["t_step"], steps, static_cast<long>(scalar["committed"]));

  if (scalar["matrix_ready"] != 0.0) {
    const auto residual = core::same_layout(in.y);
    const Vec y = in.linear.setup_state(), ydot = in.linear.setup_derivative();
    const double t = scalar["matrix_t"];
    in.guarded.residual(t, y, ydot, residual);
    if (in.linear.setup({t, y, ydot}, residual, scalar["matrix_alpha"]) != SetupResult::good)
      throw core::BadInput("the iteration matrix of the checkpoint cannot be made again: other equations?");
  }
  in.newton.restore_state({scalar["newton_contraction"], scalar["newton_alpha"], scalar["newton_krylov"],
                           scalar["newton_forced"], scalar["newton_extra"]});
  if (in.sensitivity) in.sensitivity->restore_state([&](const std::string& name) { return scalar[name]; });
  for_each_scalar(in, [&](const std::string& name, auto& value) {
    value = static_cast<std::remove_reference_t<decltype(value)>>(scalar[name]);
  });
  if (in.fixed()) { // a checkpoint of a run with other steps, or with error control
    in.h = in.sense.sign * in.options.fixed_step;
    in.order = std::min(in.order, in.fixed_order());
  }
  in.linear.set_counts({static_cast<long>(scalar["count_jacobian"]), static_cast<long>(scalar["count_pc_setups"])});
  in.error.set_counts(static_cast<long>(scalar["count_filter_solves"]),
                      static_cast<long>(scalar["count_filter_iterations"]));
  std::vector<int> signs(in.events.count());
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = static_cast<int>(scalar[fmt::format("event_sign_{}", i)]);
  in.events.set_signs(std::move(signs));
  in.pending.reset();
  in.events_handled_to = scalar["events_handled_to"];
  const dae::EvaluationCounts counts = in.guarded.counts;
  in.find_next_break();
  if (in.events.any() || in.break_time) in.locate_event(); // the one that was pending, if any
  in.guarded.counts = counts;
  in.started = true;
}

} // namespace rhumb::bdf
