#include <rhumb/run/kept_states.hpp>

#include <rhumb/core/check.hpp>

namespace rhumb::run {

void KeptStates::begin(const bdf::Integrator& integrator, const io::Restart* from) {
  if (from) times_.skip_through(served_through(*from));
  trajectory_.begin(integrator);
}

void KeptStates::step(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) {
  if (progress.events.empty()) order_ = progress.step.order;
  if (whole_) trajectory_.add(integrator, progress);
}

std::optional<double> KeptStates::next_output() const {
  return times_.next_until(t_end_);
}

void KeptStates::output(double t, Vec y, Vec /*ydot*/) {
  times_.advance();
  reached_.push_back(t);
  states_.push_back(core::same_layout(y));
  core::check(VecCopy(y, states_.back()));
}

void KeptStates::hand_over(const bdf::Integrator& integrator, Solution& solution) {
  solution.output_times = std::move(reached_);
  solution.states = std::move(states_);
  if (order_ > 0 && !whole_) trajectory_ = bdf::Trajectory::last_step(integrator, order_);
  solution.trajectory = std::move(trajectory_);
}

} // namespace rhumb::run
