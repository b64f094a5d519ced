#include <rhumb/core/step_integral.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/polynomial.hpp>
#include <rhumb/core/sense.hpp>
#include <rhumb/core/stored_count.hpp>
#include <array>
#include <cmath>

namespace rhumb::core {

namespace {

/// Three Gauss points on [-1, 1]: exact for the polynomial of degree four that a step sees.
constexpr std::array<std::array<double, 2>, 3> gauss{
    {{-0.7745966692414834, 5.0 / 9.0}, {0.0, 8.0 / 9.0}, {0.7745966692414834, 5.0 / 9.0}}};

/// Of the points before a step only those are used that lie no closer to each other than this part of the step: a
/// polynomial through closer ones would blow up their rounding while steps grow fast.
constexpr double min_spacing_ratio = 0.1;

} // namespace

void StepIntegral::add(double t, double rate) {
  if (!times_.empty() && t == times_.back()) {
    if (rate == rates_.back()) return;
    cut();
    rates_.back() = rate;
    return;
  }
  if (times_.size() > 1 && Sense::of(times_.front(), times_.back()).before(t, times_.back())) {
    times_.clear();
    rates_.clear();
  }
  times_.push_back(t);
  rates_.push_back(rate);
  if (times_.size() > max_points) {
    times_.erase(times_.begin());
    rates_.erase(rates_.begin());
  }
  if (times_.size() > 1) sum_ += between(times_[times_.size() - 2], t);
}

void StepIntegral::cut() {
  if (times_.size() < 2) return;
  times_.erase(times_.begin(), times_.end() - 1);
  rates_.erase(rates_.begin(), rates_.end() - 1);
}

/// The integral of the last step's polynomial over a part of that step.
double StepIntegral::between(double from, double to) const {
  std::size_t first = times_.size() - 2;
  const double step = times_.back() - times_[first];
  while (first > 0 && std::abs(times_[first] - times_[first - 1]) >= min_spacing_ratio * std::abs(step)) --first;
  const auto times = std::span(times_).subspan(first), rates = std::span(rates_).subspan(first);
  const double half = 0.5 * (to - from);
  double sum = 0.0;
  for (const auto& [node, weight] : gauss)
    sum += weight * half * polynomial_at(times, rates, from + half * (1.0 + node));
  return sum;
}

double StepIntegral::value(double t) const {
  return times_.size() < 2 ? sum_ : sum_ - between(t, times_.back());
}

std::vector<double> StepIntegral::saved_state() const {
  std::vector<double> values{sum_, static_cast<double>(times_.size())};
  values.insert(values.end(), times_.begin(), times_.end());
  values.insert(values.end(), rates_.begin(), rates_.end());
  values.resize(state_size, 0.0);
  return values;
}

std::span<const double> StepIntegral::restore_state(std::span<const double> values) {
  if (values.size() < state_size) throw BadInput("the checkpoint's values are too few for an integral over time");
  sum_ = values[0];
  const std::size_t points = stored_count(values[1], max_points, "the number of points of an integral");
  const auto times = values.subspan(2, points), rates = values.subspan(2 + points, points);
  times_.assign(times.begin(), times.end());
  rates_.assign(rates.begin(), rates.end());
  return values.subspan(state_size);
}

} // namespace rhumb::core
