/// The smoother of multigrid does what PETSc's parts do together.
#include <rhumb/pde/box/point_jacobi.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/handle.hpp>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb;
using core::check;

namespace {

constexpr double damping = 0.7;

/// A band with full blocks on its diagonal, the same on any number of ranks.
core::MatHandle sample(PetscInt fields) {
  constexpr PetscInt points = 19;
  const PetscInt size = points * fields;
  core::MatHandle matrix;
  check(MatCreate(PETSC_COMM_WORLD, matrix.out()));
  check(MatSetType(matrix, MATAIJ));
  check(MatSetBlockSize(matrix, fields));
  check(MatSetSizes(matrix, PETSC_DECIDE, PETSC_DECIDE, size, size));
  check(MatSetUp(matrix));
  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(matrix, &first, &last));
  for (PetscInt row = first; row < last; ++row)
    for (PetscInt column = std::max(0, row - 2 * fields); column < std::min(size, row + 2 * fields); ++column) {
      const double value = row == column ? 4.0 * static_cast<double>(fields) + std::sin(row)
                                         : std::cos(static_cast<double>(3 * row + 5 * column));
      check(MatSetValue(matrix, row, column, value, INSERT_VALUES));
    }
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return matrix;
}

core::VecHandle wave(Mat matrix, double phase) {
  core::VecHandle out;
  check(MatCreateVecs(matrix, out.out(), nullptr));
  PetscInt first = 0, last = 0;
  check(VecGetOwnershipRange(out, &first, &last));
  for (PetscInt i = first; i < last; ++i) check(VecSetValue(out, i, std::sin(0.3 * i + phase), INSERT_VALUES));
  check(VecAssemblyBegin(out));
  check(VecAssemblyEnd(out));
  return out;
}

/// So many steps of Richardson with the preconditioner that `configure` makes.
template <class Configure>
core::VecHandle steps(Mat matrix, PetscInt count, PetscBool from_guess, Configure&& configure) {
  core::KspHandle richardson;
  PC preconditioner = nullptr;
  check(KSPCreate(PETSC_COMM_WORLD, richardson.out()));
  check(KSPSetOperators(richardson, matrix, matrix));
  check(KSPSetType(richardson, KSPRICHARDSON));
  check(KSPSetNormType(richardson, KSP_NORM_NONE));
  check(KSPSetTolerances(richardson, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, count));
  check(KSPSetInitialGuessNonzero(richardson, from_guess));
  check(KSPGetPC(richardson, &preconditioner));
  configure(richardson.get(), preconditioner);
  const auto b = wave(matrix, 0.0);
  auto x = wave(matrix, 1.0);
  check(KSPSolve(richardson, b, x));
  return x;
}

} // namespace

TEST(PointJacobi, IsRichardsonWithTheBlocksOfThePoints) {
  for (const PetscInt fields : {1, 3})
    for (const PetscInt count : {1, 2})
      for (const PetscBool from_guess : {PETSC_FALSE, PETSC_TRUE}) {
        const auto matrix = sample(fields);
        const auto ours = steps(matrix, count, from_guess, [](KSP, PC pc) { box::set_point_jacobi(pc, damping); });
        const auto petscs = steps(matrix, count, from_guess, [](KSP ksp, PC pc) {
          check(KSPRichardsonSetScale(ksp, damping));
          check(PCSetType(pc, PCPBJACOBI));
        });
        PetscReal size = 0.0, distance = 0.0;
        check(VecNorm(petscs, NORM_INFINITY, &size));
        check(VecAXPY(petscs, -1.0, ours));
        check(VecNorm(petscs, NORM_INFINITY, &distance));
        EXPECT_LE(distance, 1e-14 * size) << fields << " fields, " << count << " steps, guess " << from_guess;
      }
}

TEST(PointJacobi, FollowsAMatrixThatChanges) {
  const auto matrix = sample(1);
  const auto b = wave(matrix, 0.0), first = core::same_layout(b), second = core::same_layout(b);
  core::PcHandle pc;
  check(PCCreate(PETSC_COMM_WORLD, pc.out()));
  check(PCSetOperators(pc, matrix, matrix));
  box::set_point_jacobi(pc, damping);
  check(PCApply(pc, b, first));
  check(MatScale(matrix, 4.0));
  check(PCApply(pc, b, second));
  check(VecAXPY(first, -4.0, second));
  PetscReal distance = 0.0;
  check(VecNorm(first, NORM_INFINITY, &distance));
  EXPECT_LE(distance, 1e-15);
}

TEST(PointJacobi, SaysWhereAPointHasNoInverseAndForgetsItWhenThatIsMended) {
  for (const PetscInt fields : {1, 2}) {
    const auto matrix = sample(fields);
    core::PcHandle pc;
    check(PCCreate(PETSC_COMM_WORLD, pc.out()));
    check(PCSetOperators(pc, matrix, matrix));
    box::set_point_jacobi(pc, damping);
    PetscInt first = 0;
    check(MatGetOwnershipRange(matrix, &first, nullptr));
    const auto set_first_block = [&](double value) {
      for (PetscInt row = first; row < first + fields; ++row)
        for (PetscInt column = first; column < first + fields; ++column)
          check(MatSetValue(matrix, row, column, row == column ? value : 0.0, INSERT_VALUES));
      check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
      check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    };
    PCFailedReason reason = PC_NOERROR;
    for (const double value : {1.0, 0.0, 2.0}) {
      set_first_block(value);
      check(PCSetUp(pc));
      check(PCGetFailedReasonRank(pc, &reason));
      EXPECT_EQ(reason != PC_NOERROR, value == 0.0) << fields << " fields, " << value;
    }
  }
}
