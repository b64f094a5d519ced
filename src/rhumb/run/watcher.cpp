#include <rhumb/run/watcher.hpp>

namespace rhumb::run {

Watcher::Watcher(dae::Problem& problem, double t_end)
    : problem_(problem), t_end_(t_end), times_(problem.watch_times()) {}

void Watcher::begin(const bdf::Integrator&, const io::Restart* from) {
  if (from) times_.skip_through(served_through(*from));
}

std::optional<double> Watcher::next_output() const {
  const auto next = times_.next();
  return next && *next <= t_end_ ? next : std::nullopt;
}

void Watcher::output(double t, Vec y, Vec ydot) {
  times_.advance();
  problem_.watch(t, y, ydot);
}

} // namespace rhumb::run
