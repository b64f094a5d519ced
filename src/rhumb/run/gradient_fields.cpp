#include <rhumb/run/gradients.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/io/snapshot_contents.hpp>
#include <algorithm>
#include <fmt/format.h>

/// Gradients by the initial values of fields as fields of a snapshot.

namespace rhumb::run {

using core::check;

namespace {

void add_fields(std::vector<grid::FieldBlock> fields, const GradientRequest& request, const std::string& figure,
                io::Additions& out) {
  for (auto& field : fields) {
    if (std::ranges::find(request.fields, field.name) == request.fields.end()) continue;
    field.long_name = fmt::format("derivative of {} by the initial {} at this place", figure, field.name);
    field.name = fmt::format("gradient_{}_{}", figure, field.name);
    field.unit = "";
    out.fields.push_back(std::move(field));
  }
}

/// Fields in space are y seen through the problem's own code, which is linear in those that are unknowns: the difference
/// of two of its outputs is that of the gradient, whatever its boundaries add.
std::vector<grid::FieldBlock> seen_in_space(grid::Geometry& geometry, double t, Vec y, Vec ydot, Vec gradient) {
  double largest = 0.0, size = 0.0;
  check(VecNorm(gradient, NORM_INFINITY, &largest));
  check(VecNorm(y, NORM_INFINITY, &size));
  const double part = largest > 0.0 ? (1.0 + size) / largest : 1.0;
  const auto moved = core::same_layout(y);
  const auto fields_at = [&](double by) {
    check(VecWAXPY(moved, by, gradient, y));
    return geometry.fields(t, moved, ydot);
  };
  auto above = fields_at(part);
  const auto below = fields_at(-part);
  for (std::size_t i = 0; i < above.size(); ++i)
    for (std::size_t k = 0; k < above[i].data.values.size(); ++k)
      above[i].data.values[k] = (above[i].data.values[k] - below[i].data.values.at(k)) / (2.0 * part);
  return above;
}

} // namespace

void write_gradients(const io::Path& folder, const GradientRequest& request,
                     const std::vector<FigureGradient>& gradients, dae::Problem& problem, double t_start,
                     io::SeriesInfo about) {
  if (request.fields.empty()) return;
  const auto y = problem.create_vector(), ydot = core::same_layout(y);
  const auto present = problem.saved_state();
  problem.initial_values(t_start, y, ydot);
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(y.get()));
  auto* geometry = dynamic_cast<grid::Geometry*>(&problem);
  io::Additions additions;
  for (const auto& one : gradients)
    add_fields(geometry ? seen_in_space(*geometry, t_start, y, ydot, one.by_initial_values)
                        : io::listed_fields(comm, problem, one.by_initial_values),
               request, one.figure, additions);
  io::make_folder(comm, folder);
  io::SnapshotWriter writer(comm, folder, std::move(about));
  writer.write(problem, t_start, 0, y, ydot, std::move(additions));
  writer.finish();
  if (!present.empty()) problem.restore_state(present);
}

} // namespace rhumb::run
