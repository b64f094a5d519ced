#include <rhumb/run/checkpoints.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/dae/saved_vectors.hpp>
#include <rhumb/run/changes.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace rhumb::run {

namespace {
/// Numbers of observers carry this before their names; the rest is the integrator's.
constexpr const char* observers_prefix = "run.";
/// Vectors of the record of steps, by their numbers.
constexpr const char* record_prefix = "record_";

std::vector<std::pair<std::string, Vec>> borrowed(const io::Restart& from) {
  std::vector<std::pair<std::string, Vec>> vectors;
  for (const auto& [name, vector] : from.vectors) vectors.emplace_back(name, vector.get());
  return vectors;
}

/// The steps before the checkpoint, for the sweep back over all of them.
bdf::StepRecord record_of(const io::Restart& from, const core::Options& options) {
  if (from.record.empty())
    throw core::BadInput("a run without -gradient wrote it, which keeps no record of its steps; nearest: the run from "
                         "its beginning, or -sensitivity");
  const auto declared = options.declared();
  const auto now = std::ranges::find(declared, "with", &core::Declared::name);
  const auto then = std::ranges::find(from.options, "with", &std::pair<std::string, std::string>::first);
  if (now != declared.end() && then != from.options.end() && now->value != then->second)
    throw core::BadInput(fmt::format("its run had -with {}, not {}: -gradient may be another one than then, what it "
                                     "differentiates by may not",
                                     then->second, now->value));
  std::vector<std::pair<std::string, Vec>> named;
  for (const auto& [name, vector] : from.vectors)
    if (name.starts_with(record_prefix)) named.emplace_back(name, vector.get());
  std::ranges::sort(named, {}, &std::pair<std::string, Vec>::first);
  bdf::StepRecord record{from.record, {}};
  for (const auto& one : named) record.vectors.push_back(one.second);
  return record;
}

NamedScalars of_integrator(const NamedScalars& scalars) {
  NamedScalars out;
  for (const auto& scalar : scalars)
    if (!scalar.first.starts_with(observers_prefix)) out.push_back(scalar);
  return out;
}

/// Numbers of the run itself that no run could have had.
std::string objection_to_run_scalars(const io::Restart& from) {
  constexpr double max_whole = 1e15;
  const double served = from.scalar("run.served_through"), snapshot = from.scalar_or("run.next_snapshot", 0.0),
               row = from.scalar_or("run.next_row", 0.0);
  if (!(std::isfinite(served) && std::copysign(1.0, from.scalar("h")) * (from.t - served) >= 0.0))
    return fmt::format("its outputs are written up to t = {:g}, but it stands at t = {:g}", served, from.t);
  const auto whole = [](double count) { return count >= 0.0 && count <= max_whole && count == std::floor(count); };
  if (!whole(snapshot)) return fmt::format("the number of its next snapshot is {:g}", snapshot);
  if (!whole(row)) return fmt::format("the number of its next row of the series is {:g}", row);
  for (const auto& [name, value] : from.scalars)
    if (name.starts_with("run.event_count_") && !whole(value))
      return fmt::format("its number '{}' is {:g}", name, value);
  if (from.t != from.scalar("t"))
    return fmt::format("its time is {:g}, its integrator's {:g}", from.t, from.scalar("t"));
  if (static_cast<double>(from.step) != from.scalar("count_steps"))
    return fmt::format("its step is {}, its integrator's {:g}", from.step, from.scalar("count_steps"));
  return "";
}

std::string objection_to(const io::Restart& from, const bdf::Integrator& integrator) {
  try {
    integrator.check_scalars(of_integrator(from.scalars));
    return objection_to_run_scalars(from);
  } catch (const core::BadInput& error) {
    return error.what();
  }
}
} // namespace

Checkpoints::Checkpoints(MPI_Comm comm, const Settings& settings, dae::Problem& problem, io::SeriesInfo about,
                         std::vector<core::Declared> problem_options)
    : comm_(comm), settings_(settings), problem_(problem), about_(std::move(about)),
      problem_options_(std::move(problem_options)) {
  if (settings.checkpoint_dt > 0.0) times_ = Schedule::every(settings.t_start, settings.checkpoint_dt, settings.t_end);
  times_.skip_through(settings.t_start);
}

