static char help[] = "Van der Pol's oscillator y' = z, z' = mu ((1 - y^2) z - y) with derivatives: by the initial values\n"
                     "and mu forwards (-forward), backwards (-adjoint, with -cost an integral), and the mu that makes y at\n"
                     "the end what it is with -wanted, from -mu (-fit).\n";

#include <petsctao.h>
#include <petscts.h>

typedef struct {
  TS        ts;
  Vec       u;
  Mat       jacobian, by_parameters;
  PetscReal mu, t_end, wanted, y_wanted;
  PetscInt  steps_back;
} User;

static PetscErrorCode IFunction(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  const PetscReal    mu = ((User *)ctx)->mu;
  const PetscScalar *u, *udot;
  PetscScalar       *f;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(Udot, &udot));
  PetscCall(VecGetArray(F, &f));
  if (n > 0) {
    f[0] = udot[0] - u[1];
    f[1] = udot[1] - mu * ((1.0 - u[0] * u[0]) * u[1] - u[0]);
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(VecRestoreArrayRead(Udot, &udot));
  PetscCall(VecRestoreArray(F, &f));
  PetscFunctionReturn(0);
}

static PetscErrorCode IJacobian(TS ts, PetscReal t, Vec U, Vec Udot, PetscReal a, Mat A, Mat B, void *ctx)
{
  const PetscReal    mu      = ((User *)ctx)->mu;
  const PetscInt     rows[2] = {0, 1};
  const PetscScalar *u;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArrayRead(U, &u));
  if (n > 0) {
    const PetscScalar v[4] = {a, -1.0, mu * (2.0 * u[0] * u[1] + 1.0), a - mu * (1.0 - u[0] * u[0])};
    PetscCall(MatSetValues(B, 2, rows, 2, rows, v, INSERT_VALUES));
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* mu is the last column; those before it belong to initial values. */
static PetscErrorCode IJacobianP(TS ts, PetscReal t, Vec U, Vec Udot, PetscReal a, Mat P, void *ctx)
{
  const PetscScalar *u;
  PetscInt           n, columns;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(P, NULL, &columns));
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArrayRead(U, &u));
  if (n > 0) PetscCall(MatSetValue(P, 1, columns - 1, -((1.0 - u[0] * u[0]) * u[1] - u[0]), INSERT_VALUES));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* q' = y^2 */
