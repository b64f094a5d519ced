#pragma once
/// Finds what the rows of a residual depend on, by comparing residuals at moved points with the one at a base point,
/// which is the start: a constraint 0 = x z - g with x = 0 there is of index 2 at the start, whatever it is later.

#include <rhumb/core/arrays.hpp>
#include <rhumb/dae/system.hpp>
#include <petscts.h>

namespace rhumb::ts {

class Probe {
public:
  Probe(TS ts, dae::System& system);

  PetscInt first() const { return first_; } ///< global index of the first local entry
  std::size_t local() const { return static_cast<std::size_t>(last_ - first_); }

  /// Rows that change with the udot (or the u) of the chosen local entries.
  std::vector<bool> rows_with_rates(const std::vector<bool>& chosen) { return changed(ydot_, chosen); }
  std::vector<bool> rows_with_values(const std::vector<bool>& chosen) { return changed(y_, chosen); }

  /// A base beside the start, where no factor is zero by chance.
  void step_aside();

  /// Whether any residual changes when `number`, a counter or step size of the TS, is set to another value for a
  /// moment.
  template <class Number, class Set>
  bool depends_on(Number number, Number other, const Set& set) {
    set(other);
    evaluate(y_);
    set(number);
    return anywhere(differs_from_base());
  }

  /// On all ranks.
  bool anywhere(bool here) const { return count(here ? 1 : 0) > 0; }
  bool anywhere(const std::vector<bool>& here) const { return count(here) > 0; }
  PetscInt count(const std::vector<bool>& here) const;

private:
  void evaluate_base();
  void evaluate(Vec y) { evaluate(y, ydot_, residual_); }
  void evaluate(Vec y, Vec ydot, Vec out);
  void move(Vec v, const std::vector<bool>& chosen, double absolute, double relative) const;
  std::vector<bool> changed(Vec what, const std::vector<bool>& chosen);
  bool differs_from_base() const;
  PetscInt count(std::ptrdiff_t here) const;

  dae::System& system_;
  double t_;
  core::VecHandle y_, ydot_, base_, moved_, residual_;
  PetscInt first_ = 0, last_ = 0;
  double rate_step_ = 1.0; ///< never lost in the sum with the rest of a row
};

} // namespace rhumb::ts
