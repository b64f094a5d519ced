#pragma once
/// Do the declared kinds agree with the equations? The inverse of G = A/h + J says what a variable is: with a
/// right-hand side in the algebraic rows its entry of G^-1 r behaves like h^(1-k) for an algebraic variable of index k
/// as h goes to 0, and with one in all rows like h for a differential variable of an ODE (LP2 (3.6); the same holds for
/// index 3). Growth that is more than the declared kind has makes an error estimate that does not fall with the step.
///
/// A contradiction is reported only where it is clear-cut: at the point itself and at two points beside it (0 = x z - g
/// at x = 0 is of index 1 everywhere else), over many decades of h (a small dF/dz is of index 1 in the end). For a
/// direct solver: GMRES would not solve with such matrices.

#include <rhumb/bdf/linear.hpp>
#include <optional>

namespace rhumb::bdf {

struct KindContradiction {
  std::string field;
  dae::Kind declared = dae::Kind::differential;
  int index = 0;  ///< what it behaves like; 0: differential
  double h = 0.0; ///< from this step downwards

  /// "field 'p' is declared of index 1 but behaves like index 2: ..."
  std::string in_words() const;
  /// What to do about it.
  std::string advice(OptionSpelling spelled) const;
};

/// The index of an algebraic variable whose part of G^-1 r grows by this power of 1/h; 0 or 1 where it does not grow.
int index_of_growth(double power);

class KindCheck {
public:
  KindCheck(dae::GuardedSystem& system, dae::Weights& weights, const IntegratorOptions& options, Phases& phases);

  /// What G^-1 does from h downwards says that a kind is wrong.
  std::optional<KindContradiction> find(const LinearizationPoint& at, double h);

  long matrices() const { return linear_ ? linear_->counts().jacobian_evals : 0; }

private:
  /// Of the local entries of G^-1 r: the power of 1/h, the smallest over all pairs of steps seen so far.
  struct Growth {
    std::vector<double> of_constraints; ///< r in the algebraic rows
    std::vector<double> of_all;         ///< r in all rows; here the largest power
  };
  bool evaluate(const LinearizationPoint& at);
  bool find_algebraic_rows(const LinearizationPoint& at);
  bool update(const LinearizationPoint& at, std::span<const double> steps, Growth& growth);
  bool solve(const LinearizationPoint& at, double h, std::vector<double>& of_constraints, std::vector<double>& of_all);
  bool suspicious(const Growth& growth);
  int found(const Growth& growth, std::size_t entry) const;
  bool anywhere(bool here);
  bool jacobian_is_exact(const LinearizationPoint& at, double h);
  void move(const LinearizationPoint& at, double h, int which);
  std::vector<int> fields_with_derivative(const LinearizationPoint& at, const Growth& growth);
  std::optional<KindContradiction> worst(const LinearizationPoint& at, const Growth& growth, double h);

  dae::GuardedSystem& system_;
  dae::Weights& weights_;
  const IntegratorOptions& options_;
  Phases& phases_;
  std::optional<Linear> linear_;
  core::VecHandle residual_, moved_y_, moved_ydot_, work_, solution_;
  PetscInt first_ = 0;               ///< global number of the first local entry
  std::vector<char> algebraic_rows_; ///< local: no y' changes the equation
  bool has_algebraic_rows_ = false;
};

} // namespace rhumb::bdf
