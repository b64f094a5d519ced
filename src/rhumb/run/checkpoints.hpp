#pragma once
/// When a checkpoint is written, and what goes into it; the files are io's.

#include <rhumb/dae/problem.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <rhumb/run/observer.hpp>
#include <rhumb/run/schedule.hpp>
#include <rhumb/run/settings.hpp>
#include <memory>

namespace rhumb::run {

class Checkpoints {
public:
  /// Nothing is written when settings.out is empty.
  Checkpoints(MPI_Comm comm, const Settings& settings, dae::Problem& problem, io::SeriesInfo about,
              std::vector<core::Declared> problem_options = {});

  /// The checkpoint that settings.restart names, put into the problem and the integrator; nothing when the run starts
  /// fresh. Collective. Throws core::BadInput or core::InputOutput.
  /// `before_resuming` brings back what the equations need beside the problem's own memory.
  std::optional<io::Restart> restore(bdf::Integrator& integrator,
                                     const std::function<void(const io::Restart&)>& before_resuming);

  /// Whether the restored problem has other options than the checkpoint's.
  bool changed() const { return changed_; }

  /// Before the first step. Collective.
  void begin(const io::Restart* from);

  /// Whether one is due at the end of a step.
  bool due(double t) const;

  /// `own` are the loop's own. Collective. Says which file it wrote; empty when nothing is written.
  io::Path write(const bdf::Integrator& integrator, const Observers& observers, NamedScalars run_scalars);

private:
  void compare_options(io::Restart& from);
  /// Whether checkpoints hold the steps so far, for a sweep back.
  bool records() const;

  MPI_Comm comm_;
  Settings settings_;
  dae::Problem& problem_;
  io::SeriesInfo about_;
  std::vector<core::Declared> problem_options_;
  bool changed_ = false;
  Schedule times_;
  std::optional<io::CheckpointStore> store_;
};

} // namespace rhumb::run
