#pragma once
/// Values that formulas give at places; evaluated anew only when t changes and the formula has t in it.

#include <rhumb/grid/expression.hpp>
#include <petscsystypes.h>

namespace rhumb::grid {

class GivenValues {
public:
  /// Remembers the formula (null: zero) at x; returns its number.
  PetscInt add(const Expression* formula, const std::array<double, 3>& x);
  void update(double t);
  double value(PetscInt index) const { return values_[index]; }
  /// Whether it changes with t.
  bool moves(PetscInt index) const;
  /// d/dt; where that is infinite, as at the start of sqrt(t), the one that a first short step sees.
  double rate(PetscInt index, double t) const;

private:
  /// Consecutive places of one formula that has t in it.
  struct Run {
    const Expression* formula;
    std::size_t first, count;
  };
  std::vector<const Expression*> formulas_; ///< by number
  std::array<std::vector<double>, 3> x_;    ///< by direction, then by number
  std::vector<double> values_;
  std::vector<Run> moving_;
  double t_ = 0.0;
  bool known_ = false;
};

} // namespace rhumb::grid
