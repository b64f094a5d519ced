#include <rhumb/physics/flow/poisson.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/guard.hpp>
#include <rhumb/core/options.hpp>
#include <limits>

namespace rhumb::flow {

using core::check;

namespace {
/// In the plane L is factored up to this many cells in all; 512 x 512 is well within.
constexpr PetscInt most_factored = 300'000;
/// On several ranks each has the factors of the whole L, up to this many cells: one exchange per solve.
constexpr PetscInt most_redundant = 70'000;
/// Where iterations stand for L^-1 they go on to this part of the right side, since constraint and pressure are as
/// exact as they are, and since GMRES around them wants one linear operator.
constexpr double iteration_tolerance = 1e-12;
constexpr PetscInt most_iterations = 60;

PressureMultigrid& multigrid_of(void* context) {
  return *static_cast<PressureMultigrid*>(context);
}

PetscErrorCode multiply(Mat shell, Vec x, Vec out) {
  return core::guard([&] {
    void* context = nullptr;
    check(MatShellGetContext(shell, static_cast<void*>(&context)));
    const core::Readable given(x);
    const core::Writable result(out);
    multigrid_of(context).product(given.span(), result.span());
  });
}

PetscErrorCode apply_cycle(PC shell, Vec r, Vec z) {
  return core::guard([&] {
    void* context = nullptr;
    check(PCShellGetContext(shell, static_cast<void*>(&context)));
    const core::Readable given(r);
    const core::Writable result(z);
    multigrid_of(context).cycle(given.span(), result.span());
  });
}

void factor(PC pc) {
  check(PCSetType(pc, PCCHOLESKY));
  check(PCFactorSetMatSolverType(pc, MATSOLVERCHOLMOD));
}

void factor_on_each_rank(PC pc) {
  check(PCSetType(pc, PCREDUNDANT));
  KSP inner = nullptr;
  PC inner_pc = nullptr;
  check(PCRedundantGetKSP(pc, &inner));
  check(KSPSetType(inner, KSPPREONLY));
  check(KSPGetPC(inner, &inner_pc));
  factor(inner_pc);
}

} // namespace

Poisson::Method Poisson::method(const Equations& equations, const std::string& prefix) {
  const Staggered& grid = equations.grid();
  if (core::option_given(prefix + "fieldsplit_pressure_pc_type")) return Method::options;
  if (!equations.boundary().any_solid() && SeparableLaplacian::fits(grid)) return Method::diagonalization;
  const PetscInt cells = grid.line(0).cells() * grid.line(1).cells(), ranks = core::size_of(grid.comm());
  const bool few = cells <= (ranks > 1 ? most_redundant : most_factored);
  return grid.dimension() == 2 && few ? Method::factors : Method::multigrid;
}

Poisson::Poisson(const Equations& equations, const Blocks& blocks, Vec volumes, const std::string& prefix)
    : closed_(equations.closed()), volumes_(volumes) {
  check(VecSum(volumes, &total_));
  const MPI_Comm comm = equations.grid().comm();
  const Method chosen = method(equations, prefix);
  if (chosen == Method::diagonalization) {
    separable_ = std::make_unique<SeparableLaplacian>(equations.grid(), equations.open_ends());
    return;
  }
  check(KSPCreate(comm, solver_.out()));
  check(KSPSetOptionsPrefix(solver_, (prefix + "fieldsplit_pressure_").c_str()));
  if (chosen == Method::multigrid)
    use_multigrid(equations);
  else
    assemble(blocks);
  check(KSPSetOperators(solver_, matrix_, matrix_));
  if (chosen == Method::factors)
    factor_matrix(comm);
  else
    iterate();
  check(KSPSetFromOptions(solver_));
  check(KSPSetUp(solver_));
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
      if (volume[i - first] > 0.0) held = i;
    const PetscInt mine = held == last ? PETSC_MAX_INT : held;
    PetscInt all = mine;
    core::check_mpi(
        MPI_Allreduce(&mine, &all, 1, MPIU_INT, MPI_MIN, PetscObjectComm(reinterpret_cast<PetscObject>(volumes_))));
    for (PetscInt i = first; i < last; ++i) {
      const auto row = static_cast<std::size_t>(i - first);
      if (volume[row] == 0.0) entry[row] = 1.0;
      if (closed_ && i == all) entry[row] *= 2.0;
    }
  }
  check(MatSetOption(matrix_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)); // of solid cells, whose rows are empty
  check(MatDiagonalSet(matrix_, diagonal, INSERT_VALUES));
  check(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE));
}

void Poisson::factor_matrix(MPI_Comm comm) {
  PC pc = nullptr;
  check(KSPGetPC(solver_, &pc));
  check(KSPSetType(solver_, KSPPREONLY));
  check(KSPSetNormType(solver_, KSP_NORM_NONE));
  if (core::size_of(comm) > 1)
    factor_on_each_rank(pc);
  else
    factor(pc);
}

void Poisson::iterate() {
  check(KSPSetType(solver_, KSPCG));
  check(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED));
  check(KSPSetTolerances(solver_, iteration_tolerance, PETSC_DEFAULT, PETSC_DEFAULT, most_iterations));
}

void Poisson::use_multigrid(const Equations& equations) {
  multigrid_ = std::make_unique<PressureMultigrid>(equations);
  PetscInt cells = 0;
  check(VecGetLocalSize(volumes_, &cells));
  check(MatCreateShell(equations.grid().comm(), cells, cells, PETSC_DETERMINE, PETSC_DETERMINE, multigrid_.get(),
                       matrix_.out()));
  check(MatShellSetOperation(matrix_, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)));
  PC pc = nullptr;
  check(KSPGetPC(solver_, &pc));
  check(PCSetType(pc, PCSHELL));
  check(PCShellSetContext(pc, multigrid_.get()));
  check(PCShellSetApply(pc, apply_cycle));
}

void Poisson::solve(Vec d, Vec phi) const {
  if (separable_) {
    const core::Readable given(d);
    const core::Writable result(phi);
    separable_->solve(given.span(), result.span());
  }
  check(VecPointwiseMult(d, d, volumes_));
  check(VecScale(d, -1.0));
  if (!separable_) solve_symmetric(d, phi);
}

/// V being the volumes, V L is symmetric: L^-T = V L^-1 V^-1.
void Poisson::solve_transposed(Vec phi, Vec d) const {
  if (separable_) { // there are no solid cells
    check(VecPointwiseDivide(phi, phi, volumes_));
    const core::Readable given(phi);
    const core::Writable result(d);
    separable_->solve(given.span(), result.span());
  } else {
    check(VecScale(phi, -1.0));
    solve_symmetric(phi, d);
  }
  check(VecPointwiseMult(d, d, volumes_));
}

/// -V L phi = d
void Poisson::solve_symmetric(Vec d, Vec phi) const {
  if (multigrid_ && closed_) remove_sum(d);
  check(KSPSolve(solver_, d, phi));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  check(KSPGetConvergedReason(solver_, &reason));
  // A pressure that is none: whoever uses it sees a norm without value and takes a smaller step.
  if (reason < 0) check(VecSet(phi, std::numeric_limits<double>::infinity()));
}

/// What rounding left of a net inflow, evenly over the fluid: L cannot see it, and CG must not.
void Poisson::remove_sum(Vec d) const {
  PetscScalar sum = 0.0;
  check(VecSum(d, &sum));
  check(VecAXPY(d, -sum / total_, volumes_));
}

void Poisson::centre_transposed(Vec p) const {
  if (closed_) remove_sum(p);
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
