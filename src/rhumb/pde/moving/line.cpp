#include <rhumb/pde/moving/line.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/memory.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace rhumb::moving {

using core::check;
using core::check_mpi;

Line::Line(MPI_Comm comm, PetscInt nodes, int entries, int width)
    : comm_(comm), nodes_(nodes), entries_(entries), width_(width) {
  check_mpi(MPI_Comm_size(comm, &ranks_));
  if (nodes / ranks_ < width)
    throw core::BadInput(
        fmt::format("{} nodes are too few for {} ranks: each needs at least {}", nodes, ranks_, width));
  core::check_memory_demand(comm, static_cast<double>(nodes) * entries, 3.0 * entries, fmt::format("{} nodes", nodes));
  check(DMDACreate1d(comm, DM_BOUNDARY_NONE, nodes, entries, width, nullptr, dm_.out()));
  check(DMSetUp(dm_));
  check(DMDAGetCorners(dm_, &first_, nullptr, nullptr, &count_, nullptr, nullptr));
}

core::VecHandle Line::create_vector() const {
  core::VecHandle vector;
  check(DMCreateGlobalVector(dm_, vector.out()));
  return vector;
}

core::MatHandle Line::create_matrix(std::span<const int> reach) const {
  const PetscInt local = count_ * entries_, end = first_ + count_;
  std::vector<PetscInt> here, elsewhere;
  for (PetscInt i = first_; i < end; ++i)
    for (const int w : reach) {
      const PetscInt low = std::max<PetscInt>(i - w, 0), high = std::min<PetscInt>(i + w, nodes_ - 1);
      const PetscInt owned = std::min(high, end - 1) - std::max(low, first_) + 1;
      here.push_back(owned * entries_);
      elsewhere.push_back((high - low + 1 - owned) * entries_);
    }
  core::MatHandle matrix;
  check(MatCreateAIJ(comm_, local, local, PETSC_DETERMINE, PETSC_DETERMINE, 0, here.data(), 0, elsewhere.data(),
                     matrix.out()));
  std::vector<PetscInt> columns;
  std::vector<double> zeros;
  for (PetscInt i = first_; i < end; ++i)
    for (std::size_t f = 0; f < reach.size(); ++f) {
      const PetscInt low = std::max<PetscInt>(i - reach[f], 0), high = std::min<PetscInt>(i + reach[f], nodes_ - 1);
      const PetscInt row = i * entries_ + static_cast<PetscInt>(f), count = (high - low + 1) * entries_;
      columns.resize(static_cast<std::size_t>(count));
      std::iota(columns.begin(), columns.end(), low * entries_);
      zeros.resize(columns.size());
      check(MatSetValues(matrix, 1, &row, count, columns.data(), zeros.data(), INSERT_VALUES));
    }
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return matrix;
}

std::vector<double> Line::gather(Vec y) const {
  const core::Readable owned(y);
  if (ranks_ == 1) return {owned.begin(), owned.end()};
  std::vector<int> counts(static_cast<std::size_t>(ranks_)), offsets(counts.size(), 0);
  const int mine = static_cast<int>(owned.size());
  check_mpi(MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_));
  for (std::size_t r = 1; r < counts.size(); ++r) offsets[r] = offsets[r - 1] + counts[r - 1];
  std::vector<double> all(static_cast<std::size_t>(nodes_ * entries_));
  check_mpi(
      MPI_Allgatherv(owned.begin(), mine, MPI_DOUBLE, all.data(), counts.data(), offsets.data(), MPI_DOUBLE, comm_));
  return all;
}

core::VecHandle Line::ghost_buffer() const {
  core::VecHandle local;
  if (ranks_ > 1) check(DMCreateLocalVector(dm_, local.out()));
  return local;
}

Line::Ghosted::Ghosted(const Line& line, Vec vector, Vec buffer) : local_(buffer ? buffer : vector) {
  PetscInt first = line.first_;
  if (buffer) {
    check(DMGlobalToLocal(line.dm_, vector, INSERT_VALUES, buffer));
    check(DMDAGetGhostCorners(line.dm_, &first, nullptr, nullptr, nullptr, nullptr, nullptr));
  }
  check(VecGetArrayRead(local_, &raw_));
  data_ = raw_ - first * line.entries_;
}

Line::Ghosted::~Ghosted() {
  VecRestoreArrayRead(local_, &raw_);
}

} // namespace rhumb::moving
