#include <rhumb/run/schedule.hpp>

#include <algorithm>
#include <cmath>

namespace rhumb::run {

namespace {
/// Of dt: start + k dt and end closer than this are one time.
constexpr double same_time = 1e-9;
/// Numbers of times up to here are exact as doubles, with room for a rounding of the quotient.
constexpr double max_intervals = 1e15;
} // namespace

Schedule Schedule::every(double start, double dt, double end) {
  Schedule schedule;
  schedule.start_ = start;
  const double last = std::max(std::abs(start), std::abs(end));
  const double resolution = std::nextafter(last, std::numeric_limits<double>::infinity()) - last;
  schedule.sense_ = core::Sense::of(start, end);
  schedule.dt_ = schedule.sense_.sign * std::max({dt, resolution, std::abs(end - start) / max_intervals});
  schedule.end_ = end;
  return schedule;
}

Schedule::Schedule(std::vector<double> times) : times_(std::move(times)) {
  std::ranges::sort(times_);
  const auto repeated = std::ranges::unique(times_);
  times_.erase(repeated.begin(), repeated.end());
}

Schedule Schedule::in(core::Sense sense) const {
  Schedule other = *this;
  if (dt_ != 0.0 || sense.sign == sense_.sign) return other;
  other.sense_ = sense;
  std::ranges::reverse(other.times_);
  return other;
}

std::optional<double> Schedule::time(long number) const {
  if (dt_ == 0.0) {
    const auto index = static_cast<std::size_t>(number);
    return index < times_.size() ? std::optional(times_[index]) : std::nullopt;
  }
  const double t = start_ + static_cast<double>(number) * dt_;
  if (sense_.before(t, end_ - same_time * dt_)) return t;
  if (number == 0) return end_;
  // The last time is `end`, once.
  const double before = start_ + static_cast<double>(number - 1) * dt_;
  return sense_.before(before, end_ - same_time * dt_) ? std::optional(end_) : std::nullopt;
}

double Schedule::count() const {
  if (dt_ == 0.0) return static_cast<double>(times_.size());
  return std::max(std::ceil((end_ - start_) / dt_ - same_time), 0.0) + 1.0;
}

std::optional<double> Schedule::next() const {
  return time(number_);
}

std::optional<double> Schedule::next_until(double end) const {
  const auto time = next();
  return time && !sense_.before(end, *time) ? time : std::nullopt;
}

void Schedule::skip_through(double t) {
  if (dt_ != 0.0) number_ = std::max(number_, static_cast<long>(std::floor((t - start_) / dt_)) - 1);
  while (next_until(t)) advance();
}

} // namespace rhumb::run
