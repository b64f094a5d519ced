static char help[] = "A bouncing ball, h'' = -g: an event at each impact, the last one ends the run. -cost integrates the height.\n";

#include <petscts.h>

typedef struct {
  PetscInt  bounces, most;
  PetscReal impact[16];
} User;

static PetscErrorCode RHSFunction(TS ts, PetscReal t, Vec U, Vec F, void *ctx)
{
  const PetscScalar *u;
  PetscScalar       *f;
  PetscInt           n, i;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArray(F, &f));
  for (i = 0; i < n; i += 2) {
    f[i]     = u[i + 1];
    f[i + 1] = -9.8;
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArray(F, &f));
  PetscFunctionReturn(0);
}

static PetscErrorCode Event(TS ts, PetscReal t, Vec U, PetscScalar *value, void *ctx)
{
  User              *user = (User *)ctx;
  const PetscScalar *u;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(U, &u));
  value[0] = u[0];
  value[1] = user->most - user->bounces;
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

static PetscErrorCode PostEvent(TS ts, PetscInt nevents, PetscInt events[], PetscReal t, Vec U, PetscBool forward, void *ctx)
{
  User        *user = (User *)ctx;
  PetscScalar *u;
  PetscInt     n, i;

  PetscFunctionBeginUser;
  if (events[0] != 0) PetscFunctionReturn(0);
  user->impact[user->bounces++] = t;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArray(U, &u));
  for (i = 0; i < n; i += 2) {
    u[i]     = 0.0;
    u[i + 1] = -0.9 * u[i + 1];
  }
  PetscCall(VecRestoreArray(U, &u));
  PetscFunctionReturn(0);
}

static PetscErrorCode Height(TS ts, PetscReal t, Vec U, Vec R, void *ctx)
{
  const PetscScalar *u;
  PetscScalar       *r;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayWrite(R, &r));
  r[0] = u[0];
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArrayWrite(R, &r));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS           ts, quadrature;
  Vec          U, integral;
  PetscBool    cost = PETSC_FALSE;
  User         user         = {0, 4, {0.0}};
  PetscInt     direction[2] = {-1, 0}, n, i;
  PetscBool    terminate[2] = {PETSC_FALSE, PETSC_TRUE};
  PetscScalar *u;
  PetscReal    time;
  TSConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 2, PETSC_DETERMINE, &U));
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArray(U, &u));
  for (i = 0; i < n; i += 2) {
    u[i]     = 0.0;
    u[i + 1] = 20.0;
  }
  PetscCall(VecRestoreArray(U, &u));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetRHSFunction(ts, NULL, RHSFunction, &user));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 1, PETSC_DETERMINE, &integral));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-cost", &cost, NULL));
  if (cost) {
    PetscCall(TSCreateQuadratureTS(ts, PETSC_TRUE, &quadrature));
    PetscCall(TSSetRHSFunction(quadrature, NULL, Height, NULL));
    PetscCall(TSSetSolution(quadrature, integral));
  }
  PetscCall(TSSetEventHandler(ts, 2, direction, terminate, Event, PostEvent, &user));
  PetscCall(TSSetTolerances(ts, 1e-7, NULL, 1e-7, NULL));
  PetscCall(TSSetMaxTime(ts, 100.0));
  PetscCall(TSSetTimeStep(ts, 0.1));
  PetscCall(TSSetMaxSteps(ts, 100000));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetSolveTime(ts, &time));
  PetscCall(TSGetConvergedReason(ts, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time %.12g reason %s\nimpacts", (double)time, TSConvergedReasons[reason]));
  for (i = 0; i < user.bounces; ++i) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %.12g", (double)user.impact[i]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscCall(VecMax(integral, NULL, &time));
  if (cost) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "integral %.10g\n", (double)time));
  PetscCall(VecDestroy(&integral));
  PetscCall(VecDestroy(&U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFinalize());
  return 0;
}
