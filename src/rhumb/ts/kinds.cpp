#include <rhumb/ts/kinds.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/ts/equations.hpp>
#include <rhumb/ts/probe.hpp>
#include <rhumb/ts/settings.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace rhumb::ts {

using core::check;
using dae::Kind;

namespace {

/// Probing variables one by one costs a residual each.
constexpr PetscInt most_probes = 200;
/// Of `variables_reached`, a residual each: entries of a mass matrix are followed from row to row.
constexpr int most_layers = 10;

/// The rows that hold the udot of each variable, found one by one. Empty where variable i belongs to equation i, or
/// where there are too many variables.
using RatePattern = std::vector<std::vector<bool>>;

/// The local index of a variable, where it is on this rank.
std::optional<std::size_t> local_index(const Probe& probe, std::size_t global) {
  const auto first = static_cast<std::size_t>(probe.first());
  if (global < first || global >= first + probe.local()) return std::nullopt;
  return global - first;
}

RatePattern rate_pattern(Probe& probe, PetscInt size) {
  RatePattern pattern;
  for (std::size_t global = 0; global < static_cast<std::size_t>(size); ++global) {
    std::vector<bool> chosen(probe.local(), false);
    if (const auto local = local_index(probe, global)) chosen[*local] = true;
    pattern.push_back(probe.rows_with_rates(chosen));
  }
  return pattern;
}

std::vector<bool> variables_without_rate(const Probe& probe, const RatePattern& pattern) {
  std::vector<bool> answer(probe.local(), false);
  for (std::size_t global = 0; global < pattern.size(); ++global) {
    const bool used = probe.anywhere(pattern[global]);
    if (const auto local = local_index(probe, global)) answer[*local] = !used;
  }
  return answer;
}

Kind highest_by_type(TSEquationType type) {
  if (type == TS_EQ_DAE_SEMI_EXPLICIT_INDEX3 || type == TS_EQ_DAE_IMPLICIT_INDEX3) return Kind::index3;
  if (type == TS_EQ_DAE_SEMI_EXPLICIT_INDEX1 || type == TS_EQ_DAE_IMPLICIT_INDEX1) return Kind::index1;
  return Kind::index2;
}

/// A residual that holds the step number or, without any udot, the step size is no function of (t, u, udot).
void reject_schemes_of_the_program(TS ts, Probe& probe, PetscInt differential) {
  if (has_fixed_step(ts)) return;
  PetscInt step = 0;
  PetscReal size = 0.0;
  check(TSGetStepNumber(ts, &step));
  check(TSGetTimeStep(ts, &size));
  if (probe.depends_on(step, step + 1, [ts](PetscInt n) { check(TSSetStepNumber(ts, n)); }))
    throw core::BadInput("the residual depends on the number of the step (TSGetStepNumber), so that it has a meaning "
                         "for steps of -ts_dt only: use -ts_adapt_type none");
  if (differential == 0 && probe.depends_on(size, 2.0 * size, [ts](PetscReal h) { check(TSSetTimeStep(ts, h)); }))
    throw core::BadInput("the residual holds no udot but depends on the time step (TSGetTimeStep): the program has a "
                         "difference scheme of its own, for steps of -ts_dt only: use -ts_adapt_type none");
}

/// The variables x of which x' may change when `rows` of M x' + ... do. Rows are added in which x' of these variables
/// stand: then M is block triangular, and no other x' changes. Nothing where that does not come to an end.
std::optional<std::vector<bool>> variables_reached(Probe& probe, std::vector<bool> rows, const RatePattern& pattern) {
  std::vector<bool> variables = rows; // variable i belongs to equation i
  const auto add = [&rows](const std::vector<bool>& others) {
    bool more = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      more = more || (others[i] && !rows[i]);
      rows[i] = rows[i] || others[i];
    }
    return more;
  };
  for (int layer = 0; layer < most_layers; ++layer) {
    bool more = false;
    if (pattern.empty()) {
      more = add(probe.rows_with_rates(variables));
      variables = rows;
    } else {
      variables.assign(rows.size(), false);
      for (std::size_t global = 0; global < pattern.size(); ++global) {
        bool stands_there = false;
        for (std::size_t i = 0; i < rows.size(); ++i) stands_there = stands_there || (rows[i] && pattern[global][i]);
        if (!probe.anywhere(stands_there)) continue;
        if (const auto local = local_index(probe, global)) variables[*local] = true;
        more = add(pattern[global]) || more;
      }
    }
    if (!probe.anywhere(more)) return variables;
  }
  return std::nullopt;
}

