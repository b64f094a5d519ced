#pragma once
/// Snapshots of a run: `<run>/snapshots/000012.h5` per output time, `<run>/series.xdmf` for ParaView, `<run>/series.h5`
/// that links them all and holds the scalar time series. docs/reference/run_folder.md has the format.
///
///   io::SnapshotWriter snapshots(comm, "out", about);
///   snapshots.write(problem, t, step, y, ydot);   // as often as wanted
///   snapshots.finish();

#include <rhumb/dae/problem.hpp>
#include <rhumb/grid/geometry.hpp>
#include <rhumb/io/atomic_file.hpp>
#include <rhumb/io/series.hpp>
#include <chrono>
#include <memory>

namespace rhumb::io {

class PointsHolder;
class BackgroundRenamer;
class FileTemplate;
enum class Flush : std::uint8_t;

/// What every snapshot and checkpoint says about the run it comes from.
struct SeriesInfo {
  std::string app;                                               ///< "rhumb-heat"
  std::string version;                                           ///< of the program
  std::vector<std::pair<std::string, std::string>> options = {}; ///< effective, name without dash and value
};

/// What a snapshot holds beside the problem's fields and series.
struct Additions {
  std::vector<grid::FieldBlock> fields = {};
  std::vector<std::pair<std::string, double>> series = {};
};

/// About how many bytes a snapshot of that state takes. Collective.
double snapshot_bytes(MPI_Comm comm, dae::Problem& problem, double t, Vec y, Vec ydot);

/// Where a continued run goes on: what the writer's `position` said when the checkpoint was written. A fresh one begins
/// at zero.
struct SeriesPosition {
  long snapshot = 0;      ///< number of the next
  std::uint64_t rows = 0; ///< of the series
};

class SnapshotWriter {
public:
  /// Collective. Older snapshots and rows stay and stand in the series; snapshots from `first` on are removed, since
  /// this run writes them again.
  SnapshotWriter(MPI_Comm comm, Path run_folder, SeriesInfo about, SeriesPosition first = {});
  ~SnapshotWriter();
  SnapshotWriter(SnapshotWriter&&) noexcept;

  /// Writes the state at time t. Mesh and fields come from the problem if it is a grid::Geometry; otherwise each field
  /// of the system becomes a list, gathered by field_of in rank order. Collective; throws core::InputOutput on all
  /// ranks.
  void write(dae::Problem& problem, double t, long step, Vec y, Vec ydot, Additions additions = {});

  /// A row of the series between two snapshots. Collective; throws core::InputOutput on all ranks.
  void add_row(double t, long step, const Scalars& scalars);

  /// Until all snapshots and rows written so far are in their places: a checkpoint must not be there before them.
  /// Throws core::InputOutput, on rank 0 alone.
  void flush();

  /// Brings series.xdmf and series.h5 up to date. `write` does so itself while that costs little; call it at the end of
  /// a run. Collective.
  void finish();

  /// Belongs into checkpoints.
  const SeriesPosition& position() const { return next_; }

private:
  void write_index();          ///< on rank 0
  void write_index_if_cheap(); ///< on rank 0

  MPI_Comm comm_;
  Path folder_;
  SeriesInfo about_;
  SeriesPosition next_;
  std::unique_ptr<PointsHolder> points_;
  std::unique_ptr<FileTemplate> file_template_; ///< in use on rank 0
  std::unique_ptr<BackgroundRenamer> renamer_;  ///< puts files in their places; at work on rank 0
  Flush flush_;
  std::unique_ptr<SeriesIndex> index_; ///< on rank 0
  bool index_is_current_ = false;      ///< on rank 0
  bool rows_are_current_ = true;       ///< on rank 0: those that are no snapshot's are in series.h5
  using Clock = std::chrono::steady_clock;
  Clock::time_point index_written_{};
  Clock::duration index_cost_{};
};

} // namespace rhumb::io
