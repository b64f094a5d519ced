#pragma once
/// What a run gives back: how it ended, what it cost, its figures, the states at the times asked for, and the solution
/// at any time of its last step (of the whole run with Settings::dense_output). A failure is a value, too: `done` is
/// false then, `message` the diagnosis, and the last good state is there.

#include <rhumb/bdf/trajectory.hpp>
#include <rhumb/run/summary.hpp>

namespace rhumb::run {

/// An event, when it happened.
struct EventTime {
  double t = 0.0;
  std::string name;
};

struct Solution {
  Summary summary; ///< all that run.json holds
  double t = 0.0;  ///< of the last good state
  core::VecHandle y, ydot;
  std::vector<double> output_times;    ///< those that were reached
  std::vector<core::VecHandle> states; ///< y at them
  std::vector<EventTime> events;
  bdf::Trajectory trajectory;

  bool done() const { return summary.ending.code == core::ExitCode::done; }
  core::ExitCode code() const { return summary.ending.code; }
  /// done, stopped_by_event, signal, wall_limit, solver_gave_up, bad_input, ...
  const std::string& reason() const { return summary.ending.reason; }
  const std::string& message() const { return summary.ending.message; }
  const bdf::Statistics& statistics() const { return summary.statistics; }

  /// One of the problem's figures (`results` in run.json). Throws core::BadInput with the nearest name.
  const dae::Figure& figure(const std::string& name) const;
  /// The same where it is a number.
  double value(const std::string& name) const;

  /// y at an output time, or at any time that the trajectory covers. Throws core::BadInput elsewhere.
  core::VecHandle at(double time) const;
};

} // namespace rhumb::run
