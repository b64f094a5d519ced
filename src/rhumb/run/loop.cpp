#include <rhumb/run/loop.hpp>

#include <rhumb/bdf/timer.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/run/console.hpp>
#include <rhumb/run/petsc_refusal.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace rhumb::run {

std::string reason_of(core::ExitCode code) {
  switch (code) {
  case core::ExitCode::done:
    return "done";
  case core::ExitCode::bad_input:
    return "bad_input";
  case core::ExitCode::solver_gave_up:
    return "solver_gave_up";
  case core::ExitCode::input_output:
    return "input_output";
  case core::ExitCode::stopped:
    return "stopped";
  case core::ExitCode::bug:
    break;
  }
  return "bug";
}

namespace {
constexpr const char* stopped_by_event = "stopped_by_event";
constexpr const char* served_name = "run.served_through";
constexpr const char* stopped_name = "run.stopped_by_event";
std::string event_name(const char* what, std::size_t i) {
  return fmt::format("run.event_{}_{}", what, i);
}
} // namespace

Loop::Loop(Parts parts)
    : parts_(std::move(parts)), stop_notice_(parts_.settings, parts_.agreement.rank()),
      sense_(core::Sense::of(parts_.settings.t_start, parts_.settings.t_end)), y_(parts_.problem.create_vector()),
      ydot_(core::same_layout(y_)), t_(parts_.settings.t_start), served_through_(parts_.settings.t_start) {
  for (const auto& event : parts_.problem.events()) event_records_.push_back({event.name});
  for (const auto& rule : parts_.settings.events) event_records_.push_back({rule.name});
}

Ending Loop::run() {
  start();
  while (advance()) {
  }
  return finish();
}

void Loop::start() {
  try {
    begin();
  } catch (const Ended& ended) {
    ending_ = Ending{ended.code(), reason_of(ended.code()), ended.what()};
  }
}

bool Loop::advance() {
  if (finished()) return false;
  try {
    take_step();
  } catch (const Ended& ended) {
    ending_ = Ending{ended.code(), reason_of(ended.code()), ended.what()};
  }
  return !finished();
}

Ending Loop::finish() {
  if (!finished()) ending_ = Ending{core::ExitCode::stopped, "stopped", "stopped by the caller"};
  try {
    keep_last_state();
    save_what_was_reached();
    end_observers();
  } catch (const Ended& ended) {
    // The first failure is the one that explains the others.
    if (ending_->code == core::ExitCode::done || ending_->code == core::ExitCode::stopped)
      ending_ = Ending{ended.code(), reason_of(ended.code()), ended.what()};
    else if (ending_->message != ended.what())
      ending_->message += fmt::format("\nAnd then: {}", ended.what());
  }
  return *ending_;
}

void Loop::begin() {
  stop_notice_.in_start();
  parts_.agreement.phase([&] {
    from_ = parts_.checkpoints.restore(parts_.integrator,
                                       [&](const io::Restart& from) { parts_.assignments.restore(from); });
    if (!from_) with_petsc_options([&] { parts_.integrator.start(parts_.settings.t_start, parts_.settings.t_end); });
    begun_ = true;
  });
  // Linear solves and evaluations of the consistent start are in their own phases.
  const bdf::Phases& p = parts_.integrator.phases();
  start_seconds_ = std::chrono::duration<double>(Clock::now() - parts_.settings.started).count() -
                   (p.residual + p.jacobian + p.pc_setup + p.linear_solve);
  const bdf::Timer timer(output_seconds_);
  parts_.agreement.phase([&] {
    parts_.before_output();
    parts_.checkpoints.begin(restarted_from());
    for (const auto& observer : parts_.observers) observer->begin(parts_.integrator, restarted_from());
  });
  if (from_)
    end_as_before();
  else
    start_fresh();
  if (!finished() && !sense_.before(reached(), parts_.settings.t_end)) ending_ = Ending{};
}

/// A checkpoint may stand at the end of its run: killed before its summary, or while it wrote what the last step holds.
/// What is missing is written; then a run whose equations are others than the checkpoint's starts anew from here.
void Loop::end_as_before() {
  served_through_ = served_through(*from_);
  for (std::size_t i = 0; i < event_records_.size(); ++i) {
    EventRecord& record = event_records_[i];
    record.count = static_cast<long>(from_->scalar_or(event_name("count", i), 0.0));
    record.first = from_->scalar_or(event_name("first", i), 0.0);
    record.last = from_->scalar_or(event_name("last", i), 0.0);
  }
  concluded_ = from_->scalar_or(stopped_name, 0.0) != 0.0;
  if (concluded_) ending_ = Ending{core::ExitCode::done, stopped_by_event};
  serve_outputs();
  while (!finished() && parts_.checkpoints.changed() && parts_.integrator.pending_event()) take_step();
  const bool changed = parts_.checkpoints.changed() && !finished();
  if (changed) parts_.agreement.phase([&] { with_petsc_options([&] { parts_.integrator.restart(); }); });
}

