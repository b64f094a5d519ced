#include <rhumb/bdf/trajectory.hpp>

#include <rhumb/bdf/coefficients.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace rhumb::bdf {

void Trajectory::begin(double t, Vec y) {
  begun_ = points_.size();
  append(t, y);
}

void Trajectory::append(double t, Vec y) {
  core::VecHandle copy;
  core::check(VecDuplicate(y, copy.out()));
  core::check(VecCopy(y, copy));
  points_.push_back({t, std::move(copy)});
}

void Trajectory::add(const Integrator& integrator, const Progress& progress) {
  const int degree = progress.step.order;
  const auto cuts = [](const EventReport& event) { return event.after != dae::AfterEvent::go_on; };
  const bool cut = std::ranges::any_of(progress.events, cuts);
  if (cut || points_.size() - begun_ < static_cast<std::size_t>(degree)) {
    sample(integrator, degree);
    if (cut) begin(integrator.time(), integrator.state());
    return;
  }
  append(integrator.time(), integrator.state());
  pieces_.push_back({integrator.previous_time(), integrator.time(), points_.size() - 1, degree});
}

/// Points inside a step determine its polynomial where points before it do not: an event has cut it, say.
void Trajectory::sample(const Integrator& integrator, int degree) {
  const double from = integrator.previous_time(), to = integrator.time();
  const core::VecHandle y = integrator.new_vector();
  begun_ = points_.size();
  for (int i = 0; i <= degree; ++i) {
    const double t = i == degree ? to : from + (to - from) * i / degree;
    integrator.interpolate(t, y, nullptr);
    append(t, y);
  }
  pieces_.push_back({from, to, points_.size() - 1, degree});
}

Trajectory Trajectory::last_step(const Integrator& integrator, int order) {
  Trajectory out;
  out.sample(integrator, order);
  return out;
}

std::vector<double> Trajectory::times() const {
  std::vector<double> out{first_time()};
  for (const auto& piece : pieces_) out.push_back(piece.to);
  return out;
}

void Trajectory::at(double t, Vec y) const {
  if (pieces_.empty() && !points_.empty() && t == first_time()) {
    core::check(VecCopy(points_.front().y, y));
    return;
  }
  const auto piece = std::ranges::lower_bound(pieces_, t, {}, &Piece::to);
  if (piece == pieces_.end() || t < piece->from)
    throw core::BadInput(points_.empty()
                             ? fmt::format("no solution at t = {:.10g}: nothing was integrated", t)
                             : fmt::format("no solution at t = {:.10g}: it is known from {:.10g} to {:.10g}", t,
                                           pieces_.front().from, last_time()));
  // Lagrange's form: at most six points.
  std::array<double, highest_order + 1> weights{};
  std::array<Vec, highest_order + 1> states{};
  const std::size_t count = static_cast<std::size_t>(piece->degree) + 1, first = piece->last + 1 - count;
  for (std::size_t i = 0; i < count; ++i) {
    weights[i] = 1.0;
    states[i] = points_[first + i].y;
    for (std::size_t j = 0; j < count; ++j)
      if (j != i) weights[i] *= (t - points_[first + j].t) / (points_[first + i].t - points_[first + j].t);
  }
  core::check(VecSet(y, 0.0));
  core::check(VecMAXPY(y, static_cast<PetscInt>(count), weights.data(), states.data()));
}

} // namespace rhumb::bdf
