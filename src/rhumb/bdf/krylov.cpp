#include <rhumb/bdf/krylov.hpp>

#include <rhumb/bdf/spigmr.hpp>
#include <rhumb/bdf/timer.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/guard.hpp>
#include <rhumb/core/options.hpp>
#include <algorithm>
#include <cmath>
#include <utility>

namespace rhumb::bdf {

using core::check;
using core::guard;
using core::Readable;
using core::Writable;

namespace {

/// In all; -dae_ksp_max_it.
constexpr PetscInt most_iterations = 200;
/// Floor of the smallest singular value: below it the estimate is rounding.
constexpr double least_singular_value = 1e-8;

bool is(KSP ksp, KSPType type) {
  PetscBool answer = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), type, &answer));
  return answer == PETSC_TRUE;
}

} // namespace

Krylov::Krylov(MPI_Comm comm, dae::Weights& weights, const std::string& prefix, PC preconditioner,
               KrylovBasis::Precision precision, Phases& phases, Product product)
    : weights_(weights), preconditioner_(preconditioner), phases_(phases), product_(std::move(product)),
      inverse_scale_(weights.norm_factors()), work_(core::same_layout(inverse_scale_)) {
  register_spigmr();
  create_operator(comm);
  check(KSPCreate(comm, ksp_.out()));
  check(KSPSetOptionsPrefix(ksp_, prefix.c_str()));
  check(KSPSetOperators(ksp_, operator_, operator_));
  check(KSPSetType(ksp_, spigmr));
  set_precision(ksp_, precision);
  check(KSPSetPCSide(ksp_, PC_LEFT));
  check(KSPSetNormType(ksp_, KSP_NORM_PRECONDITIONED));
  check(KSPSetTolerances(ksp_, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, most_iterations));
  check(KSPSetComputeSingularValues(ksp_, PETSC_TRUE));
  wrap_preconditioner(prefix);
  check(KSPSetFromOptions(ksp_));
  if (view_once_) check(KSPResetViewers(ksp_)); // PETSc would show it after every solve
  check(KSPSetConvergenceTest(ksp_, &Krylov::converged, this, nullptr));
  check(KSPSetUp(ksp_)); // its first vectors now, before the preconditioner's
}

void Krylov::create_operator(MPI_Comm comm) {
  PetscInt local = 0, global = 0;
  check(VecGetLocalSize(inverse_scale_, &local));
  check(VecGetSize(inverse_scale_, &global));
  // The Euclidean norm bounds the largest entry; the others are means.
  if (weights_.norm_in_use() != dae::Norm::max) root_size_ = std::sqrt(static_cast<double>(global));
  check(MatCreateShell(comm, local, local, global, global, this, operator_.out()));
  check(MatShellSetOperation(operator_, MATOP_MULT, reinterpret_cast<void (*)()>(&Krylov::apply_operator)));
  check(MatShellSetOperation(operator_, MATOP_CREATE_VECS, reinterpret_cast<void (*)()>(&Krylov::create_vectors)));
}

/// The KSP's own PC wraps ours; another prefix keeps -dae_pc_* for the inner one.
void Krylov::wrap_preconditioner(const std::string& prefix) {
  PC outer = nullptr;
  check(KSPGetPC(ksp_, &outer));
  check(PCSetOptionsPrefix(outer, (prefix + "scaled_").c_str()));
  check(PCSetType(outer, PCSHELL));
  check(PCShellSetContext(outer, this));
  check(PCShellSetApply(outer, &Krylov::apply_preconditioner));
  check(PCShellSetView(outer, &Krylov::view_preconditioner));
  view_once_ = core::option_given(prefix + "ksp_view");
}

void Krylov::rescale(const dae::KindScale& kind_scale) {
  inverse_scale_ = weights_.norm_factors();
  if (weights_.all_ones(kind_scale)) return;
  if (!user_scale_) user_scale_ = core::same_layout(inverse_scale_);
  inverse_scale_ = user_scale_;
  const Readable norm_factor(weights_.norm_factors());
  const Writable inverse(user_scale_);
  const auto kinds = weights_.kinds();
  for (std::size_t i = 0; i < inverse.size(); ++i)
    inverse[i] = norm_factor[i] * kind_scale[static_cast<std::size_t>(kinds[i])];
}

