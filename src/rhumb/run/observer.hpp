#pragma once
/// Those who look on while a run goes: progress, the table of steps, snapshots. They never change what the integrator
/// does; it does not know them.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/failure.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::io {
struct Restart;
}

namespace rhumb::run {

/// How a run came to its end.
struct Ending {
  core::ExitCode code = core::ExitCode::done;
  std::string reason = "done"; ///< done, stopped_by_event, signal, wall_limit, solver_gave_up, bad_input, ...
  std::string message = "";    ///< of a failure
};

/// Numbers that a checkpoint keeps for an observer.
using NamedScalars = std::vector<std::pair<std::string, double>>;

/// Up to where the run that wrote the checkpoint had served the output times. A run that reached its end stands beyond
/// it.
double served_through(const io::Restart& from);

class Observer {
public:
  Observer() = default;
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// The integrator stands at its first state; `from` is the checkpoint it was read from, or null. Collective.
  virtual void begin(const bdf::Integrator& /*integrator*/, const io::Restart* /*from*/) {}

  /// After every accepted step. Makes no collective call: ranks agree on a failure right afterwards.
  virtual void step(const bdf::Integrator& /*integrator*/, const bdf::StepOutcome& /*progress*/) {}

  /// After a call of the integrator that handled an event instead of making a step. Makes no collective call.
  virtual void event(const bdf::Integrator& /*integrator*/, const bdf::StepOutcome& /*progress*/) {}

  /// The next time at which `output` wants the solution; it comes from the dense output and bends no step.
  virtual std::optional<double> next_output() const { return std::nullopt; }
  /// The solution at exactly that time. Collective.
  virtual void output(double /*t*/, Vec /*y*/, Vec /*ydot*/) {}

  /// An event ended the run here, or asks for its output, between two output times. Collective.
  virtual void event_output(double /*t*/, Vec /*y*/, Vec /*ydot*/) {}

  /// A checkpoint is about to be written: adds what a continued run needs to know. No collective call.
  virtual void save(NamedScalars& /*numbers*/) {}

  /// The run is over, perhaps by a failure. Collective.
  virtual void end(const Ending& /*ending*/) {}
};

using Observers = std::vector<std::shared_ptr<Observer>>;

} // namespace rhumb::run
