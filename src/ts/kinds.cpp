#include "ts/kinds.hpp"

#include "core/arrays.hpp"
#include "core/check.hpp"
#include "core/failure.hpp"
#include "ts/settings.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <petsc/private/tsimpl.h>
#include <utility>

namespace rhumb::ts {

using core::check;
using core::Readable;
using core::Writable;
using dae::Kind;

namespace {

/// Probing variables one by one costs a residual each.
constexpr PetscInt most_probes = 200;

/// A number in [1, 2) that belongs to an entry, the same in every run.
double odd_number(PetscInt entry) {
  constexpr double golden = 0.6180339887498949;
  const double x = golden * static_cast<double>(entry + 1);
  return 1.0 + x - std::floor(x);
}

/// Compares residuals at moved points with the one at the start.
class Probe {
public:
  Probe(TS ts, dae::System& system) : system_(system), t_(ts->ptime), y_(core::same_layout(ts->vec_sol)) {
    for (auto* v : {&ydot_, &base_, &moved_, &residual_}) *v = core::same_layout(y_);
    check(VecCopy(ts->vec_sol, y_));
    check(VecGetOwnershipRange(y_, &first_, &last_));
    evaluate(y_, ydot_, base_);
    PetscReal size = 0.0;
    check(VecNorm(base_, NORM_INFINITY, &size));
    if (std::isfinite(size)) step_ = std::max(1.0, static_cast<double>(size)); // never lost in the sum
  }

  PetscInt first() const { return first_; }
  std::size_t local() const { return static_cast<std::size_t>(last_ - first_); }

  /// Rows that change with the udot (or the u) of the chosen local entries.
  template <class Chosen>
  std::vector<bool> rows_with_slopes(Chosen&& chosen) {
    return changed(ydot_, chosen, [&](double) { return step_; });
  }
  template <class Chosen>
  std::vector<bool> rows_with_values(Chosen&& chosen) {
    return changed(y_, chosen, [](double value) { return 1e-4 * std::max(std::abs(value), 1e-2); });
  }

  /// Whether any residual changes when `number`, a counter or step size of the TS, gets another value for a moment.
  template <class Number>
  bool depends_on(Number& number, Number other) {
    const Number kept = std::exchange(number, other);
    evaluate(y_, ydot_, residual_);
    number = kept;
    const Readable before(base_), after(residual_);
    bool changed = false;
    for (std::size_t i = 0; i < before.size(); ++i)
      changed = changed || (std::isfinite(after[i]) && before[i] != after[i]);
    return anywhere(changed);
  }

  bool anywhere(bool here) const { return count(here ? 1 : 0) > 0; }
  bool anywhere(const std::vector<bool>& here) const { return count(here) > 0; }

  /// On all ranks.
  PetscInt count(const std::vector<bool>& here) const { return count(std::ranges::count(here, true)); }
  PetscInt count(std::ptrdiff_t here) const {
    auto sum = static_cast<PetscInt>(here);
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_INT, MPI_SUM,
                                  PetscObjectComm(reinterpret_cast<PetscObject>(y_.get()))));
    return sum;
  }

private:
  void evaluate(Vec y, Vec ydot, Vec out) {
    try {
      system_.residual(t_, y, ydot, out);
    } catch (const core::Recoverable&) {
      std::ranges::fill(Writable(out).span(), std::numeric_limits<double>::quiet_NaN());
    }
  }

  template <class Chosen, class Size>
  std::vector<bool> changed(Vec what, Chosen&& chosen, Size&& size) {
    check(VecCopy(what, moved_));
    {
      const Writable moved(moved_);
      for (std::size_t i = 0; i < moved.size(); ++i)
        if (chosen(i)) moved[i] += size(moved[i]) * odd_number(first_ + static_cast<PetscInt>(i));
    }
    what == ydot_.get() ? evaluate(y_, moved_, residual_) : evaluate(moved_, ydot_, residual_);
    const Readable before(base_), after(residual_);
    std::vector<bool> rows(local());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = !(before[i] == after[i]);
    return rows;
  }

  dae::System& system_;
  double t_;
  core::VecHandle y_, ydot_, base_, moved_, residual_;
  PetscInt first_ = 0, last_ = 0;
  double step_ = 1.0;
};

/// One by one: which variables have no derivative in any equation.
std::vector<bool> variables_without_slope(Probe& probe, PetscInt size) {
  std::vector<bool> answer(probe.local(), false);
  for (PetscInt global = 0; global < size; ++global) {
    const auto here = [&](std::size_t i) { return probe.first() + static_cast<PetscInt>(i) == global; };
    const auto rows = probe.rows_with_slopes(here);
    const bool used = probe.anywhere(rows);
    for (std::size_t i = 0; i < answer.size(); ++i)
      if (here(i)) answer[i] = !used;
  }
  return answer;
}

Kind highest_by_type(TSEquationType type) {
  if (type == TS_EQ_DAE_SEMI_EXPLICIT_INDEX3 || type == TS_EQ_DAE_IMPLICIT_INDEX3) return Kind::index3;
  if (type == TS_EQ_DAE_SEMI_EXPLICIT_INDEX1 || type == TS_EQ_DAE_IMPLICIT_INDEX1) return Kind::index1;
  return Kind::index2;
}

