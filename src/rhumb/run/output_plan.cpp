#include <rhumb/run/output_plan.hpp>

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/memory.hpp>
#include <rhumb/io/snapshot.hpp>
#include <filesystem>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
/// From here on a run says unasked how much it is going to write.
constexpr double many_snapshots = 1e4;
constexpr double many_bytes = 1e10;
/// Of a checkpoint beside its vectors: seal, groups, numbers, options.
constexpr double checkpoint_head_bytes = 4e4;

/// Of the folder, or of the nearest above it that is there.
double free_bytes(std::filesystem::path folder) {
  std::error_code error;
  folder = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  const auto space = std::filesystem::space(folder, error);
  return error ? -1.0 : static_cast<double>(space.available);
}
} // namespace

bool OutputPlan::is_large() const {
  return snapshots > many_snapshots || total_bytes() > many_bytes || (free_bytes >= 0.0 && total_bytes() > free_bytes);
}

std::string OutputPlan::text() const {
  std::string out = fmt::format("{:.0f} snapshot{} of about {}, {} in all; checkpoints of about {}", snapshots,
                                snapshots == 1.0 ? "" : "s", core::bytes_text(snapshot_bytes),
                                core::bytes_text(snapshots * snapshot_bytes), core::bytes_text(checkpoint_bytes));
  if (free_bytes >= 0.0 && total_bytes() > free_bytes)
    out += fmt::format("; there is room for {} only", core::bytes_text(free_bytes));
  return out;
}

OutputPlan output_plan(MPI_Comm comm, const Settings& settings, const bdf::Integrator& integrator,
                       dae::Problem& problem, double t, Vec y, Vec ydot) {
  OutputPlan plan;
  PetscInt unknowns = 0;
  core::check(VecGetSize(y, &unknowns));
  plan.snapshots = settings.output_times.count();
  const auto copies = static_cast<double>(1 + integrator.sensitivities()); // each field, and its derivatives
  plan.snapshot_bytes = copies * io::snapshot_bytes(comm, problem, t, y, ydot);
  const auto vectors = static_cast<double>(integrator.snapshot_vectors().size());
  plan.checkpoint_bytes = vectors * 8.0 * static_cast<double>(unknowns) + checkpoint_head_bytes;
  plan.free_bytes = free_bytes(settings.out);
  return plan;
}

} // namespace rhumb::run