void Loop::start_fresh() {
  const bdf::Integrator& integrator = parts_.integrator;
  parts_.agreement.phase(
      [&] { parts_.problem.after_step(integrator.time(), integrator.state(), integrator.derivative()); });
  if (parts_.agreement.rank() == 0 && !parts_.settings.quiet)
    for (const auto& remark : parts_.problem.remarks()) print(remark + "\n");
  parts_.agreement.phase([&] {
    for (auto next = next_output(); next && !sense_.before(integrator.time(), *next); next = next_output())
      for (const auto& observer : parts_.observers)
        if (observer->next_output() == next) observer->output(*next, integrator.state(), integrator.derivative());
  });
  served_through_ = integrator.time();
}

/// Whether the pending event is one whose snapshot the user wants; it is written before the event is handled.
bool Loop::pending_wants_output() const {
  const auto& pending = parts_.integrator.pending_event();
  if (!pending) return false;
  return std::ranges::any_of(parts_.settings.events, [&](const EventRule& rule) {
    return rule.then == EventRule::Then::snapshot &&
           std::ranges::find(pending->names, rule.name) != pending->names.end();
  });
}

void Loop::take_step() {
  bdf::Integrator& integrator = parts_.integrator;
  if (pending_wants_output()) {
    const bdf::Timer timer(output_seconds_);
    parts_.agreement.phase([&] {
      for (const auto& observer : parts_.observers)
        observer->event_output(integrator.time(), integrator.state(), integrator.derivative());
    });
  }
  stop_notice_.in_step(integrator.statistics().steps + 1, integrator.time());
  bdf::StepOutcome progress;
  const StopRequest all = parts_.agreement.phase(
      [&] {
        if (first_step_done_)
          progress = integrator.step();
        else
          with_petsc_options([&] { progress = integrator.step(); });
        count_events(progress);
        parts_.problem.after_step(integrator.time(), integrator.state(), integrator.derivative());
        const bool handled = !progress.events.empty(); // and no step was taken
        for (const auto& observer : parts_.observers)
          handled ? observer->event(integrator, progress) : observer->step(integrator, progress);
      },
      [&] { return stop_request(); });
  decide(progress, all);
  const auto next = next_output();
  const bool outputs = next && !sense_.before(reached(), *next);
  const bool checkpoint = !finished() && parts_.checkpoints.due(integrator.time());
  if (outputs || checkpoint || !first_step_done_) after_step_collective();
}

/// What all ranks do together after a step, when there is something to do.
void Loop::after_step_collective() {
  if (!first_step_done_) parts_.agreement.phase([&] { parts_.after_first_step(); });
  first_step_done_ = true;
  const bdf::Timer timer(output_seconds_);
  serve_outputs();
  if (!finished() && parts_.checkpoints.due(parts_.integrator.time()))
    parts_.agreement.phase([&] { parts_.checkpoints.write(parts_.integrator, parts_.observers, scalars_to_keep()); });
}

NamedScalars Loop::scalars_to_keep() const {
  NamedScalars scalars{{served_name, served_through_}};
  scalars.emplace_back(stopped_name, finished() && ending_->reason == stopped_by_event ? 1.0 : 0.0);
  for (std::size_t i = 0; i < event_records_.size(); ++i) {
    const EventRecord& record = event_records_[i];
    scalars.emplace_back(event_name("count", i), static_cast<double>(record.count));
    scalars.emplace_back(event_name("first", i), record.first);
    scalars.emplace_back(event_name("last", i), record.last);
  }
  std::ranges::copy(parts_.assignments.saved_state(), std::back_inserter(scalars));
  return scalars;
}

std::optional<double> Loop::next_output() const {
  std::optional<double> earliest;
  for (const auto& observer : parts_.observers) {
    const auto next = observer->next_output();
    if (next && (!earliest || sense_.before(*next, *earliest))) earliest = next;
  }
  return earliest;
}

