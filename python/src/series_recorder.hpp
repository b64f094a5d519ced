#pragma once
/// The problem's time series at the output times, in memory.

#include <rhumb/dae/problem.hpp>
#include <rhumb/run/observer.hpp>
#include <rhumb/run/schedule.hpp>

namespace rhumb::python {

class SeriesRecorder : public run::Observer {
public:
  using Series = std::vector<std::pair<std::string, std::vector<double>>>;

  SeriesRecorder(dae::Problem& problem, run::Schedule times) : problem_(problem), times_(std::move(times)) {}

  void begin(const bdf::Integrator& integrator, const io::Restart* from) override;
  std::optional<double> next_output() const override { return times_.next(); }
  void output(double t, Vec y, Vec ydot) override;

  const std::vector<double>& times() const { return reached_; }
  const Series& series() const { return series_; }

private:
  dae::Problem& problem_;
  run::Schedule times_;
  std::vector<double> reached_;
  Series series_;
};

} // namespace rhumb::python
