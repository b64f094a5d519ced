static char help[] = "Constraints of index 1, 2 and 3, the same system on every process. -case position, velocity: the pendulum held in its position or its velocity;\n"
                     "-case product: 0 = x z - sin t; -case feedback: 0 = x z + w - cos t with w' = z - w; both with x = t, which is zero at the start.\n"
                     "-case empty: x' = -x and a row without any variable.\n"
                     "-events: the program looks at its state every 0.2, which is a restart.\n";

#include <petscts.h>

/* Unit length, mass and gravity; m couples the accelerations, as a mass matrix does. */
typedef struct {
  PetscReal m;
  PetscBool velocity, turned; /* turned: the constraint is the first equation */
  PetscInt  calls, events;
} Pendulum;

/* x' = u, y' = v, u' + m v' = -x z, v' + m u' = -y z - 1, and 0 = (x^2 + y^2 - 1)/2 or its derivative x u + y v */
static PetscErrorCode SwingingMass(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  Pendulum          *p = (Pendulum *)ctx;
  const PetscScalar *u, *d;
  PetscScalar       *f;

  PetscFunctionBeginUser;
  p->calls++;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(Udot, &d));
  PetscCall(VecGetArrayWrite(F, &f));
  f[0] = d[0] - u[2];
  f[1] = d[1] - u[3];
  f[2] = d[2] + p->m * d[3] + u[0] * u[4];
  f[3] = d[3] + p->m * d[2] + u[1] * u[4] + 1.0;
  f[4] = p->velocity ? u[0] * u[2] + u[1] * u[3] : 0.5 * (u[0] * u[0] + u[1] * u[1] - 1.0);
  if (p->turned) {
    const PetscScalar constraint = f[4];
    PetscInt          i;
    for (i = 4; i > 0; --i) f[i] = f[i - 1];
    f[0] = constraint;
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArrayRead(Udot, &d));
  PetscCall(VecRestoreArrayWrite(F, &f));
  PetscFunctionReturn(0);
}

/* x' = 1, 0 = x z - sin t: z = sin t / t */
static PetscErrorCode Product(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  const PetscScalar *u, *d;
  PetscScalar       *f;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(Udot, &d));
  PetscCall(VecGetArrayWrite(F, &f));
  f[0] = d[0] - 1.0;
  f[1] = u[0] * u[1] - PetscSinReal(t);
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArrayRead(Udot, &d));
  PetscCall(VecRestoreArrayWrite(F, &f));
  PetscFunctionReturn(0);
}

/* x' = 1, w' = z - w, 0 = x z + w - cos t */
static PetscErrorCode Feedback(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  const PetscScalar *u, *d;
  PetscScalar       *f;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(Udot, &d));
  PetscCall(VecGetArrayWrite(F, &f));
  f[0] = d[0] - 1.0;
  f[1] = d[1] - u[2] + u[1];
  f[2] = u[0] * u[2] + u[1] - PetscCosReal(t);
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArrayRead(Udot, &d));
  PetscCall(VecRestoreArrayWrite(F, &f));
  PetscFunctionReturn(0);
}

static PetscErrorCode Empty(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  PetscInt first;

  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(F, 1.0, U, Udot));
  PetscCall(VecGetOwnershipRange(F, &first, NULL));
  PetscCall(VecSetValue(F, first + 1, 0.0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(F));
  PetscCall(VecAssemblyEnd(F));
  PetscFunctionReturn(0);
}

static PetscErrorCode EveryFifth(TS ts, PetscReal t, Vec U, PetscScalar *value, void *ctx)
{
  PetscFunctionBeginUser;
  value[0] = PetscSinReal(5.0 * PETSC_PI * (t + 0.1));
  PetscFunctionReturn(0);
}

static PetscErrorCode Look(TS ts, PetscInt count, PetscInt list[], PetscReal t, Vec U, PetscBool forward, void *ctx)
{
  PetscFunctionBeginUser;
  ((Pendulum *)ctx)->events++;
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS                 ts;
  Vec                U;
  const PetscScalar *u;
  PetscInt           steps, n, first;
  PetscReal          time;
  Pendulum           p = {0.0, PETSC_FALSE, PETSC_FALSE, 0, 0};
  PetscInt           any = 0;
  PetscBool          stop = PETSC_FALSE, events = PETSC_FALSE;
  char               what[32] = "position";
#define CASE(name) (!strcmp(what, name))

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case", what, sizeof(what), NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-mass", &p.m, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-turned", &p.turned, NULL));
  p.velocity = (PetscBool)CASE("velocity");
  n          = CASE("product") || CASE("empty") ? 2 : CASE("feedback") ? 3 : 5;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-events", &events, NULL));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, n, PETSC_DETERMINE, &U));
  PetscCall(VecSet(U, 0.0));
  PetscCall(VecGetOwnershipRange(U, &first, NULL));
  PetscCall(VecSetValue(U, first + (n < 5 ? 1 : 0), 1.0, INSERT_VALUES)); /* a pendulum is let go at x = 1 */
  PetscCall(VecAssemblyBegin(U));
  PetscCall(VecAssemblyEnd(U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetIFunction(ts, NULL, CASE("product") ? Product : CASE("feedback") ? Feedback : CASE("empty") ? Empty : SwingingMass, &p));
  PetscCall(TSSetTolerances(ts, 1e-6, NULL, 1e-6, NULL));
  PetscCall(TSSetMaxTime(ts, 1.0));
  PetscCall(TSSetTimeStep(ts, 1e-3));
  PetscCall(TSSetMaxSteps(ts, 20000));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  if (events) PetscCall(TSSetEventHandler(ts, 1, &any, &stop, EveryFifth, Look, &p));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetSolveTime(ts, &time));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time %.15g\nsteps %" PetscInt_FMT "\ncalls %" PetscInt_FMT "\nevents %" PetscInt_FMT "\nfirst %.10g\nlast %.10g\n", (double)time, steps, p.calls, p.events, (double)PetscRealPart(u[0]), (double)PetscRealPart(u[n - 1])));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecDestroy(&U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFinalize());
  return 0;
}