/// Of the constraints 0 = g(t, x), those whose derivative g_t + g_x x' no algebraic variable z can change, so that one
/// differentiation is not enough: index 2 asks for a regular g_x M^-1 F_z (BCP definition 2.4.4).
/// Beside the start, for at the start itself g_x may be zero by chance.
std::vector<bool> rows_of_index_three(Probe& probe, const std::vector<bool>& constraint,
                                      const std::vector<bool>& algebraic, const std::vector<bool>& candidate,
                                      const RatePattern& pattern) {
  probe.step_aside();
  const auto with_algebraic = probe.rows_with_values(algebraic);
  std::vector<bool> changed(constraint.size()), answer(constraint.size(), false);
  for (std::size_t i = 0; i < changed.size(); ++i) changed[i] = with_algebraic[i] && !constraint[i];
  const auto reached = variables_reached(probe, changed, pattern);
  if (!reached) return answer;
  const auto held = probe.rows_with_values(*reached);
  for (std::size_t i = 0; i < answer.size(); ++i) answer[i] = candidate[i] && !held[i] && !with_algebraic[i];
  if (!probe.anywhere(answer)) return answer;
  // A row that nothing changes is of no index; the integrator will say that its matrix is singular.
  const auto not_empty = probe.rows_with_values(std::vector<bool>(probe.local(), true));
  for (std::size_t i = 0; i < answer.size(); ++i) answer[i] = answer[i] && not_empty[i];
  return answer;
}

Kinds detect(TS ts, dae::System& system) {
  Probe probe(ts, system);
  std::vector<bool> constraint = probe.rows_with_rates(std::vector<bool>(probe.local(), true));
  reject_schemes_of_the_program(ts, probe, probe.count(constraint));
  constraint.flip();
  Kinds kinds;
  kinds.detected = true;
  if (!probe.anywhere(constraint)) return kinds;
  kinds.source = "detected from the residual";

  std::vector<bool> algebraic = constraint;
  PetscInt size = 0;
  check(VecGetSize(solution_of(ts), &size));
  const bool paired = !probe.anywhere(probe.rows_with_rates(algebraic));
  RatePattern pattern;
  if (!paired && size <= most_probes) {
    pattern = rate_pattern(probe, size);
    algebraic = variables_without_rate(probe, pattern);
  }

  Kind highest = highest_by_type(equations_of(ts).type);
  const auto with_algebraic = probe.rows_with_values(algebraic);
  kinds.variable.assign(probe.local(), Kind::differential);
  kinds.equation = kinds.variable;
  std::vector<bool> higher(probe.local(), false);
  for (std::size_t i = 0; i < constraint.size(); ++i) {
    if (constraint[i]) kinds.equation[i] = with_algebraic[i] ? Kind::index1 : highest;
    higher[i] = kinds.equation[i] > Kind::index1;
  }
  // An algebraic variable is of higher index when no constraint holds it: those with the numbers of index-2 rows if
  // that is so, else all.
  std::vector<bool> candidate(probe.local());
  for (std::size_t i = 0; i < candidate.size(); ++i) candidate[i] = algebraic[i] && higher[i];
  const auto held = probe.rows_with_values(candidate);
  bool owned_indices = true;
  for (std::size_t i = 0; i < constraint.size(); ++i)
    if ((constraint[i] && held[i]) || (higher[i] && !algebraic[i])) owned_indices = false;
  owned_indices = !probe.anywhere(!owned_indices);
  const bool any_higher = probe.anywhere(higher);
  // M is not square where the derivatives of fewer equations determine more variables.
  const bool square = probe.count(algebraic) == probe.count(constraint);
  if (any_higher && highest == Kind::index2 && square && (paired || !pattern.empty())) {
    const auto index3 = rows_of_index_three(probe, constraint, algebraic, higher, pattern);
    for (std::size_t i = 0; i < index3.size(); ++i)
      if (index3[i]) kinds.equation[i] = Kind::index3;
    if (probe.anywhere(index3)) highest = Kind::index3;
  }
  for (std::size_t i = 0; i < algebraic.size(); ++i) {
    if (!algebraic[i]) continue;
    kinds.variable[i] = owned_indices ? std::max(kinds.equation[i], Kind::index1) : any_higher ? highest : Kind::index1;
  }
  return kinds;
}