std::optional<io::Restart> Checkpoints::restore(bdf::Integrator& integrator,
                                                const std::function<void(const io::Restart&)>& before_resuming) {
  if (settings_.restart.empty()) return std::nullopt;
  io::Restart from = io::read_checkpoint(
      comm_, settings_.restart, io::identity_of(about_.app, problem_), io::natural_indices_of(problem_),
      [&] { return problem_.create_vector(); },
      [&](const io::Restart& found) { return objection_to(found, integrator); });
  const core::Sense sense = core::Sense::of(settings_.t_start, settings_.t_end);
  const auto reject_end = [&](const char* why) {
    throw core::BadInput(fmt::format("checkpoint '{}' is at t = {:g}, beyond -t_end {:g}{}", from.file.string(), from.t,
                                     settings_.t_end, why));
  };
  if (sense.before(settings_.t_end, served_through(from)) || sense.sign * from.scalar("h") < 0.0) reject_end("");
  compare_options(from);
  // A problem that did not change has its values back to the last output in the step that led here.
  if (changed_ && !sense.before(from.t, settings_.t_end)) reject_end(", and a changed problem goes on from there");
  before_resuming(from);
  try {
    problem_.restore_state(from.system_state);
    const auto vectors = borrowed(from);
    if (auto* saved = dynamic_cast<dae::SavedVectors*>(&problem_)) saved->restore_vectors(vectors);
    integrator.resume(of_integrator(from.scalars), vectors);
    if (records()) integrator.restore_step_record(record_of(from, settings_.options));
  } catch (const core::BadInput& error) {
    throw core::BadInput(fmt::format("checkpoint '{}': {}", from.file.string(), error.what()));
  }
  integrator.set_end(settings_.t_end);
  return from;
}

void Checkpoints::compare_options(io::Restart& from) {
  const auto changes = changed_options(problem_options_, from.options);
  changed_ = !changes.empty();
  if (!changed_) return;
  const std::string list = fmt::format("{}", fmt::join(changes, "; "));
  if (!settings_.restart_with_changes)
    throw core::BadInput(fmt::format("checkpoint '{}' is of another problem: {}. A continued run has the same problem; "
                                     "if this is meant, add -restart_with_changes",
                                     from.file.string(), list));
  if (records())
    throw core::BadInput(fmt::format("checkpoint '{}' is of another problem: {}. A gradient is of one problem from the "
                                     "first step to the last: -gradient does not go with -restart_with_changes",
                                     from.file.string(), list));
  from.remarks.push_back(fmt::format("changed: {}; the run starts anew from the checkpoint's state", list));
}

void Checkpoints::begin(const io::Restart* from) {
  if (from) times_.skip_through(from->t);
  if (settings_.out.empty()) return;
  store_.emplace(comm_, settings_.out, io::identity_of(about_.app, problem_), io::natural_indices_of(problem_),
                 from ? from->file : io::Path{});
}

bool Checkpoints::records() const {
  return settings_.integrator && settings_.integrator->adjoint.record;
}

bool Checkpoints::due(double t) const {
  return times_.next_until(t).has_value();
}

io::Path Checkpoints::write(const bdf::Integrator& integrator, const Observers& observers, NamedScalars run_scalars) {
  times_.skip_through(integrator.time());
  if (!store_) return {};
  const bdf::CheckpointState state = integrator.checkpoint_state();
  NamedScalars scalars = state.scalars;
  auto vectors = state.vectors;
  if (const auto* saved = dynamic_cast<const dae::SavedVectors*>(&problem_))
    std::ranges::copy(saved->saved_vectors(), std::back_inserter(vectors));
  scalars.insert(scalars.end(), run_scalars.begin(), run_scalars.end());
  core::run_and_agree(comm_, [&] {
    for (const auto& observer : observers) observer->save(scalars);
  });
  bdf::StepRecord record;
  if (records()) record = integrator.step_record();
  for (std::size_t i = 0; i < record.vectors.size(); ++i)
    vectors.emplace_back(fmt::format("{}{:08}", record_prefix, i), record.vectors[i]);
  return store_->write({.t = integrator.time(),
                        .step = integrator.statistics().steps,
                        .scalars = std::move(scalars),
                        .vectors = std::move(vectors),
                        .system_state = problem_.saved_state(),
                        .record = std::move(record.numbers)},
                       about_);
}

} // namespace rhumb::run
