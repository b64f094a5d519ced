#include "run/checkpoints.hpp"

#include "core/agreement.hpp"
#include <algorithm>
#include <fmt/format.h>

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
} // namespace

Checkpoints::Checkpoints(MPI_Comm comm, const Settings& settings, dae::Problem& problem, io::About about)
    : comm_(comm), settings_(settings), problem_(problem), about_(std::move(about)) {
  if (settings.checkpoint_dt > 0.0) times_ = Schedule::every(settings.t_start, settings.checkpoint_dt, settings.t_end);
  times_.skip_through(settings.t_start);
}

std::optional<io::Restart> Checkpoints::restore(bdf::Integrator& integrator) {
  if (settings_.restart.empty()) return std::nullopt;
  io::Restart from = io::read_checkpoint(comm_, settings_.restart, io::identity_of(about_.app, problem_),
                                         io::natural_numbers_of(problem_), [&] { return problem_.create_vector(); });
  problem_.set_memory(from.memory);
  integrator.resume(of_integrator(from.numbers), borrowed(from));
  integrator.set_end(settings_.t_end);
  if (served_through(from) >= settings_.t_end)
    throw core::BadInput(fmt::format("checkpoint {} has reached -t_end {:g} already (it is at t = {:g})",
                                     from.file.string(), settings_.t_end, from.t));
  return from;
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

io::Path Checkpoints::write(const bdf::Integrator& integrator,
                            const std::vector<std::unique_ptr<Observer>>& observers) {
  times_.skip_through(integrator.time());
  if (!store_) return {};
  const bdf::Snapshot state = integrator.snapshot();
  Numbers numbers = state.numbers;
  numbers.emplace_back("run.served_through", std::min(integrator.time(), settings_.t_end));
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
