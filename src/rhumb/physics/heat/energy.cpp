#include <rhumb/physics/heat/energy.hpp>

#include <rhumb/core/polynomial.hpp>
#include <rhumb/core/stored_count.hpp>
#include <array>
#include <cmath>
#include <cstddef>

namespace rhumb::heat {

namespace {

/// Three Gauss points on [-1, 1]: exact for the polynomial of degree four that a step sees.
constexpr std::array<std::array<double, 2>, 3> gauss{
    {{-0.7745966692414834, 5.0 / 9.0}, {0.0, 8.0 / 9.0}, {0.7745966692414834, 5.0 / 9.0}}};

/// Of the points before a step only those are used that lie no closer to each other than this part of the step: a
/// polynomial through closer ones would blow up their rounding while steps grow fast.
constexpr double min_spacing_ratio = 0.1;

} // namespace

void StepIntegral::add(double t, double value) {
  if (!times_.empty() && t <= times_.back()) {
    times_.clear(); // the run was taken back or started again: the past does not count any more
    values_.clear();
  }
  times_.push_back(t);
  values_.push_back(value);
  if (times_.size() > most_points) {
    times_.erase(times_.begin());
    values_.erase(values_.begin());
  }
  if (times_.size() < 2) return;
  sum_ += between(times_[times_.size() - 2], t);
}

/// The integral of the last step's polynomial over a part of that step.
double StepIntegral::between(double from, double to) const {
  std::size_t first = times_.size() - 2;
  const double step = times_.back() - times_[first];
  while (first > 0 && times_[first] - times_[first - 1] >= min_spacing_ratio * step) --first;
  const auto times = std::span(times_).subspan(first), values = std::span(values_).subspan(first);
  const double half = 0.5 * (to - from);
  double sum = 0.0;
  for (const auto& [node, weight] : gauss)
    sum += weight * half * core::polynomial_at(times, values, from + half * (1.0 + node));
  return sum;
}

double StepIntegral::value(double t) const {
  return times_.size() < 2 ? sum_ : sum_ - between(t, times_.back());
}

std::vector<double> StepIntegral::saved_state() const {
  std::vector<double> values{sum_, static_cast<double>(times_.size())};
  values.insert(values.end(), times_.begin(), times_.end());
  values.insert(values.end(), values_.begin(), values_.end());
  values.resize(2 + 2 * most_points, 0.0);
  return values;
}

std::span<const double> StepIntegral::restore_state(std::span<const double> values) {
  sum_ = values[0];
  const std::size_t points = core::stored_count(values[1], most_points, "the number of points of an integral");
  times_.assign(values.begin() + 2, values.begin() + 2 + static_cast<std::ptrdiff_t>(points));
  values_.assign(values.begin() + 2 + static_cast<std::ptrdiff_t>(points),
                 values.begin() + 2 + static_cast<std::ptrdiff_t>(2 * points));
  return values.subspan(2 + 2 * most_points);
}

void EnergyAccount::add(double t, const Powers& powers) {
  net_.add(t, powers.net());
  turnover_.add(t, powers.turnover);
}

double EnergyAccount::balance(double t, double stored) const {
  const double scale = std::abs(stored) + turnover_.value(t);
  return scale > 0.0 ? (stored - net_.value(t)) / scale : 0.0;
}

std::vector<double> EnergyAccount::saved_state() const {
  auto values = net_.saved_state();
  const auto more = turnover_.saved_state();
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

std::span<const double> EnergyAccount::restore_state(std::span<const double> values) {
  return turnover_.restore_state(net_.restore_state(values));
}

} // namespace rhumb::heat
