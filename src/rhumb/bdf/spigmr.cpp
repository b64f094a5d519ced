#include <rhumb/bdf/spigmr.hpp>

#include <rhumb/bdf/hessenberg.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/guard.hpp>
#include <rhumb/core/petsc_private.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

namespace rhumb::bdf {

using core::check;
using core::guard;
using core::Writable;

namespace {

/// Iterations before a restart; -ksp_gmres_restart.
constexpr PetscInt default_restart = 30;
/// Vectors that are there from the beginning: with a good preconditioner no solve needs more. Those that came with the
/// first solves would lie in the way of the preconditioner's next arrays.
constexpr std::size_t first_vectors = 5;
/// A cycle ends where the residual has fallen to so many roundings of the vectors: they carry it hardly further.
constexpr double last_roundings = 16.0;
/// It ends, too, where the residual has fallen to this part and falls no longer: operator and preconditioner have
/// roundings of their own, in which only the true residual leads on.
constexpr double deep = 1e-10, stagnation = 0.5;

using Precision = KrylovBasis::Precision;

/// The data of a KSP of this type.
struct SpigmrData {
  PetscInt restart = default_restart;
  Precision precision = Precision::single_precision;
  KrylovBasis basis;
  Hessenberg small;
  double smallest = 1.0;      ///< singular value that the earlier cycles of the solve have seen
  std::vector<double> column; ///< products with the basis
};

/// One solve. w is the newest vector: a Krylov vector before a product with it, what the product gave after.
class Solve {
public:
  explicit Solve(KSP ksp)
      : ksp_(ksp), memory_(*static_cast<SpigmrData*>(ksp->data)), w_(ksp->work[0]), product_(ksp->work[1]) {
    check(PCGetOperators(ksp->pc, &operator_, nullptr));
  }

  void run() {
    ksp_->its = 0;
    memory_.smallest = 1.0;
    ksp_->reason = KSP_CONVERGED_ITERATING;
    while (ksp_->reason == KSP_CONVERGED_ITERATING) {
      begin_cycle();
      if (ksp_->reason != KSP_CONVERGED_ITERATING) return;
      if (full())
        ksp_->reason = KSP_DIVERGED_ITS;
      else
        iterate();
    }
  }

private:
  bool full() const { return ksp_->its >= ksp_->max_it; }

  /// w = P^-1 (b - A x), and its norm.
  void begin_cycle() {
    if (ksp_->its == 0 && ksp_->guess_zero) {
      check(KSP_PCApply(ksp_, ksp_->vec_rhs, w_));
    } else {
      check(KSP_MatMult(ksp_, operator_, ksp_->vec_sol, product_));
      check(VecAYPX(product_, -1.0, ksp_->vec_rhs));
      check(KSP_PCApply(ksp_, product_, w_));
    }
    check(VecNorm(w_, NORM_2, &beta_));
    if (ksp_->its == 0) record(beta_);
    judge(beta_);
  }

  /// Until the cycle has to end; then x takes what it found.
  void iterate() {
    if (ksp_->its > 0) memory_.smallest = std::min(memory_.smallest, memory_.small.smallest_singular_value());
    memory_.small.begin(beta_, static_cast<int>(memory_.restart));
    memory_.basis.clear();
    double left = beta_, before = beta_;
    bool stagnates = false;
    do {
      take_in(left);
      left = expand();
      ++ksp_->its;
      const double norm = memory_.small.append(memory_.column, left);
      record(norm);
      judge(norm);
      stagnates = norm < deep * beta_ && norm > stagnation * before;
      before = norm;
    } while (ksp_->reason == KSP_CONVERGED_ITERATING && !full() && left > 0.0 && !stagnates &&
             memory_.small.columns() < memory_.restart &&
             ksp_->rnorm > last_roundings * memory_.basis.rounding() * beta_);
    add_solution();
  }

  /// w / length becomes the next Krylov vector.
  void take_in(double length) {
    {
      const Writable w(w_);
      memory_.basis.append(w.span(), 1.0 / length);
    }
    // VecNorm need not find out.
    check(PetscObjectComposedDataSetReal(reinterpret_cast<PetscObject>(w_), NormIds[NORM_2], 1.0));
  }

  /// w = P^-1 A w without its parts along the basis, which go to the column; returns the length of what is left.
  double expand() {
    check(KSP_MatMult(ksp_, operator_, w_, product_));
    check(KSP_PCApply(ksp_, product_, w_));
    const Writable w(w_);
    memory_.column.resize(memory_.basis.count());
    memory_.basis.multiply(w.span(), memory_.column);
    add_over_ranks(memory_.column);
    double square = memory_.basis.subtract(memory_.column, w.span());
    add_over_ranks({&square, 1});
    return std::sqrt(square);
  }

