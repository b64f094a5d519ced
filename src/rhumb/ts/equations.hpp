#pragma once
/// What a program has given its TS to solve: functions, Jacobians, matrices and a preconditioner. They may be others at
/// the next TSSolve, which comparing two of these shows. A change inside a context is not seen: TSRestartStep says it.

#include <array>
#include <petscts.h>
#include <string>

namespace rhumb::ts {

/// Names under which a program composes index sets on the TS: variables of index 1, 2, 3.
inline constexpr std::array kind_sets{"rhumb_algebraic", "rhumb_index2", "rhumb_index3"};

struct TsEquations {
  TSIFunction ifunction = nullptr;
  TSRHSFunction rhs_function = nullptr;
  TSIJacobian ijacobian = nullptr;
  TSRHSJacobian rhs_jacobian = nullptr;
  TSTransientVariable transient = nullptr;
  std::array<void*, 5> contexts{}; ///< of these functions
  /// DM, Amat, Pmat, PC and the index sets of the kinds. An id is not used again, an address may be.
  std::array<PetscObjectId, 4 + kind_sets.size()> objects{};
  std::string preconditioner_type;
  TSEquationType type = TS_EQ_UNSPECIFIED;
  bool operator==(const TsEquations&) const = default;
};

TsEquations equations_of(TS ts);

DM grid_of(TS ts);
Vec solution_of(TS ts);

} // namespace rhumb::ts
