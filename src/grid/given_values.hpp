#pragma once
/// Values that formulas give at places; evaluated anew only when t changes and the formula has t in it.

#include "grid/expression.hpp"
#include <petscsystypes.h>

namespace rhumb::grid {

class GivenValues {
public:
  /// Remembers the formula (null: zero) at x; returns its number.
  PetscInt add(const Expression* formula, const std::array<double, 3>& x);
  void update(double t);
  double value(PetscInt number) const { return values_[static_cast<std::size_t>(number)]; }
  /// Whether it changes with t.
  bool moves(PetscInt number) const;
  /// d/dt by central differences, with steps that become smaller until two of them agree.
  double slope(PetscInt number, double t) const;

private:
  struct Entry {
    const Expression* formula;
    std::array<double, 3> x;
  };
  std::vector<Entry> entries_;
  std::vector<double> values_;
  std::vector<PetscInt> moving_; ///< those with t in them
  double t_ = 0.0;
  bool known_ = false;
};

} // namespace rhumb::grid
