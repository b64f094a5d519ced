#pragma once
/// When a checkpoint is written, and what goes into it; the files are io's.

#include "dae/problem.hpp"
#include "run/observer.hpp"
#include "run/schedule.hpp"
#include "run/settings.hpp"
#include <memory>

namespace rhumb::run {

class Checkpoints {
public:
  /// Nothing is written when settings.out is empty.
  Checkpoints(MPI_Comm comm, const Settings& settings, dae::Problem& problem, io::About about);

  /// The checkpoint that settings.restart names, put into the problem and the integrator; nothing when the run starts
  /// fresh. Collective. Throws core::BadInput or core::InputOutput.
  std::optional<io::Restart> restore(bdf::Integrator& integrator);

  /// Before the first step. Collective.
  void begin(const io::Restart* from);

  /// Whether one is due at the end of a step.
  bool due(double t) const;

  /// Collective. Says which file it wrote; empty when nothing is written.
  io::Path write(const bdf::Integrator& integrator, const std::vector<std::unique_ptr<Observer>>& observers);

private:
  MPI_Comm comm_;
  Settings settings_;
  dae::Problem& problem_;
  io::About about_;
  Schedule times_;
  std::optional<io::CheckpointStore> store_;
};

} // namespace rhumb::run
