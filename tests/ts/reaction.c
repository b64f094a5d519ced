static char help[] = "Heat with a reaction on a DMDA, u_t = laplace u + lambda exp(u), with a preconditioner of the program.\n";

/* The reaction ends in the steady state of Bratu's problem. The preconditioner is a PCSHELL: some damped Jacobi sweeps. */
#include <petscdmda.h>
#include <petscts.h>

typedef struct {
  PetscReal lambda;
  Mat       matrix;
  Vec       diagonal, work;
  PetscInt  sweeps, setups;
} User;

static PetscErrorCode RHSFunctionLocal(DMDALocalInfo *info, PetscReal t, PetscScalar **u, PetscScalar **f, void *ctx)
{
  User     *user = (User *)ctx;
  PetscReal h    = 1.0 / (PetscReal)(info->mx - 1);
  PetscInt  i, j;

  PetscFunctionBeginUser;
  for (j = info->ys; j < info->ys + info->ym; ++j) {
    for (i = info->xs; i < info->xs + info->xm; ++i) {
      if (i == 0 || j == 0 || i == info->mx - 1 || j == info->my - 1) f[j][i] = 0.0;
      else f[j][i] = (u[j][i - 1] + u[j][i + 1] + u[j - 1][i] + u[j + 1][i] - 4.0 * u[j][i]) / (h * h) + user->lambda * PetscExpScalar(u[j][i]);
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode IFunctionLocal(DMDALocalInfo *info, PetscReal t, PetscScalar **u, PetscScalar **udot, PetscScalar **f, void *ctx)
{
  PetscInt i, j;

  PetscFunctionBeginUser;
  PetscCall(RHSFunctionLocal(info, t, u, f, ctx));
  for (j = info->ys; j < info->ys + info->ym; ++j) {
    for (i = info->xs; i < info->xs + info->xm; ++i) {
      if (i == 0 || j == 0 || i == info->mx - 1 || j == info->my - 1) f[j][i] = u[j][i];
      else f[j][i] = udot[j][i] - f[j][i];
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode ShellSetUp(PC pc)
{
  User *user;
  Mat   A, B;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &user));
  PetscCall(PCGetOperators(pc, &A, &B));
  if (!user->diagonal) {
    PetscCall(MatCreateVecs(B, &user->diagonal, &user->work));
  }
  user->matrix = B;
  PetscCall(MatGetDiagonal(B, user->diagonal));
  user->setups++;
  PetscFunctionReturn(0);
}

static PetscErrorCode ShellApply(PC pc, Vec x, Vec y)
{
  User    *user;
  PetscInt k;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &user));
  PetscCall(VecPointwiseDivide(y, x, user->diagonal));
  for (k = 1; k < user->sweeps; ++k) {
    PetscCall(MatMult(user->matrix, y, user->work));
    PetscCall(VecAYPX(user->work, -1.0, x));
    PetscCall(VecPointwiseDivide(user->work, user->work, user->diagonal));
    PetscCall(VecAXPY(y, 0.8, user->work));
  }
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS        ts;
  DM        da;
  Vec       U;
  SNES      snes;
  KSP       ksp;
  PC        pc;
  User      user = {2.0, NULL, NULL, NULL, 3, 0};
  PetscReal time, largest;
  PetscInt  steps, linear;
  PetscBool shell = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-shell", &shell, NULL));
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 33, 33, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &da));
  PetscCall(DMSetFromOptions(da));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateGlobalVector(da, &U));
  PetscCall(VecSet(U, 0.0));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetDM(ts, da));
  PetscCall(DMDATSSetIFunctionLocal(da, INSERT_VALUES, (DMDATSIFunctionLocal)IFunctionLocal, &user));
  PetscCall(TSSetTolerances(ts, 1e-6, NULL, 1e-6, NULL));
  PetscCall(TSSetMaxTime(ts, 2.0));
  PetscCall(TSSetTimeStep(ts, 1e-4));
  PetscCall(TSSetMaxSteps(ts, 100000));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  if (shell) {
    PetscCall(TSGetSNES(ts, &snes));
    PetscCall(SNESGetKSP(snes, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, &user));
    PetscCall(PCShellSetSetUp(pc, ShellSetUp));
    PetscCall(PCShellSetApply(pc, ShellApply));
  }
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetSolveTime(ts, &time));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(TSGetKSPIterations(ts, &linear));
  PetscCall(VecMax(U, NULL, &largest));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time %.15g steps %" PetscInt_FMT " linear %" PetscInt_FMT "\nlargest %.10g setups %s\n", (double)time, steps, linear, (double)largest, user.setups ? "some" : "none"));
  PetscCall(VecDestroy(&user.diagonal));
  PetscCall(VecDestroy(&user.work));
  PetscCall(VecDestroy(&U));
  PetscCall(TSDestroy(&ts));
  PetscCall(DMDestroy(&da));
  PetscCall(PetscFinalize());
  return 0;
}
