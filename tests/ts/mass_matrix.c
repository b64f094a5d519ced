static char help[] = "Heat on a line by linear finite elements, M u' + K u = 0, with the consistent mass matrix in the IFunction.\n";

/* u = exp(-c t) sin(pi x) with c the eigenvalue of (K, M): c = 6/h^2 (1 - cos(pi h)) / (2 + cos(pi h)). */
#include <petscts.h>

typedef struct {
  Mat mass, stiffness;
} User;

static PetscErrorCode IFunction(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *ctx)
{
  User *user = (User *)ctx;

  PetscFunctionBeginUser;
  PetscCall(MatMult(user->mass, Udot, F));
  PetscCall(MatMultAdd(user->stiffness, U, F, F));
  PetscFunctionReturn(0);
}

static PetscErrorCode IJacobian(TS ts, PetscReal t, Vec U, Vec Udot, PetscReal shift, Mat A, Mat B, void *ctx)
{
  User *user = (User *)ctx;

  PetscFunctionBeginUser;
  PetscCall(MatCopy(user->stiffness, B, SAME_NONZERO_PATTERN));
  PetscCall(MatAXPY(B, shift, user->mass, SAME_NONZERO_PATTERN));
  PetscFunctionReturn(0);
}

static PetscErrorCode Tridiagonal(PetscInt n, PetscReal diagonal, PetscReal side, Mat *M)
{
  PetscInt first, last, i;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, M));
  PetscCall(MatGetOwnershipRange(*M, &first, &last));
  for (i = first; i < last; ++i) {
    PetscCall(MatSetValue(*M, i, i, diagonal, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(*M, i, i - 1, side, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*M, i, i + 1, side, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  TS        ts;
  Vec       U, exact;
  Mat       B;
  User      user;
  PetscInt  n = 39, first, last, i, steps;
  PetscReal h, rate, time, error;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  h    = 1.0 / (PetscReal)(n + 1);
  rate = 6.0 / (h * h) * (1.0 - PetscCosReal(PETSC_PI * h)) / (2.0 + PetscCosReal(PETSC_PI * h));
  PetscCall(Tridiagonal(n, 4.0 * h / 6.0, h / 6.0, &user.mass));
  PetscCall(Tridiagonal(n, 2.0 / h, -1.0 / h, &user.stiffness));
  PetscCall(MatDuplicate(user.mass, MAT_DO_NOT_COPY_VALUES, &B));
  PetscCall(MatCreateVecs(B, &U, &exact));
  PetscCall(VecGetOwnershipRange(U, &first, &last));
  for (i = first; i < last; ++i) PetscCall(VecSetValue(U, i, PetscSinReal(PETSC_PI * h * (PetscReal)(i + 1)), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(U));
  PetscCall(VecAssemblyEnd(U));
  PetscCall(VecCopy(U, exact));

  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetIFunction(ts, NULL, IFunction, &user));
  PetscCall(TSSetIJacobian(ts, B, B, IJacobian, &user));
  PetscCall(TSSetTolerances(ts, 1e-7, NULL, 1e-7, NULL));
  PetscCall(TSSetMaxTime(ts, 0.2));
  PetscCall(TSSetTimeStep(ts, 1e-4));
  PetscCall(TSSetMaxSteps(ts, 100000));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetSolveTime(ts, &time));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(VecAXPY(U, -PetscExpReal(-rate * time), exact));
  PetscCall(VecNorm(U, NORM_INFINITY, &error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time %.15g steps %" PetscInt_FMT "\nerror %.6g\n", (double)time, steps, (double)error));
  PetscCall(MatDestroy(&user.mass));
  PetscCall(MatDestroy(&user.stiffness));
  PetscCall(MatDestroy(&B));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&exact));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFinalize());
  return 0;
}