/// A residual that holds the step number or, without any udot, the step size is no function of (t, u, udot).
void refuse_schemes_of_the_program(TS ts, Probe& probe, PetscInt differential) {
  if (has_fixed_step(ts)) return;
  if (probe.depends_on(ts->steps, ts->steps + 1))
    throw core::BadInput("the residual depends on the number of the step (TSGetStepNumber), so that it has a meaning "
                         "for steps of -ts_dt only: use -ts_adapt_type none");
  if (differential == 0 && probe.depends_on(ts->time_step, 2.0 * ts->time_step))
    throw core::BadInput("the residual holds no udot but depends on the time step (TSGetTimeStep): the program has a "
                         "difference scheme of its own, for steps of -ts_dt only: use -ts_adapt_type none");
}

Kinds detect(TS ts, dae::System& system) {
  Probe probe(ts, system);
  const auto everything = [](std::size_t) { return true; };
  std::vector<bool> constraint = probe.rows_with_slopes(everything);
  refuse_schemes_of_the_program(ts, probe, probe.count(constraint));
  constraint.flip();
  Kinds kinds;
  if (!probe.anywhere(constraint)) return kinds;
  kinds.source = "detected from the residual";

  std::vector<bool> algebraic = constraint;
  const auto rows = probe.rows_with_slopes([&](std::size_t i) { return algebraic[i]; });
  PetscInt size = 0;
  check(VecGetSize(ts->vec_sol, &size));
  if (probe.anywhere(rows) && size <= most_probes) algebraic = variables_without_slope(probe, size);

  const Kind highest = highest_by_type(ts->equation_type);
  const auto with_algebraic = probe.rows_with_values([&](std::size_t i) { return algebraic[i]; });
  kinds.variable.assign(probe.local(), Kind::differential);
  kinds.equation = kinds.variable;
  for (std::size_t i = 0; i < constraint.size(); ++i)
    if (constraint[i]) kinds.equation[i] = with_algebraic[i] ? Kind::index1 : highest;

  // An algebraic variable is of higher index when no constraint holds it: those with the numbers of index-2 rows if
  // that is so, else all.
  const auto candidate = [&](std::size_t i) { return algebraic[i] && kinds.equation[i] > Kind::index1; };
  const auto held = probe.rows_with_values(candidate);
  bool own_numbers = true, any_higher = false;
  for (std::size_t i = 0; i < constraint.size(); ++i) {
    if (constraint[i] && held[i]) own_numbers = false;
    if (kinds.equation[i] > Kind::index1) any_higher = true;
    if (kinds.equation[i] > Kind::index1 && !algebraic[i]) own_numbers = false;
  }
  own_numbers = !probe.anywhere(!own_numbers);
  any_higher = probe.anywhere(any_higher);
  for (std::size_t i = 0; i < algebraic.size(); ++i)
    if (algebraic[i]) kinds.variable[i] = any_higher && (!own_numbers || candidate(i)) ? highest : Kind::index1;
  return kinds;
}

/// The global numbers of an index set composed on the TS, those of this rank.
std::vector<PetscInt> composed(TS ts, const char* name) {
  PetscObject object = nullptr;
  check(PetscObjectQuery(reinterpret_cast<PetscObject>(ts), name, &object));
  if (!object) return {};
  auto* set = reinterpret_cast<IS>(object);
  PetscInt count = 0;
  const PetscInt* numbers = nullptr;
  check(ISGetLocalSize(set, &count));
  check(ISGetIndices(set, &numbers));
  std::vector<PetscInt> list(numbers, numbers + count);
  check(ISRestoreIndices(set, &numbers));
  return list;
}

struct Named {
  Kind kind;
  const char* set;
  const std::vector<PetscInt>& option;
};

/// What the program or the command line says; empty when they say nothing.
Kinds given(TS ts, const Settings& settings) {
  const std::array names{Named{Kind::index1, "rhumb_algebraic", settings.algebraic},
                         Named{Kind::index2, "rhumb_index2", settings.index2},
                         Named{Kind::index3, "rhumb_index3", settings.index3}};
  PetscInt first = 0, last = 0, size = 0;
  check(VecGetOwnershipRange(ts->vec_sol, &first, &last));
  check(VecGetSize(ts->vec_sol, &size));
  Kinds kinds;
  for (const auto& [kind, set, option] : names) {
    PetscObject object = nullptr;
    check(PetscObjectQuery(reinterpret_cast<PetscObject>(ts), set, &object));
    const auto list = object ? composed(ts, set) : option;
    if (!object && option.empty()) continue;
    kinds.source = object ? "given as index sets" : "given as options";
    kinds.variable.resize(static_cast<std::size_t>(last - first), Kind::differential);
    for (const PetscInt number : list) {
      if (number < 0 || number >= size)
        throw core::BadInput(
            fmt::format("{}: there is no variable {}; numbers go from 0 to {}", set, number, size - 1));
      if (number >= first && number < last) kinds.variable[static_cast<std::size_t>(number - first)] = kind;
    }
  }
  kinds.equation = kinds.variable;
  return kinds;
}

bool is_ode(TS ts) {
  TSIFunction function = nullptr;
  check(DMTSGetIFunction(ts->dm, &function, nullptr));
  return !function || ts->equation_type == TS_EQ_ODE_EXPLICIT || ts->equation_type == TS_EQ_ODE_IMPLICIT;
}

} // namespace

Kinds find_kinds(TS ts, dae::System& system, const Settings& settings) {
  Kinds kinds = given(ts, settings);
  if (kinds.source != Kinds{}.source || is_ode(ts)) return kinds;
  return detect(ts, system);
}

} // namespace rhumb::ts
