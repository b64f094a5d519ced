#pragma once
/// `-study mie`: the minimum ignition energy by bisection over runs. Every run is a whole run of this driver in a
/// folder of its own, `<out>/energy_<E>` with all digits, with -stop_at_fate; one that is found finished is not
/// repeated, one that left a checkpoint goes on from there, so that the same command continues a study that was
/// interrupted. `<out>/study.txt` says whose runs these are, the table is `<out>/mie.csv`, the summary
/// `<out>/run.json`.

#include <string>
#include <vector>

namespace rhumb::ignite_cases {

/// Whether -study mie stands among the words.
bool wants_study(int argc, char** argv);

/// Runs the study; returns the program's exit code, the same on all ranks.
int run_study(int argc, char** argv);

/// The next energy to try, and the bracket so far. Pure.
class Bisection {
public:
  /// From `first` on, by factors of two until one run dies and one ignites; then in the middle (of the logarithms)
  /// until the bracket is no wider than `width` of its upper end.
  Bisection(double first, double width) : next_(first), width_(width) {}

  void died(double energy);
  void ignited(double energy);
  bool finished() const;
  double next() const { return next_; }
  double low() const { return low_; }   ///< highest energy that died; 0: none yet
  double high() const { return high_; } ///< lowest energy that ignited; 0: none yet

private:
  void choose();

  double next_, width_;
  double low_ = 0.0, high_ = 0.0;
};

} // namespace rhumb::ignite_cases
