#include <rhumb/physics/heat/probes.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::heat {

BoxProbes::BoxProbes(const std::vector<std::array<double, 3>>& places, const grid::Box& box) : comm_(box.comm()) {
  const auto& shape = box.shape();
  const auto dimension = shape.cells.size();
  for (const auto& position : places) {
    std::vector<Share> shares;
    for (unsigned corner = 0; corner < 1U << dimension; ++corner) {
      double weight = 1.0;
      bool here = true;
      PetscInt owned = 0, stride = 1;
      for (std::size_t d = 0; d < dimension; ++d) {
        const double s = (position[d] - shape.lower[d]) / shape.spacing(static_cast<int>(d));
        const auto cell = std::clamp<PetscInt>(static_cast<PetscInt>(std::floor(s)), 0, shape.cells[d] - 1);
        const PetscInt up = corner >> d & 1U;
        const double fraction = s - static_cast<double>(cell);
        weight *= up == 1 ? fraction : 1.0 - fraction;
        const PetscInt local = (cell + up) % shape.nodes(static_cast<int>(d)) - box.first()[d];
        here = here && local >= 0 && local < box.count()[d];
        owned += local * stride;
        stride *= box.count()[d];
      }
      if (here && weight != 0.0) shares.push_back({owned, weight});
    }
    shares_.push_back(std::move(shares));
  }
}

std::vector<double> BoxProbes::values(Vec y) const {
  const core::Readable T(y);
  std::vector<double> values;
  for (const auto& shares : shares_) {
    double sum = 0.0;
    for (const auto& [owned, weight] : shares) sum += weight * T[owned];
    values.push_back(sum);
  }
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, comm_));
  return values;
}

} // namespace rhumb::heat
