static char help[] = "Decay, u' = -u, is solved to t = 1; then something is changed and the same TS solves again.\n"
                     "From t = 0 again: -case dt, limits, options (with -again name value). From t = 1 to 2: -case function, jacobian, tolerances, vector,\n"
                     "later. Step by step with an end that is moved to t = 0.5: -case sooner.\n";

#include <petscts.h>

typedef struct {
  PetscReal latest;    /* time of an evaluation */
  PetscInt  jacobians; /* evaluations */
} Seen;

static PetscErrorCode Decay(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  PetscFunctionBeginUser;
  ((Seen *)ctx)->latest = PetscMax(((Seen *)ctx)->latest, t);
  PetscCall(VecWAXPY(F, 1.0, U, Udot));
  PetscFunctionReturn(0);
}

static PetscErrorCode Growth(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(F, -1.0, U, Udot));
  PetscFunctionReturn(0);
}

static PetscErrorCode Jacobian(TS ts, PetscReal t, Vec U, Vec Udot, PetscReal shift, Mat A, Mat P, void *ctx)
{
  PetscInt i, first, last;

  PetscFunctionBeginUser;
  ((Seen *)ctx)->jacobians++;
  PetscCall(MatGetOwnershipRange(P, &first, &last));
  for (i = first; i < last; ++i) PetscCall(MatSetValue(P, i, i, 1.0 + shift, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode Report(TS ts, Vec U, const char which[], PetscReal truth)
{
  PetscInt  steps, rejected;
  PetscReal time, largest;

  PetscFunctionBeginUser;
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(TSGetStepRejections(ts, &rejected));
  PetscCall(TSGetTime(ts, &time));
  PetscCall(VecMax(U, NULL, &largest));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s_time %.15g %s_steps %" PetscInt_FMT " %s_rejected %" PetscInt_FMT " %s_u %.12g %s_error %.3e\n", which, which, (double)time, which, steps, which, rejected, which, (double)largest, which, (double)PetscAbsReal(largest - truth)));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS        ts;
  TSAdapt   adapt;
  Vec       U, tolerance;
  Mat       P;
  PetscBool once_more;
  PetscReal time = 0.0, start = 1.0;
  Seen      seen     = {0.0, 0};
  char      what[32] = "dt", again[256] = "-";
#define CASE(name) (!strcmp(what, name))

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case", what, sizeof(what), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-again", again + 1, sizeof(again) - 1, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-u0", &start, NULL));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 2, PETSC_DETERMINE, &U));
  PetscCall(VecSet(U, start));
  PetscCall(VecDuplicate(U, &tolerance));
  PetscCall(VecSet(tolerance, 1e-4));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL, &P));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(TSSetIFunction(ts, NULL, Decay, &seen));
  PetscCall(TSSetTolerances(ts, 1e-5, CASE("vector") ? tolerance : NULL, CASE("vector") ? 0.0 : 1e-5, NULL));
  PetscCall(TSSetTimeStep(ts, 0.125));
  PetscCall(TSSetMaxTime(ts, 1.0));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));

  if (CASE("sooner")) {
    while (time < 0.25) {
      PetscCall(TSStep(ts));
      PetscCall(TSGetTime(ts, &time));
    }
    PetscCall(TSSetMaxTime(ts, 0.5));
    while (time < 0.5) {
      PetscCall(TSStep(ts));
      PetscCall(TSGetTime(ts, &time));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "latest %.15g\n", (double)seen.latest));
    PetscCall(Report(ts, U, "second", PetscExpReal(-0.5)));
  } else {
    PetscCall(TSSolve(ts, U));
    PetscCall(Report(ts, U, "first", PetscExpReal(-1.0)));
    once_more = (PetscBool)(CASE("dt") || CASE("limits") || CASE("options"));
    if (once_more) {
      PetscCall(VecSet(U, start));
      PetscCall(TSSetTime(ts, 0.0));
      PetscCall(TSSetStepNumber(ts, 0));
    } else {
      PetscCall(TSSetMaxTime(ts, 2.0));
    }
    PetscCall(TSGetAdapt(ts, &adapt));
    if (CASE("dt")) PetscCall(TSSetTimeStep(ts, 0.0625));
    if (CASE("limits")) PetscCall(TSAdaptSetStepLimits(adapt, 0.0, 1e-3));
    if (CASE("options")) {
      PetscCall(PetscOptionsInsertString(NULL, again));
      PetscCall(TSSetFromOptions(ts));
    }
    if (CASE("function")) PetscCall(TSSetIFunction(ts, NULL, Growth, NULL));
    if (CASE("jacobian")) PetscCall(TSSetIJacobian(ts, P, P, Jacobian, &seen));
    if (CASE("tolerances")) PetscCall(TSSetTolerances(ts, 1e-9, NULL, 1e-9, NULL));
    if (CASE("vector")) PetscCall(VecSet(tolerance, 1e-9));
    PetscCall(TSSolve(ts, U));
    PetscCall(Report(ts, U, "second", CASE("function") ? 1.0 : PetscExpReal(once_more ? -1.0 : -2.0)));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "jacobians %" PetscInt_FMT "\n", seen.jacobians));
  }
  PetscCall(MatDestroy(&P));
  PetscCall(VecDestroy(&tolerance));
  PetscCall(VecDestroy(&U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFinalize());
  return 0;
}
