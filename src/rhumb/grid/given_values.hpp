#pragma once
/// Values that formulas give at places; evaluated anew only when t changes and the formula moves. Or values that go smoothly
/// through given ones at given times.

#include <rhumb/grid/expression.hpp>
#include <map>
#include <memory>
#include <petscsystypes.h>

namespace rhumb::grid {

class GivenValues {
public:
  /// Remembers the formula (null: zero) at x; returns its number.
  PetscInt add(const PlaceFunction* formula, const std::array<double, 3>& x);
  /// A value that goes through `values` at `times` (ascending): cubic in between, with the slopes of the parabola through
  /// three points (continuous with its derivative); constant before the first and after the last.
  PetscInt add_series(std::shared_ptr<const std::vector<double>> times, std::vector<double> values);
  void update(double t);
  /// The next update evaluates anew: a parameter has changed.
  void forget() { known_ = false; }
  double value(PetscInt index) const { return values_[index]; }
  /// Whether it changes.
  bool moves(PetscInt index) const;
  /// d/dt; where that is infinite, as at the start of sqrt(t), the one that a first short step sees.
  double rate(PetscInt index, double t) const;

private:
  /// Consecutive places of one formula that moves.
  struct Run {
    const PlaceFunction* formula;
    std::size_t first, count;
  };
  struct Series {
    std::shared_ptr<const std::vector<double>> times;
    std::vector<double> values, slopes;
    /// Value and derivative at t.
    std::pair<double, double> at(double t) const;
  };
  std::map<PetscInt, Series> series_;          ///< by number
  std::vector<const PlaceFunction*> formulas_; ///< by number
  std::array<std::vector<double>, 3> x_;       ///< by direction, then by number
  std::vector<double> values_;
  std::vector<Run> moving_;
  double t_ = 0.0;
  bool known_ = false;
};

} // namespace rhumb::grid
