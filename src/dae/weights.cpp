#include "dae/weights.hpp"

#include "core/arrays.hpp"
#include "core/check.hpp"
#include "core/failure.hpp"
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
    : system_(system), inverse_(system.system().create_vector()) {
  rtol_ = core::same_layout(inverse_);
  atol_ = core::same_layout(inverse_);
  if (tolerances.rtol_vector)
    check(VecCopy(tolerances.rtol_vector, rtol_));
  else
    check(VecSet(rtol_, tolerances.rtol));

  const core::Writable atol(atol_);
  for (std::size_t i = 0; i < atol.size(); ++i) {
    const auto local = static_cast<PetscInt>(i);
    const auto field = static_cast<std::size_t>(system.system().field_of(local));
    const bool own = field < tolerances.atol_of_field.size() && tolerances.atol_of_field[field] >= 0.0;
    atol[i] = own ? tolerances.atol_of_field[field] : tolerances.atol;
  }
  if (tolerances.atol_vector) {
    const core::Readable given(tolerances.atol_vector);
    std::copy(given.begin(), given.end(), atol.begin());
  }
  kinds_.resize(atol.size());
  refresh_kinds();
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
  const core::Readable value(y), rtol(rtol_), atol(atol_);
  const core::Writable inverse(inverse_);
  bool positive = true;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double w = rtol[i] * std::abs(value[i]) + atol[i];
    positive = positive && w > 0.0;
    inverse[i] = 1.0 / w;
  }
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

double Weights::norm(Vec v, const KindScale& scale) {
  std::array<double, 1> sum{local_square(v, scale)};
  system_.reduce(sum);
  return finish(sum[0], scale);
}

std::pair<PetscInt, double> Weights::largest(Vec v, const KindScale& scale) const {
  const core::Readable value(v), inverse(inverse_);
  std::pair<PetscInt, double> found{-1, -1.0};
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double e = std::abs(value[i] * inverse[i]) * scale[static_cast<std::size_t>(kinds_[i])];
    if (e > found.second) found = {static_cast<PetscInt>(i), e};
  }
  return found;
}

} // namespace rhumb::dae
