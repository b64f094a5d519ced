#pragma once
/// How much a run is going to write, before it does.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/run/settings.hpp>

namespace rhumb::run {

struct OutputPlan {
  double snapshots = 0.0;        ///< how many
  double snapshot_bytes = 0.0;   ///< of one, about
  double checkpoint_bytes = 0.0; ///< of one, about; two are kept
  double free_bytes = -1.0;      ///< where they go; negative: not known

  double total_bytes() const { return snapshots * snapshot_bytes + 2.0 * checkpoint_bytes; }
  /// More than a user may have meant, or than there is room for.
  bool is_large() const;
  /// "101 snapshots of about 12 KiB, 1.2 MiB in all; checkpoints of about 3 KiB"
  std::string text() const;
};

/// For a state of the problem. Collective.
OutputPlan output_plan(MPI_Comm comm, const Settings& settings, const bdf::Integrator& integrator,
                       dae::Problem& problem, double t, Vec y, Vec ydot);

} // namespace rhumb::run
