#include <rhumb/run/snapshots.hpp>

namespace rhumb::run {

namespace {
constexpr const char* next_snapshot = "run.next_snapshot";
constexpr const char* next_row = "run.next_row";

io::SeriesPosition position_in(const io::Restart& from) {
  return {static_cast<long>(from.scalar(next_snapshot)), static_cast<std::uint64_t>(from.scalar_or(next_row, 0.0))};
}
} // namespace

Snapshots::Snapshots(MPI_Comm comm, io::Path run_folder, dae::Problem& problem, Schedule times, io::SeriesInfo about,
                     Additions additions)
    : comm_(comm), folder_(std::move(run_folder)), problem_(problem), times_(std::move(times)),
      about_(std::move(about)), additions_(std::move(additions)) {}

void Snapshots::begin(const bdf::Integrator& integrator, const io::Restart* from) {
  steps_ = integrator.statistics().steps;
  if (from) times_.skip_through(served_through(*from));
  writer_.emplace(comm_, folder_, about_, from ? position_in(*from) : io::SeriesPosition{});
}

void Snapshots::step(const bdf::Integrator&, const bdf::StepOutcome&) {
  ++steps_;
}

void Snapshots::output(double t, Vec y, Vec ydot) {
  times_.advance();
  write(t, y, ydot);
}

void Snapshots::event_output(double t, Vec y, Vec ydot) {
  write(t, y, ydot);
}

void Snapshots::write(double t, Vec y, Vec ydot) {
  writer_->write(problem_, t, steps_, y, ydot, additions_ ? additions_(t, y, ydot) : io::Additions{});
}

void Snapshots::save(NamedScalars& scalars) {
  writer_->flush();
  scalars.emplace_back(next_snapshot, static_cast<double>(writer_->position().snapshot));
  scalars.emplace_back(next_row, static_cast<double>(writer_->position().rows));
}

void Snapshots::end(const Ending&) {
  if (writer_) writer_->finish();
}

} // namespace rhumb::run
