#include <rhumb/ts/refusals.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/ts/equations.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

namespace rhumb::ts {

using core::check;

void reject_what_is_not_offered(TS ts) {
  TSIFunction implicit = nullptr;
  TSRHSFunction explicit_part = nullptr;
  TSI2Function second_order = nullptr;
  DM dm = grid_of(ts);
  Vec velocity = nullptr;
  check(DMTSGetIFunction(dm, &implicit, nullptr));
  check(DMTSGetRHSFunction(dm, &explicit_part, nullptr));
  check(DMTSGetI2Function(dm, &second_order, nullptr));
  check(TS2GetSolution(ts, nullptr, &velocity));
  if (second_order || velocity)
    throw core::BadInput("TS type rhumb solves equations of first order: TSSetI2Function and TS2SetSolution are not "
                         "offered. Write u' = v as equations of their own, with TSSetIFunction");
  if (!implicit && !explicit_part)
    throw core::BadInput(
        "the program has set neither TSSetIFunction nor TSSetRHSFunction for TS type rhumb. If it sets "
        "them by the name of the TS type, it must be taught this one");
}

void report_unused_options(TS ts) {
  constexpr const char* of_newton =
      "a linear solution must keep Newton's tolerance; nearest: -ts_rhumb_linear_tolerance, -ksp_max_it";
  constexpr std::array<std::pair<const char*, const char*>, 4> unused{
      {{"-ksp_rtol", of_newton},
       {"-ksp_atol", of_newton},
       {"-ksp_divtol", of_newton},
       {"-ts_adapt_dt_min", "a step is as short as the error test asks; nearest: -ts_rtol, -ts_atol"}}};
  for (const auto& [name, why] : unused)
    if (option_given(ts, name))
      check(PetscFPrintf(PetscObjectComm(reinterpret_cast<PetscObject>(ts)), PETSC_STDERR,
                         "TS type rhumb: option %s has no effect: %s\n", name, why));
}

void reject_index_three(TS ts, const TsSettings& settings, const Kinds& kinds) {
  if (has_fixed_step(ts) || settings.error_test == bdf::ErrorTest::projected) return;
  PetscInt first = 0;
  check(VecGetOwnershipRange(solution_of(ts), &first, nullptr));
  constexpr PetscInt none = std::numeric_limits<PetscInt>::max();
  const auto found = std::ranges::find(kinds.variable, dae::Kind::index3);
  PetscInt variable =
      found == kinds.variable.end() ? none : first + static_cast<PetscInt>(found - kinds.variable.begin());
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, &variable, 1, MPIU_INT, MPI_MIN, PetscObjectComm(reinterpret_cast<PetscObject>(ts))));
  if (variable == none) return;
  throw core::BadInput(fmt::format(
      "variable {} is of index 3 or higher ({}): with variable steps its error estimate does not go to zero with the "
      "step, and a run would crawl to wrong numbers. Try: the constraint differentiated once (index 2, or stabilized); "
      "steps of a fixed size, for which BDF converges (-ts_adapt_type none -ts_dt H -ts_rhumb_max_order K); or, for a "
      "mechanical system, -ts_rhumb_error_test projected",
      variable, kinds.source));
}

} // namespace rhumb::ts
