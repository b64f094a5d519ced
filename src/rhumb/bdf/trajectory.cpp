#include <rhumb/bdf/trajectory.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::bdf {

void Trajectory::begin(double t, Vec y) {
  begun_ = times_.size();
  append(t, y);
}

void Trajectory::append(double t, Vec y) {
  const core::Readable local(y);
  size_ = local.size();
  times_.push_back(t);
  values_.insert(values_.end(), local.begin(), local.end());
}

void Trajectory::add(const Integrator& integrator, const Progress& progress) {
  const int degree = progress.step.order;
  const auto cuts = [](const EventReport& event) { return event.after != dae::AfterEvent::go_on; };
  const bool cut = std::ranges::any_of(progress.events, cuts);
  if (cut || times_.size() - begun_ < static_cast<std::size_t>(degree)) {
    sample(integrator, degree);
    if (cut) begin(integrator.time(), integrator.state());
    return;
  }
  append(integrator.time(), integrator.state());
  pieces_.push_back({integrator.previous_time(), integrator.time(), times_.size() - 1, degree});
}

/// Points inside a step determine its polynomial where points before it do not: an event has cut it, say.
void Trajectory::sample(const Integrator& integrator, int degree) {
  const double from = integrator.previous_time(), to = integrator.time();
  const core::VecHandle y = integrator.new_vector();
  begun_ = times_.size();
  for (int i = 0; i <= degree; ++i) {
    const double t = i == degree ? to : from + (to - from) * i / degree;
    integrator.interpolate(t, y, nullptr);
    append(t, y);
  }
  pieces_.push_back({from, to, times_.size() - 1, degree});
}

Trajectory Trajectory::last_step(const Integrator& integrator, int order) {
  Trajectory out;
  out.sample(integrator, order);
  return out;
}

std::vector<double> Trajectory::times() const {
  std::vector<double> out;
  if (!times_.empty()) out.push_back(times_.front());
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
  if (times_.empty()) throw core::BadInput(fmt::format("no solution at t = {:.10g}: nothing was integrated", t));
  if (t == times_.front()) {
    std::copy_n(values_.begin(), size_, y.begin());
    return;
  }
  const auto piece = std::ranges::lower_bound(pieces_, t, {}, &Piece::to);
  if (piece == pieces_.end() || t < piece->from)
    throw core::BadInput(fmt::format("no solution at t = {:.10g}: it is known from {:.10g} to {:.10g}", t,
                                     times_.front(), times_.back()));
  std::ranges::fill(y, 0.0);
  const std::size_t first = piece->last - static_cast<std::size_t>(piece->degree);
  for (std::size_t i = first; i <= piece->last; ++i) { // Lagrange's form: at most six points
    double weight = 1.0;
    for (std::size_t j = first; j <= piece->last; ++j)
      if (j != i) weight *= (t - times_[j]) / (times_[i] - times_[j]);
    for (std::size_t k = 0; k < size_; ++k) y[k] += weight * values_[i * size_ + k];
  }
}

} // namespace rhumb::bdf
