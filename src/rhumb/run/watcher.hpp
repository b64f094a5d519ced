#pragma once
/// Shows a problem its solution at the times it wants to watch.

#include <rhumb/dae/problem.hpp>
#include <rhumb/run/observer.hpp>
#include <rhumb/run/schedule.hpp>

namespace rhumb::run {

class Watcher : public Observer {
public:
  Watcher(dae::Problem& problem, double t_start, double t_end);

  void begin(const bdf::Integrator& integrator, const io::Restart* from) override;
  std::optional<double> next_output() const override;
  void output(double t, Vec y, Vec ydot) override;

private:
  dae::Problem& problem_;
  double t_end_;
  Schedule times_;
};

} // namespace rhumb::run
