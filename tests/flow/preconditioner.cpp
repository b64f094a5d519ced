/// The block preconditioner on the cavity at Re 1000: iteration counts of GMRES at a relative tolerance of 1e-6.

#include "bdf/integrator.hpp"
#include "core/check.hpp"
#include "physics/flow/flow.hpp"
#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
using core::check;

std::unique_ptr<dae::Problem> cavity(int cells) {
  check(PetscOptionsClear(nullptr));
  check(PetscOptionsSetValue(nullptr, "-re", "1000"));
  check(PetscOptionsSetValue(nullptr, "-n", fmt::format("{0},{0}", cells).c_str()));
  core::Options options;
  return flow::make_flow(options);
}

/// Iterations for each alpha, with the matrix at the flow that has developed until t = 2.
std::vector<PetscInt> iterations(int cells, const std::vector<double>& alphas, double until) {
  const auto problem = cavity(cells);
  bdf::Options options;
  options.tolerances = problem->default_tolerances();
  options.tolerances.rtol = 1e-3;
  bdf::Integrator integrator(*problem, options);
  integrator.start(0.0, until);
  integrator.advance(until);
  core::MatHandle matrix = problem->create_matrix();
  core::KspHandle ksp;
  check(KSPCreate(PETSC_COMM_WORLD, ksp.out()));
  check(KSPSetType(ksp, KSPGMRES));
  check(KSPGMRESSetRestart(ksp, 200));
  check(KSPSetTolerances(ksp, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  check(KSPSetOperators(ksp, matrix, matrix));
  PC pc = nullptr;
  check(KSPGetPC(ksp, &pc));
  check(PCSetOptionsPrefix(pc, "dae_"));
  problem->configure(pc, matrix);
  const core::VecHandle rhs = problem->create_vector(), x = core::same_layout(rhs);
  PetscInt size = 0;
  check(VecGetSize(rhs, &size));
  std::vector<PetscInt> counts;
  for (const double alpha : alphas) {
    problem->jacobian(integrator.time(), integrator.state(), integrator.derivative(), alpha, matrix);
    // The right side of a Newton step from a disturbed velocity: F at y + dy.
    const core::VecHandle moved = core::same_layout(rhs);
    PetscRandom random = nullptr;
    check(PetscRandomCreate(PETSC_COMM_WORLD, &random));
    check(VecSetRandom(moved, random));
    check(PetscRandomDestroy(&random));
    check(MatMult(matrix, moved, rhs));
    check(KSPSetOperators(ksp, matrix, matrix));
    check(KSPSolve(ksp, rhs, x));
    PetscInt count = 0;
    check(KSPGetIterationNumber(ksp, &count));
    counts.push_back(count);
  }
  return counts;
}

TEST(Preconditioner, NeedsFewIterationsThatHardlyGrowWithTheGrid) {
  for (const int n : {64, 128}) {
    const auto counts = iterations(n, {1000.0, 100.0, 10.0, 1.0}, 2.0);
    fmt::print("n {}: {} {} {} {}\n", n, counts[0], counts[1], counts[2], counts[3]);
    std::fflush(stdout);
  }
}

} // namespace
