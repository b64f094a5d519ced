#include <rhumb/bdf/trajectory.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/sense.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::bdf {

void Trajectory::Points::append(double t, Vec y) {
  const core::Readable local(y);
  times.push_back(t);
  values.insert(values.end(), local.begin(), local.end());
}

void Trajectory::begin(const Integrator& integrator) {
  size_ = core::Readable(integrator.state()).size();
  forget_past(integrator);
}

void Trajectory::append(const Integrator& integrator, double t, Points& points) const {
  if (!sensitivity_ && t == integrator.time()) return points.append(t, integrator.state());
  const core::VecHandle y = integrator.new_vector();
  if (sensitivity_)
    integrator.interpolate_sensitivity(*sensitivity_, t, y, nullptr);
  else
    integrator.interpolate(t, y, nullptr);
  points.append(t, y);
}

void Trajectory::forget_past(const Integrator& integrator) {
  begun_ = steps_.times.size();
  append(integrator, integrator.time(), steps_);
}

void Trajectory::add(const Integrator& integrator, const StepOutcome& progress) {
  const auto anew = [](const EventReport& event) { return event.after != dae::AfterEvent::go_on; };
  const bool handled = !progress.events.empty(), is_cut = integrator.pending_event().has_value();
  if (std::ranges::any_of(progress.events, anew)) return forget_past(integrator);
  if (!handled) degree_ = progress.step.order;
  const double from = handled ? pieces_.back().to : integrator.previous_time();
  const bool knows_past = steps_.times.size() - begun_ >= static_cast<std::size_t>(degree_);
  if (is_cut || handled || !knows_past) sample(integrator, from);
  if (is_cut) return; // the rest of the step is still to come
  append(integrator, integrator.time(), steps_);
  if (!handled && knows_past) pieces_.push_back({from, integrator.time(), degree_, steps_.times.size() - 1, false});
}

void Trajectory::sample(const Integrator& integrator, double from) {
  const double to = integrator.time();
  for (int i = 0; i <= degree_; ++i) append(integrator, i == degree_ ? to : from + (to - from) * i / degree_, samples_);
  pieces_.push_back({from, to, degree_, samples_.times.size() - 1, true});
}

Trajectory Trajectory::last_step(const Integrator& integrator, int order) {
  Trajectory out;
  out.size_ = core::Readable(integrator.state()).size();
  out.degree_ = order;
  out.sample(integrator, integrator.previous_time());
  return out;
}

std::vector<double> Trajectory::times() const {
  std::vector<double> out;
  if (!pieces_.empty()) out.push_back(pieces_.front().from);
  for (const auto& piece : pieces_) out.push_back(piece.to);
  return out;
}

std::vector<double> Trajectory::at(double t) const {
  std::vector<double> y(size_);
  evaluate(t, y);
  return y;
}

void Trajectory::at(double t, Vec y) const {
  evaluate(t, core::Writable(y).span());
}

void Trajectory::evaluate(double t, std::span<double> y) const {
  if (pieces_.empty() && steps_.times.empty())
    throw core::BadInput(fmt::format("no solution at t = {:.10g}: nothing was integrated", t));
  if (!steps_.times.empty() && t == steps_.times.front()) {
    std::copy_n(steps_.values.begin(), size_, y.begin());
    return;
  }
  const auto sense = pieces_.empty() ? core::Sense{} : core::Sense::of(pieces_.front().from, pieces_.front().to);
  const auto before = [&](double a, double b) { return sense.before(a, b); };
  const auto piece = std::ranges::lower_bound(pieces_, t, before, &Piece::to);
  if (piece == pieces_.end() || sense.before(t, piece->from)) {
    const double first = pieces_.empty() ? steps_.times.front() : pieces_.front().from;
    throw core::BadInput(fmt::format("no solution at t = {:.10g}: it is known from {:.10g} to {:.10g}", t, first,
                                     pieces_.empty() ? first : pieces_.back().to));
  }
  const Points& points = piece->sampled ? samples_ : steps_;
  std::ranges::fill(y, 0.0);
  const std::size_t first = piece->last - static_cast<std::size_t>(piece->degree);
  for (std::size_t i = first; i <= piece->last; ++i) { // Lagrange's form: at most six points
    double weight = 1.0;
    for (std::size_t j = first; j <= piece->last; ++j)
      if (j != i) weight *= (t - points.times[j]) / (points.times[i] - points.times[j]);
    for (std::size_t k = 0; k < size_; ++k) y[k] += weight * points.values[i * size_ + k];
  }
}

} // namespace rhumb::bdf
