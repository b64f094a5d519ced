static char help[] = "A DAE of index 2 without a Jacobian: motion on a circle, whose multiplier keeps the velocity tangent.\n";

/* x' = -y - x z,  y' = x - y z,  0 = x^2 + y^2 - 1, with the exact solution x = cos t, y = sin t, z = 0; a pair of such
   circles per process, driven so that z = sin t: x' = -y - x (z - sin t). */
#include <petscts.h>

static PetscErrorCode IFunction(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  const PetscScalar *u, *udot;
  PetscScalar       *f;
  PetscInt           n, i;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(Udot, &udot));
  PetscCall(VecGetArrayWrite(F, &f));
  for (i = 0; i < n; i += 3) {
    f[i]     = udot[i] + u[i + 1] + u[i] * (u[i + 2] - PetscSinReal(t));
    f[i + 1] = udot[i + 1] - u[i] + u[i + 1] * (u[i + 2] - PetscSinReal(t));
    f[i + 2] = u[i] * u[i] + u[i + 1] * u[i + 1] - 1.0;
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArrayRead(Udot, &udot));
  PetscCall(VecRestoreArrayWrite(F, &f));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS          ts;
  Vec         U;
  PetscScalar *u;
  PetscInt    n, i, steps;
  PetscReal   time, worst[2] = {0.0, 0.0};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 6, PETSC_DETERMINE, &U));
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecSet(U, 0.0));
  PetscCall(VecGetArray(U, &u));
  for (i = 0; i < n; i += 3) u[i] = 1.0;
  PetscCall(VecRestoreArray(U, &u));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetIFunction(ts, NULL, IFunction, NULL));
  PetscCall(TSSetTolerances(ts, 1e-7, NULL, 1e-7, NULL));
  PetscCall(TSSetMaxTime(ts, 10.0));
  PetscCall(TSSetTimeStep(ts, 1e-3));
  PetscCall(TSSetMaxSteps(ts, 100000));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetSolveTime(ts, &time));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(VecGetArray(U, &u));
  for (i = 0; i < n; i += 3) {
    worst[0] = PetscMax(worst[0], PetscAbsReal(PetscRealPart(u[i]) - PetscCosReal(time)));
    worst[0] = PetscMax(worst[0], PetscAbsReal(PetscRealPart(u[i + 1]) - PetscSinReal(time)));
    worst[1] = PetscMax(worst[1], PetscAbsReal(PetscRealPart(u[i + 2]) - PetscSinReal(time)));
  }
  PetscCall(VecRestoreArray(U, &u));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, worst, 2, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time %.15g steps %" PetscInt_FMT "\nerrors %.6g %.6g\n", (double)time, steps, (double)worst[0], (double)worst[1]));
  PetscCall(VecDestroy(&U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFinalize());
  return 0;
}