  void add_over_ranks(std::span<double> sums) const {
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM,
                                  PetscObjectComm(reinterpret_cast<PetscObject>(ksp_))));
  }

  void record(double norm) {
    check(KSPLogResidualHistory(ksp_, norm));
    check(KSPMonitor(ksp_, ksp_->its, norm));
  }

  void judge(double norm) {
    ksp_->rnorm = norm;
    check((*ksp_->converged)(ksp_, ksp_->its, norm, &ksp_->reason, ksp_->cnvP));
  }

  /// The residual of x differs from the believed one by at most rounding || R || || y ||. A solution that would not do
  /// with so much more is not believed: the next cycle finds out.
  void add_solution() {
    if (ksp_->reason == KSP_DIVERGED_NANORINF) return;
    if (!memory_.small.solvable()) {
      ksp_->reason = KSP_DIVERGED_BREAKDOWN;
      return;
    }
    const auto y = memory_.small.solution();
    {
      const Writable x(ksp_->vec_sol);
      memory_.basis.add(y, x.span());
    }
    double square = 0.0;
    for (const double part : y) square += part * part;
    const double doubt = memory_.basis.rounding() * memory_.small.norm() * std::sqrt(square);
    if (ksp_->reason > 0) judge(ksp_->rnorm + doubt);
  }

  KSP ksp_;
  SpigmrData& memory_;
  Vec w_, product_;
  Mat operator_ = nullptr;
  double beta_ = 0.0; ///< norm at the beginning of the cycle
};

PetscErrorCode set_up(KSP ksp) {
  return guard([&] {
    check(KSPSetWorkVecs(ksp, 2));
    PetscInt size = 0;
    check(VecGetLocalSize(ksp->work[0], &size));
    auto& data = *static_cast<SpigmrData*>(ksp->data);
    data.basis.choose(data.precision);
    data.basis.reserve(first_vectors, static_cast<std::size_t>(size));
  });
}

PetscErrorCode solve(KSP ksp) {
  return guard([&] { Solve(ksp).run(); });
}

PetscErrorCode reset(KSP ksp) {
  static_cast<SpigmrData*>(ksp->data)->basis.release();
  return 0;
}

PetscErrorCode destroy(KSP ksp) {
  return guard([&] {
    const std::unique_ptr<SpigmrData> data(static_cast<SpigmrData*>(ksp->data));
    ksp->data = nullptr;
    check(KSPDestroyDefault(ksp));
  });
}

PetscErrorCode set_from_options(KSP ksp, PetscOptionItems* PetscOptionsObject) { // the name that PETSc's macros want
  auto& data = *static_cast<SpigmrData*>(ksp->data);
  PetscBool single = data.precision == Precision::single_precision ? PETSC_TRUE : PETSC_FALSE;
  PetscOptionsHeadBegin(PetscOptionsObject, "GMRES with few vectors");
  PetscCall(PetscOptionsBoundedInt("-ksp_gmres_restart", "iterations before a restart", "", data.restart, &data.restart,
                                   nullptr, 1));
  PetscCall(PetscOptionsBool("-ksp_spigmr_single", "Krylov vectors in single precision", "", single, &single, nullptr));
  PetscOptionsHeadEnd();
  data.precision = single ? Precision::single_precision : Precision::double_precision;
  return 0;
}

PetscErrorCode create(KSP ksp) {
  return guard([&] {
    ksp->data = std::make_unique<SpigmrData>().release();
    check(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 3));
    ksp->ops->setup = set_up;
    ksp->ops->solve = solve;
    ksp->ops->reset = reset;
    ksp->ops->destroy = destroy;
    ksp->ops->setfromoptions = set_from_options;
    ksp->ops->buildsolution = KSPBuildSolutionDefault;
    ksp->ops->buildresidual = KSPBuildResidualDefault;
  });
}

} // namespace

void register_spigmr() {
  check(KSPRegister(spigmr, create));
}

void set_precision(KSP ksp, Precision precision) {
  static_cast<SpigmrData*>(ksp->data)->precision = precision;
}

double smallest_singular_value(KSP ksp) {
  auto& data = *static_cast<SpigmrData*>(ksp->data);
  return std::min(data.smallest, data.small.smallest_singular_value());
}

} // namespace rhumb::bdf
