#pragma once
/// The exact times at which something is wanted. Times are computed from their number (start + k dt), never summed up,
/// so that a continued run has the same ones.

#include <rhumb/core/sense.hpp>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

namespace rhumb::run {

class Schedule {
public:
  /// Never.
  Schedule() = default;
  /// These times, sorted, each once.
  Schedule(std::initializer_list<double> times) : Schedule(std::vector<double>(times)) {}
  Schedule(std::vector<double> times);
  /// start, start + dt, ..., and end; start - dt, ... where the end lies before the start. A time that rounding alone
  /// keeps apart from `end` is `end`. A dt too small to be told apart from rounding becomes the smallest that is not.
  static Schedule every(double start, double dt, double end);

  /// The same listed times in the order of a run in that sense.
  Schedule in(core::Sense sense) const;

  /// The next time; nothing when all are done.
  std::optional<double> next() const;
  /// Where it does not lie beyond `end`.
  std::optional<double> next_until(double end) const;
  /// How many times there are, those that are done included.
  double count() const;
  /// Number of the next time, from 0.
  long number() const { return number_; }
  void advance() { ++number_; }
  /// Leaves out the times up to and including t.
  void skip_through(double t);

private:
  std::optional<double> time(long number) const;

  double start_ = 0.0;
  double dt_ = 0.0; ///< with its sign; 0: `times_` are listed
  core::Sense sense_;
  double end_ = -std::numeric_limits<double>::infinity();
  std::vector<double> times_;
  long number_ = 0;
};

} // namespace rhumb::run
