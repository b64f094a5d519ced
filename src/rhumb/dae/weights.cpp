#include <rhumb/dae/weights.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>

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
  choose_norm(tolerances.norm);
  refresh_kinds();
}

namespace {
/// Of the volumes of one field, over all ranks.
struct FieldVolume {
  double total = 0.0;  ///< of the entries that have one
  double placed = 0.0; ///< their number
  double count = 0.0;
  double largest = 0.0, smallest = std::numeric_limits<double>::max();
  /// Entries without volume count as much as others do in the mean.
  double of(double volume) const { return volume > 0.0 ? volume : placed > 0.0 ? total / placed : 1.0; }
  double sum() const { return count > placed ? of(0.0) * count : total; }
};

std::vector<FieldVolume> volumes_by_field(const GuardedSystem& system, Vec volumes) {
  const std::size_t fields = system.system().fields().size();
  std::vector<double> sums(3 * fields), extremes(2 * fields, -std::numeric_limits<double>::max());
  const core::Readable volume(volumes);
  for (std::size_t i = 0; i < volume.size(); ++i) {
    const auto f = static_cast<std::size_t>(system.system().field_of(static_cast<PetscInt>(i)));
    sums[3 * f] += volume[i];
    sums[3 * f + 1] += volume[i] > 0.0 ? 1.0 : 0.0;
    sums[3 * f + 2] += 1.0;
    extremes[2 * f] = std::max(extremes[2 * f], volume[i]);
    extremes[2 * f + 1] = std::max(extremes[2 * f + 1], -volume[i]);
  }
  const auto all = [&](std::vector<double>& values, MPI_Op operation) {
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, operation,
                                  system.comm()));
  };
  all(sums, MPI_SUM);
  all(extremes, MPI_MAX);
  std::vector<FieldVolume> out;
  for (std::size_t f = 0; f < fields; ++f)
    out.push_back({sums[3 * f], sums[3 * f + 1], sums[3 * f + 2], extremes[2 * f], -extremes[2 * f + 1]});
  return out;
}
} // namespace

void Weights::choose_norm(Norm requested) {
  norm_ = requested == Norm::automatic ? Norm::rms : requested;
  if (requested == Norm::rms || requested == Norm::max) return;
  const core::VecHandle volumes = system_.system().volumes();
  if (!volumes && requested == Norm::volume)
    throw core::BadInput("the norm 'volume' was asked for, but this system does not say how large the part of the "
                         "domain is that each variable stands for; nearest: rms, max");
  if (!volumes) return;
  const auto fields = volumes_by_field(system_, volumes);
  double largest = 0.0, smallest = std::numeric_limits<double>::max();
  for (const auto& field : fields) {
    largest = std::max(largest, field.largest);
    smallest = std::min(smallest, field.smallest);
  }
  if (smallest < 0.0) throw std::logic_error("System::volumes: a volume is negative");
  if (requested == Norm::automatic && (smallest > 0.0 || largest == 0.0)) return; // a grid and nothing else
  norm_ = Norm::volume;
  share_volumes(volumes);
}

/// Each field has the same share of the whole, a lone number as much as a million cells.
void Weights::share_volumes(Vec volumes) {
  const auto fields = volumes_by_field(system_, volumes);
  double all = 0.0, present = 0.0;
  for (const auto& field : fields) {
    all += field.count;
    present += field.count > 0.0 ? 1.0 : 0.0;
  }
  roots_ = core::same_layout(inverse_);
  norm_factors_ = core::same_layout(inverse_);
  const core::Readable volume(volumes);
  const core::Writable root(roots_);
  for (std::size_t i = 0; i < root.size(); ++i) {
    const FieldVolume& field = fields[system_.system().field_of(static_cast<PetscInt>(i))];
    root[i] = std::sqrt(field.of(volume[i]) / field.sum() * all / present);
  }
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
  shares_ = counts;
  for (std::size_t k = 0; k < counts.size(); ++k) counts_[k] = static_cast<PetscInt>(counts[k]);
  if (!roots_) return;
  shares_ = {};
  const core::Readable root(roots_);
  for (std::size_t i = 0; i < kinds_.size(); ++i) shares_[static_cast<std::size_t>(kinds_[i])] += root[i] * root[i];
  system_.reduce(shares_);
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
  if (!roots_) return;
  const core::Readable root(roots_);
  const core::Writable factor(norm_factors_);
  for (std::size_t i = 0; i < factor.size(); ++i) factor[i] = root[i] * inverse[i];
}

double Weights::local_part(Vec v, const KindScale& scale) const {
  const core::Readable value(v), factor(norm_factors());
  double part = 0.0;
  with_norm([&](auto add) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double e = value[i] * factor[i] * scale[static_cast<std::size_t>(kinds_[i])];
      add(part, e * e);
    }
  });
  return part;
}

void Weights::reduce(std::span<double> parts) const {
  system_.reduce(parts, norm_ == Norm::max ? MPI_MAX : MPI_SUM);
}

double Weights::finish(double part, const KindScale& scale) const {
  if (norm_ == Norm::max) return std::sqrt(part);
  double shares = 0.0;
  for (std::size_t k = 0; k < scale.size(); ++k)
    if (scale[k] > 0.0) shares += shares_[k];
  return shares > 0.0 ? std::sqrt(part / shares) : 0.0;
}

bool Weights::all_ones(const KindScale& scale) const {
  for (std::size_t k = 0; k < scale.size(); ++k)
    if (counts_[k] > 0 && scale[k] != 1.0) return false;
  return true;
}

double Weights::norm(Vec v, const KindScale& scale) {
  std::array<double, 1> part{local_part(v, scale)};
  reduce(part);
  return finish(part[0], scale);
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
