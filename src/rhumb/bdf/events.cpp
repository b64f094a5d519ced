#include <rhumb/bdf/events.hpp>

#include <rhumb/core/sense.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rhumb::bdf {

namespace {
int sign_of(double v) {
  return (v > 0.0) - (v < 0.0);
}
constexpr int most_iterations = 100;
constexpr double roundings = 4.0;
} // namespace

double illinois(double a, double fa, double b, double fb, const std::function<double(double)>& f) {
  if (fa == 0.0) return a;
  int last_side = 0;
  for (int i = 0; i < most_iterations && fb != 0.0; ++i) {
    const double tolerance = roundings * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
    if (std::abs(b - a) <= tolerance) break;
    double t = b - fb * (b - a) / (fb - fa);
    if (!(t > std::min(a, b) && t < std::max(a, b))) t = 0.5 * (a + b);
    const double ft = f(t);
    if (sign_of(ft) == sign_of(fb)) {
      b = t;
      fb = ft;
      if (last_side == 1) fa *= 0.5; // the Illinois trick: the end that stays loses weight
      last_side = 1;
    } else if (ft == 0.0) {
      return t;
    } else {
      a = t;
      fa = ft;
      if (last_side == -1) fb *= 0.5;
      last_side = -1;
    }
  }
  return b;
}

void Events::begin(double t, const RootFunctions& g) {
  std::vector<double> values(count());
  g(t, values);
  std::transform(values.begin(), values.end(), sign_.begin(), sign_of);
}

void Events::begin_again(double t, double ahead, std::span<const int> handled, const RootFunctions& g) {
  std::vector<double> now(count()), soon(count());
  g(t, now);
  g(ahead, soon);
  for (std::size_t i = 0; i < count(); ++i) {
    const double change = soon[i] - now[i];
    const bool near_zero = std::abs(now[i]) <= std::abs(change);
    const bool was_handled = std::ranges::find(handled, static_cast<int>(i)) != handled.end();
    if (!near_zero || (!was_handled && sign_[i] == 0))
      sign_[i] = sign_of(now[i]);
    else if (was_handled)
      sign_[i] = sign_of(change);
  }
}

bool Events::crosses(std::size_t i, double value) const {
  if (sign_[i] == 0 || sign_of(value) == sign_[i]) return false;
  return events_[i].direction == dae::Event::Direction::any || static_cast<int>(events_[i].direction) == -sign_[i];
}

std::optional<Root> Events::next(double from, double to, const RootFunctions& g) {
  std::vector<double> at_from, at_to(count()), scratch(count());
  g(to, at_to);
  const core::Sense sense = core::Sense::of(from, to);
  double earliest = to;
  std::vector<std::pair<double, std::size_t>> roots;
  for (std::size_t i = 0; i < count(); ++i) {
    if (!crosses(i, at_to[i])) continue;
    if (at_from.empty()) {
      at_from.resize(count());
      g(from, at_from);
    }
    // At a handled root g may be rounding on either side; the remembered sign is the one that counts.
    const double start = sign_of(at_from[i]) == sign_[i] ? at_from[i] : sign_[i] * std::numeric_limits<double>::min();
    const double t = illinois(from, start, to, at_to[i], [&](double s) {
      g(s, scratch);
      return scratch[i];
    });
    roots.emplace_back(t, i);
    earliest = sense.earlier(earliest, t);
  }
  if (roots.empty()) {
    std::ranges::transform(at_to, sign_.begin(), sign_of);
    return std::nullopt;
  }
  Root root{earliest, {}, sign_};
  // Each root is known to that many roundings, so two may be one and differ by twice as many.
  const double together =
      2.0 * roundings * std::numeric_limits<double>::epsilon() * std::max(std::abs(from), std::abs(to));
  g(earliest, scratch);
  for (std::size_t i = 0; i < count(); ++i) {
    const auto found = std::find_if(roots.begin(), roots.end(), [&](const auto& r) { return r.second == i; });
    if (found != roots.end() && std::abs(found->first - earliest) <= together) {
      root.which.push_back(static_cast<int>(i));
      root.signs[i] = sign_of(at_to[i]); // passed: what follows belongs to the other side
    } else if (sign_[i] == 0) {
      root.signs[i] = sign_of(scratch[i]);
    }
  }
  return root;
}

std::vector<std::string> Events::names(std::span<const int> which) const {
  std::vector<std::string> list;
  for (const int i : which) list.push_back(events_[i].name);
  return list;
}

} // namespace rhumb::bdf
