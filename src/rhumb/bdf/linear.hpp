#pragma once
/// Linear systems G x = b, G = alpha dF/dy' + dF/dy: the matrix, what is made of it (a factorization kept over steps,
/// or a preconditioner), and products with the operator; Krylov does the rest.
///
/// Options under the prefix: -dae_ksp_*, -dae_pc_*. `-dae_pc_type lu` without a `-dae_ksp_type` means a direct solve.

#include <rhumb/bdf/dense_factors.hpp>
#include <rhumb/bdf/krylov.hpp>
#include <rhumb/bdf/options.hpp>
#include <rhumb/bdf/singular.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/dae/coloured_jacobian.hpp>
#include <rhumb/dae/weights.hpp>
#include <memory>
#include <optional>

namespace rhumb::bdf {

/// A place (t, y, y') at which the system is evaluated. Vectors are borrowed.
struct LinearizationPoint {
  double t = 0.0;
  Vec y = nullptr;
  Vec ydot = nullptr;
};

enum class SetupResult : std::uint8_t { good, residual_failed, singular };

class Linear {
public:
  Linear(dae::GuardedSystem& system, dae::Weights& weights, const IntegratorOptions& options, Phases& phases);
  ~Linear();
  Linear(const Linear&) = delete;
  Linear& operator=(const Linear&) = delete;

  /// Evaluates the matrix at the point (whose residual is given) and prepares factorization or preconditioner. Columns
  /// where `values_only` is 1 are those of dF/dy alone.
  SetupResult setup(const LinearizationPoint& at, Vec residual, double alpha, Vec values_only = nullptr);

  /// The norm that solves are measured in, with these kind scales; call when weights or scales changed.
  void rescale(const dae::KindScale& scale);

  /// The place whose current operator the products use (only where the operator is not the kept matrix); `residual` is
  /// F there.
  void linearize(const LinearizationPoint& at, Vec residual, double alpha);

  /// x with ||error of x|| <= tolerance in the weighted norm as far as GMRES can tell, and a residual reduced to the
  /// part `reduction` (Krylov), or to rounding (direct).
  SolveResult solve(Vec b, Vec x, double tolerance, double reduction = 1.0);

  bool direct() const { return direct_; }
  /// Residual evaluations that a matrix costs; 0 where the system gives its own.
  int colours() const { return differences_ ? differences_->colours() : 0; }
  /// Whether solves use the matrix of the last setup, and with it the alpha of that setup.
  bool uses_kept_matrix() const { return direct_ || operator_ == Operator::assembled; }
  /// Whether `linearize` reads the residual that it is given.
  bool needs_residual() const { return !direct_ && operator_ == Operator::differences; }
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

  /// Compares the system's Jacobian with differences; throws core::BadInput naming a wrong entry.
  void check_jacobian(const LinearizationPoint& at, Vec residual, double alpha);

  /// out = G v with the matrix of the last setup.
  void multiply_by_matrix(Vec v, Vec out) const { core::check(MatMult(matrix_, v, out)); }

  /// Why the matrix is singular.
  SingularParts singular_parts() const { return bdf::singular_parts(system_, matrix_); }

  /// For checkpoints: the point of the last setup, from which the same matrix is made again.
  Vec setup_state() const { return setup_y_; }
  Vec setup_derivative() const { return setup_ydot_; }
  double setup_time() const { return setup_time_; }
  /// Where solves are not direct.
  Krylov* krylov() { return krylov_ ? &*krylov_ : nullptr; }

private:
  SetupResult set_up_preconditioner();
  bool apply_factors(Vec b, Vec x);
  bool try_factors(Vec b, Vec x);
  void multiply(Vec v, Vec scaled, Vec out);
  void difference_product(Vec v, Vec scaled, Vec out);
  bool matrix_is_finite() const;
  void forget_factors();
  void fill_matrix(const LinearizationPoint& at, Vec residual, double alpha);
  void drop_rates(const LinearizationPoint& at, Vec residual, Vec values_only);
  void create_preconditioner();
  void choose_factorization(const char* sequential);
  void factor_in_place();
  void enlarge_mumps_workspace();

  dae::GuardedSystem& system_;
  dae::Weights& weights_;
  Phases& phases_;
  std::string prefix_;
  Operator operator_;
  bool direct_ = false;
  bool view_once_ = false; ///< -dae_ksp_view, after the first setup
  core::MatHandle matrix_;
  std::unique_ptr<dae::ColouredJacobian> differences_;
  core::PcHandle preconditioner_;
  std::optional<DenseFactors> dense_; ///< instead of the preconditioner where the system is tiny
  std::optional<Krylov> krylov_;
  core::VecHandle moved_, moved_dot_; ///< of difference products
  core::VecHandle setup_y_, setup_ydot_;
  LinearizationPoint current_;
  Vec current_residual_ = nullptr;
  double current_alpha_ = 0.0;
  double increment_ = 0.0; ///< weighted norm of what difference products add to y
  bool ready_ = false;     ///< a factorization or preconditioner is there
  double alpha_of_setup_ = 0.0;
  double setup_time_ = 0.0;
  Counts counts_;
};

} // namespace rhumb::bdf
