#include <rhumb/ts/preconditioner.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/guard.hpp>
#include <rhumb/ts/equations.hpp>
#include <petscdmshell.h>

namespace rhumb::ts {

using core::check;
using core::guard;

namespace {

UserPreconditioner* self_of(PC outer) {
  void* context = nullptr;
  check(PCShellGetContext(outer, &context));
  return static_cast<UserPreconditioner*>(context);
}

bool is_one_of(PC pc, const char* first, const char* second, const char* third) {
  PetscBool answer = PETSC_FALSE;
  check(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(pc), &answer, first, second, third, ""));
  return answer == PETSC_TRUE;
}

/// LU as the program asked for it, with the package that it named.
void copy_factorization(PC from, PC to) {
  PCType type = nullptr;
  MatSolverType package = nullptr;
  check(PCGetType(from, &type));
  check(PCSetType(to, type));
  check(PCFactorGetMatSolverType(from, &package));
  if (package) check(PCFactorSetMatSolverType(to, package));
}

/// Multigrid takes its levels from the DM; coarse operators come from the fine one.
void give_grid(TS ts, PC pc) {
  DM known = nullptr, dm = grid_of(ts);
  PetscBool shell = PETSC_FALSE;
  check(PCGetDM(pc, &known));
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(dm), DMSHELL, &shell));
  if (!known && !shell) check(PCSetDM(pc, dm));
  if (!is_one_of(pc, PCMG, "", "")) return;
  PCMGGalerkinType galerkin = PC_MG_GALERKIN_NONE;
  check(PCMGGetGalerkin(pc, &galerkin));
  if (galerkin == PC_MG_GALERKIN_NONE) check(PCMGSetGalerkin(pc, PC_MG_GALERKIN_BOTH));
}

} // namespace

bool UserPreconditioner::adopt(TS ts, PC outer, Mat action, Mat matrix) {
  SNES snes = nullptr;
  KSP ksp = nullptr;
  PCType type = nullptr;
  check(TSGetSNES(ts, &snes));
  check(SNESGetKSP(snes, &ksp));
  check(KSPGetPC(ksp, &user_));
  check(PCGetType(user_, &type));
  if (!type || is_one_of(user_, PCILU, PCICC, PCBJACOBI)) return false;
  if (is_one_of(user_, PCLU, PCCHOLESKY, "")) {
    copy_factorization(user_, outer);
    return true;
  }
  type_ = type;
  action_ = action;
  matrix_ = matrix;
  give_grid(ts, user_);
  // The program's PC has read -pc_* already; the wrapper must not.
  check(PCSetOptionsPrefix(outer, "ts_rhumb_wrapper_"));
  check(PCSetType(outer, PCSHELL));
  check(PCShellSetName(outer, type));
  check(PCShellSetContext(outer, this));
  check(PCShellSetSetUp(outer, &UserPreconditioner::set_up));
  check(PCShellSetApply(outer, &UserPreconditioner::apply));
  return true;
}

PetscErrorCode UserPreconditioner::set_up(PC outer) {
  return guard([&] {
    auto* self = self_of(outer);
    check(PCSetOperators(self->user_, self->action_, self->matrix_));
    check(PCSetUp(self->user_));
  });
}

PetscErrorCode UserPreconditioner::apply(PC outer, Vec in, Vec out) {
  return guard([&] { check(PCApply(self_of(outer)->user_, in, out)); });
}

} // namespace rhumb::ts
