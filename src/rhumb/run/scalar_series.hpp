#pragma once
/// The problem's scalars over time, without snapshots: at times of their own or after every step, as rows of series.h5,
/// and their extrema over the whole run as figures. A continued run has the rows and extrema of the run in one go.

#include <rhumb/dae/problem.hpp>
#include <rhumb/run/settings.hpp>
#include <rhumb/run/snapshots.hpp>
#include <map>

namespace rhumb::run {

/// The problem's series; where it has none and few unknowns, the unknowns by their names. Collective.
io::Scalars scalars_of(dae::Problem& problem, double t, Vec y, Vec ydot);

class ScalarSeries : public Observer {
public:
  /// `settings` says when. `snapshots` writes the rows and stands behind this one among the observers; null: nothing is
  /// written.
  ScalarSeries(dae::Problem& problem, const Settings& settings, std::shared_ptr<Snapshots> snapshots);

  void begin(const bdf::Integrator& integrator, const io::Restart* from) override;
  void step(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) override;
  std::optional<double> next_output() const override;
  void output(double t, Vec y, Vec ydot) override;
  void event_output(double t, Vec y, Vec ydot) override;
  void save(NamedScalars& scalars) override;

  /// Adds NAME_min, NAME_min_time, NAME_max, NAME_max_time of every scalar. A figure of the problem that has such a
  /// name stays, without a time.
  void add_extrema(dae::Figures& figures) const;

private:
  struct Extremum {
    double value = 0.0, time = 0.0;
  };
  struct Extrema {
    Extremum min, max;
  };
  void update_extrema(double t, const io::Scalars& scalars);
  void restore_extrema(const io::Restart& from);

  dae::Problem& problem_;
  Schedule times_;
  bool every_step_;
  core::Sense sense_;
  double t_end_;
  std::shared_ptr<Snapshots> snapshots_;
  std::optional<double> due_; ///< the end of a step that has no row yet
  std::map<std::string, Extrema> extrema_;
};

} // namespace rhumb::run
