static char help[] = "u_t = u_xx + 50 u (1 - u), periodic, with a matrix to multiply by and another one for the preconditioner (-two).\n";

#include <petscts.h>

static PetscInt setups = 0;

static PetscErrorCode Reaction(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  const PetscScalar *u, *d;
  PetscScalar       *f;
  PetscInt           n, i;

  PetscFunctionBeginUser;
  PetscCall(VecGetSize(U, &n));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(Udot, &d));
  PetscCall(VecGetArrayWrite(F, &f));
  for (i = 0; i < n; ++i) f[i] = d[i] - n * n * (u[(i + n - 1) % n] - 2.0 * u[i] + u[(i + 1) % n]) - 50.0 * u[i] * (1.0 - u[i]);
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArrayRead(Udot, &d));
  PetscCall(VecRestoreArrayWrite(F, &f));
  PetscFunctionReturn(0);
}

static PetscErrorCode Fill(Mat M, Vec U, PetscReal shift)
{
  const PetscScalar *u;
  PetscInt           n, i;

  PetscFunctionBeginUser;
  PetscCall(VecGetSize(U, &n));
  PetscCall(VecGetArrayRead(U, &u));
  for (i = 0; i < n; ++i) {
    const PetscInt    columns[3] = {(i + n - 1) % n, i, (i + 1) % n};
    const PetscScalar values[3]  = {-n * n, shift + 2.0 * n * n - 50.0 * (1.0 - 2.0 * u[i]), -n * n};
    PetscCall(MatSetValues(M, 1, &i, 3, columns, values, INSERT_VALUES));
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode Jacobian(TS ts, PetscReal t, Vec U, Vec Udot, PetscReal shift, Mat A, Mat P, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(Fill(P, U, shift));
  if (A != P) PetscCall(Fill(A, U, shift));
  PetscFunctionReturn(0);
}

/* PETSc calls it where the preconditioner is made anew. */
static PetscErrorCode CountSetups(PC pc)
{
  PetscFunctionBeginUser;
  setups++;
  PetscFunctionReturn(0);
}

static PetscErrorCode Diagonal(PC pc, Vec in, Vec out)
{
  Mat P;
  Vec diagonal;

  PetscFunctionBeginUser;
  PetscCall(PCGetOperators(pc, NULL, &P));
  PetscCall(VecDuplicate(in, &diagonal));
  PetscCall(MatGetDiagonal(P, diagonal));
  PetscCall(VecPointwiseDivide(out, in, diagonal));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS          ts;
  SNES        snes;
  KSP         ksp;
  PC          pc;
  Mat         A, P;
  Vec         U;
  PetscScalar *u;
  PetscInt    n = 64, i, steps, newton, linear;
  PetscBool   two = PETSC_FALSE, shell = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-two", &two, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-shell", &shell, NULL));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &U));
  PetscCall(VecGetArrayWrite(U, &u));
  for (i = 0; i < n; ++i) u[i] = 0.1 + 0.05 * PetscSinReal(2.0 * PETSC_PI * i / n);
  PetscCall(VecRestoreArrayWrite(U, &u));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, &P));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, &A));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetIFunction(ts, NULL, Reaction, NULL));
  PetscCall(TSSetIJacobian(ts, two ? A : P, P, Jacobian, NULL));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(TSSetMaxTime(ts, 0.2));
  PetscCall(TSSetTimeStep(ts, 1e-4));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetTolerances(ts, 1e-8, NULL, 1e-8, NULL));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  if (shell) {
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetSetUp(pc, CountSetups));
    PetscCall(PCShellSetApply(pc, Diagonal));
  }
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(TSGetSNESIterations(ts, &newton));
  PetscCall(TSGetKSPIterations(ts, &linear));
  PetscCall(VecGetArray(U, &u));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "steps %" PetscInt_FMT "\nnewton %" PetscInt_FMT "\nlinear %" PetscInt_FMT "\nsetups %" PetscInt_FMT "\nu %.10g\n", steps, newton, linear, setups, (double)PetscRealPart(u[16])));
  PetscCall(VecRestoreArray(U, &u));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  PetscCall(VecDestroy(&U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFinalize());
  return 0;
}
