#pragma once
/// The loop of a run: start or continue, step, serve those who look on, until the end or a reason to stop.

#include <rhumb/run/agreement.hpp>
#include <rhumb/run/checkpoints.hpp>
#include <rhumb/run/event_assignments.hpp>
#include <rhumb/run/observer.hpp>
#include <rhumb/run/solution.hpp>
#include <rhumb/run/stop_notice.hpp>
#include <chrono>
#include <functional>

namespace rhumb::run {

class Loop {
public:
  using Clock = Settings::Clock;
  /// All must outlive the loop. `after_first_step` is called once, on all ranks, and may throw.
  struct Parts {
    dae::Problem& problem;
    bdf::Integrator& integrator;
    const Settings& settings;
    Agreement& agreement;
    Checkpoints& checkpoints;
    Observers& observers;
    EventAssignments& assignments;
    std::function<void()> after_first_step;
    /// The first state is there, and nothing has been written. On all ranks.
    std::function<void()> before_output = [] {};
  };
  explicit Loop(Parts parts);

  /// Runs to the end, on all ranks to the same one. Throws nothing that an end can say.
  Ending run();
  /// The same in parts: `start`, then `advance` until it says that the run is over, then `finish`. A caller that has
  /// seen enough may finish before: the run is then one that was stopped.
  void start();
  bool advance();
  Ending finish();

  /// The last good state: where the run ended. Valid after `run`.
  double time() const { return t_; }
  Vec state() const { return y_; }
  Vec derivative() const { return ydot_; }
  /// Whether there was a first state: a checkpoint that could not be read or a start that was refused leave none.
  bool begun() const { return begun_; }
  /// The events of the system and of the user.
  const std::vector<EventRecord>& event_records() const { return event_records_; }
  /// Those of this process, in order.
  const std::vector<EventTime>& event_times() const { return event_times_; }
  /// Wall time of this rank for snapshots, checkpoints and what else observers do at output times.
  double output_seconds() const { return output_seconds_; }
  /// From the start of the program to the first step.
  double start_seconds() const { return start_seconds_; }
  /// The checkpoint that the run continued from; null when it did not.
  const io::Restart* restarted_from() const { return from_ ? &*from_ : nullptr; }

private:
  void begin();
  void start_fresh();
  bool finished() const { return ending_.has_value(); }
  void take_step();
  bool pending_wants_output() const;
  void serve_outputs();
  void end_as_before();
  bool stop_requested(const StopRequest& stop_request);
  NamedScalars scalars_to_keep() const;
  std::optional<double> next_output() const;
  double reached() const;
  void count_events(const bdf::StepOutcome& progress);
  StopRequest stop_request() const;
  void decide(const bdf::StepOutcome& progress, const StopRequest& stop_request);
  void after_step_collective();
  void keep_last_state();
  void save_what_was_reached();
  void end_observers();

  Parts parts_;
  StopNotice stop_notice_;
  core::Sense sense_; ///< of the run's time
  core::VecHandle y_, ydot_;
  double t_;
  double output_seconds_ = 0.0;
  double start_seconds_ = 0.0;
  bool begun_ = false;
  bool first_step_done_ = false;
  std::optional<Ending> ending_;
  std::optional<io::Restart> from_;
  std::vector<EventRecord> event_records_;
  std::vector<EventTime> event_times_;
  double served_through_;  ///< output times up to here are written
  bool concluded_ = false; ///< the checkpoint is of a run that an event had ended
};

/// The word for run.json that belongs to an exit code of a failure.
std::string reason_of(core::ExitCode code);

} // namespace rhumb::run
