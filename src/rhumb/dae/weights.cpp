#include <rhumb/dae/weights.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::dae {

using core::check;

KindScale index_scaled(double h) {
  const double s = std::min(1.0, std::abs(h));
  return {1.0, 1.0, s, s * s};
}

Weights::Weights(GuardedSystem& system, const Tolerances& tolerances)
    : system_(system), rtol_{tolerances.rtol}, inverse_(system.system().create_vector()) {
  if (tolerances.rtol_vector) {
    rtol_.of_each = core::same_layout(inverse_);
    check(VecCopy(tolerances.rtol_vector, rtol_.of_each));
  }
  set_atol(tolerances);
  PetscInt size = 0;
  check(VecGetLocalSize(inverse_, &size));
  kinds_.resize(static_cast<std::size_t>(size));
  refresh_kinds();
}

void Weights::set_atol(const Tolerances& tolerances) {
  std::vector<double> of_field(system_.system().fields().size(), tolerances.atol);
  for (std::size_t f = 0; f < std::min(of_field.size(), tolerances.atol_of_field.size()); ++f)
    if (tolerances.atol_of_field[f] >= 0.0) of_field[f] = tolerances.atol_of_field[f];
  atol_.of_all = of_field.empty() ? tolerances.atol : of_field.front();
  const bool same = std::ranges::all_of(of_field, [&](double atol) { return atol == atol_.of_all; });
  if (same && !tolerances.atol_vector) return;

  atol_.of_each = core::same_layout(inverse_);
  if (tolerances.atol_vector) {
    check(VecCopy(tolerances.atol_vector, atol_.of_each));
    return;
  }
  const core::Writable atol(atol_.of_each);
  for (std::size_t i = 0; i < atol.size(); ++i) atol[i] = of_field[system_.system().field_of(static_cast<PetscInt>(i))];
}

void Weights::refresh_kinds() {
  std::array<double, 4> counts{};
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    kinds_[i] = system_.system().variable_kind(static_cast<PetscInt>(i));
    counts[static_cast<std::size_t>(kinds_[i])] += 1.0;
  }
  system_.reduce(counts);
  for (std::size_t k = 0; k < counts.size(); ++k) counts_[k] = static_cast<PetscInt>(counts[k]);
}

void Weights::update(Vec y) {
  const core::Readable value(y);
  const core::Writable inverse(inverse_);
  bool positive = true;
  with_tolerances([&](auto rtol, auto atol) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double w = rtol(i) * std::abs(value[i]) + atol(i);
      positive = positive && w > 0.0;
      inverse[i] = 1.0 / w;
    }
  });
  if (!positive) system_.fail_here();
}

double Weights::local_square(Vec v, const KindScale& scale) const {
  const core::Readable value(v), inverse(inverse_);
  double sum = 0.0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double e = value[i] * inverse[i] * scale[static_cast<std::size_t>(kinds_[i])];
    sum += e * e;
  }
  return sum;
}

double Weights::finish(double sum, const KindScale& scale) const {
  PetscInt n = 0;
  for (std::size_t k = 0; k < scale.size(); ++k)
    if (scale[k] > 0.0) n += counts_[k];
  return n > 0 ? std::sqrt(sum / static_cast<double>(n)) : 0.0;
}

bool Weights::all_ones(const KindScale& scale) const {
  for (std::size_t k = 0; k < scale.size(); ++k)
    if (counts_[k] > 0 && scale[k] != 1.0) return false;
  return true;
}

double Weights::norm(Vec v, const KindScale& scale) {
  std::array<double, 1> sum{local_square(v, scale)};
  system_.reduce(sum);
  return finish(sum[0], scale);
}

Weights::Location Weights::largest(Vec v, const KindScale& scale) const {
  int self = 0;
  core::check_mpi(MPI_Comm_rank(system_.comm(), &self));
  struct {
    double size;
    int rank;
  } found{-1.0, self};
  int local = 0;
  {
    const core::Readable value(v), inverse(inverse_);
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double size = std::abs(value[i] * inverse[i]) * scale[static_cast<std::size_t>(kinds_[i])];
      if (!(size > found.size)) continue;
      found.size = size;
      local = static_cast<int>(i);
    }
  }
  const bool empty = found.size < 0.0;
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_DOUBLE_INT, MPI_MAXLOC, system_.comm()));
  std::array<int, 2> at{local, self == found.rank && !empty ? system_.system().field_of(local) : 0};
  core::check_mpi(MPI_Bcast(at.data(), 2, MPI_INT, found.rank, system_.comm()));
  return {found.rank, at[0], at[1], std::max(0.0, found.size)};
}

double Weights::value_at(const Location& at, Vec v) const {
  int self = 0;
  core::check_mpi(MPI_Comm_rank(system_.comm(), &self));
  const core::Readable values(v);
  double value = self == at.rank ? values[at.local] : 0.0;
  core::check_mpi(MPI_Bcast(&value, 1, MPI_DOUBLE, at.rank, system_.comm()));
  return value;
}

} // namespace rhumb::dae