SolveResult Krylov::solve(Vec b, Vec x, double tolerance, double reduction) {
  const Timer timer(phases_.linear_solve);
  tolerance_ = tolerance * root_size_;
  reduction_ = reduction;
  check(KSPSolve(ksp_, b, x));
  if (std::exchange(view_once_, false)) check(KSPViewFromOptions(ksp_, nullptr, "-ksp_view"));
  PetscInt iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  check(KSPGetIterationNumber(ksp_, &iterations));
  check(KSPGetConvergedReason(ksp_, &reason));
  check(VecPointwiseDivide(x, x, inverse_scale_));
  return {reason > 0, static_cast<int>(iterations)};
}

/// 1 where a KSP knows none.
double Krylov::smallest_singular_value() const {
  if (is(ksp_, spigmr)) return bdf::smallest_singular_value(ksp_);
  PetscReal largest = 1.0, smallest = 1.0;
  if (is(ksp_, KSPGMRES)) check(KSPComputeExtremeSingularValues(ksp_, &largest, &smallest));
  return std::min(1.0, static_cast<double>(smallest));
}

void Krylov::release() {
  check(KSPReset(ksp_));
  check(KSPSetOperators(ksp_, operator_, operator_));
  check(KSPSetUp(ksp_));
}

const char* Krylov::type() const {
  KSPType type = nullptr;
  check(KSPGetType(ksp_, &type));
  return type;
}

PetscErrorCode Krylov::converged(KSP, PetscInt iteration, PetscReal norm, KSPConvergedReason* reason, void* self) {
  return guard([&] {
    auto& krylov = *static_cast<Krylov*>(self);
    *reason = KSP_CONVERGED_ITERATING;
    if (!std::isfinite(norm)) {
      *reason = KSP_DIVERGED_NANORINF;
      return;
    }
    if (norm == 0.0) *reason = KSP_CONVERGED_ATOL;
    // One application of the preconditioner is always made: x = 0 is no better start for the next step.
    if (iteration == 0) krylov.first_norm_ = norm;
    if (iteration == 0 || norm > std::min(krylov.tolerance_, krylov.reduction_ * krylov.first_norm_) || norm == 0.0)
      return;
    const double bound = norm / std::max(krylov.smallest_singular_value(), least_singular_value);
    if (bound <= krylov.tolerance_) *reason = KSP_CONVERGED_ATOL;
  });
}

PetscErrorCode Krylov::apply_operator(Mat shell, Vec v, Vec out) {
  return guard([&] {
    void* context = nullptr;
    check(MatShellGetContext(shell, &context));
    const auto& krylov = *static_cast<const Krylov*>(context);
    {
      const Timer timer(krylov.phases_.products);
      check(VecPointwiseDivide(krylov.work_, v, krylov.inverse_scale_));
    }
    krylov.product_(v, krylov.work_, out);
  });
}

/// GMRES's vectors are of the system's kind.
PetscErrorCode Krylov::create_vectors(Mat shell, Vec* right, Vec* left) {
  return guard([&] {
    void* context = nullptr;
    check(MatShellGetContext(shell, &context));
    for (Vec* v : {right, left})
      if (v) check(VecDuplicate(static_cast<const Krylov*>(context)->inverse_scale_, v));
  });
}

PetscErrorCode Krylov::apply_preconditioner(PC shell, Vec r, Vec out) {
  return guard([&] {
    void* context = nullptr;
    check(PCShellGetContext(shell, &context));
    const auto& krylov = *static_cast<const Krylov*>(context);
    const Timer timer(krylov.phases_.pc_apply);
    check(PCApply(krylov.preconditioner_, r, out));
    check(VecPointwiseMult(out, out, krylov.inverse_scale_));
  });
}

PetscErrorCode Krylov::view_preconditioner(PC shell, PetscViewer viewer) {
  return guard([&] {
    void* context = nullptr;
    check(PCShellGetContext(shell, &context));
    check(PCView(static_cast<const Krylov*>(context)->preconditioner_, viewer));
  });
}

} // namespace rhumb::bdf
