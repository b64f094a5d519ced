#pragma once
/// GMRES in the weighted norm, or one that bounds it, with left preconditioning (SPIGMR, BCP 7.5.16) on a PETSc KSP:
///   D^-1 P^-1 G D (D^-1 x) = D^-1 P^-1 b,   D = diag(1 / (f_i s_i)), f of Weights::norm_factors,
/// whose Euclidean norm is sqrt(N) times the weighted one.
/// It stops when the *error* of x is small, not only the preconditioned residual: the residual is divided by the
/// smallest singular value of GMRES's own Hessenberg matrix. With a good preconditioner that value is near 1 and costs
/// nothing; with a poor one it keeps the promise that the tolerance makes.

#include <rhumb/bdf/krylov_basis.hpp>
#include <rhumb/bdf/statistics.hpp>
#include <rhumb/core/handle.hpp>
#include <rhumb/dae/weights.hpp>
#include <functional>
#include <string>

namespace rhumb::bdf {

struct SolveResult {
  bool converged = false;
  int iterations = 0;
};

class Krylov {
public:
  /// out = G scaled, where scaled = D v.
  using Product = std::function<void(Vec v, Vec scaled, Vec out)>;

  /// Reads -<prefix>ksp_*. The preconditioner is borrowed. The precision is that of GMRES's vectors.
  Krylov(MPI_Comm comm, dae::Weights& weights, const std::string& prefix, PC preconditioner,
         KrylovBasis::Precision precision, Phases& phases, Product product);
  Krylov(const Krylov&) = delete;
  Krylov& operator=(const Krylov&) = delete;

  /// D for the norm with these kind scales; call when weights or scales changed.
  void rescale(const dae::KindScale& scale);

  /// x with ||error of x|| <= tolerance in the weighted norm, judged by the smallest singular value that GMRES has seen
  /// of the operator, and a preconditioned residual reduced to the part `reduction`.
  SolveResult solve(Vec b, Vec x, double tolerance, double reduction);

  const char* type() const;

  /// Gives vectors back, which the next solves take again as they need them: a search to rounding needs more than
  /// steps.
  void release();

private:
  static PetscErrorCode apply_operator(Mat shell, Vec v, Vec out);
  static PetscErrorCode create_vectors(Mat shell, Vec* right, Vec* left);
  static PetscErrorCode apply_preconditioner(PC shell, Vec r, Vec out);
  static PetscErrorCode view_preconditioner(PC shell, PetscViewer viewer);
  static PetscErrorCode converged(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason* reason, void* self);
  void create_operator(MPI_Comm comm);
  void wrap_preconditioner(const std::string& prefix);
  double smallest_singular_value() const;

  dae::Weights& weights_;
  PC preconditioner_;
  Phases& phases_;
  Product product_;
  Vec inverse_scale_;          ///< D^-1: the weights' own where all s_i are 1
  core::VecHandle user_scale_; ///< else
  core::VecHandle work_;
  core::MatHandle operator_;
  core::KspHandle ksp_;
  double root_size_ = 1.0; ///< of a vector whose norm is 1, the Euclidean length: sqrt(N), or at least 1
  bool view_once_ = false; ///< -dae_ksp_view, after the first solve
  double tolerance_ = 0.0; ///< of the solve under way, in the Euclidean norm
  double reduction_ = 1.0; ///< of the residual, asked for beside the tolerance
  double first_norm_ = 0.0;
};

} // namespace rhumb::bdf
