#include <rhumb/bdf/implementation.hpp>

#include <rhumb/bdf/step_size.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <iterator>

/// Events in two calls of `step`: the one that takes the step locates the first root and changes nothing, so that who
/// looks on can be served up to there; the next one tells the system, and goes on in the rest of the step.

namespace rhumb::bdf {

using core::check;

namespace {
/// Of the step: how far before and behind an event its root function is looked at for its derivative.
constexpr double event_difference = 1e-3;
} // namespace

void Integrator::Implementation::add_watch(Watch more) {
  if (more.events.empty()) return;
  std::vector<dae::Event> all = guarded.system().events();
  all.insert(all.end(), more.events.begin(), more.events.end());
  events = Events(std::move(all));
  watch = std::move(more);
  if (!at_event) at_event.emplace(y);
}

RootFunctions Integrator::Implementation::root_functions() {
  return [this](double t, std::span<double> values) {
    const bool at_end = t == history.time();
    if (!at_end) history.interpolate(t, order_used, at_event->y, at_event->ydot);
    const Vec value = at_end ? y : at_event->y.get(), rate = at_end ? ydot : at_event->ydot.get();
    const std::size_t of_system = values.size() - watch.events.size();
    if (of_system > 0) guarded.event_values(t, value, rate, values.first(of_system));
    if (watch.values) watch.values(t, value, rate, values.subspan(of_system));
  };
}

std::vector<int> Integrator::Implementation::of_system(std::span<const int> which_events) const {
  const auto count = static_cast<int>(events.count() - watch.events.size());
  std::vector<int> system_events;
  std::ranges::copy_if(which_events, std::back_inserter(system_events), [&](int which) { return which < count; });
  return system_events;
}

double Integrator::Implementation::root_of(std::size_t event, double t, Vec at_y, Vec at_ydot) {
  std::vector<double> values(events.count());
  const std::size_t system_events = events.count() - watch.events.size();
  if (system_events > 0) guarded.event_values(t, at_y, at_ydot, std::span(values).first(system_events));
  if (watch.values) watch.values(t, at_y, at_ydot, std::span(values).subspan(system_events));
  return values[event];
}

double Integrator::Implementation::rate_of_root(const LocatedEvent& event) {
  const core::VecHandle near_y = core::same_layout(y), near_ydot = core::same_layout(y);
  const auto along_solution = [&](double t) {
    history.interpolate(t, order_used, near_y, near_ydot);
    return root_of(static_cast<std::size_t>(event.which.front()), t, near_y, near_ydot);
  };
  const double apart = event_difference * history.steps()[0];
  return (along_solution(event.t + apart) - along_solution(event.t - apart)) / (2.0 * apart);
}

void Integrator::Implementation::differentiate_event(const LocatedEvent& event) {
  const auto first = static_cast<std::size_t>(event.which.front());
  const LinearizationPoint at{event.t, at_event->y, at_event->ydot};
  const auto root_at = [&](double t, Vec at_y, Vec at_ydot) { return root_of(first, t, at_y, at_ydot); };
  sensitivity->meet_event(at, order_used, root_at, rate_of_root(event));
  if (const auto system_events = of_system(event.which); !system_events.empty())
    sensitivity->tell_of_event(at, system_events);
}

/// The system hears of its own events, the watch of the others; the one that asks for more is heeded.
dae::AfterEvent Integrator::Implementation::tell_of(const LocatedEvent& event) {
  const auto first_watched = static_cast<int>(events.count() - watch.events.size());
  const std::vector<int> system_events = of_system(event.which);
  auto after = system_events.empty() ? dae::AfterEvent::go_on
                                     : guarded.on_event(event.t, system_events, at_event->y, at_event->ydot);
  for (const int which : event.which)
    if (which >= first_watched && !(tape && tape->replaying()))
      after = std::max(after, watch.handle(which - first_watched));
  return after;
}

std::pair<double, double> Integrator::Implementation::dense_output() const {
  return {history.committed() == 0 ? history.time() : history.time() - history.steps()[0], time()};
}

void Integrator::Implementation::set_pending(LocatedEvent event, double t) {
  pending = std::move(event);
  if (t == history.time()) {
    check(VecCopy(y, at_event->y));
    check(VecCopy(ydot, at_event->ydot));
  } else {
    history.interpolate(t, order_used, at_event->y, at_event->ydot);
  }
}

void Integrator::Implementation::locate_event() {
  pending.reset();
  const double to = history.time();
  if (events.any() && sense.before(events_handled_to, to)) {
    if (const auto root = events.next(events_handled_to, to, root_functions())) {
      root_ = *root;
      set_pending({root->t, root->which, events.names(root->which)}, root->t);
      return;
    }
  }
  if (break_time && to == end_before_break()) set_pending({to, {}, {}}, to);
}

std::optional<double> Integrator::Implementation::next_break(double t) const {
  std::optional<double> next = guarded.system().next_break(t);
  for (const double given : options.break_times)
    if (given > t && !(next && *next <= given)) next = given;
  return next;
}

/// System::next_break looks forwards only.
std::optional<double> Integrator::Implementation::previous_break(double t) const {
  std::optional<double> previous;
  for (auto next = next_break(t_end); next && *next < t; next = next_break(*next)) previous = next;
  return previous;
}

/// At a break F has the values behind it, in the order of time: there a run backwards may go.
double Integrator::Implementation::end_before_break() const {
  return sense.forwards() ? just_before(*break_time) : *break_time;
}

void Integrator::Implementation::find_next_break() {
  break_time = sense.forwards() ? next_break(history.time()) : previous_break(history.time());
  if (break_time && !at_event) at_event.emplace(y);
}

/// The state is that of the last time before it, which the equations behind it may find inconsistent.
StepOutcome Integrator::Implementation::begin_behind_break() {
  const double t = sense.forwards() ? *break_time : just_before(*break_time);
  if (sensitivity) sensitivity->carry_to(history.time(), order_used);
  ++statistics.restarts;
  begin_here(t, Columns::carried);
  return {.step = {}, .events = {{{t, {}, {}}, dae::AfterEvent::restart}}};
}

StepOutcome Integrator::Implementation::handle_event() {
  if (pending->which.empty()) return begin_behind_break();
  const LocatedEvent event = *pending;
  if (sensitivity) differentiate_event(event);
  if (tape && !tape->replaying())
    tape->meet(event.t, event.which, rate_of_root(event), at_event->y, at_event->ydot, guarded.system().saved_state());
  const auto after = tell_of(event);
  StepOutcome progress{.step = {}, .events = {{event, after}}, .stopped = after == dae::AfterEvent::stop};
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
    begin_here(event.t, Columns::at_event, event.which);
  } else if (sensitivity) {
    if (!of_system(event.which).empty()) sensitivity->pass_event(ydot);
    sensitivity->begin(event.t, h);
  }
  return progress;
}

} // namespace rhumb::bdf
