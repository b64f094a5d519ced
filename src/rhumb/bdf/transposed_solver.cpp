#include <rhumb/bdf/transposed.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/guard.hpp>
#include <rhumb/dae/block_tridiagonal.hpp>

/// What solves with the transposed matrix: which, and made anew.

namespace rhumb::bdf {

using core::check;

namespace {
constexpr PetscInt most_iterations = 30, most_with_preconditioner = 300;
/// With factors of the present matrix: a second solve with the residual of the first.
constexpr PetscInt refinements = 2;

bool is_type(PC pc, const char* type) {
  PetscBool answer = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), type, &answer));
  return answer == PETSC_TRUE;
}

core::PcHandle new_preconditioner(const dae::GuardedSystem& system, const std::string& prefix, Mat matrix) {
  core::PcHandle pc;
  check(PCCreate(system.comm(), pc.out()));
  check(PCSetOptionsPrefix(pc, prefix.c_str()));
  check(PCSetOperators(pc, matrix, matrix));
  system.system().configure(pc, matrix);
  check(PCSetFromOptions(pc));
  return pc;
}

PetscErrorCode set_up_inner(PC shell) {
  return core::guard([&] {
    PC inner = nullptr;
    check(PCShellGetContext(shell, &inner));
    check(PCSetReusePreconditioner(inner, PETSC_FALSE));
    check(PCSetUp(inner));
    check(PCSetReusePreconditioner(inner, PETSC_TRUE));
  });
}

PetscErrorCode apply_transpose_of_inner(PC shell, Vec b, Vec x) {
  return core::guard([&] {
    PC inner = nullptr;
    check(PCShellGetContext(shell, &inner));
    check(PCApplyTranspose(inner, b, x));
  });
}
} // namespace

/// The system's, for the transposed matrix; false where factors are what it wants, or what is left.
bool TransposedMatrix::create_preconditioner() {
  preconditioner_ = new_preconditioner(system_, prefix_, matrix_);
  if (is_type(preconditioner_, PCLU) || is_type(preconditioner_, PCCHOLESKY) ||
      dae::is_block_tridiagonal(preconditioner_))
    return false;
  PetscBool has_transpose = PETSC_FALSE;
  check(PCApplyTransposeExists(preconditioner_, &has_transpose));
  const bool own = is_type(preconditioner_, PCSHELL);
  if (own && !has_transpose) return false;
  check(MatTranspose(matrix_, MAT_INITIAL_MATRIX, transposed_.out()));
  if (!own) preconditioner_ = new_preconditioner(system_, prefix_, transposed_);
  create_krylov();
  if (!own) {
    check(KSPSetPC(solver_, preconditioner_));
    return true;
  }
  PC shell = nullptr;
  check(KSPGetPC(solver_, &shell));
  check(PCSetType(shell, PCSHELL));
  check(PCShellSetContext(shell, preconditioner_.get()));
  check(PCShellSetSetUp(shell, set_up_inner));
  check(PCShellSetApply(shell, apply_transpose_of_inner));
  return true;
}

void TransposedMatrix::create_krylov() {
  check(KSPCreate(system_.comm(), solver_.out()));
  check(KSPSetOperators(solver_, transposed_, transposed_));
  check(KSPSetType(solver_, KSPGMRES));
  check(KSPSetInitialGuessNonzero(solver_, PETSC_TRUE));
  check(KSPSetTolerances(solver_, reduction_, PETSC_DEFAULT, PETSC_DEFAULT, most_with_preconditioner));
}

void TransposedMatrix::use_factors() {
  solver_ = {};
  preconditioner_ = {};
  transposed_ = {};
  factors_ = true;
  fresh_ = false;
}

/// LU of the package that pivots: as in Linear, and each rank the whole of a small system.
void TransposedMatrix::create_factorization() {
  const int ranks = core::size_of(system_.comm());
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
    check(KSPSetTolerances(solver_, reduction_, PETSC_DEFAULT, PETSC_DEFAULT, most_iterations));
  }
}

void TransposedMatrix::copy_to_factor() {
  const bool pinned = !pinned_->empty();
  if (!factored_)
    check(MatDuplicate(matrix_, MAT_COPY_VALUES, factored_.out()));
  else
    check(MatCopy(matrix_, factored_, pinned ? DIFFERENT_NONZERO_PATTERN : SAME_NONZERO_PATTERN));
  if (pinned) pin_free_constants();
}

/// The factors or the preconditioner of the present matrix.
bool TransposedMatrix::renew() {
  if (!pinned_) find_free_constants(residual_);
  if (!factors_ && !solver_ && (small_ || !create_preconditioner())) use_factors();
  if (factors_) copy_to_factor();
  if (!solver_) create_factorization();
  check(KSPSetOperators(solver_, factors_ ? matrix_ : transposed_, factors_ ? factored_ : transposed_));
  ++factorizations_;
  fresh_ = true;
  renew_ = false;
  alpha_of_setup_ = alpha_;
  return set_up();
}

bool TransposedMatrix::set_up() {
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

} // namespace rhumb::bdf
