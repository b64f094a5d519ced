#include <rhumb/bdf/condition.hpp>
#include <rhumb/bdf/implementation.hpp>

#include <rhumb/bdf/step_size.hpp>
#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace rhumb::bdf {

void Integrator::Implementation::give_up(const AttemptResult& last, const FailureCounts& failures, double tried,
                                         std::optional<KindContradiction> wrong_kind) {
  Evidence e;
  e.last = last.outcome;
  e.failures = failures;
  e.too_many_steps = statistics.steps >= options.max_steps;
  e.step_too_small = std::abs(tried) < smallest_step(history.time(), statistics.h_max);
  e.t = history.time();
  e.h = std::abs(tried);
  e.first_h = std::abs(first_h_);
  e.steps = history.committed();
  e.tests = tests_;
  e.last_h = std::abs(history.steps()[0]);
  e.longest_h = statistics.h_max;
  e.direct = linear.direct();
  e.seeks_start = options.start == Start::find;
  e.has_jacobian = guarded.offers().jacobian && !options.check_jacobian;
  e.has_index3 = weights.count(dae::Kind::index3) > 0;
  if (last.outcome == Outcome::residual_failed) e.complaint = guarded.last_complaint();
  if (last.outcome == Outcome::matrix_singular) e.singular = linear.singular_parts().in_words();
  if (last.outcome != Outcome::residual_failed && last.outcome != Outcome::matrix_singular && !e.too_many_steps) {
    const auto worst = weights.largest(attempt.trial().correction, error.counted(tried));
    e.worst_field = guarded.system().fields()[worst.field].name;
    e.worst_place = place_of(worst);
    e.worst_size = worst.size;
  }
  const bool may_be_rounding = last.outcome == Outcome::newton_diverged || last.outcome == Outcome::error_too_large;
  if (const auto condition = may_be_rounding ? condition_estimate(guarded, weights, linear) : std::nullopt) {
    e.condition = *condition;
    e.rounding = std::numeric_limits<double>::epsilon() * *condition * weights.norm(y, dae::all_kinds);
  }
  if (!e.too_many_steps)
    look_at_last_state(e); // no trial was made otherwise, and a longer run goes on as if nothing was
  if (!wrong_kind && options.check_kinds && !fixed() && last.outcome != Outcome::residual_failed &&
      last.outcome != Outcome::constraint_violated)
    wrong_kind = look_at_kinds(e.t, std::abs(e.first_h));
  if (wrong_kind) e.wrong_kind = {wrong_kind->in_words(), wrong_kind->advice(options.spelling)};
  throw core::SolverGaveUp(explain(e, options.spelling));
}

/// As the rank that owns the entry says it.
std::string Integrator::Implementation::place_of(const dae::Weights::Location& entry) {
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(y));
  return core::broadcast(comm, core::rank_of(comm) == entry.rank ? guarded.system().location(entry.local) : "",
                         entry.rank);
}

/// In place of the trial, which is no state: what the solution did in the last step.
void Integrator::Implementation::look_at_last_state(Evidence& e) {
  history.interpolate(history.time() - history.steps()[0], order_used, y, ydot);
  const auto earlier = core::same_layout(y);
  core::check(VecCopy(y, earlier));
  history.interpolate(history.time(), order_used, y, ydot);
  e.unset_rows = unset_rows(guarded, e.t, y, ydot);
  const auto fastest = weights.largest(ydot, dae::all_kinds);
  e.fastest_field = guarded.system().fields()[fastest.field].name;
  e.fastest_place = place_of(fastest);
  e.earlier_value = weights.value_at(fastest, earlier);
  e.fastest_value = weights.value_at(fastest, y);
  e.fastest_rate = weights.value_at(fastest, ydot);
  if (options.tolerances.rtol > 0.0 && fastest.size > 0.0)
    e.fastest_scale = std::abs(e.fastest_rate) / (fastest.size * options.tolerances.rtol);
}

} // namespace rhumb::bdf
