#include "grid/given_values.hpp"

#include <algorithm>
#include <cmath>

namespace rhumb::grid {

PetscInt GivenValues::add(const Expression* formula, const std::array<double, 3>& x) {
  const auto number = static_cast<PetscInt>(entries_.size());
  entries_.push_back({formula, x});
  values_.push_back(formula ? (*formula)({.x = x}) : 0.0);
  if (formula && formula->uses('t')) moving_.push_back(number);
  known_ = false;
  return number;
}

void GivenValues::update(double t) {
  if (known_ && t == t_) return;
  for (const PetscInt number : moving_) {
    const auto& entry = entries_[static_cast<std::size_t>(number)];
    values_[static_cast<std::size_t>(number)] = (*entry.formula)({.x = entry.x, .t = t});
  }
  t_ = t;
  known_ = true;
}

bool GivenValues::moves(PetscInt number) const {
  const auto& entry = entries_[static_cast<std::size_t>(number)];
  return entry.formula && entry.formula->uses('t');
}

double GivenValues::slope(PetscInt number, double t) const {
  const auto& entry = entries_[static_cast<std::size_t>(number)];
  if (!moves(number)) return 0.0;
  const double step = 1e-5 * std::max(1.0, std::abs(t));
  return ((*entry.formula)({.x = entry.x, .t = t + step}) - (*entry.formula)({.x = entry.x, .t = t - step})) /
         (2.0 * step);
}

} // namespace rhumb::grid
