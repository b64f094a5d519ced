#pragma once
/// The integrator's inside: its parts, and the few numbers that steer the next attempt. Seen by src/bdf alone.

#include "bdf/attempt.hpp"
#include "bdf/consistent_start.hpp"
#include "bdf/diagnosis.hpp"
#include "bdf/events.hpp"
#include "bdf/integrator.hpp"

namespace rhumb::bdf {

class Integrator::Implementation {
public:
  Implementation(dae::System& system, Options wish)
      : options(std::move(wish)), guarded(system), weights(guarded, options.tolerances),
        linear(guarded, weights, options, phases), newton(guarded, weights, linear, options, phases),
        error(guarded, weights, linear, options, phases), attempt(guarded, newton, error), y(system.create_vector()),
        ydot(core::same_layout(y)), scratch_y(core::same_layout(y)), scratch_ydot(core::same_layout(y)), history(y),
        consistent(guarded, weights, linear), events(system.events()) {
    if (events.any()) cut.emplace(y);
  }

  void start(double t0, double t_final);
  void begin_here(double t);
  void begin_fixed(double t);
  Progress step();
  /// y and y' at t, up to the last accepted state; where an event has cut the last step, from before the event too.
  void interpolate(double t, Vec at, Vec rate) const;
  void give_up(const AttemptResult& last, const FailureCounts& failures, double h);

  bool fixed() const { return options.fixed_step > 0.0; }
  int fixed_order() const { return options.fixed_order > 0 ? options.fixed_order : 1; }
  std::string field_of_kind(dae::Kind kind) const;
  RootFunctions root_functions();

  Options options;
  Phases phases;
  dae::GuardedSystem guarded;
  dae::Weights weights;
  Linear linear;
  Newton newton;
  ErrorEstimate error;
  Attempt attempt;
  core::VecHandle y, ydot, scratch_y, scratch_ydot;
  History history;
  ConsistentStart consistent;
  Events events;
  Statistics statistics;
  double t_end = 0.0;
  std::optional<double> limit; ///< of stop_at

  /// The step that the last restarting event has cut: output times before the event belong to it.
  struct CutStep {
    explicit CutStep(Vec model) : history(model) {}
    History history;
    int order = 1;
    bool holds = false;
  };
  std::optional<CutStep> cut; ///< in systems with events

  // What the next attempt will use, and what the choice of the one after it needs.
  double h = 0.0;
  int order = 1;
  int order_used = 1;   ///< of the last accepted step: degree of the interpolant
  bool starting = true; ///< order and step still grow with every step
  int steps_at_order = 0;
  int constant_steps = 0; ///< with the same step and order

private:
  double bounded_step(double wish) const;
  ErrorEstimate::Higher higher_term() const;
  void accept(const Coefficients& c, const AttemptResult& result);
  void choose_next(const Coefficients& c, const AttemptResult& result);
  double correction_limit(const Coefficients& c, const AttemptResult& result) const;
  void recover(const AttemptResult& result, FailureCounts& failures, double tried);
  void handle_events(Progress& progress);
  std::vector<FailedTest> tests_; ///< of the step under way, and of those just before it
  int smooth_steps_ = 0;          ///< since the last failed error test
  double first_h_ = 0.0;
};

} // namespace rhumb::bdf
