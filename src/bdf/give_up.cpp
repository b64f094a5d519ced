#include "bdf/implementation.hpp"

#include "bdf/step_size.hpp"
#include "core/check.hpp"
#include "core/failure.hpp"
#include <cmath>
#include <fmt/format.h>

namespace rhumb::bdf {

void Integrator::Implementation::give_up(const AttemptResult& last, const FailureCounts& failures, double tried,
                                         std::optional<KindContradiction> wrong_kind) {
  Evidence e;
  e.last = last.outcome;
  e.failures = failures;
  e.too_many_steps = statistics.steps >= options.max_steps;
  e.step_too_small = std::abs(tried) < smallest_step(history.time(), statistics.h_max);
  e.t = history.time();
  e.h = tried;
  e.first_h = first_h_;
  e.steps = history.committed();
  e.tests = tests_;
  e.has_index3 = weights.count(dae::Kind::index3) > 0;
  if (last.outcome == Outcome::residual_failed) e.complaint = guarded.last_complaint();
  if (last.outcome == Outcome::matrix_singular) e.singular = linear.singular_parts().in_words();
  if (last.outcome != Outcome::residual_failed && last.outcome != Outcome::matrix_singular && !e.too_many_steps) {
    const auto [entry, size] = weights.largest(attempt.trial().correction, error.counted(tried));
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
  history.interpolate(history.time(), order_used, y, ydot); // the trial is no state
  e.unset_rows = unset_rows(guarded, e.t, y, ydot);
  if (!wrong_kind && options.check_kinds && !fixed() && last.outcome != Outcome::residual_failed &&
      last.outcome != Outcome::constraint_violated)
    wrong_kind = look_at_kinds(e.t, std::abs(e.first_h));
  if (wrong_kind) e.wrong_kind = {wrong_kind->in_words(), wrong_kind->advice()};
  throw core::SolverGaveUp(explain(e));
}

} // namespace rhumb::bdf