static PetscErrorCode CostRate(TS ts, PetscReal t, Vec U, Vec Q, void *ctx)
{
  PetscScalar y = 0.0;
  PetscInt    n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(U, &n));
  if (n > 0) {
    const PetscInt first = 0;
    PetscCall(VecGetValues(U, 1, &first, &y));
    PetscCall(VecSetValue(Q, 0, y * y, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(Q));
  PetscCall(VecAssemblyEnd(Q));
  PetscFunctionReturn(0);
}

static PetscErrorCode CostByState(TS ts, PetscReal t, Vec U, Mat A, Mat B, void *ctx)
{
  PetscScalar y = 0.0;
  PetscInt    n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(U, &n));
  if (n > 0) {
    const PetscInt first = 0;
    PetscCall(VecGetValues(U, 1, &first, &y));
    PetscCall(MatSetValue(A, 0, 0, 2.0 * y, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* On the slow manifold: z depends on mu. */
static PetscErrorCode Start(User *user, Vec U)
{
  const PetscReal mu = user->mu;
  PetscInt        n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(U, &n));
  if (n > 0) {
    PetscCall(VecSetValue(U, 0, 2.0, INSERT_VALUES));
    PetscCall(VecSetValue(U, 1, -2.0 / 3.0 + 10.0 / (81.0 * mu) - 292.0 / (2187.0 * mu * mu), INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(U));
  PetscCall(VecAssemblyEnd(U));
  PetscFunctionReturn(0);
}

static PetscReal StartByMu(PetscReal mu)
{
  return -10.0 / (81.0 * mu * mu) + 2.0 * 292.0 / (2187.0 * mu * mu * mu);
}

static PetscErrorCode Solve(User *user)
{
  PetscFunctionBeginUser;
  PetscCall(Start(user, user->u));
  PetscCall(TSSetTime(user->ts, 0.0));
  PetscCall(TSSetStepNumber(user->ts, 0));
  PetscCall(TSSetTimeStep(user->ts, 1e-3));
  PetscCall(TSSolve(user->ts, user->u));
  PetscFunctionReturn(0);
}

static PetscErrorCode Entry(Vec v, PetscInt i, PetscScalar *value)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  *value = 0.0;
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  if (i >= first && i < last) PetscCall(VecGetValues(v, 1, &i, value));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, 1, MPIU_SCALAR, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(0);
}

static PetscErrorCode Print(const char *name, Vec v)
{
  PetscInt i, n;

  PetscFunctionBeginUser;
  PetscCall(VecGetSize(v, &n));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", name));
  for (i = 0; i < n; i++) {
    PetscScalar value;
    PetscCall(Entry(v, i, &value));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %.12g", (double)value));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(0);
}

static PetscErrorCode Forward(User *user)
{
  Mat       S;
  Vec       column;
  PetscInt  i, first, last, owned;
  const int columns = 3;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(user->u, &owned));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, owned, PETSC_DECIDE, 2, columns, NULL, &S));
  PetscCall(MatGetOwnershipRange(S, &first, &last));
  for (i = first; i < last; i++) PetscCall(MatSetValue(S, i, i, 1.0, INSERT_VALUES));
  if (first <= 1 && last > 1) PetscCall(MatSetValue(S, 1, 2, StartByMu(user->mu), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(S, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(S, MAT_FINAL_ASSEMBLY));
  PetscCall(TSForwardSetSensitivities(user->ts, columns, S));
  PetscCall(Solve(user));
  PetscCall(VecDuplicate(user->u, &column));
  for (i = 0; i < columns; i++) {
    const char *names[] = {"by_y", "by_z", "by_mu"};
    PetscCall(MatGetColumnVector(S, column, i));
    PetscCall(Print(names[i], column));
  }
  PetscCall(VecDestroy(&column));
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn(0);
}

/* The gradient of `cost` (y, z at the end) into lambda, and by mu with the initial values' part. */
static PetscErrorCode SweepBack(User *user, PetscInt cost, Vec lambda, PetscScalar *by_mu)
{
  Vec         by_parameters;
  PetscScalar start;
  PetscInt    columns;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(user->by_parameters, &by_parameters, NULL));
  PetscCall(VecSet(by_parameters, 0.0));
  PetscCall(VecSet(lambda, 0.0));
  if (cost >= 0) PetscCall(VecSetValue(lambda, cost, 1.0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(lambda));
  PetscCall(VecAssemblyEnd(lambda));
  PetscCall(TSSetCostGradients(user->ts, 1, &lambda, &by_parameters));
  if (user->steps_back > 0) PetscCall(TSAdjointSetSteps(user->ts, user->steps_back));
  PetscCall(TSAdjointSolve(user->ts));
  PetscCall(VecGetSize(by_parameters, &columns));
  PetscCall(Entry(by_parameters, columns - 1, by_mu));
  PetscCall(Entry(lambda, 1, &start));
  *by_mu += start * StartByMu(user->mu);
  PetscCall(VecDestroy(&by_parameters));
  PetscFunctionReturn(0);
}

static PetscErrorCode Adjoint(User *user, PetscBool with_cost)
{
  Vec         lambda;
  PetscScalar by_mu;
  PetscInt    i;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(user->u, &lambda));
  for (i = with_cost ? -1 : 0; i < (with_cost ? 0 : 2); i++) {
    PetscCall(Solve(user));
    PetscCall(SweepBack(user, i, lambda, &by_mu));
    PetscCall(Print(i < 0 ? "cost_by_start" : i == 0 ? "y_by_start" : "z_by_start", lambda));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %.12g\n", i < 0 ? "cost_by_mu" : i == 0 ? "y_by_mu" : "z_by_mu", (double)by_mu));
  }
  if (with_cost) {
    TS  quadrature;
    Vec value;
    PetscCall(TSGetQuadratureTS(user->ts, NULL, &quadrature));
    PetscCall(TSGetSolution(quadrature, &value));
    PetscCall(Print("cost", value));
  }
  PetscCall(VecDestroy(&lambda));
  PetscFunctionReturn(0);
}

static PetscErrorCode Misfit(Tao tao, Vec X, PetscReal *f, Vec G, void *ctx)
{
  User       *user = (User *)ctx;
  Vec         lambda;
  PetscScalar y, by_mu;

  PetscFunctionBeginUser;
  PetscCall(Entry(X, 0, &user->mu));
  PetscCall(Solve(user));
  PetscCall(Entry(user->u, 0, &y));
  *f = (y - user->y_wanted) * (y - user->y_wanted);
  PetscCall(VecDuplicate(user->u, &lambda));
  PetscCall(SweepBack(user, 0, lambda, &by_mu));
  PetscCall(VecSet(G, 2.0 * (y - user->y_wanted) * by_mu));
  PetscCall(VecDestroy(&lambda));
  PetscFunctionReturn(0);
}

static PetscErrorCode Fit(User *user)
{
  const PetscReal begin = user->mu;
  Tao             tao;
  Vec             X, lambda;
  PetscScalar     by_mu;

  PetscFunctionBeginUser;
  user->mu = user->wanted;
  PetscCall(Solve(user));
  PetscCall(Entry(user->u, 0, &user->y_wanted));
  PetscCall(VecDuplicate(user->u, &lambda));
  PetscCall(SweepBack(user, 0, lambda, &by_mu)); /* which empties the trajectory */
  PetscCall(VecDestroy(&lambda));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, 1, &X));
  PetscCall(VecSet(X, begin));
  PetscCall(TaoCreate(PETSC_COMM_WORLD, &tao));
  PetscCall(TaoSetType(tao, TAOBLMVM));
  PetscCall(TaoSetSolution(tao, X));
  PetscCall(TaoSetObjectiveAndGradient(tao, NULL, Misfit, user));
  PetscCall(TaoSetTolerances(tao, 1e-12, 1e-12, 1e-12));
  PetscCall(TaoSetFromOptions(tao));
  PetscCall(TaoSolve(tao));
  PetscCall(Print("mu", X));
  PetscCall(TaoDestroy(&tao));
  PetscCall(VecDestroy(&X));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddCost(User *user)
{
  TS       quadrature;
  Mat      by_state;
  Vec      rates;
  PetscInt owned;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(user->u, &owned));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, owned / 2, 1, &rates));
  PetscCall(TSCreateQuadratureTS(user->ts, PETSC_TRUE, &quadrature));
  PetscCall(TSSetRHSFunction(quadrature, rates, CostRate, user));
  PetscCall(VecDestroy(&rates));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, owned, owned / 2, 2, 1, NULL, &by_state));
  PetscCall(TSSetRHSJacobian(quadrature, by_state, by_state, CostByState, user));
  PetscCall(MatDestroy(&by_state));
  PetscFunctionReturn(0);
}

