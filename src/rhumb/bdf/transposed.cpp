#include <rhumb/bdf/transposed.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::bdf {

using core::check;

namespace {
/// Of the preconditioned residual of GMRES; gradients are wanted to more digits than the solution has.
constexpr double reduction = 1e-9;
/// Of the right side: what rounding may leave with new factors, where GMRES goes no further.
constexpr double rest_of_rounding = 1e-7;
constexpr PetscInt most_iterations = 30;
/// More iterations with factors of an earlier point cost more than new factors, in planes at least.
constexpr PetscInt patience = 8;
/// With factors of the present matrix: a second solve with the residual of the first.
constexpr PetscInt refinements = 2;
/// Of the largest entries: what a product with a constant may leave of rounding.
constexpr double rounding = 1e-12;

int size_of(MPI_Comm comm) {
  int ranks = 1;
  core::check_mpi(MPI_Comm_size(comm, &ranks));
  return ranks;
}

PetscInt rows_of(Mat matrix) {
  PetscInt rows = 0;
  check(MatGetSize(matrix, &rows, nullptr));
  return rows;
}
} // namespace

TransposedMatrix::TransposedMatrix(dae::GuardedSystem& system, const dae::Weights& weights, Vec model)
    : system_(system), weights_(weights), matrix_(system.system().create_matrix()),
      without_rates_(system.system().create_matrix()), residual_(core::same_layout(model)) {
  small_ = rows_of(matrix_) <= dae::small_system;
  if (!system.offers().jacobian) differences_ = std::make_unique<dae::ColouredJacobian>(system, matrix_);
}

/// LU of the package that pivots: as in Linear, and each rank the whole of a small system.
void TransposedMatrix::create_solver() {
  const int ranks = size_of(system_.comm());
  PC pc = nullptr;
  check(KSPCreate(system_.comm(), solver_.out()));
  check(KSPSetOperators(solver_, matrix_, factored_));
  check(KSPGetPC(solver_, &pc));
  if (ranks > 1 && small_) {
    KSP whole = nullptr;
    check(PCSetType(pc, PCREDUNDANT));
    check(PCRedundantGetKSP(pc, &whole));
    check(KSPGetPC(whole, &pc));
  }
  check(PCSetType(pc, PCLU));
  check(PCFactorSetMatSolverType(pc, small_ ? MATSOLVERKLU : ranks > 1 ? MATSOLVERMUMPS : MATSOLVERUMFPACK));
  if (small_) {
    check(KSPSetType(solver_, KSPRICHARDSON));
    check(KSPSetNormType(solver_, KSP_NORM_NONE));
    check(KSPSetTolerances(solver_, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, refinements));
  } else {
    check(KSPSetType(solver_, KSPGMRES));
    check(KSPGMRESSetRestart(solver_, most_iterations));
    check(KSPSetTolerances(solver_, reduction, PETSC_DEFAULT, PETSC_DEFAULT, most_iterations));
  }
}

void TransposedMatrix::evaluate(const LinearizationPoint& at, double alpha, Mat out) {
  ++matrices_;
  if (differences_)
    differences_->evaluate(at.t, at.y, at.ydot, alpha, residual_, weights_, out,
                           dae::ColouredJacobian::Increments::smallest);
  else
    system_.jacobian(at.t, at.y, at.ydot, alpha, out);
}

void TransposedMatrix::linearize(const LinearizationPoint& at, double alpha) {
  alpha_ = alpha;
  t_ = at.t;
  if (differences_) system_.residual(at.t, at.y, at.ydot, residual_);
  evaluate(at, 0.0, without_rates_);
  evaluate(at, alpha, matrix_);
  if (!system_.all_well())
    throw core::SolverGaveUp(
        fmt::format("the sweep back found no matrix at t = {:g}: {}", t_, system_.last_complaint()));
  fresh_ = false;
  if (small_) renew_ = true;
}

void TransposedMatrix::products(Vec v, Vec by_y, Vec by_rate) {
  check(MatMultTranspose(matrix_, v, by_rate));
  check(MatMultTranspose(without_rates_, v, by_y));
  check(VecAXPY(by_rate, -1.0, by_y));
  check(VecScale(by_rate, 1.0 / alpha_));
}

bool TransposedMatrix::factor() {
  if (!factored_)
    check(MatDuplicate(matrix_, MAT_COPY_VALUES, factored_.out()));
  else
    check(MatCopy(matrix_, factored_, pinned_ && !pinned_->empty() ? DIFFERENT_NONZERO_PATTERN : SAME_NONZERO_PATTERN));
  if (!pinned_) find_free_constants(residual_);
  if (!pinned_->empty()) pin_free_constants();
  if (!solver_) create_solver();
  check(KSPSetOperators(solver_, matrix_, factored_));
  ++factorizations_;
  fresh_ = true;
  renew_ = false;
  PC pc = nullptr;
  PCFailedReason reason = PC_NOERROR;
  check(KSPGetPC(solver_, &pc));
  check(PCSetReusePreconditioner(pc, PETSC_FALSE));
  try {
    check(KSPSetUp(solver_));
    check(PCGetFailedReasonRank(pc, &reason));
  } catch (const core::LibraryError&) { // a zero pivot
    system_.fail_here();
  }
  if (reason != PC_NOERROR) system_.fail_here();
  const bool good = system_.all_well();
  if (good) check(PCSetReusePreconditioner(pc, PETSC_TRUE));
  return good;
}

