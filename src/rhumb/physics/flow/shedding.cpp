#include <rhumb/physics/flow/shedding.hpp>

#include <rhumb/core/polynomial.hpp>
#include <rhumb/core/stored_count.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace rhumb::flow {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Smaller swings of the lift, against lift and drag, are the tolerance's.
constexpr double least_swing = 1e-3;

} // namespace

void Shedding::forget_cycle() {
  drag_min_ = lift_min_ = infinity;
  drag_max_ = -infinity;
}

/// Between the neighbours of the middle sample, by golden section.
Shedding::Extremum Shedding::extremum(double Sample::*of, double sign) const {
  std::array<double, window> times{}, values{};
  for (std::size_t i = 0; i < window; ++i) {
    times[i] = samples_[i].t;
    values[i] = samples_[i].*of;
  }
  const std::size_t middle = window / 2;
  const auto height = [&](double t) { return sign * core::polynomial_at(times, values, t); };
  constexpr double golden = 0.6180339887498949;
  double a = times[middle - 1], b = times[middle + 1];
  for (int i = 0; i < 60; ++i) {
    const double c = b - golden * (b - a), d = a + golden * (b - a);
    (height(c) > height(d) ? b : a) = height(c) > height(d) ? d : c;
  }
  return {0.5 * (a + b), sign * height(0.5 * (a + b))};
}

bool Shedding::known() const {
  const double swing = last_.lift_max - last_.lift_min;
  return cycles_ > 0.0 && samples_.back().t - cycle_began_ < 2.0 * last_.period &&
         swing > least_swing * (std::abs(last_.lift_max) + std::abs(last_.drag_max));
}

void Shedding::close_cycle(const Extremum& peak) {
  if (peaks_ > 0.0 && std::isfinite(drag_max_) && std::isfinite(drag_min_) && std::isfinite(lift_min_)) {
    last_ = {drag_min_, drag_max_, lift_min_, peak.value, peak.t - cycle_began_, cycle_steps_};
    ++cycles_;
  }
  ++peaks_;
  cycle_began_ = peak.t;
  cycle_steps_ = 0.0;
  forget_cycle();
}

void Shedding::add(double t, double drag, double lift) {
  if (!samples_.empty() && t <= samples_.back().t) samples_.clear(); // a step back: the past does not count any more
  samples_.push_back({t, drag, lift});
  if (samples_.size() > window) samples_.erase(samples_.begin());
  ++cycle_steps_;
  if (samples_.size() < window) return;
  const auto& before = samples_[window / 2 - 1];
  const auto& here = samples_[window / 2];
  const auto& after = samples_[window / 2 + 1];
  if (here.drag >= before.drag && here.drag > after.drag)
    drag_max_ = std::max(drag_max_, extremum(&Sample::drag, 1.0).value);
  if (here.drag <= before.drag && here.drag < after.drag)
    drag_min_ = std::min(drag_min_, extremum(&Sample::drag, -1.0).value);
  if (here.lift <= before.lift && here.lift < after.lift)
    lift_min_ = std::min(lift_min_, extremum(&Sample::lift, -1.0).value);
  if (here.lift >= before.lift && here.lift > after.lift) close_cycle(extremum(&Sample::lift, 1.0));
}

std::size_t Shedding::memory_size() {
  return 1 + 3 * window + 13;
}

std::vector<double> Shedding::saved_state() const {
  std::vector<double> out{static_cast<double>(samples_.size())};
  for (const auto& sample : samples_) out.insert(out.end(), {sample.t, sample.drag, sample.lift});
  out.resize(1 + 3 * window, 0.0);
  out.insert(out.end(), {cycle_began_, cycle_steps_, drag_min_, drag_max_, lift_min_, peaks_, cycles_, last_.drag_min,
                         last_.drag_max, last_.lift_min, last_.lift_max, last_.period, last_.steps});
  return out;
}

void Shedding::restore_state(std::span<const double> values) {
  samples_.clear();
  const std::size_t count = core::stored_count(values[0], window, "the number of samples of the drag");
  for (std::size_t i = 0; i < count; ++i) samples_.push_back({values[1 + 3 * i], values[2 + 3 * i], values[3 + 3 * i]});
  const auto rest = values.subspan(1 + 3 * window);
  cycle_began_ = rest[0], cycle_steps_ = rest[1], drag_min_ = rest[2], drag_max_ = rest[3], lift_min_ = rest[4];
  peaks_ = rest[5], cycles_ = rest[6];
  last_ = {rest[7], rest[8], rest[9], rest[10], rest[11], rest[12]};
}

} // namespace rhumb::flow
