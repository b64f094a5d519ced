#include <rhumb/dae/scalar_differences.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::dae {

using core::check;

namespace {
/// Of the largest entry of the field: increments of differences.
constexpr double difference_part = 1e-6;
/// Shorter ranges are not divided to find what has no influence.
constexpr PetscInt short_range = 3;
} // namespace

ScalarDifferences::ScalarDifferences(const System& system, Function function, Vec y, Vec ydot)
    : system_(system), function_(std::move(function)), given_{y, ydot} {
  for (std::size_t i = 0; i < given_.size(); ++i) {
    moved_[i] = core::same_layout(y);
    check(VecCopy(given_[i], moved_[i]));
    find_scales(i);
  }
  check(VecGetOwnershipRange(y, &first_, &last_));
  check(VecGetSize(y, &size_));
  base_ = function_(moved_[0], moved_[1]);
}

void ScalarDifferences::find(std::size_t which, Vec out) {
  check(VecSet(out, 0.0));
  const core::Writable values(out);
  divide(which, 0, size_, values.span());
}

void ScalarDifferences::find_scales(std::size_t which) {
  auto& scale = scales_[which];
  scale.assign(system_.fields().size(), 0.0);
  const core::Readable values(given_[which]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& largest = scale[static_cast<std::size_t>(system_.field_of(static_cast<PetscInt>(i)))];
    largest = std::max(largest, std::abs(values[i]));
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, scale.data(), static_cast<int>(scale.size()), MPI_DOUBLE, MPI_MAX,
                                PetscObjectComm(reinterpret_cast<PetscObject>(given_[which]))));
  for (double& largest : scale)
    if (largest == 0.0) largest = 1.0;
}

double ScalarDifferences::increment(std::size_t which, PetscInt local) const {
  return difference_part * scales_[which][static_cast<std::size_t>(system_.field_of(local))];
}

/// The number with the entries from ... to moved by a part of their increments, not all of them by the same.
double ScalarDifferences::beside(std::size_t which, PetscInt from, PetscInt to, double part) {
  const auto move = [&](double by) {
    const core::Readable given(given_[which]);
    const core::Writable moved(moved_[which]);
    for (PetscInt i = std::max(from, first_); i < std::min(to, last_); ++i) {
      const auto local = static_cast<std::size_t>(i - first_);
      const double uneven = to - from == 1 ? 1.0 : 1.0 + 0.3 * std::cos(static_cast<double>(i));
      moved[local] = given[local] + by * uneven * increment(which, i - first_);
    }
  };
  move(part);
  const double value = function_(moved_[0], moved_[1]);
  move(0.0);
  return value;
}

void ScalarDifferences::divide(std::size_t which, PetscInt from, PetscInt to, std::span<double> out) {
  if (to - from > short_range) {
    if (beside(which, from, to, 1.0) == base_ && beside(which, from, to, -1.0) == base_) return;
    const PetscInt middle = from + (to - from) / 2;
    divide(which, from, middle, out);
    divide(which, middle, to, out);
    return;
  }
  for (PetscInt i = from; i < to; ++i) {
    const double difference = beside(which, i, i + 1, 1.0) - beside(which, i, i + 1, -1.0);
    if (i < first_ || i >= last_) continue;
    out[static_cast<std::size_t>(i - first_)] = difference / (2.0 * increment(which, i - first_));
  }
}

} // namespace rhumb::dae
