#include <rhumb/run/scalar_series.hpp>

#include <rhumb/run/summary.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
/// Before the names of scalars in a checkpoint.
constexpr const char* min_prefix = "run.series_min.";
constexpr const char* min_time_prefix = "run.series_min_time.";
constexpr const char* max_prefix = "run.series_max.";
constexpr const char* max_time_prefix = "run.series_max_time.";
} // namespace

io::Scalars scalars_of(dae::Problem& problem, double t, Vec y, Vec ydot) {
  io::Scalars scalars = problem.series(t, y, ydot);
  if (!scalars.empty()) return scalars;
  for (const auto& [name, values] : small_state(problem, y))
    for (std::size_t i = 0; i < values.size(); ++i)
      scalars.emplace_back(values.size() == 1 ? name : fmt::format("{}_{}", name, i + 1), values[i]);
  return scalars;
}

ScalarSeries::ScalarSeries(dae::Problem& problem, const Settings& settings, std::shared_ptr<Snapshots> snapshots)
    : problem_(problem), times_(settings.series_times), every_step_(settings.series_every_step),
      sense_(core::Sense::of(settings.t_start, settings.t_end)), t_end_(settings.t_end),
      snapshots_(std::move(snapshots)) {}

void ScalarSeries::begin(const bdf::Integrator& integrator, const io::Restart* from) {
  if (from) times_.skip_through(served_through(*from));
  if (from) restore_extrema(*from);
  const double t = sense_.earlier(integrator.time(), t_end_);
  if (every_step_ && !(from && !sense_.before(served_through(*from), t))) due_ = t;
}

void ScalarSeries::step(const bdf::Integrator& integrator, const bdf::StepOutcome&) {
  if (every_step_) due_ = sense_.earlier(integrator.time(), t_end_);
}

std::optional<double> ScalarSeries::next_output() const {
  return every_step_ ? due_ : times_.next();
}

void ScalarSeries::output(double t, Vec y, Vec ydot) {
  due_.reset();
  times_.advance();
  const io::Scalars scalars = scalars_of(problem_, t, y, ydot);
  update_extrema(t, scalars);
  // A snapshot brings a row of its own.
  if (snapshots_ && snapshots_->next_output() != t) snapshots_->add_row(t, scalars);
}

void ScalarSeries::event_output(double t, Vec y, Vec ydot) {
  update_extrema(t, scalars_of(problem_, t, y, ydot));
}

void ScalarSeries::update_extrema(double t, const io::Scalars& scalars) {
  for (const auto& [name, value] : scalars) {
    if (!std::isfinite(value)) continue;
    Extrema& so_far = extrema_.try_emplace(name, Extrema{{value, t}, {value, t}}).first->second;
    if (value < so_far.min.value) so_far.min = {value, t};
    if (value > so_far.max.value) so_far.max = {value, t};
  }
}

void ScalarSeries::save(NamedScalars& scalars) {
  for (const auto& [name, extrema] : extrema_) {
    scalars.emplace_back(min_prefix + name, extrema.min.value);
    scalars.emplace_back(min_time_prefix + name, extrema.min.time);
    scalars.emplace_back(max_prefix + name, extrema.max.value);
    scalars.emplace_back(max_time_prefix + name, extrema.max.time);
  }
}

void ScalarSeries::restore_extrema(const io::Restart& from) {
  for (const auto& [key, value] : from.scalars) {
    if (!key.starts_with(max_prefix)) continue;
    const std::string name = key.substr(std::string_view(max_prefix).size());
    extrema_[name] = {.min = {from.scalar(min_prefix + name), from.scalar(min_time_prefix + name)},
                      .max = {value, from.scalar(max_time_prefix + name)}};
  }
}

void ScalarSeries::add_extrema(dae::Figures& figures) const {
  const auto add = [&](const std::string& name, const Extremum& extremum) {
    if (std::ranges::find(figures, name, &dae::Figures::value_type::first) != figures.end()) return;
    figures.emplace_back(name, extremum.value);
    figures.emplace_back(name + "_time", extremum.time);
  };
  for (const auto& [name, extrema] : extrema_) {
    add(name + "_min", extrema.min);
    add(name + "_max", extrema.max);
  }
}

} // namespace rhumb::run
