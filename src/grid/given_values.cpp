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
  const auto g = [&](double time) { return (*entry.formula)({.x = entry.x, .t = time}); };
  // A formula may begin at t: then only what comes after it counts.
  const auto difference = [&](double step) {
    const double before = g(t - step), after = g(t + step);
    return std::isfinite(before) ? (after - before) / (2.0 * step) : (after - g(t)) / step;
  };
  constexpr double first_step = 1e-5, reduction = 0.1, agreement = 1e-8, rounding = 1e-15;
  constexpr int most_reductions = 5;
  double step = first_step * std::max(1.0, std::abs(t)), found = difference(step);
  for (int i = 0; i < most_reductions; ++i) {
    const double finer = difference(reduction * step), change = std::abs(finer - found);
    const double noise = rounding * (std::abs(g(t)) + std::abs(t * finer)) / (reduction * step);
    if (change <= agreement * std::abs(finer) + noise) return found;
    step *= reduction;
    found = finer;
  }
  return found;
}

} // namespace rhumb::grid
