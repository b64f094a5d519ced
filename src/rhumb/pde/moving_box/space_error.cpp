#include <rhumb/core/check.hpp>
#include <rhumb/pde/moving_box/box_problem.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

/// What linear interpolation on the mesh leaves: where two simplices share a face, u at the farther corner of one of them
/// differs from what the other one would have there by about h^2 times a second derivative, and the interpolation's error
/// is an eighth of that, as it is on a line.

namespace rhumb::moving_box {

namespace {
constexpr double part_of_difference = 1.0 / 8.0;
}

/// Largest over the components, in units of their scales: u at the corner `far` of `to` without what `from` says.
double BoxProblem::extrapolation_error(PetscInt from, PetscInt to, int far) const {
  const Corners x = positions(from), target = positions(to);
  const double volume = volume_of(x, dimension());
  std::vector<double> difference(about_.fields.size());
  for (std::size_t c = 0; c < difference.size(); ++c)
    difference[c] = values_[entry(simplices_.corners(to)[far], static_cast<int>(c))];
  for (int a = 0; a < simplices_.vertices(); ++a) {
    Corners moved = x;
    moved[a] = target[far];
    const double barycentric = volume_of(moved, dimension()) / volume;
    for (std::size_t c = 0; c < difference.size(); ++c)
      difference[c] -= barycentric * values_[entry(simplices_.corners(from)[a], static_cast<int>(c))];
  }
  double largest = 0.0;
  for (std::size_t c = 0; c < difference.size(); ++c)
    largest = std::max(largest, std::abs(difference[c]) / settings_.monitor.scales[c]);
  return part_of_difference * largest;
}

void BoxProblem::watch_error_in_space(double t) {
  std::array<double, 5> worst{0.0, t, 0.0, 0.0, 0.0}; // error, time, position
  for (const auto& face : simplices_.faces()) {
    const double error =
        std::min(extrapolation_error(face.one, face.other, face.far_other),
                 extrapolation_error(face.other, face.one, face.far_one)); // the larger one comes from a thin neighbour
    if (!(error > worst[0])) continue;
    const Corners x = positions(face.one);
    worst = {error, t, x[0][0], x[0][1], x[0][2]};
  }
  struct Candidate {
    double error;
    int rank;
  } best{worst[0], 0};
  core::check_mpi(MPI_Comm_rank(simplices_.comm(), &best.rank));
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, simplices_.comm()));
  if (!(best.error > space_.error)) return;
  core::check_mpi(MPI_Bcast(worst.data(), 5, MPI_DOUBLE, best.rank, simplices_.comm()));
  space_ = {worst[0], worst[1], {worst[2], worst[3], worst[4]}};
}

std::string BoxProblem::advice() const {
  if (!(space_.error > settings_.error_wanted)) return "";
  const double finer = std::sqrt(space_.error / settings_.error_wanted);
  std::string remedy = fmt::format("a mesh {:.2g} times finer is needed", finer);
  if (!settings_.has_mesh) {
    std::vector<long> cells;
    for (const PetscInt n : settings_.box.cells)
      cells.push_back(std::lround(std::ceil(finer * static_cast<double>(n))));
    remedy = fmt::format("about -n {} is needed", fmt::join(cells, ","));
  }
  const auto& at = space_.position;
  return fmt::format(
      "the mesh is too coarse for an error of {:g}: linear interpolation leaves {:.2g} at ({:.4g}) at t = "
      "{:.4g}; {}",
      settings_.error_wanted, space_.error, fmt::join(at.begin(), at.begin() + dimension(), ", "), space_.t, remedy);
}

} // namespace rhumb::moving_box
