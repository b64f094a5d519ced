#include <rhumb/run/settings.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/run/gradients.hpp>
#include <rhumb/run/integrator_options.hpp>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
using core::Range;

void read_interval(const core::Options& options, const dae::Problem& problem, Settings& settings) {
  settings.t_start = problem.t_start();
  settings.t_end = options.real("t_end", problem.t_end(), {"where the run ends", "time"});
  if (!std::isfinite(settings.t_end)) throw core::BadInput("option -t_end must be finite");
  const bool backwards = problem.preferences().backwards;
  if (backwards ? settings.t_end == settings.t_start : settings.t_end <= settings.t_start)
    throw core::BadInput(fmt::format("option -t_end {:g}: must {} the start of {}, t = {:g}", settings.t_end,
                                     backwards ? "differ from" : "be later than", problem.name(), settings.t_start));
}

/// More snapshots than this are a slip of the finger: their names alone would fill a disk.
constexpr double max_output_times = 1e7;

void check_number_of_times(const Settings& settings, const char* name, double dt) {
  const double span = std::abs(settings.t_end - settings.t_start);
  if (span / dt <= max_output_times) return;
  throw core::BadInput(fmt::format(
      "option -{0} {1:g}: {2:.3g} output times in t = {3:g} ... {4:g} are too many; at most "
      "{5:.0e} will do; nearest: -{0} {6:.3g}",
      name, dt, span / dt, settings.t_start, settings.t_end, max_output_times, 1.01 * span / max_output_times));
}

void read_output_times(const core::Options& options, Settings& settings) {
  const double dt = options.real("out_dt", 0.0, {"time between snapshots; 0: the first and the last only", "time"},
                                 Range::at_least(0.0));
  const auto times = options.reals("out_times", {}, {"times of the snapshots, between commas", "time"});
  if (dt > 0.0 && !times.empty()) throw core::BadInput("options -out_dt and -out_times: only one of them can be given");
  const core::Sense sense = core::Sense::of(settings.t_start, settings.t_end);
  for (const double t : times)
    if (!std::isfinite(t) || sense.before(t, settings.t_start) || sense.before(settings.t_end, t))
      throw core::BadInput(fmt::format("option -out_times: {:g} lies outside the run, {:g} ... {:g}", t,
                                       settings.t_start, settings.t_end));
  if (dt > 0.0) check_number_of_times(settings, "out_dt", dt);
  if (!times.empty())
    settings.output_times = Schedule(times).in(sense);
  else if (dt > 0.0)
    settings.output_times = Schedule::every(settings.t_start, dt, settings.t_end);
  else
    settings.output_times = Schedule{settings.t_start, settings.t_end}.in(sense);
}

void read_series_times(const core::Options& options, Settings& settings) {
  const std::string given = options.string(
      "series_dt", "",
      {"time between rows of scalars in series.h5, beside those of the snapshots; 'step' or 0: after every step"});
  if (given.empty()) return;
  const auto dt = core::parse_real(given);
  if (given != "step" && !(dt && std::isfinite(*dt) && *dt >= 0.0))
    throw core::BadInput(fmt::format("option -series_dt '{}': must be a time of at least 0, or 'step'", given));
  settings.series_every_step = given == "step" || *dt == 0.0;
  if (settings.series_every_step) return;
  check_number_of_times(settings, "series_dt", *dt);
  settings.series_times = Schedule::every(settings.t_start, *dt, settings.t_end);
}
} // namespace

Settings read_settings(const core::Options& options, const dae::Problem& problem) {
  Settings settings;
  settings.quiet = options.flag("quiet", false, {"print nothing but errors"});
  read_interval(options, problem, settings);
  settings.out = options.string("out", "out", {"the run's folder, or none"});
  if (settings.out == "none") settings.out.clear();
  read_output_times(options, settings);
  read_series_times(options, settings);
  settings.checkpoint_dt =
      options.real("checkpoint_dt", 0.0, {"time between checkpoints; 0: only where the run stops early", "time"},
                   Range::at_least(0.0));
  settings.restart = options.string("restart", "", {"continue from a run's folder or from a checkpoint file"});
  settings.restart_with_changes = options.flag(
      "restart_with_changes", false, {"with -restart: the problem's options may differ from the checkpoint's"});
  settings.wall_limit =
      options.real("wall_limit", 0.0, {"stop with a checkpoint after so long; 0: no limit", "s"}, Range::at_least(0.0));
  settings.progress_dt =
      options.real("progress_dt", 10.0, {"wall time between lines of progress in a file", "s"}, Range::at_least(0.0));
  settings.events = read_event_rules(options);
  settings.integrals = read_integral_rules(options);
  settings.keep_states = false;
  settings.integrator = read_integrator_options(options, problem);
  settings.gradients = read_gradients(options, problem);
  return settings;
}

Settings completed(Settings settings, const dae::Problem& problem) {
  if (std::isnan(settings.t_start)) settings.t_start = problem.t_start();
  if (std::isnan(settings.t_end)) settings.t_end = problem.t_end();
  const core::Sense sense = core::Sense::of(settings.t_start, settings.t_end);
  settings.output_times = settings.output_times.in(sense);
  settings.series_times = settings.series_times.in(sense);
  if (!settings.integrator)
    settings.integrator = read_integrator_options(
        settings.options, problem, std::isnan(settings.rtol) ? std::nullopt : std::optional<double>(settings.rtol));
  if (settings.gradients.any()) settings.integrator->adjoint.record = true;
  dae::Tolerances& tolerances = settings.integrator->tolerances;
  if (!std::isnan(settings.rtol)) {
    tolerances.rtol = settings.rtol;
    tolerances.rtol_vector = nullptr;
  }
  if (!std::isnan(settings.atol)) {
    tolerances.atol = settings.atol;
    tolerances.atol_of_field.clear();
    tolerances.atol_vector = nullptr;
  }
  return settings;
}

} // namespace rhumb::run