static PetscErrorCode Create(User *user, PetscInt columns)
{
  PetscMPIInt rank;
  PetscInt    owned;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  owned = rank == 0 ? 2 : 0; /* both unknowns on one process */
  PetscCall(MatCreate(PETSC_COMM_WORLD, &user->jacobian));
  PetscCall(MatSetSizes(user->jacobian, owned, owned, 2, 2));
  PetscCall(MatSetType(user->jacobian, MATAIJ));
  PetscCall(MatSetUp(user->jacobian));
  PetscCall(MatCreateVecs(user->jacobian, &user->u, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, owned, PETSC_DECIDE, 2, columns, NULL, &user->by_parameters));
  PetscCall(MatZeroEntries(user->by_parameters));
  PetscCall(MatAssemblyBegin(user->by_parameters, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(user->by_parameters, MAT_FINAL_ASSEMBLY));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &user->ts));
  PetscCall(TSSetProblemType(user->ts, TS_NONLINEAR));
  PetscCall(TSSetIFunction(user->ts, NULL, IFunction, user));
  PetscCall(TSSetIJacobian(user->ts, user->jacobian, user->jacobian, IJacobian, user));
  PetscCall(TSSetIJacobianP(user->ts, user->by_parameters, IJacobianP, user));
  PetscCall(TSSetMaxTime(user->ts, user->t_end));
  PetscCall(TSSetMaxSteps(user->ts, 100000));
  PetscCall(TSSetExactFinalTime(user->ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  User      user    = {.mu = 1.0e3, .t_end = 0.5, .wanted = 10.0};
  PetscBool forward = PETSC_FALSE, adjoint = PETSC_FALSE, cost = PETSC_FALSE, fit = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-mu", &user.mu, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-t_end", &user.t_end, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-wanted", &user.wanted, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps_back", &user.steps_back, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-forward", &forward, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-adjoint", &adjoint, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-cost", &cost, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-fit", &fit, NULL));
  PetscCall(Create(&user, forward ? 3 : 1));
  if (cost) PetscCall(AddCost(&user));
  if (adjoint || fit) {
    TSTrajectory trajectory;
    PetscCall(TSSetSaveTrajectory(user.ts));
    PetscCall(TSGetTrajectory(user.ts, &trajectory));
    PetscCall(TSTrajectorySetType(trajectory, user.ts, TSTRAJECTORYMEMORY));
  }
  PetscCall(TSSetFromOptions(user.ts));
  if (forward) PetscCall(Forward(&user));
  if (adjoint) PetscCall(Adjoint(&user, cost));
  if (fit) PetscCall(Fit(&user));
  PetscCall(TSDestroy(&user.ts));
  PetscCall(MatDestroy(&user.jacobian));
  PetscCall(MatDestroy(&user.by_parameters));
  PetscCall(VecDestroy(&user.u));
  PetscCall(PetscFinalize());
  return 0;
}