/// Output times up to here can be served. At the time of an event that is pending they wait for what it leaves.
double Loop::reached() const {
  const bdf::Integrator& integrator = parts_.integrator;
  const double t =
      integrator.pending_event() ? std::nextafter(integrator.time(), integrator.previous_time()) : integrator.time();
  return sense_.earlier(t, parts_.settings.t_end);
}

/// Output times in one step may be many and their files large: between any two the ranks ask whether to stop. What is
/// left then is for the continued run, which has the same last step.
void Loop::serve_outputs() {
  const double last = reached();
  for (auto next = next_output(); next && !sense_.before(last, *next); next = next_output()) {
    const StopRequest all = parts_.agreement.phase(
        [&] {
          parts_.integrator.interpolate(*next, y_, ydot_);
          for (const auto& observer : parts_.observers)
            if (observer->next_output() == next) observer->output(*next, y_, ydot_);
        },
        [&] { return stop_request(); });
    served_through_ = *next;
    const auto after = next_output();
    const bool more = after && !sense_.before(last, *after);
    if (more && stop_requested(all)) return;
  }
  served_through_ = sense_.later(served_through_, last);
}

bool Loop::stop_requested(const StopRequest& stop_request) {
  using core::ExitCode;
  if (stop_request.signal != 0)
    ending_ = Ending{ExitCode::stopped, "signal", fmt::format("stopped by signal {}", stop_request.signal)};
  else if (stop_request.over_wall_limit != 0)
    ending_ = Ending{ExitCode::stopped, "wall_limit", "stopped by -wall_limit"};
  return stop_request.signal != 0 || stop_request.over_wall_limit != 0;
}

void Loop::count_events(const bdf::StepOutcome& progress) {
  for (const auto& event : progress.events) {
    for (const int which : event.which) {
      EventRecord& record = event_records_.at(static_cast<std::size_t>(which));
      if (record.count++ == 0) record.first = event.t;
      record.last = event.t;
    }
    for (const auto& name : event.names) event_times_.push_back({event.t, name});
  }
}

StopRequest Loop::stop_request() const {
  const std::chrono::duration<double> elapsed = Clock::now() - parts_.settings.started;
  const double limit = parts_.settings.wall_limit;
  const auto& signal = parts_.settings.stop_signal;
  return {signal ? signal() : 0, limit > 0.0 && elapsed.count() > limit ? 1 : 0};
}

void Loop::decide(const bdf::StepOutcome& progress, const StopRequest& stop_request) {
  if (!sense_.before(reached(), parts_.settings.t_end))
    ending_ = Ending{};
  else if (progress.stopped)
    ending_ = Ending{core::ExitCode::done, stopped_by_event};
  else
    stop_requested(stop_request);
}

void Loop::keep_last_state() {
  const bdf::Integrator& integrator = parts_.integrator;
  parts_.agreement.phase([&] {
    if (!begun_) {
      parts_.problem.initial_values(t_, y_, ydot_);
    } else if (!sense_.before(integrator.time(), parts_.settings.t_end) && ending_->reason == "done") {
      t_ = parts_.settings.t_end;
      integrator.interpolate(t_, y_, ydot_);
    } else {
      t_ = integrator.time();
      core::check(VecCopy(integrator.state(), y_));
      core::check(VecCopy(integrator.derivative(), ydot_));
    }
  });
  if (ending_->reason != stopped_by_event || concluded_) return;
  const bdf::Timer timer(output_seconds_);
  parts_.agreement.phase([&] {
    for (const auto& observer : parts_.observers) observer->event_output(t_, y_, ydot_);
  });
}

/// A run that ended early can be continued; one that asked for checkpoints keeps its last state too.
void Loop::save_what_was_reached() {
  const auto code = ending_->code;
  const bool early = code == core::ExitCode::stopped || code == core::ExitCode::solver_gave_up;
  const bool asked = code == core::ExitCode::done && parts_.settings.checkpoint_dt > 0.0;
  if (!begun_ || !(early || asked)) return;
  io::Path file;
  const bdf::Timer timer(output_seconds_);
  parts_.agreement.phase(
      [&] { file = parts_.checkpoints.write(parts_.integrator, parts_.observers, scalars_to_keep()); });
  if (early && !file.empty())
    ending_->message += fmt::format("\nThe state reached is in {0}; continue with -restart {0}", file.string());
}

void Loop::end_observers() {
  if (!begun_) return;
  const bdf::Timer timer(output_seconds_);
  parts_.agreement.phase([&] {
    for (const auto& observer : parts_.observers) observer->end(*ending_);
  });
}

} // namespace rhumb::run
