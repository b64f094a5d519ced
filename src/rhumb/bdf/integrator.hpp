#pragma once
/// The integrator's public face: variable-step, variable-order BDF for F(t, y, y') = 0 (BCP chapter 5), Newton-Krylov
/// as in DASPK (BCP 7.5), error tests for higher index (BCP 5.4, SIE). The solution lives here and nowhere else.
///
///   bdf::Integrator integrator(system, options);
///   integrator.start(0.0, 10.0);
///   while (integrator.time() < 10.0) integrator.step();
///   integrator.interpolate(10.0, y, ydot);

#include <rhumb/bdf/adjoint.hpp>
#include <rhumb/bdf/options.hpp>
#include <rhumb/bdf/statistics.hpp>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::bdf {

/// Everything that a bit-identical continuation needs. Vectors are borrowed from the integrator.
struct CheckpointState {
  std::vector<std::pair<std::string, double>> scalars;
  std::vector<std::pair<std::string, Vec>> vectors;
};

/// The steps so far, for the gradients of a run that is continued. Vectors are borrowed from the integrator.
struct StepRecord {
  std::vector<double> numbers; ///< the same on all ranks
  std::vector<Vec> vectors;
};

/// Events that were located at one time; none: a break (System::next_break), behind which the integration begins anew.
struct LocatedEvent {
  double t = 0.0;
  std::vector<int> which;         ///< positions in System::events
  std::vector<std::string> names; ///< theirs
};

/// A located event that was handled.
struct EventReport : LocatedEvent {
  dae::AfterEvent after = dae::AfterEvent::go_on;
};

/// What one call of `step` did: it took a step, or it handled the event that is in `events`.
struct StepOutcome {
  StepReport step;
  std::vector<EventReport> events; ///< handled, in order of time
  bool stopped = false;            ///< an event asked to stop; time() is then the event's
};

/// Events of the caller: they are located as the system's own are, and behind them in every list.
struct Watch {
  std::vector<dae::Event> events = {};
  /// The root functions, the same on all ranks. Collective.
  std::function<void(double t, Vec y, Vec ydot, std::span<double> values)> values = {};
  /// Called on all ranks at the event with this position in `events`, after the system has heard of its own. May change
  /// the system's parameters, and asks for a restart then.
  std::function<dae::AfterEvent(int which)> handle = {};
};

/// The system with a parameter moved to either side of its value.
enum class Side : std::uint8_t { above, below };
inline constexpr std::array both_sides{Side::above, Side::below};

class Integrator {
public:
  /// `system` must outlive the integrator. Reads PETSc's options for KSP and PC under options.prefix.
  Integrator(dae::System& system, IntegratorOptions options);
  ~Integrator();
  Integrator(Integrator&&) noexcept;

  /// Before `start` or `resume`.
  void watch(Watch watch);

  /// Takes the system's initial values at t0, makes them consistent, chooses the first step. t_end bounds the first
  /// step and, with `stop_at`, nothing else: steps may pass it. Where it lies before t0 the integration goes backwards,
  /// with negative steps; "beyond", "behind" and the directions of events are then meant along the integration. Throws core::BadInput on an impossible start.
  void start(double t0, double t_end);

  /// No step will evaluate the system beyond t (a source that ends there, say). Nullopt: no limit.
  void stop_at(std::optional<double> t);

  /// One accepted step, up to the first event that is located in it; where an event is pending, no step: the event is
  /// handled, and time() goes on to the next one in the rest of its step or to the step's end, unless the system wants
  /// a restart or a stop at the event. Throws core::SolverGaveUp with a diagnosis; the last accepted state is still
  /// there, with y' then the slope of the interpolant.
  StepOutcome step();

  /// An event that was located and that the system has not been told of: time(), state() and derivative() are those at
  /// the event, and so is the system, until `step` is called again.
  const std::optional<LocatedEvent>& pending_event() const;

  /// Steps until time() is t or beyond and all events up to t are handled, or one of them stops the run. Throws core::BadInput
  /// where t lies behind.
  StepOutcome advance(double t);

  double time() const;          ///< of the last accepted state, or of the pending event
  double previous_time() const; ///< start of the last step: dense output covers [previous_time, time]
  double step_size() const;     ///< of the next attempt
  int order() const;            ///< of the next attempt
  Vec state() const;            ///< y at time()
  Vec derivative() const;       ///< y' at time()

  /// y and y' at t in the last step (BCP 5.2.9); ydot may be null. Throws core::BadInput outside of it.
  void interpolate(double t, Vec y, Vec ydot) const;

  /// The number of parameters in options.sensitivities, in whose order they are counted below.
  std::size_t sensitivities() const;
  /// s = dy/dp and s' at t in the last step; sdot may be null. Throws core::BadInput outside of it.
  void interpolate_sensitivity(std::size_t which, double t, Vec s, Vec sdot) const;
  /// dt/dp of the last event that was handled.
  double event_time_derivative(std::size_t which) const;
  /// Runs `body` with the parameter moved by `shift` to that side, and with what the system remembers of a run there;
  /// both are restored. At the end of the parameter's range one of the two shifts is 0. Every rank calls it.
  void beside(std::size_t which, Side side, const std::function<void(double shift)>& body);

  /// Gradients of functionals of the run so far by these parameters (positions in System::parameters) and by the initial
  /// values, by a sweep back over its steps. With options.adjoint.record. Throws core::BadInput where the run began anew
  /// on its way. Collective.
  std::vector<Gradient> gradients(std::vector<Functional> functionals, std::vector<std::size_t> parameters);
  /// Of the last sweep.
  AdjointCounts adjoint_counts() const;

  /// The equations changed at the current state: consistent start here, then order one. Not while an event is pending.
  void restart();

  Statistics statistics() const;
  const Phases& phases() const;
  /// One sentence on the error test in use, for logs.
  std::string describe() const;
  /// Fields that the error test does not measure, or not everywhere. Collective.
  std::vector<std::string> uncontrolled_fields() const;

  /// With options.resumable.
  CheckpointState checkpoint_state() const;
  /// Throws core::BadInput when the numbers are not those of a snapshot of such an integrator: one is missing, or no
  /// run could have had it.
  void check_scalars(const std::vector<std::pair<std::string, double>>& scalars) const;
  /// Continues from a snapshot's numbers and vectors; vectors are matched by name and copied.
  void resume(const std::vector<std::pair<std::string, double>>& scalars,
              const std::vector<std::pair<std::string, Vec>>& vectors);
  /// With options.adjoint.record, beside checkpoint_state.
  StepRecord step_record() const;
  /// After `resume`: gradients are those of the whole run. Throws core::BadInput where the record is of another run.
  void restore_step_record(const StepRecord& record);
  /// Where a continued run ends: restarts after events measure their first step by it.
  void set_end(double t_end);
  /// Names of the vectors that a snapshot holds, so that a reader can make them.
  std::vector<std::string> snapshot_vectors() const;

  /// A new vector with the layout of y.
  core::VecHandle new_vector() const;

  class Implementation; ///< bdf/implementation.hpp

private:
  std::unique_ptr<Implementation> implementation_;
};

} // namespace rhumb::bdf
