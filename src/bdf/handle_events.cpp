#include "bdf/implementation.hpp"

#include "core/check.hpp"

namespace rhumb::bdf {

using core::check;

RootFunctions Integrator::Implementation::root_functions() {
  return [this](double t, std::span<double> values) {
    if (t == history.time()) {
      guarded.system().event_values(t, y, ydot, values);
      return;
    }
    history.interpolate(t, order_used, scratch_y, scratch_ydot);
    guarded.system().event_values(t, scratch_y, scratch_ydot, values);
  };
}

void Integrator::Implementation::interpolate(double t, Vec at, Vec rate) const {
  const bool before_event = cut && cut->holds && history.committed() == 0 && t < history.time();
  if (before_event)
    cut->history.interpolate(t, cut->order, at, rate);
  else
    history.interpolate(t, order_used, at, rate);
}

void Integrator::Implementation::handle_events(Progress& progress) {
  const RootFunctions g = root_functions();
  double from = history.time() - history.steps()[0];
  const double to = history.time();
  while (const auto root = events.next(from, to, g)) {
    if (root->t == to) {
      check(VecCopy(y, scratch_y));
      check(VecCopy(ydot, scratch_ydot));
    } else {
      history.interpolate(root->t, order_used, scratch_y, scratch_ydot);
    }
    const auto after = guarded.system().on_event(root->t, root->which, scratch_y, scratch_ydot);
    progress.events.push_back({root->t, root->which, after});
    if (after != dae::AfterEvent::go_on) {
      cut->history.copy_from(history);
      cut->order = order_used;
      cut->holds = true;
      check(VecCopy(scratch_y, y));
      check(VecCopy(scratch_ydot, ydot));
      if (after == dae::AfterEvent::restart) {
        ++statistics.restarts;
        begin_here(root->t);
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
