#include "waveform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace rhumb::problems::spice {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Corners of one period of a pulse, from its begin: v1, rise, v2, fall, v1. Arguments: v1 v2 td tr tf pw per.
struct Corner {
  double time, value;
};

std::vector<Corner> corners(const std::vector<double>& a) {
  return {{0.0, a[0]}, {a[3], a[1]}, {a[3] + a[5], a[1]}, {a[3] + a[5] + a[4], a[0]}};
}

/// Value and rate on the line through corners, constant outside.
std::pair<double, double> along(const std::vector<Corner>& line, double t) {
  if (t < line.front().time) return {line.front().value, 0.0};
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (t >= line[i].time) continue;
    const double derivative = (line[i].value - line[i - 1].value) / (line[i].time - line[i - 1].time);
    return {line[i - 1].value + derivative * (t - line[i - 1].time), derivative};
  }
  return {line.back().value, 0.0};
}

std::vector<Corner> given_corners(const std::vector<double>& a) {
  std::vector<Corner> out;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) out.push_back({a[i], a[i + 1]});
  return out;
}

/// Rounding may put a corner just before the time that was aimed at.
double period_begin(const std::vector<double>& a, double t) {
  if (t < a[2]) return a[2];
  return a[2] + std::floor((t - a[2]) / a[6] * (1.0 + 4e-16) + 4e-16) * a[6];
}

/// sin: offset, amplitude, frequency, delay, damping. exp: v1 v2 td1 tau1 td2 tau2.
std::pair<double, double> at(const Waveform& wave, double t) {
  const auto& a = wave.arguments;
  switch (wave.shape) {
  case Waveform::Shape::constant:
    return {wave.dc, 0.0};
  case Waveform::Shape::pulse:
    if (t < a[2]) return {a[0], 0.0};
    return along(corners(a), std::max(0.0, t - period_begin(a, t)));
  case Waveform::Shape::linear:
    return along(given_corners(a), t);
  case Waveform::Shape::sine: {
    if (t < a[3]) return {a[0], 0.0};
    const double omega = 2.0 * std::numbers::pi * a[2], since = t - a[3], fade = std::exp(-a[4] * since);
    return {a[0] + a[1] * fade * std::sin(omega * since),
            a[1] * fade * (omega * std::cos(omega * since) - a[4] * std::sin(omega * since))};
  }
  case Waveform::Shape::exponential: {
    double value = a[0], rate = 0.0;
    for (const std::size_t k : {std::size_t{2}, std::size_t{4}}) {
      if (t < a[k]) continue;
      const double jump = k == 2 ? a[1] - a[0] : a[0] - a[1], left = std::exp(-(t - a[k]) / a[k + 1]);
      value += jump * (1.0 - left);
      rate += jump * left / a[k + 1];
    }
    return {value, rate};
  }
  }
  return {0.0, 0.0};
}

} // namespace

double Waveform::value(double t) const {
  return at(*this, t).first;
}
double Waveform::rate(double t) const {
  return at(*this, t).second;
}

double Waveform::next_kink(double t) const {
  const double beyond = t + 1e-12 * std::abs(t);
  double next = never;
  const auto consider = [&](double time) {
    if (time > beyond) next = std::min(next, time);
  };
  const auto& a = arguments;
  if (shape == Shape::linear)
    for (std::size_t i = 0; i < a.size(); i += 2) consider(a[i]);
  if (shape == Shape::sine) consider(a[3]);
  if (shape == Shape::exponential) {
    consider(a[2]);
    consider(a[4]);
  }
  if (shape == Shape::pulse) {
    const double begin = period_begin(a, t);
    for (const double period : {begin, begin + a[6]})
      if (std::isfinite(period))
        for (const auto& corner : corners(a)) consider(period + corner.time);
  }
  return next;
}

} // namespace rhumb::problems::spice
