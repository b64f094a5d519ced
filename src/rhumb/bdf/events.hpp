#pragma once
/// Roots of g_i(t, y, y') along the solution: sign changes over a step, located on the dense output by the Illinois
/// algorithm (BCP 5.3.3), several in one step in order of time. A root at the start and a g that stays at 0 raise
/// nothing: a function counts again once it has left 0. Time may run backwards: what comes first, and what rises or
/// falls, is meant along the integration.

#include <rhumb/dae/guarded_system.hpp>
#include <functional>
#include <optional>

namespace rhumb::bdf {

/// g at time t, on the dense output.
using RootFunctions = std::function<void(double t, std::span<double> values)>;

struct Root {
  double t = 0.0;
  std::vector<int> which;
  std::vector<int> signs; ///< of all functions, once the root is passed
};

class Events {
public:
  explicit Events(std::vector<dae::Event> events) : events_(std::move(events)), sign_(events_.size(), 0) {}

  bool any() const { return !events_.empty(); }
  std::size_t count() const { return events_.size(); }

  /// Signs at the start of an integration.
  void begin(double t, const RootFunctions& g);
  /// Signs after a restart at t where the events `handled` were handled; `ahead` is the end of the first step. A
  /// located root is 0 but for rounding, and so may be what the event left of it: such a function has the sign that it
  /// is about to take. One that was not handled, but may have had its root within rounding of t, keeps its old sign.
  void begin_again(double t, double ahead, std::span<const int> handled, const RootFunctions& g);
  /// The first root on the way (from, to], after which `pass` is called; where there is none, signs then belong to `to`.
  std::optional<Root> next(double from, double to, const RootFunctions& g);
  void pass(const Root& root) { sign_ = root.signs; }
  std::vector<std::string> names(std::span<const int> which) const;

  /// For checkpoints.
  std::vector<int> signs() const { return sign_; }
  void set_signs(std::vector<int> signs) { sign_ = std::move(signs); }

private:
  bool crosses(std::size_t i, double value) const;

  std::vector<dae::Event> events_;
  std::vector<int> sign_; ///< of g_i where it was last known; 0: has not left zero yet
};

/// A root of f in [a, b] with f(a) f(b) <= 0, to about 4 units of rounding in t.
double illinois(double a, double fa, double b, double fb, const std::function<double(double)>& f);

} // namespace rhumb::bdf
