#include <rhumb/pde/moving_box/solver.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/pde/moving_box/box_problem.hpp>
#include <fmt/format.h>

namespace rhumb::moving_box {

using core::check;

namespace {
/// In space factors fill much more than in the plane.
constexpr PetscInt largest_factored_in_space = 5'000;
constexpr double start_tolerance = 1e-8; ///< of GMRES in the search for the initial mesh

/// A default for an object of PETSc that does not exist yet, in the options that it will read.
void set_default(const std::string& name, const char* value) {
  if (!core::option_given(name)) check(PetscOptionsSetValue(nullptr, ("-" + name).c_str(), value));
}
} // namespace

core::KspHandle create_points_solver(MPI_Comm comm, Mat matrix) {
  core::KspHandle solver;
  PC pc = nullptr;
  PetscInt size = 0;
  check(MatGetSize(matrix, &size, nullptr));
  check(KSPCreate(comm, solver.out()));
  check(KSPGetPC(solver, &pc));
  if (size <= largest_factored) {
    check(KSPSetType(solver, KSPPREONLY));
    check(PCSetType(pc, PCLU));
    check(PCFactorSetMatSolverType(pc, core::size_of(comm) > 1 ? MATSOLVERMUMPS : MATSOLVERUMFPACK));
  } else {
    check(KSPSetType(solver, KSPGMRES));
    check(KSPSetTolerances(solver, start_tolerance, PETSC_DEFAULT, PETSC_DEFAULT, 500));
    check(PCSetType(pc, PCHYPRE));
  }
  return solver;
}

core::KspHandle create_solver(MPI_Comm comm, Mat matrix, const dae::System& system) {
  core::KspHandle solver;
  PC pc = nullptr;
  check(KSPCreate(comm, solver.out()));
  check(KSPSetOptionsPrefix(solver, "start_"));
  check(KSPSetOperators(solver, matrix, matrix));
  check(KSPGetPC(solver, &pc));
  system.configure(pc, matrix);
  PetscBool factors = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCLU, &factors));
  if (factors) {
    check(KSPSetType(solver, KSPPREONLY));
    if (core::size_of(comm) > 1) check(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  } else {
    check(KSPSetType(solver, KSPFGMRES));
    check(KSPSetTolerances(solver, start_tolerance, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  }
  return solver;
}

/// Beyond what can be factored: block Gauss-Seidel over the unknowns in the order positions, fields, monitor, each
/// block by algebraic multigrid. Positions before fields before the monitor is the order of the strong couplings.
void BoxProblem::configure(PC preconditioner, Mat matrix) const {
  PetscInt size = 0, first = 0, last = 0;
  check(MatGetSize(matrix, &size, nullptr));
  if (size <= (dimension() == 2 ? largest_factored : largest_factored_in_space)) {
    check(PCSetType(preconditioner, PCLU));
    check(PCFactorSetMatSolverType(preconditioner, MATSOLVERUMFPACK));
    return;
  }
  const char* prefix = nullptr;
  check(PCGetOptionsPrefix(preconditioner, &prefix));
  check(MatGetOwnershipRange(matrix, &first, &last));
  check(PCSetType(preconditioner, PCFIELDSPLIT));
  check(PCFieldSplitSetType(preconditioner, PC_COMPOSITE_MULTIPLICATIVE));
  std::vector<int> order;
  for (int d = 0; d < dimension() && moves(); ++d) order.push_back(coordinate(d));
  for (int c = 0; c < components(); ++c) order.push_back(c);
  if (moves()) order.push_back(monitor_index());
  for (const int unknown : order) {
    core::IsHandle rows;
    const std::string& name = fields_[unknown].name;
    check(ISCreateStride(simplices_.comm(), (last - first) / unknowns(), first + unknown, unknowns(), rows.out()));
    check(PCFieldSplitSetIS(preconditioner, name.c_str(), rows));
    const std::string block = fmt::format("{}fieldsplit_{}_", prefix ? prefix : "", name);
    set_default(block + "ksp_type", "preonly");
    set_default(block + "pc_type", "hypre");
  }
}

} // namespace rhumb::moving_box
