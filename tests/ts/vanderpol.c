static char help[] = "Van der Pol's oscillator, u'' = mu (1 - u^2) u' - u, as an ODE with a right-hand side.\n";

#include <petscts.h>

typedef struct {
  PetscReal mu;
} User;

static PetscErrorCode RHSFunction(TS ts, PetscReal t, Vec U, Vec F, void *ctx)
{
  User              *user = (User *)ctx;
  const PetscScalar *u;
  PetscScalar       *f;
  PetscInt           first, last, i;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(U, &first, &last));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArray(F, &f));
  /* pairs (u, u') never straddle two processes */
  for (i = 0; i < last - first; i += 2) {
    f[i]     = u[i + 1];
    f[i + 1] = user->mu * (1.0 - u[i] * u[i]) * u[i + 1] - u[i];
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArray(F, &f));
  PetscFunctionReturn(0);
}

static PetscErrorCode RHSJacobian(TS ts, PetscReal t, Vec U, Mat A, Mat B, void *ctx)
{
  User              *user = (User *)ctx;
  const PetscScalar *u;
  PetscInt           first, last, i;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(U, &first, &last));
  PetscCall(VecGetArrayRead(U, &u));
  for (i = 0; i < last - first; i += 2) {
    PetscInt    rows[2] = {first + i, first + i + 1};
    PetscScalar v[4]    = {0.0, 1.0, -2.0 * user->mu * u[i] * u[i + 1] - 1.0, user->mu * (1.0 - u[i] * u[i])};
    PetscCall(MatSetValues(B, 2, rows, 2, rows, v, INSERT_VALUES));
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  if (A != B) {
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS                 ts;
  Vec                U;
  Mat                A;
  User               user = {100.0};
  PetscScalar       *u;
  PetscReal          time;
  PetscInt           i, n, steps;
  PetscMPIInt        size;
  TSConvergedReason  reason;
  const PetscScalar *answer;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-mu", &user.mu, NULL));

  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, 2, NULL, 0, NULL, &A));
  PetscCall(MatCreateVecs(A, &U, NULL));
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArray(U, &u));
  for (i = 0; i < n; i += 2) {
    u[i]     = 2.0;
    u[i + 1] = 0.0;
  }
  PetscCall(VecRestoreArray(U, &u));

  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSBDF));
  PetscCall(TSSetRHSFunction(ts, NULL, RHSFunction, &user));
  PetscCall(TSSetRHSJacobian(ts, A, A, RHSJacobian, &user));
  PetscCall(TSSetMaxTime(ts, 100.0));
  PetscCall(TSSetTimeStep(ts, 0.01));
  PetscCall(TSSetMaxSteps(ts, 1000000));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_INTERPOLATE));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));

  PetscCall(TSGetSolveTime(ts, &time));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(TSGetConvergedReason(ts, &reason));
  PetscCall(VecGetArrayRead(U, &answer));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time %.15g steps %" PetscInt_FMT " reason %s\nu %.12g %.12g\n", (double)time, steps, TSConvergedReasons[reason], (double)answer[0], (double)answer[1]));
  PetscCall(VecRestoreArrayRead(U, &answer));
  PetscCall(VecDestroy(&U));
  PetscCall(MatDestroy(&A));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFinalize());
  return 0;
}
