#include <rhumb/grid/given_values.hpp>

#include <algorithm>
#include <cmath>

namespace rhumb::grid {

PetscInt GivenValues::add(const PlaceFunction* formula, const std::array<double, 3>& x) {
  const std::size_t index = values_.size();
  formulas_.push_back(formula);
  for (std::size_t d = 0; d < 3; ++d) x_[d].push_back(x[d]);
  values_.push_back(formula ? (*formula)({.x = x}) : 0.0);
  if (formula && formula->moves()) {
    const bool goes_on =
        !moving_.empty() && moving_.back().formula == formula && moving_.back().first + moving_.back().count == index;
    if (!goes_on) moving_.push_back({formula, index, 0});
    ++moving_.back().count;
  }
  known_ = false;
  return static_cast<PetscInt>(index);
}

void GivenValues::update(double t) {
  if (known_ && t == t_) return;
  for (const Run& run : moving_)
    run.formula->evaluate({.count = run.count,
                           .x = {x_[0].data() + run.first, x_[1].data() + run.first, x_[2].data() + run.first},
                           .t = t},
                          values_.data() + run.first);
  t_ = t;
  known_ = true;
}

bool GivenValues::moves(PetscInt index) const {
  const PlaceFunction* formula = formulas_[index];
  return formula && formula->moves();
}

double GivenValues::rate(PetscInt index, double t) const {
  if (!moves(index)) return 0.0;
  const auto i = static_cast<std::size_t>(index);
  const PlaceFunction& formula = *formulas_[i];
  Where where{{x_[0][i], x_[1][i], x_[2][i]}, t};
  const double rate = formula.rate(where);
  if (std::isfinite(rate)) return rate;
  constexpr double short_step = 1e-10;
  const double now = formula(where);
  where.t += short_step * std::max(1.0, std::abs(t));
  return (formula(where) - now) / (where.t - t);
}

} // namespace rhumb::grid
