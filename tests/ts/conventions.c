static char help[] = "Decay, u' = -u, with one convention of TS at a time: -case decay, earlier, interpolate, cost, rest, linear, sum, ends, backwards,\n"
                     "and what a multistep method cannot do: number, scheme, stages, second, nothing.\n";

#include <petscts.h>

static PetscErrorCode Decay(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(F, 1.0, U, Udot));
  PetscFunctionReturn(0);
}

static PetscErrorCode SecondOrder(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(F, 1.0, U, A));
  PetscFunctionReturn(0);
}

/* A load that is looked up by the number of the step. */
static PetscErrorCode ByNumber(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  PetscInt number;

  PetscFunctionBeginUser;
  PetscCall(TSGetStepNumber(ts, &number));
  PetscCall(VecWAXPY(F, 1.0, U, Udot));
  PetscCall(VecShift(F, number < 20 ? 1e-3 * (PetscReal)number : 0.0));
  PetscFunctionReturn(0);
}

/* u - old + dt u = 0: backward Euler by hand. */
static PetscErrorCode OwnScheme(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  Vec       old;
  PetscReal dt;

  PetscFunctionBeginUser;
  PetscCall(TSGetSolution(ts, &old));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(VecCopy(U, F));
  PetscCall(VecScale(F, 1.0 + dt));
  PetscCall(VecAXPY(F, -1.0, old));
  PetscFunctionReturn(0);
}

/* p' + e' + p = 0, e - p = 0: the derivative of e stands in the equation of p. */
static PetscErrorCode Sum(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  const PetscScalar *u, *udot;
  PetscScalar       *f;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(Udot, &udot));
  PetscCall(VecGetArray(F, &f));
  f[0] = udot[0] + udot[1] + u[0];
  f[1] = u[1] - u[0];
  PetscCall(VecRestoreArray(F, &f));
  PetscCall(VecRestoreArrayRead(Udot, &udot));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

static PetscErrorCode Matrix(TS ts, PetscReal t, Vec U, Mat A, Mat P, void *ctx)
{
  PetscInt i, first, last;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(P, &first, &last));
  for (i = first; i < last; ++i) PetscCall(MatSetValue(P, i, i, -1.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(P, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  PetscFunctionReturn(0);
}

static PetscErrorCode SumOfValues(TS ts, PetscReal t, Vec U, Vec R, void *ctx)
{
  PetscScalar sum;

  PetscFunctionBeginUser;
  PetscCall(VecSum(U, &sum));
  PetscCall(VecSet(R, sum));
  PetscFunctionReturn(0);
}

static PetscErrorCode InterpolateNow(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Vec       W;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(U, &W));
  PetscCall(TSInterpolate(ts, t, W));
  PetscCall(VecEqual(U, W, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "another solution at the same time");
  PetscCall(VecDestroy(&W));
  PetscFunctionReturn(0);
}

static PetscErrorCode UseStages(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PetscInt  count;
  Vec      *stages;
  PetscReal size;

  PetscFunctionBeginUser;
  PetscCall(TSGetStages(ts, &count, &stages));
  PetscCall(VecNorm(stages[0], NORM_2, &size));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS                ts, quadrature;
  TSConvergedReason reason;
  Vec               U, V, integral = NULL;
  Mat               A;
  PetscInt          steps, i;
  PetscReal         time, largest;
  char              what[32] = "decay";
#define CASE(name) (!strcmp(what, name))

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case", what, sizeof(what), NULL));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 2, PETSC_DETERMINE, &U));
  PetscCall(VecDuplicate(U, &V));
  PetscCall(VecSet(U, CASE("rest") ? 0.0 : 1.0));
  if (CASE("sum")) PetscCall(VecSetValue(U, 1, 0.5, INSERT_VALUES)); /* both must become 0.75: p + e stays */
  PetscCall(VecAssemblyBegin(U));
  PetscCall(VecAssemblyEnd(U));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL, &A));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  if (CASE("linear")) {
    PetscCall(TSSetProblemType(ts, TS_LINEAR));
    PetscCall(TSSetRHSFunction(ts, NULL, TSComputeRHSFunctionLinear, NULL));
    PetscCall(TSSetRHSJacobian(ts, A, A, Matrix, NULL));
  } else if (CASE("second")) {
    PetscCall(TSSetI2Function(ts, NULL, SecondOrder, NULL));
    PetscCall(TS2SetSolution(ts, U, V));
  } else if (!CASE("nothing")) {
    PetscCall(TSSetIFunction(ts, NULL, CASE("number") ? ByNumber : CASE("scheme") ? OwnScheme : CASE("sum") ? Sum : Decay, NULL));
  }
  if (CASE("interpolate")) PetscCall(TSMonitorSet(ts, InterpolateNow, NULL, NULL));
  if (CASE("stages")) PetscCall(TSMonitorSet(ts, UseStages, NULL, NULL));
  if (CASE("cost")) {
    PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, 1, &integral));
    PetscCall(TSCreateQuadratureTS(ts, PETSC_TRUE, &quadrature));
    PetscCall(TSSetRHSFunction(quadrature, NULL, SumOfValues, NULL));
    PetscCall(TSSetSolution(quadrature, integral));
  }
  PetscCall(TSSetTolerances(ts, 1e-7, NULL, 1e-7, NULL));
  PetscCall(TSSetTimeStep(ts, 0.125));
  PetscCall(TSSetMaxTime(ts, 1.0));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, CASE("second") ? NULL : U));
  if (CASE("earlier")) {
    PetscCall(TSSetTime(ts, 0.0));
    PetscCall(VecSet(U, 2.0));
    PetscCall(TSSolve(ts, U));
  }
  if (CASE("ends")) { /* from many negative times to ends beyond zero, each of which must be met */
    for (i = 0; i < 40; ++i) {
      PetscCall(TSSetTime(ts, -1000.0 - 0.37 * i));
      PetscCall(TSSetMaxTime(ts, 0.1 + 0.001 * i));
      PetscCall(VecSet(U, 1.0));
      PetscCall(TSSetStepNumber(ts, 0));
      PetscCall(TSSolve(ts, U));
      PetscCall(TSGetTime(ts, &time));
      PetscCheck(time == 0.1 + 0.001 * i, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "ended at %.17g instead of %.17g", (double)time, 0.1 + 0.001 * i);
    }
  }
  if (CASE("backwards")) { /* by TSStep: TSSolve ends at once where the end lies before the start */
    PetscCall(TSSetTimeStep(ts, -0.125));
    PetscCall(TSSetMaxTime(ts, 0.0));
    do {
      PetscCall(TSStep(ts));
      PetscCall(TSGetTime(ts, &time));
    } while (time > 0.0);
  }
  if (CASE("cost")) {
    PetscCall(VecMax(integral, NULL, &largest));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "integral %.10g\n", (double)largest));
    PetscCall(VecDestroy(&integral));
  }
  PetscCall(TSGetConvergedReason(ts, &reason));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(TSGetTime(ts, &time));
  PetscCall(VecMax(U, NULL, &largest));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\ntime %.10g\nsteps %" PetscInt_FMT "\nlargest %.10g\n", TSConvergedReasons[reason], (double)time, steps, (double)largest));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&V));
  PetscCall(VecDestroy(&U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFinalize());
  return 0;
}