/// Whether the same rows hold a udot, and those of higher index still no algebraic variable. An event may change that.
bool still_hold(TS ts, dae::System& system, const Kinds& known) {
  Probe probe(ts, system);
  const auto differential = probe.rows_with_rates(std::vector<bool>(probe.local(), true));
  if (known.equation.empty()) return !probe.anywhere(std::ranges::find(differential, false) != differential.end());
  std::vector<bool> algebraic(probe.local());
  for (std::size_t i = 0; i < algebraic.size(); ++i) algebraic[i] = known.variable[i] != Kind::differential;
  const auto with_algebraic = probe.rows_with_values(algebraic);
  bool changed = false;
  for (std::size_t i = 0; i < algebraic.size(); ++i) {
    changed = changed || differential[i] != (known.equation[i] == Kind::differential);
    if (known.equation[i] != Kind::differential)
      changed = changed || with_algebraic[i] != (known.equation[i] == Kind::index1);
  }
  return !probe.anywhere(changed);
}

/// The global numbers of an index set composed on the TS, those of this rank.
std::vector<PetscInt> composed(TS ts, const char* name) {
  PetscObject object = nullptr;
  check(PetscObjectQuery(reinterpret_cast<PetscObject>(ts), name, &object));
  if (!object) return {};
  auto* set = reinterpret_cast<IS>(object);
  PetscInt count = 0;
  const PetscInt* indices = nullptr;
  check(ISGetLocalSize(set, &count));
  check(ISGetIndices(set, &indices));
  std::vector<PetscInt> list(indices, indices + count);
  check(ISRestoreIndices(set, &indices));
  return list;
}

struct Named {
  Kind kind;
  const char* set;
  const std::vector<PetscInt>& option;
};

/// What the program or the command line says; empty when they say nothing.
Kinds given(TS ts, const TsSettings& settings) {
  const std::array names{Named{Kind::index1, kind_sets[0], settings.algebraic},
                         Named{Kind::index2, kind_sets[1], settings.index2},
                         Named{Kind::index3, kind_sets[2], settings.index3}};
  PetscInt first = 0, last = 0, size = 0;
  check(VecGetOwnershipRange(solution_of(ts), &first, &last));
  check(VecGetSize(solution_of(ts), &size));
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
      if (number >= first && number < last) kinds.variable[number - first] = kind;
    }
  }
  kinds.equation = kinds.variable;
  return kinds;
}

bool is_ode(TS ts) {
  const TsEquations e = equations_of(ts);
  return !e.ifunction || e.type == TS_EQ_ODE_EXPLICIT || e.type == TS_EQ_ODE_IMPLICIT;
}

} // namespace

Kinds find_kinds(TS ts, dae::System& system, const TsSettings& settings, const Kinds& known) {
  Kinds kinds = given(ts, settings);
  if (kinds.source != Kinds{}.source || is_ode(ts)) return kinds;
  return known.detected && still_hold(ts, system, known) ? known : detect(ts, system);
}

} // namespace rhumb::ts
