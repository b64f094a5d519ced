#pragma once
/// Solves with the transposed iteration matrix, G^T x = b, and products with F_y^T and F_y'^T, all from assembled
/// matrices: the system's, or coloured differences. Small systems are factored at every point; larger ones are solved by
/// GMRES with what an earlier point left, until that takes too many iterations:
/// - the preconditioner that the system configures, made for G^T instead of G; or, where it is the system's own (a shell)
///   and not made of matrices alone, its transpose (PCApplyTranspose);
/// - factors of the whole matrix, where the system wants factors, or where GMRES does not get there with the first.
/// Where a field is free up to a constant, as the pressure in a closed box, G is singular, and one of its many solutions
/// is found.

#include <rhumb/bdf/linear.hpp>

namespace rhumb::bdf {

class TransposedMatrix {
public:
  TransposedMatrix(dae::GuardedSystem& system, const dae::Weights& weights, Vec model,
                   const IntegratorOptions& options);

  /// Evaluates G = F_y + alpha F_y' and F_y at the point.
  void linearize(const LinearizationPoint& at, double alpha);
  /// x holds a guess. Where G^T is singular, b loses what is not in its range. Throws core::SolverGaveUp.
  void solve(Vec b, Vec x);
  /// F_y^T v and F_y'^T v.
  void products(Vec v, Vec by_y, Vec by_rate);

  long matrices() const { return matrices_; }
  long factorizations() const { return factorizations_; }
  long iterations() const { return iterations_; }

private:
  void evaluate(const LinearizationPoint& at, double alpha, Mat out);
  bool create_preconditioner();
  void create_factorization();
  void create_krylov();
  void use_factors();
  bool renew();
  void copy_to_factor();
  bool set_up();
  void find_free_constants(Vec model);
  void pin_free_constants();
  bool try_solve(Vec b, Vec x);
  bool try_with_new_ones(Vec b, Vec x);
  double rest(Vec b, Vec x);

  dae::GuardedSystem& system_;
  const dae::Weights& weights_;
  std::string prefix_; ///< of the options of the run's preconditioner
  double reduction_;   ///< of the preconditioned right side by GMRES
  bool small_ = false;
  bool factors_ = false; ///< of the whole matrix, in place of the system's preconditioner
  bool fresh_ = false;   ///< factors or preconditioner are of the present matrix
  bool renew_ = true;    ///< they are to be made anew
  double alpha_ = 0.0, t_ = 0.0;
  double alpha_of_setup_ = 0.0;
  core::MatHandle matrix_, without_rates_, factored_, transposed_;
  core::PcHandle preconditioner_; ///< of the system, where it is transposed as a whole
  std::unique_ptr<dae::ColouredJacobian> differences_;
  core::KspHandle solver_;
  core::VecHandle residual_;
  std::optional<std::vector<PetscInt>> pinned_; ///< rows of fields that are free up to a constant, once looked for
  std::vector<core::VecHandle> constants_;      ///< of length 1, of these fields
  PetscInt iterations_when_fresh_ = 0;
  long matrices_ = 0, factorizations_ = 0, iterations_ = 0;
};

} // namespace rhumb::bdf
