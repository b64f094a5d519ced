#include <rhumb/run/checkpoints.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/run/changes.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::run {

namespace {
/// Numbers of observers carry this before their names; the rest is the integrator's.
constexpr const char* observers_prefix = "run.";

std::vector<std::pair<std::string, Vec>> borrowed(const io::Restart& from) {
  std::vector<std::pair<std::string, Vec>> vectors;
  for (const auto& [name, vector] : from.vectors) vectors.emplace_back(name, vector.get());
  return vectors;
}

Numbers of_integrator(const Numbers& numbers) {
  Numbers out;
  for (const auto& number : numbers)
    if (!number.first.starts_with(observers_prefix)) out.push_back(number);
  return out;
}

/// Numbers of the run itself that no run could have had.
std::string objection_to_run_numbers(const io::Restart& from) {
  constexpr double max_whole = 1e15;
  const double served = from.number("run.served_through"), snapshot = from.number_or("run.next_snapshot", 0.0);
  if (!(std::isfinite(served) && served <= from.t))
    return fmt::format("its outputs are written up to t = {:g}, but it stands at t = {:g}", served, from.t);
  if (!(snapshot >= 0.0 && snapshot <= max_whole && snapshot == std::floor(snapshot)))
    return fmt::format("the number of its next snapshot is {:g}", snapshot);
  for (const auto& [name, value] : from.numbers)
    if (name.starts_with("run.event_count_") && !(value >= 0.0 && value <= max_whole && value == std::floor(value)))
      return fmt::format("its number '{}' is {:g}", name, value);
  if (from.t != from.number("t"))
    return fmt::format("its time is {:g}, its integrator's {:g}", from.t, from.number("t"));
  if (static_cast<double>(from.step) != from.number("count_steps"))
    return fmt::format("its step is {}, its integrator's {:g}", from.step, from.number("count_steps"));
  return "";
}

std::string objection_to(const io::Restart& from, const bdf::Integrator& integrator) {
  try {
    integrator.check_numbers(of_integrator(from.numbers));
    return objection_to_run_numbers(from);
  } catch (const core::BadInput& error) {
    return error.what();
  }
}
} // namespace

Checkpoints::Checkpoints(MPI_Comm comm, const Settings& settings, dae::Problem& problem, io::About about,
                         std::vector<core::Declared> problem_options)
    : comm_(comm), settings_(settings), problem_(problem), about_(std::move(about)),
      problem_options_(std::move(problem_options)) {
  if (settings.checkpoint_dt > 0.0) times_ = Schedule::every(settings.t_start, settings.checkpoint_dt, settings.t_end);
  times_.skip_through(settings.t_start);
}

std::optional<io::Restart> Checkpoints::restore(bdf::Integrator& integrator) {
  if (settings_.restart.empty()) return std::nullopt;
  io::Restart from = io::read_checkpoint(
      comm_, settings_.restart, io::identity_of(about_.app, problem_), io::natural_numbers_of(problem_),
      [&] { return problem_.create_vector(); },
      [&](const io::Restart& found) { return objection_to(found, integrator); });
  if (served_through(from) > settings_.t_end)
    throw core::BadInput(
        fmt::format("checkpoint '{}' is at t = {:g}, beyond -t_end {:g}", from.file.string(), from.t, settings_.t_end));
  compare_options(from);
  try {
    problem_.set_memory(from.memory);
    integrator.resume(of_integrator(from.numbers), borrowed(from));
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
  from.remarks.push_back(fmt::format("changed: {}; the run starts anew from the checkpoint's state", list));
}

void Checkpoints::begin(const io::Restart* from) {
  if (from) times_.skip_through(from->t);
  if (settings_.out.empty()) return;
  store_.emplace(comm_, settings_.out, io::identity_of(about_.app, problem_), io::natural_numbers_of(problem_),
                 from ? from->file : io::Path{});
}

bool Checkpoints::due(double t) const {
  const auto next = times_.next();
  return next && *next <= t;
}

io::Path Checkpoints::write(const bdf::Integrator& integrator, const Observers& observers, Numbers own) {
  times_.skip_through(integrator.time());
  if (!store_) return {};
  const bdf::Snapshot state = integrator.snapshot();
  Numbers numbers = state.numbers;
  numbers.insert(numbers.end(), own.begin(), own.end());
  core::together(comm_, [&] {
    for (const auto& observer : observers) observer->save(numbers);
  });
  return store_->write({.t = integrator.time(),
                        .step = integrator.statistics().steps,
                        .numbers = std::move(numbers),
                        .vectors = state.vectors,
                        .memory = problem_.memory()},
                       about_);
}

} // namespace rhumb::run
