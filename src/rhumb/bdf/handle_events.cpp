#include <rhumb/bdf/implementation.hpp>

#include <rhumb/core/check.hpp>

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
  const bool after_event = at_event && at_event->has_cut && history.committed() == 0;
  const History& last = after_event ? at_event->cut : history;
  return {last.committed() == 0 ? last.time() : last.time() - last.steps()[0], history.time()};
}

void Integrator::Implementation::interpolate(double t, Vec at, Vec rate) const {
  const bool before_event = at_event && at_event->has_cut && history.committed() == 0 && t < history.time();
  if (before_event)
    at_event->cut.interpolate(t, at_event->cut_order, at, rate);
  else
    history.interpolate(t, order_used, at, rate);
}

void Integrator::Implementation::handle_events(Progress& progress) {
  const RootFunctions g = root_functions();
  double from = history.time() - history.steps()[0];
  const double to = history.time();
  while (const auto root = events.next(from, to, g)) {
    if (root->t == to) {
      check(VecCopy(y, at_event->y));
      check(VecCopy(ydot, at_event->ydot));
    } else {
      history.interpolate(root->t, order_used, at_event->y, at_event->ydot);
    }
    const auto after = guarded.on_event(root->t, root->which, at_event->y, at_event->ydot);
    progress.events.push_back({root->t, root->which, after});
    if (after != dae::AfterEvent::go_on) {
      at_event->cut.copy_from(history);
      at_event->cut_order = order_used;
      at_event->has_cut = true;
      check(VecCopy(at_event->y, y));
      check(VecCopy(at_event->ydot, ydot));
      if (after == dae::AfterEvent::restart) {
        ++statistics.restarts;
        begin_here(root->t, root->which);
      } else {
        history.begin(root->t, y, ydot, h);
        progress.stopped = true;
      }
      return;
    }
    from = root->t;
    if (from >= to) return;
  }
}

} // namespace rhumb::bdf
