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

PetscInt GivenValues::add_series(std::shared_ptr<const std::vector<double>> times, std::vector<double> values) {
  const PetscInt index = add(nullptr, {});
  values_.back() = values.front();
  const auto& t = *times;
  const std::size_t n = t.size();
  if (n == 1) return index;
  std::vector<double> slopes(n); // at each time that of the parabola through it and its neighbours
  const auto secant = [&](std::size_t i) { return (values[i + 1] - values[i]) / (t[i + 1] - t[i]); };
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double share = (t[i] - t[i - 1]) / (t[i + 1] - t[i - 1]);
    slopes[i] = (1.0 - share) * secant(i - 1) + share * secant(i);
  }
  slopes[0] = n == 2 ? secant(0) : 2.0 * secant(0) - slopes[1];
  slopes[n - 1] = n == 2 ? secant(0) : 2.0 * secant(n - 2) - slopes[n - 2];
  series_[index] = {std::move(times), std::move(values), std::move(slopes)};
  return index;
}

std::pair<double, double> GivenValues::Series::at(double t) const {
  const auto& at = *times;
  if (t < at.front()) return {values.front(), 0.0};
  if (t >= at.back()) return {values.back(), 0.0};
  const auto i = static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), t) - at.begin()) - 1;
  const double h = at[i + 1] - at[i], x = (t - at[i]) / h, secant = (values[i + 1] - values[i]) / h;
  // Hermite's cubic by divided differences.
  const double second = secant - slopes[i], third = slopes[i] + slopes[i + 1] - 2.0 * secant;
  return {values[i] + h * x * (slopes[i] + x * (second + (x - 1.0) * third)),
          slopes[i] + x * (2.0 * second + (3.0 * x - 2.0) * third)};
}

void GivenValues::update(double t) {
  if (known_ && t == t_) return;
  for (const Run& run : moving_)
    run.formula->evaluate({.count = run.count,
                           .x = {x_[0].data() + run.first, x_[1].data() + run.first, x_[2].data() + run.first},
                           .t = t},
                          values_.data() + run.first);
  for (const auto& [index, series] : series_) values_[index] = series.at(t).first;
  t_ = t;
  known_ = true;
}

bool GivenValues::moves(PetscInt index) const {
  if (series_.contains(index)) return true;
  const PlaceFunction* formula = formulas_[index];
  return formula && formula->moves();
}

double GivenValues::rate(PetscInt index, double t) const {
  if (!moves(index)) return 0.0;
  if (const auto series = series_.find(index); series != series_.end()) return series->second.at(t).second;
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
