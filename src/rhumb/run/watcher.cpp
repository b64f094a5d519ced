#include <rhumb/run/watcher.hpp>

namespace rhumb::run {

Watcher::Watcher(dae::Problem& problem, double t_start, double t_end)
    : problem_(problem), t_end_(t_end), times_(Schedule(problem.watch_times()).in(core::Sense::of(t_start, t_end))) {}

void Watcher::begin(const bdf::Integrator&, const io::Restart* from) {
  if (from) times_.skip_through(served_through(*from));
}

std::optional<double> Watcher::next_output() const {
  return times_.next_until(t_end_);
}

void Watcher::output(double t, Vec y, Vec ydot) {
  times_.advance();
  problem_.watch(t, y, ydot);
}

} // namespace rhumb::run
