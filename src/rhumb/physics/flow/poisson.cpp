#include <rhumb/physics/flow/poisson.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/options.hpp>
#include <limits>

namespace rhumb::flow {

using core::check;

namespace {
/// Up to this many cells in all L is factored; a plane of 512 x 512 is well within.
constexpr PetscInt largest_factored = 300'000;
/// Up to this many every rank factors the whole L: one exchange per solve instead of one per level of the elimination
/// tree.
constexpr PetscInt largest_redundant = 70'000;
/// In space the factors fill up, so fewer.
constexpr PetscInt largest_factored_in_space = 60'000;
/// Where multigrid stands for L^-1: conjugate gradients go on to this part of the right side, since constraint and
/// pressure are as exact as they are, and since GMRES around them wants one linear operator.
constexpr double iterated_to = 1e-12;
constexpr PetscInt most_cycles = 60;

void factor(PC pc, MatSolverType solver) {
  check(PCSetType(pc, PCCHOLESKY));
  check(PCFactorSetMatSolverType(pc, solver));
}

void factor_on_each_rank(PC pc) {
  check(PCSetType(pc, PCREDUNDANT));
  KSP inner = nullptr;
  PC inner_pc = nullptr;
  check(PCRedundantGetKSP(pc, &inner));
  check(KSPSetType(inner, KSPPREONLY));
  check(KSPGetPC(inner, &inner_pc));
  factor(inner_pc, MATSOLVERCHOLMOD);
}

} // namespace

Poisson::Poisson(const Equations& equations, const Blocks& blocks, Vec volumes, const std::string& prefix)
    : closed_(equations.closed()), volumes_(volumes) {
  check(VecSum(volumes, &total_));
  const bool chosen = core::option_given(prefix + "fieldsplit_pressure_pc_type");
  if (!chosen && !equations.boundary().any_solid() && SeparableLaplacian::fits(equations.grid())) {
    separable_ = std::make_unique<SeparableLaplacian>(equations.grid(), equations.open_ends());
    return;
  }
  assemble(blocks);
  choose_solver(prefix);
}

void Poisson::assemble(const Blocks& blocks) {
  check(MatMatMult(blocks.divergence, blocks.gradient, MAT_INITIAL_MATRIX, PETSC_DEFAULT, matrix_.out()));
  check(MatDiagonalScale(matrix_, volumes_, nullptr));
  check(MatScale(matrix_, -1.0));
  // Solid cells have no row of their own. A free constant is held by a larger diagonal entry of the first fluid cell:
  // with a right side of mean zero that changes nothing but the constant.
  const core::VecHandle diagonal = core::same_layout(volumes_);
  check(MatGetDiagonal(matrix_, diagonal));
  PetscInt first = 0, last = 0;
  check(VecGetOwnershipRange(volumes_, &first, &last));
  {
    const core::Readable volume(volumes_);
    const core::Writable entry(diagonal);
    PetscInt held = last;
    for (PetscInt i = first; i < last && held == last; ++i)
      if (volume[static_cast<std::size_t>(i - first)] > 0.0) held = i;
    const PetscInt mine = held == last ? PETSC_MAX_INT : held;
    PetscInt all = mine;
    core::check_mpi(
        MPI_Allreduce(&mine, &all, 1, MPIU_INT, MPI_MIN, PetscObjectComm(reinterpret_cast<PetscObject>(volumes_))));
    for (PetscInt i = first; i < last; ++i) {
      const auto own = static_cast<std::size_t>(i - first);
      if (volume[own] == 0.0) entry[own] = 1.0;
      if (closed_ && i == all) entry[own] *= 2.0;
    }
  }
  check(MatSetOption(matrix_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)); // of solid cells, whose rows are empty
  check(MatDiagonalSet(matrix_, diagonal, INSERT_VALUES));
  check(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE));
}

void Poisson::choose_solver(const std::string& prefix) {
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(matrix_.get()));
  PetscInt cells = 0;
  MatInfo info;
  int ranks = 1;
  check(MatGetSize(matrix_, &cells, nullptr));
  check(MatGetInfo(matrix_, MAT_GLOBAL_SUM, &info));
  core::check_mpi(MPI_Comm_size(comm, &ranks));
  const bool plane = info.nz_used <= 5.5 * static_cast<double>(cells);
  check(KSPCreate(comm, solver_.out()));
  check(KSPSetOptionsPrefix(solver_, (prefix + "fieldsplit_pressure_").c_str()));
  check(KSPSetOperators(solver_, matrix_, matrix_));
  PC pc = nullptr;
  check(KSPGetPC(solver_, &pc));
  if (cells <= (plane ? largest_factored : largest_factored_in_space)) {
    check(KSPSetType(solver_, KSPPREONLY));
    check(KSPSetNormType(solver_, KSP_NORM_NONE));
    if (ranks > 1 && cells <= largest_redundant)
      factor_on_each_rank(pc);
    else
      factor(pc, ranks > 1 ? MATSOLVERMUMPS : MATSOLVERCHOLMOD);
  } else {
    check(KSPSetType(solver_, KSPCG));
    check(KSPSetNormType(solver_, KSP_NORM_PRECONDITIONED));
    check(KSPSetTolerances(solver_, iterated_to, PETSC_DEFAULT, PETSC_DEFAULT, most_cycles));
    check(PCSetType(pc, PCHYPRE));
    check(PCHYPRESetType(pc, "boomeramg"));
  }
  check(KSPSetFromOptions(solver_));
  check(KSPSetUp(solver_));
}

void Poisson::solve(Vec d, Vec phi) const {
  if (separable_) {
    const core::Readable given(d);
    const core::Writable result(phi);
    separable_->solve(given.span(), result.span());
  }
  check(VecPointwiseMult(d, d, volumes_));
  check(VecScale(d, -1.0));
  if (separable_) return;
  check(KSPSolve(solver_, d, phi));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  check(KSPGetConvergedReason(solver_, &reason));
  // A pressure that is none: whoever uses it sees a norm without value and takes a smaller step.
  if (reason < 0) check(VecSet(phi, std::numeric_limits<double>::infinity()));
}

void Poisson::centre(Vec p) const {
  if (!closed_) return;
  PetscScalar sum = 0.0;
  check(VecDot(p, volumes_, &sum));
  const double mean = sum / total_;
  const core::Readable volume(volumes_);
  const core::Writable value(p);
  for (std::size_t i = 0; i < value.size(); ++i)
    if (volume[i] > 0.0) value[i] -= mean;
}

} // namespace rhumb::flow
