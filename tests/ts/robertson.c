static char help[] = "Robertson's kinetics with conservation of mass as the third equation: a DAE of index 1.\n";

#include <petscts.h>

/* All three unknowns live on the last process, so that with more than one process the others have none. */
static PetscErrorCode IFunction(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  const PetscScalar *u, *udot;
  PetscScalar       *f;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(Udot, &udot));
  PetscCall(VecGetArrayWrite(F, &f));
  if (n) {
    f[0] = udot[0] + 0.04 * u[0] - 1e4 * u[1] * u[2];
    f[1] = udot[1] - 0.04 * u[0] + 1e4 * u[1] * u[2] + 3e7 * u[1] * u[1];
    f[2] = u[0] + u[1] + u[2] - 1.0;
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArrayRead(Udot, &udot));
  PetscCall(VecRestoreArrayWrite(F, &f));
  PetscFunctionReturn(0);
}

static PetscErrorCode IJacobian(TS ts, PetscReal t, Vec U, Vec Udot, PetscReal shift, Mat A, Mat B, void *ctx)
{
  const PetscScalar *u;
  PetscInt           n, rows[3] = {0, 1, 2};

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArrayRead(U, &u));
  if (n) {
    PetscScalar v[9] = {shift + 0.04, -1e4 * u[2], -1e4 * u[1], -0.04, shift + 1e4 * u[2] + 6e7 * u[1], 1e4 * u[1], 1.0, 1.0, 1.0};
    PetscCall(MatSetValues(B, 3, rows, 3, rows, v, INSERT_VALUES));
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS          ts;
  Vec         U, atol;
  Mat         B;
  PetscInt    n, steps, i;
  PetscMPIInt rank, size;
  PetscReal   time;
  PetscScalar start[3] = {1.0, 0.0, 0.0}, tolerance[3] = {1e-8, 1e-14, 1e-6};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  n = rank == size - 1 ? 3 : 0;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, n, n, 3, 3, 3, NULL, 0, NULL, &B));
  PetscCall(MatCreateVecs(B, &U, &atol));
  for (i = 0; i < n; ++i) {
    PetscCall(VecSetValue(U, i, start[i], INSERT_VALUES));
    PetscCall(VecSetValue(atol, i, tolerance[i], INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(U));
  PetscCall(VecAssemblyEnd(U));
  PetscCall(VecAssemblyBegin(atol));
  PetscCall(VecAssemblyEnd(atol));

  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetIFunction(ts, NULL, IFunction, NULL));
  PetscCall(TSSetIJacobian(ts, B, B, IJacobian, NULL));
  PetscCall(TSSetTolerances(ts, PETSC_DECIDE, atol, 1e-6, NULL));
  PetscCall(TSSetMaxTime(ts, 4e10));
  PetscCall(TSSetTimeStep(ts, 1e-6));
  PetscCall(TSSetMaxSteps(ts, 1000000));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetSolveTime(ts, &time));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time %.15g steps %" PetscInt_FMT "\n", (double)time, steps));
  if (n) {
    const PetscScalar *u;
    PetscCall(VecGetArrayRead(U, &u));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "u %.12g %.12g %.12g\n", (double)u[0], (double)u[1], (double)u[2]));
    PetscCall(VecRestoreArrayRead(U, &u));
  }
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&atol));
  PetscCall(MatDestroy(&B));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFinalize());
  return 0;
}
