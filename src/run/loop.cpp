#include "run/loop.hpp"

#include "bdf/timer.hpp"
#include "core/check.hpp"
#include "run/console.hpp"
#include "run/petsc_refusal.hpp"
#include "run/signals.hpp"
#include <algorithm>
#include <fmt/format.h>

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

Loop::Loop(Parts parts)
    : parts_(std::move(parts)), y_(parts_.problem.create_vector()), ydot_(core::same_layout(y_)),
      t_(parts_.settings.t_start), event_counts_(parts_.problem.events().size(), 0) {}

Ending Loop::run() {
  try {
    begin();
    while (!finished()) take_step();
  } catch (const Ended& ended) {
    ending_ = Ending{ended.code(), reason_of(ended.code()), ended.what()};
  }
  try {
    keep_last_state();
    save_what_was_reached();
    end_observers();
  } catch (const Ended& ended) {
    // The first failure is the one that explains the others.
    if (ending_->code == core::ExitCode::done || ending_->code == core::ExitCode::stopped)
      ending_ = Ending{ended.code(), reason_of(ended.code()), ended.what()};
  }
  return *ending_;
}

void Loop::begin() {
  parts_.agreement.phase([&] {
    from_ = parts_.checkpoints.restore(parts_.integrator);
    if (!from_) with_petsc_options([&] { parts_.integrator.start(parts_.settings.t_start, parts_.settings.t_end); });
    begun_ = true;
  });
  // Linear solves and evaluations of the consistent start are in their own phases.
  const bdf::Phases& p = parts_.integrator.phases();
  start_seconds_ = std::chrono::duration<double>(Clock::now() - parts_.started).count() -
                   (p.residual + p.jacobian + p.pc_setup + p.linear_solve);
  const bdf::Timer timer(output_seconds_);
  parts_.agreement.phase([&] {
    parts_.checkpoints.begin(restarted_from());
    for (const auto& observer : parts_.observers) observer->begin(parts_.integrator, restarted_from());
  });
  if (!from_)
    start_fresh();
  else
    parts_.agreement.phase([&] { serve_outputs(); });
  if (parts_.integrator.time() >= parts_.settings.t_end) ending_ = Ending{};
}

void Loop::start_fresh() {
  const bdf::Integrator& integrator = parts_.integrator;
  parts_.agreement.phase(
      [&] { parts_.problem.after_step(integrator.time(), integrator.state(), integrator.derivative()); });
  if (parts_.agreement.rank() == 0 && !parts_.settings.quiet)
    for (const auto& remark : parts_.problem.remarks()) say(remark + "\n");
  parts_.agreement.phase([&] {
    for (auto next = next_output(); next && *next <= integrator.time(); next = next_output())
      for (const auto& observer : parts_.observers)
        if (observer->next_output() == next) observer->output(*next, integrator.state(), integrator.derivative());
  });
}

void Loop::take_step() {
  bdf::Integrator& integrator = parts_.integrator;
  bdf::Progress progress;
  const Wish all = parts_.agreement.phase(
      [&] {
        if (first_step_done_)
          progress = integrator.step();
        else
          with_petsc_options([&] { progress = integrator.step(); });
        count_events(progress);
        parts_.problem.after_step(integrator.time(), integrator.state(), integrator.derivative());
        for (const auto& observer : parts_.observers) observer->step(integrator, progress);
      },
      [&] { return wish(); });
  decide(progress, all);
  const auto next = next_output();
  const bool outputs = next && *next <= std::min(integrator.time(), parts_.settings.t_end);
  const bool checkpoint = !finished() && parts_.checkpoints.due(integrator.time());
  if (outputs || checkpoint || !first_step_done_) settle();
}

/// What all ranks do together after a step, when there is something to do.
void Loop::settle() {
  parts_.agreement.phase([&] {
    if (!first_step_done_) parts_.after_first_step();
    first_step_done_ = true;
    const bdf::Timer timer(output_seconds_);
    serve_outputs();
    if (!finished() && parts_.checkpoints.due(parts_.integrator.time()))
      parts_.checkpoints.write(parts_.integrator, parts_.observers);
  });
}

std::optional<double> Loop::next_output() const {
  std::optional<double> earliest;
  for (const auto& observer : parts_.observers) {
    const auto next = observer->next_output();
    if (next && (!earliest || *next < *earliest)) earliest = next;
  }
  return earliest;
}

void Loop::serve_outputs() {
  const double reached = std::min(parts_.integrator.time(), parts_.settings.t_end);
  for (auto next = next_output(); next && *next <= reached; next = next_output()) {
    parts_.integrator.interpolate(*next, y_, ydot_);
    for (const auto& observer : parts_.observers)
      if (observer->next_output() == next) observer->output(*next, y_, ydot_);
  }
}

void Loop::count_events(const bdf::Progress& progress) {
  for (const auto& event : progress.events)
    for (const int which : event.which) ++event_counts_.at(static_cast<std::size_t>(which));
}

Wish Loop::wish() const {
  const std::chrono::duration<double> elapsed = Clock::now() - parts_.started;
  const double limit = parts_.settings.wall_limit;
  return {Signals::received(), limit > 0.0 && elapsed.count() > limit ? 1 : 0};
}

void Loop::decide(const bdf::Progress& progress, const Wish& wish) {
  using core::ExitCode;
  if (parts_.integrator.time() >= parts_.settings.t_end)
    ending_ = Ending{};
  else if (progress.stopped)
    ending_ = Ending{ExitCode::done, "stopped_by_event"};
  else if (wish.signal != 0)
    ending_ = Ending{ExitCode::stopped, "signal", fmt::format("stopped by signal {}", wish.signal)};
  else if (wish.over_wall_limit != 0)
    ending_ = Ending{ExitCode::stopped, "wall_limit", "stopped by -wall_limit"};
}

void Loop::keep_last_state() {
  const bdf::Integrator& integrator = parts_.integrator;
  parts_.agreement.phase([&] {
    if (!begun_) {
      parts_.problem.initial_values(t_, y_, ydot_);
    } else if (integrator.time() >= parts_.settings.t_end && ending_->reason == "done") {
      t_ = parts_.settings.t_end;
      integrator.interpolate(t_, y_, ydot_);
    } else {
      t_ = integrator.time();
      core::check(VecCopy(integrator.state(), y_));
      core::check(VecCopy(integrator.derivative(), ydot_));
    }
  });
  if (ending_->reason != "stopped_by_event") return;
  const bdf::Timer timer(output_seconds_);
  parts_.agreement.phase([&] {
    for (const auto& observer : parts_.observers) observer->last_output(t_, y_, ydot_);
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
  parts_.agreement.phase([&] { file = parts_.checkpoints.write(parts_.integrator, parts_.observers); });
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
