#pragma once
/// The integrator's inside: its parts, and the few numbers that steer the next attempt. Seen by src/bdf alone.

#include <rhumb/bdf/attempt.hpp>
#include <rhumb/bdf/diagnosis.hpp>
#include <rhumb/bdf/events.hpp>
#include <rhumb/bdf/integrator.hpp>
#include <rhumb/bdf/kind_check.hpp>
#include <rhumb/bdf/sensitivity.hpp>
#include <rhumb/bdf/tape.hpp>
#include <rhumb/core/sense.hpp>

namespace rhumb::bdf {

class Integrator::Implementation {
public:
  Implementation(dae::System& system, IntegratorOptions requested)
      : options(std::move(requested)), guarded(system), weights(guarded, options.tolerances),
        linear(guarded, weights, options, phases), newton(guarded, weights, linear, options, phases),
        error(guarded, weights, linear, options, phases), attempt(guarded, newton, error, options.sign_slack),
        y(attempt.trial().y), ydot(attempt.trial().ydot), history(y), events(system.events()) {
    if (events.any()) at_event.emplace(y);
    if (!options.sensitivities.parameters.empty())
      sensitivity.emplace(Sensitivity::Parts{guarded, weights, linear, newton, error}, options, phases, history, y);
    if (options.adjoint.record) tape.emplace(y, options.adjoint.memory, options.spelling(NamedOption::adjoint_memory));
  }

  void add_watch(Watch more);
  void start(double t0, double t_final);
  /// Where the sensitivities of a start come from.
  enum class Columns : std::uint8_t {
    initial_values, ///< of the system
    carried,        ///< they are there, at the time of the start
    at_event,       ///< they are there, with the time of the event still to be taken into account
  };
  /// Consistent values and a first step at t, after a root of the events `handled` or of none.
  void begin_here(double t, Columns columns, std::span<const int> handled = {});
  void begin_fixed(double t, Columns columns);
  void make_consistent(double t, Columns columns);
  void search_consistent(double t, Vec start_y, Vec start_ydot);
  void begin_columns(double t, Columns columns, Vec given_y, Vec given_ydot);
  void check_velocities(double t);
  /// A contradiction between declared kinds and equations at (t, y, y').
  std::optional<KindContradiction> look_at_kinds(double t, double step);
  /// Throws core::BadInput where the kinds are wrong; only systems whose matrices cost little are looked at.
  void check_kinds(double t, double step);
  /// What lies ahead at t, a length of time to measure first steps by: up to t_end or, beyond it, the longest step.
  double interval_ahead(double t) const;
  StepOutcome step();
  double time() const { return pending ? pending->t : history.time(); }
  /// The times that dense output covers.
  std::pair<double, double> dense_output() const;
  /// Looks for the next event in the rest of the last step.
  dae::AfterEvent tell_of(const LocatedEvent& event);
  /// How the time of the pending event depends on parameters, and what the system does there on either side of them.
  void differentiate_event(const LocatedEvent& event);
  std::vector<int> of_system(std::span<const int> which_events) const;
  double root_of(std::size_t event, double t, Vec at_y, Vec at_ydot);
  /// Of the event's first root function, along the solution.
  double rate_of_root(const LocatedEvent& event);
  void locate_event();
  /// The event becomes the pending one, with the state that the last step has at t.
  void set_pending(LocatedEvent event, double t);
  /// Of the system and of the options, after t.
  std::optional<double> next_break(double t) const;
  /// The last of them before t and not before t_end, where the integration goes backwards.
  std::optional<double> previous_break(double t) const;
  /// The last time on this side of the break.
  double end_before_break() const;
  void find_next_break();
  /// Where a break is what lies ahead, steps end there and the integration begins anew behind it.
  StepOutcome begin_behind_break();
  void give_up(const AttemptResult& last, const FailureCounts& failures, double h,
               std::optional<KindContradiction> wrong_kind = {});

  void look_at_last_state(Evidence& evidence);
  std::string place_of(const dae::Weights::Location& entry);

  bool fixed() const { return options.fixed_step > 0.0; }
  int fixed_order() const { return options.fixed_order > 0 ? options.fixed_order : 1; }
  std::string field_of_kind(dae::Kind kind) const;
  RootFunctions root_functions();

  IntegratorOptions options;
  Phases phases;
  dae::GuardedSystem guarded;
  dae::Weights weights;
  Linear linear;
  Newton newton;
  ErrorEstimate error;
  Attempt attempt;
  Vec y, ydot; ///< the trial's own; between steps the last accepted state
  History history;
  Events events; ///< of the system, then of the watch
  Watch watch;
  std::optional<Sensitivity> sensitivity;
  std::optional<Tape> tape;     ///< for gradients
  AdjointCounts adjoint_counts; ///< of the last ones
  Statistics statistics;
  bool started = false;
  double t_start = std::numeric_limits<double>::quiet_NaN(); ///< of a run that was not resumed
  double t_end = 0.0;
  core::Sense sense;                ///< of time
  std::optional<double> limit;      ///< of stop_at
  std::optional<double> break_time; ///< the next one

  /// A state within the step, in systems with events: that of the pending event while there is one.
  struct EventSpace {
    explicit EventSpace(Vec model) : y(core::same_layout(model)), ydot(core::same_layout(model)) {}
    core::VecHandle y, ydot;
  };
  std::optional<EventSpace> at_event;
  std::optional<LocatedEvent> pending; ///< in the last step; the next one in it is looked for when it is handled
  double events_handled_to = 0.0;      ///< in the last step, where an event is pending: those before it are handled

  // What the next attempt will use, and what the choice of the one after it needs.
  double h = 0.0;
  int order = 1;
  int order_used = 1;   ///< of the last accepted step: degree of the interpolant
  bool starting = true; ///< order and step still grow with every step
  long steps_at_order = 0;
  long constant_steps = 0; ///< with the same step and order
  int steps_to_check = 0;  ///< F had no value not long ago: it is evaluated at what would be accepted
  LastFailedTest last_failed;

private:
  /// Where an attempt goes: a step and the time at its end, which is a limit exactly where the step ends there.
  struct Reach {
    double h, t;
  };
  Reach within_limits(double requested) const;
  bool at_limit_but_for_rounding() const;
  /// What no step may pass: the caller's limit, or the last time before a break.
  std::optional<double> reach_limit() const;
  void attempt_until_accepted(StepOutcome& progress, FailureCounts& failures);
  ErrorEstimate::Higher higher_term() const;
  void complete_sensitivities(const Coefficients& c, double t, AttemptResult& result);
  void accept(const Coefficients& c, double t, const AttemptResult& result);
  void choose_next(const Coefficients& c, const AttemptResult& result);
  bool higher_index() const;
  double correction_limit(const Coefficients& c, const AttemptResult& result) const;
  void recover(const AttemptResult& result, FailureCounts& failures, double tried);
  void begin_inside_domain();
  StepOutcome handle_event();
  Root root_;                     ///< of the pending event
  std::vector<FailedTest> tests_; ///< of the step under way, and of those just before it
  int smooth_steps_ = 0;          ///< since the last failed error test
  double first_h_ = 0.0;
  void look_again(const AttemptResult& result, const FailureCounts& failures, double tried);
  bool kinds_to_check_ = false; ///< at a start, not at a restart
};

} // namespace rhumb::bdf
