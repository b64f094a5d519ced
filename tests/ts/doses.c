static char help[] = "Decay with doses, u' = -u: TSSolve is called again after each dose; -transient writes it for c(u) = u^2.\n";

#include <petscts.h>

static PetscErrorCode IFunction(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(F, 1.0, U, Udot));
  PetscFunctionReturn(0);
}

/* c = u^2, c' = 2 u u' = -2 u^2 */
static PetscErrorCode TransientVariable(TS ts, Vec U, Vec C, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(VecPointwiseMult(C, U, U));
  PetscFunctionReturn(0);
}

static PetscErrorCode TransientIFunction(TS ts, PetscReal t, Vec U, Vec Cdot, Vec F, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(VecPointwiseMult(F, U, U));
  PetscCall(VecAYPX(F, 2.0, Cdot));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS        ts;
  Vec       U;
  PetscInt  k;
  PetscBool transient = PETSC_FALSE;
  PetscReal largest;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-transient", &transient, NULL));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 2, PETSC_DETERMINE, &U));
  PetscCall(VecSet(U, 1.0));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  if (transient) {
    PetscCall(TSSetTransientVariable(ts, TransientVariable, NULL));
    PetscCall(TSSetIFunction(ts, NULL, TransientIFunction, NULL));
  } else {
    PetscCall(TSSetIFunction(ts, NULL, IFunction, NULL));
  }
  PetscCall(TSSetTolerances(ts, 1e-7, NULL, 1e-7, NULL));
  PetscCall(TSSetTimeStep(ts, 1e-3));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  for (k = 1; k <= 3; ++k) {
    PetscCall(TSSetMaxTime(ts, (PetscReal)k));
    PetscCall(TSSolve(ts, U));
    PetscCall(VecShift(U, 1.0));
  }
  PetscCall(VecMax(U, NULL, &largest));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "largest %.10g\n", (double)largest));
  PetscCall(VecDestroy(&U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFinalize());
  return 0;
}
