#pragma once
/// Solves with the transposed iteration matrix, G^T x = b, and products with F_y^T and F_y'^T, all from assembled
/// matrices: the system's, or coloured differences. Small systems are factored at every point; for larger ones the factors
/// of an earlier point precondition GMRES, until it takes too many iterations. Where a field is free up to a constant, as
/// the pressure in a closed box, G is singular, and one of its many solutions is found.

#include <rhumb/bdf/linear.hpp>

namespace rhumb::bdf {

class TransposedMatrix {
public:
  TransposedMatrix(dae::GuardedSystem& system, const dae::Weights& weights, Vec model);

  /// Evaluates G = F_y + alpha F_y' and F_y at the point.
  void linearize(const LinearizationPoint& at, double alpha);
  /// Where G^T is singular, b loses what is not in its range. Throws core::SolverGaveUp.
  void solve(Vec b, Vec x);
  /// F_y^T v and F_y'^T v.
  void products(Vec v, Vec by_y, Vec by_rate);

  long matrices() const { return matrices_; }
  long factorizations() const { return factorizations_; }
  long iterations() const { return iterations_; }

private:
  void evaluate(const LinearizationPoint& at, double alpha, Mat out);
  void create_solver();
  bool factor();
  void find_free_constants(Vec model);
  void pin_free_constants();
  bool try_solve(Vec b, Vec x);
  double rest(Vec b, Vec x);

  dae::GuardedSystem& system_;
  const dae::Weights& weights_;
  bool small_ = false;
  bool fresh_ = false; ///< factors are of the present matrix
  bool renew_ = true;  ///< factors are to be made anew
  double alpha_ = 0.0, t_ = 0.0;
  core::MatHandle matrix_, without_rates_, factored_;
  std::unique_ptr<dae::ColouredJacobian> differences_;
  core::KspHandle solver_;
  core::VecHandle residual_;
  std::optional<std::vector<PetscInt>> pinned_; ///< rows of fields that are free up to a constant, once looked for
  std::vector<core::VecHandle> constants_;      ///< of length 1, of these fields
  long matrices_ = 0, factorizations_ = 0, iterations_ = 0;
};

} // namespace rhumb::bdf
