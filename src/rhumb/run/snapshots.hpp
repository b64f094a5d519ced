#pragma once
/// Writes the solution at the output times: a snapshot each, and the problem's scalars into the series. Others may add
/// rows of scalars between them.

#include <rhumb/io/checkpoint.hpp>
#include <rhumb/io/snapshot.hpp>
#include <rhumb/run/observer.hpp>
#include <rhumb/run/schedule.hpp>
#include <functional>

namespace rhumb::run {

class Snapshots : public Observer {
public:
  /// What every snapshot holds beside the problem's fields. Collective.
  using Additions = std::function<io::Additions(double t, Vec y, Vec ydot)>;
  Snapshots(MPI_Comm comm, io::Path run_folder, dae::Problem& problem, Schedule times, io::SeriesInfo about,
            Additions additions = {});

  void begin(const bdf::Integrator& integrator, const io::Restart* from) override;
  void step(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) override;
  std::optional<double> next_output() const override { return times_.next(); }
  void output(double t, Vec y, Vec ydot) override;
  void event_output(double t, Vec y, Vec ydot) override;
  void save(NamedScalars& scalars) override;
  void end(const Ending& ending) override;

  /// A row of the series at a time without a snapshot. Collective.
  void add_row(double t, const io::Scalars& scalars) { writer_->add_row(t, steps_, scalars); }

private:
  void write(double t, Vec y, Vec ydot);

  MPI_Comm comm_;
  io::Path folder_;
  dae::Problem& problem_;
  Schedule times_;
  io::SeriesInfo about_;
  Additions additions_;
  long steps_ = 0;
  std::optional<io::SnapshotWriter> writer_;
};

} // namespace rhumb::run
