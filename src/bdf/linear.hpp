#pragma once
/// Linear systems G x = b, G = alpha dF/dy' + dF/dy: a factorization kept over steps, or GMRES in the weighted norm
/// with left preconditioning (SPIGMR, BCP 7.5.16) on a PETSc KSP:
///   D^-1 P^-1 G D (D^-1 x) = D^-1 P^-1 b,   D = diag(w_i / s_i),
/// whose Euclidean norm is sqrt(N) times the weighted one.
/// GMRES stops when the *error* of x is small, not only the preconditioned residual: the residual is divided by the
/// smallest singular value of GMRES's own Hessenberg matrix. With a good preconditioner that value is near 1 and costs
/// nothing; with a poor one it keeps the promise that the tolerance makes.
///
/// Options under the prefix: -dae_ksp_*, -dae_pc_*. `-dae_pc_type lu` without a `-dae_ksp_type` means a direct solve.

#include "bdf/dense_factors.hpp"
#include "bdf/options.hpp"
#include "bdf/statistics.hpp"
#include "dae/coloured_jacobian.hpp"
#include "dae/weights.hpp"
#include <memory>
#include <optional>

namespace rhumb::bdf {

/// A place (t, y, y') at which the system is evaluated. Vectors are borrowed.
struct Point {
  double t = 0.0;
  Vec y = nullptr;
  Vec ydot = nullptr;
};

enum class SetupResult : std::uint8_t { good, residual_failed, singular };

struct SolveResult {
  bool converged = false;
  int iterations = 0;
};

class Linear {
public:
  Linear(dae::GuardedSystem& system, dae::Weights& weights, const Options& options, Phases& phases);
  ~Linear();
  Linear(const Linear&) = delete;
  Linear& operator=(const Linear&) = delete;

  /// Evaluates the matrix at the point (whose residual is given) and prepares factorization or preconditioner.
  SetupResult setup(const Point& at, Vec residual, double alpha);

  /// D for the norm with these kind scales; call when weights or scales changed.
  void rescale(const dae::KindScale& scale);

  /// The place whose current operator the products use (only where the operator is not the kept matrix); `residual` is
  /// F there.
  void linearize(const Point& at, Vec residual, double alpha);

  /// x with ||error of x|| <= tolerance in the weighted norm (Krylov), or to rounding (direct).
  SolveResult solve(Vec b, Vec x, double tolerance);

  bool direct() const { return direct_; }
  /// Residual evaluations that a matrix costs; 0 where the system gives its own.
  int colours() const { return differences_ ? differences_->colours() : 0; }
  /// Whether solves use the matrix of the last setup, and with it the alpha of that setup.
  bool uses_kept_matrix() const { return direct_ || operator_ == Operator::assembled; }
  bool ready() const { return ready_; }
  double alpha_of_setup() const { return alpha_of_setup_; }
  /// alpha of the operator in `solve`.
  double alpha() const { return uses_kept_matrix() ? alpha_of_setup_ : current_alpha_; }

  struct Counts {
    long jacobian_evals = 0;
    long pc_setups = 0;
  };
  Counts counts() const { return counts_; }
  void set_counts(const Counts& counts) { counts_ = counts; }
  std::string describe() const;

  /// Compares the system's Jacobian with differences; throws core::BadInput naming the worst entry.
  void check_jacobian(const Point& at, Vec residual, double alpha);

  /// Rows without any entry, by field name: what a singular matrix looks like.
  std::string empty_rows() const;

  /// For checkpoints: the point of the last setup, from which the same matrix is made again.
  Vec setup_state() const { return setup_y_; }
  Vec setup_derivative() const { return setup_ydot_; }
  double setup_time() const { return setup_time_; }
  /// And after how many iterations GMRES restarts; 0 where that does not grow.
  PetscInt room() const { return room_; }
  void set_room(PetscInt room);
  /// A search to rounding needs more of it than steps do.
  void give_room_back();

private:
  static PetscErrorCode apply_operator(Mat shell, Vec v, Vec out);
  static PetscErrorCode create_vectors(Mat shell, Vec* right, Vec* left);
  static PetscErrorCode apply_preconditioner(PC shell, Vec r, Vec out);
  static PetscErrorCode converged(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason* reason, void* self);
  SetupResult set_up_preconditioner();
  KSPConvergedReason iterate(Vec b, Vec x, PetscInt& iterations);
  double smallest_singular_value() const;
  bool apply_factors(Vec b, Vec x);
  bool try_factors(Vec b, Vec x);
  void multiply(Vec v, Vec out);
  void difference_product(Vec v, Vec out);
  bool matrix_is_finite() const;
  void forget_factors();
  void fill_matrix(const Point& at, Vec residual, double alpha);
  void create_preconditioner();
  void choose_factorization(const char* sequential);
  void give_mumps_room();
  void create_krylov();

  dae::GuardedSystem& system_;
  dae::Weights& weights_;
  Phases& phases_;
  std::string prefix_;
  Operator operator_;
  bool direct_ = false;
  core::MatHandle matrix_;
  std::unique_ptr<dae::ColouredJacobian> differences_;
  core::PcHandle preconditioner_;
  std::optional<DenseFactors> dense_; ///< instead of the preconditioner where the system is tiny
  core::KspHandle krylov_;
  core::MatHandle scaled_operator_;
  Vec inverse_scale_ = nullptr; ///< D^-1: the weights' own where all s_i are 1
  core::VecHandle own_scale_;   ///< else
  core::VecHandle work_, moved_, moved_dot_;
  core::VecHandle setup_y_, setup_ydot_;
  Point current_;
  Vec current_residual_ = nullptr;
  double current_alpha_ = 0.0;
  PetscInt room_ = 0; ///< iterations before GMRES restarts
  bool room_grows_ = false;
  PetscInt most_iterations_ = 0; ///< of a solve
  double root_size_ = 1.0;       ///< sqrt(N)
  double increment_ = 0.0;       ///< of difference products
  double tolerance_ = 0.0;       ///< of the solve under way, in the Euclidean norm
  double smallest_ = 1.0;        ///< singular value that its earlier cycles have seen, at most 1
  bool ready_ = false;           ///< a factorization or preconditioner is there
  double alpha_of_setup_ = 0.0;
  double setup_time_ = 0.0;
  Counts counts_;
};

} // namespace rhumb::bdf
