#include <rhumb/run/petsc_refusal.hpp>

#include <algorithm>
#include <array>
#include <petscsys.h>

namespace rhumb::run {

namespace {
/// Whether the user chose some part of the linear solver.
bool solver_was_chosen() {
  char* text = nullptr;
  core::check(PetscOptionsGetAll(nullptr, &text));
  const std::string all = text ? text : "";
  core::check(PetscFree(text));
  return all.find("pc_") != std::string::npos || all.find("ksp_") != std::string::npos;
}
} // namespace

bool blames_input(const core::LibraryError& error) {
  // A preconditioner that this system does not suit says so in many ways: what it needs is missing, or comes too late.
  constexpr std::array of_solvers{PETSC_ERR_ORDER,        PETSC_ERR_ARG_WRONGSTATE,  PETSC_ERR_ARG_NULL,
                                  PETSC_ERR_ARG_SIZ,      PETSC_ERR_ARG_NOTSAMETYPE, PETSC_ERR_PLIB,
                                  PETSC_ERR_MAT_LU_ZRPVT, PETSC_ERR_MAT_CH_ZRPVT,    PETSC_ERR_LIB};
  if (std::ranges::find(of_solvers, error.code()) != of_solvers.end()) return solver_was_chosen();
  constexpr std::array codes{PETSC_ERR_ARG_UNKNOWN_TYPE,
                             PETSC_ERR_ARG_OUTOFRANGE,
                             PETSC_ERR_ARG_WRONG,
                             PETSC_ERR_ARG_INCOMP,
                             PETSC_ERR_SUP,
                             PETSC_ERR_SUP_SYS,
                             PETSC_ERR_USER,
                             PETSC_ERR_USER_INPUT,
                             PETSC_ERR_MISSING_FACTOR};
  return std::ranges::find(codes, error.code()) != codes.end();
}

} // namespace rhumb::run
