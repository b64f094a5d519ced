#pragma once
/// Checkpoints: everything that continues a run, in one HDF5 file per checkpoint with a checksum over all its bytes.
/// The vectors stand in an order that does not depend on the number of ranks, numbers are exact doubles. The newest two
/// are kept. docs/reference/run_folder.md has the format.
///
///   io::CheckpointStore store(comm, "out", identity, natural_indices);
///   store.write({.t = t, .step = n, .numbers = ..., .vectors = ..., .memory = problem.memory()}, about);
///
///   io::Restart from = io::read_checkpoint(comm, "out", identity, natural_indices, [&] { return
///   problem.create_vector(); });

#include <rhumb/core/handle.hpp>
#include <rhumb/io/snapshot.hpp>
#include <functional>
#include <memory>

namespace rhumb::io {

class Exchange;

/// What must agree for a checkpoint to fit a run.
struct Identity {
  std::string app;
  std::string problem;
  PetscInt unknowns = 0;
  std::string grid; ///< grid::Geometry::signature, or empty
};

/// The identity of a problem, and its natural numbers (empty where PETSc's numbering serves).
Identity identity_of(const std::string& app, const dae::Problem& problem);
std::vector<PetscInt> natural_indices_of(const dae::Problem& problem);

/// What a checkpoint holds. Vectors are borrowed; all have the layout of y.
struct Checkpoint {
  double t = 0.0;
  long step = 0;
  std::vector<std::pair<std::string, double>> scalars = {};
  std::vector<std::pair<std::string, Vec>> vectors = {}; ///< at least one
  std::vector<double> system_state = {};                 ///< dae::System::memory, the same on all ranks
  std::vector<double> record = {};                       ///< of the steps so far, the same on all ranks; may be empty
};

/// What a continued run gets.
struct Restart {
  Path file;
  double t = 0.0;
  long step = 0;
  int ranks = 0; ///< of the run that wrote it
  std::vector<std::pair<std::string, double>> scalars = {};
  std::vector<std::pair<std::string, core::VecHandle>> vectors = {};
  std::vector<double> system_state = {};
  std::vector<double> record = {};
  std::vector<std::pair<std::string, std::string>> options = {}; ///< effective ones of the run that wrote it
  std::vector<std::string> remarks = {}; ///< one line each: which file was taken, which were refused and why

  /// The number of that name; throws core::BadInput when there is none.
  double scalar(const std::string& name) const;
  double scalar_or(const std::string& name, double otherwise) const;
};

class CheckpointStore {
public:
  /// Collective. Files go to `<run_folder>/checkpoints`. `continued_from` is the file that this run started from, or
  /// empty; it is one of the two that are kept. Checkpoints of an earlier run in the same folder go when the first of
  /// this run is complete.
  CheckpointStore(MPI_Comm comm, const Path& run_folder, Identity identity, std::vector<PetscInt> natural_indices,
                  const Path& continued_from = {});
  ~CheckpointStore();
  CheckpointStore(CheckpointStore&&) noexcept;

  /// Collective; throws core::InputOutput on all ranks, and then the earlier checkpoints are intact. Returns the file.
  Path write(const Checkpoint& checkpoint, const SeriesInfo& about);

private:
  /// Removes the checkpoints that this run neither wrote nor started from; other files stay.
  void remove_others(const Path& file) const;

  MPI_Comm comm_;
  Path folder_;
  Identity identity_;
  std::vector<PetscInt> natural_indices_;
  std::unique_ptr<const Exchange> exchange_; ///< to the order of the files; made once
  std::vector<Path> written_;                ///< oldest first, at most two; on rank 0
};

/// Why the contents of a checkpoint cannot be used; empty if they can. Asked before the vectors are read.
using Objection = std::function<std::string(const Restart&)>;

/// Whether there is a checkpoint at a place whose seal holds and which can be read, of whatever problem. Collective.
bool has_checkpoint(MPI_Comm comm, const Path& location);

/// Reads the newest usable checkpoint in a run's folder (or in its `checkpoints`, or the file itself): its seal holds,
/// it has what a checkpoint has, and there is no objection. Collective. Throws core::BadInput when it belongs to
/// another problem or grid, core::InputOutput when there is none, with the reason for each file.
Restart read_checkpoint(MPI_Comm comm, const Path& location, const Identity& identity,
                        const std::vector<PetscInt>& natural_indices,
                        const std::function<core::VecHandle()>& create_vector, const Objection& objection = {});

} // namespace rhumb::io
