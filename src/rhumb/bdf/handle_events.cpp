#include <rhumb/bdf/implementation.hpp>

#include <rhumb/core/check.hpp>

/// Events in two calls of `step`: the one that takes the step locates the first root and changes nothing, so that who
/// looks on can be served up to there; the next one tells the system, and goes on in the rest of the step.

namespace rhumb::bdf {

using core::check;

RootFunctions Integrator::Implementation::root_functions() {
  return [this](double t, std::span<double> values) {
    if (t == history.time()) {
      guarded.event_values(t, y, ydot, values);
      return;
    }
    history.interpolate(t, order_used, at_event->y, at_event->ydot);
    guarded.event_values(t, at_event->y, at_event->ydot, values);
  };
}

std::pair<double, double> Integrator::Implementation::dense_output() const {
  return {history.committed() == 0 ? history.time() : history.time() - history.steps()[0], time()};
}

void Integrator::Implementation::locate_event() {
  pending.reset();
  const double to = history.time();
  if (events_handled_to >= to) return;
  const auto root = events.next(events_handled_to, to, root_functions());
  if (!root) return;
  root_ = *root;
  pending = {root->t, root->which, events.names(root->which)};
  if (root->t == to) {
    check(VecCopy(y, at_event->y));
    check(VecCopy(ydot, at_event->ydot));
  } else {
    history.interpolate(root->t, order_used, at_event->y, at_event->ydot);
  }
}

Progress Integrator::Implementation::handle_event() {
  const LocatedEvent event = *pending;
  const auto after = guarded.on_event(event.t, event.which, at_event->y, at_event->ydot);
  Progress progress{.step = {}, .events = {{event, after}}, .stopped = after == dae::AfterEvent::stop};
  events.pass(root_);
  events_handled_to = event.t;
  if (after == dae::AfterEvent::go_on) {
    locate_event();
    return progress;
  }
  // The rest of the step is no solution any more.
  pending.reset();
  check(VecCopy(at_event->y, y));
  check(VecCopy(at_event->ydot, ydot));
  history.begin(event.t, y, ydot, h);
  if (after == dae::AfterEvent::restart) {
    ++statistics.restarts;
    begin_here(event.t, event.which);
  }
  return progress;
}

} // namespace rhumb::bdf