/// Fields of algebraic variables whose constants G maps to 0, and the first row of each.
void TransposedMatrix::find_free_constants(Vec model) {
  pinned_.emplace();
  const auto constant = core::same_layout(model), product = core::same_layout(model);
  dae::System& system = system_.system();
  PetscInt first = 0;
  PetscReal largest = 0.0, size = 0.0;
  check(VecGetOwnershipRange(model, &first, nullptr));
  check(MatNorm(matrix_, NORM_INFINITY, &largest));
  const auto fields = static_cast<int>(system.fields().size());
  for (int field = 0; field < fields; ++field)
    for (const dae::Kind kind : {dae::Kind::index2, dae::Kind::index1}) {
      PetscInt row = rows_of(matrix_);
      {
        const core::Writable values(constant);
        for (std::size_t i = values.size(); i-- > 0;) {
          const auto local = static_cast<PetscInt>(i);
          values[i] = system.field_of(local) == field && system.variable_kind(local) == kind ? 1.0 : 0.0;
          if (values[i] == 1.0) row = first + local;
        }
      }
      core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &row, 1, MPIU_INT, MPI_MIN, system_.comm()));
      if (row == rows_of(matrix_)) continue;
      check(MatMult(matrix_, constant, product));
      check(VecNorm(product, NORM_INFINITY, &size));
      if (size > rounding * largest) continue;
      pinned_->push_back(row);
      check(VecNormalize(constant, nullptr));
      check(VecCopy(constant, constants_.emplace_back(core::same_layout(model))));
    }
}

/// With c at one place of the diagonal the matrix is regular, and a solution of the changed system solves the given one:
/// for a constant e, e^T b = 0 and P e = c e_i say that x_i = 0.
void TransposedMatrix::pin_free_constants() {
  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(factored_, &first, &last));
  check(MatSetOption(factored_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (const PetscInt row : *pinned_) {
    if (row < first || row >= last) continue;
    PetscInt count = 0;
    const PetscScalar* values = nullptr;
    double square = 0.0;
    check(MatGetRow(matrix_, row, &count, nullptr, &values));
    for (PetscInt i = 0; i < count; ++i) square += values[i] * values[i];
    check(MatRestoreRow(matrix_, row, &count, nullptr, &values));
    check(MatSetValue(factored_, row, row, -square / std::abs(alpha_), ADD_VALUES));
  }
  check(MatAssemblyBegin(factored_, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(factored_, MAT_FINAL_ASSEMBLY));
}

/// What x leaves of b, over b.
double TransposedMatrix::rest(Vec b, Vec x) {
  double left = 0.0, given = 0.0;
  check(MatMultTranspose(matrix_, x, residual_));
  check(VecAXPY(residual_, -1.0, b));
  check(VecNorm(residual_, NORM_2, &left));
  check(VecNorm(b, NORM_2, &given));
  return left / given;
}

bool TransposedMatrix::try_solve(Vec b, Vec x) {
  if (renew_ && !factor()) return false;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  double size = 0.0;
  check(KSPSolveTranspose(solver_, b, x));
  check(KSPGetConvergedReason(solver_, &reason));
  check(KSPGetIterationNumber(solver_, &iterations));
  check(VecNorm(x, NORM_1, &size));
  if (!small_) iterations_ += iterations;
  if (iterations > patience && !fresh_) renew_ = true;
  return std::isfinite(size) && (reason > 0 || (fresh_ && rest(b, x) <= rest_of_rounding));
}

void TransposedMatrix::solve(Vec b, Vec x) {
  double size = 0.0;
  check(VecNorm(b, NORM_1, &size));
  if (size == 0.0) {
    check(VecSet(x, 0.0));
    return;
  }
  if (renew_ && !factor()) throw core::SolverGaveUp(fmt::format("the matrix at t = {:g} is singular", t_));
  for (const auto& constant : constants_) { // rounding alone keeps b from the range of G^T
    double part = 0.0;
    check(VecDot(b, constant, &part));
    check(VecAXPY(b, -part, constant));
  }
  if (try_solve(b, x)) return;
  if (!fresh_) {
    renew_ = true;
    if (try_solve(b, x)) return;
  }
  throw core::SolverGaveUp(fmt::format("the sweep back cannot solve with the transposed matrix at t = {:g}", t_));
}

} // namespace rhumb::bdf
