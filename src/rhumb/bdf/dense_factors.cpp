#include <rhumb/bdf/dense_factors.hpp>

#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <petscmat.h>

namespace rhumb::bdf {

using core::check;

namespace {
/// Beyond it KLU's few operations on a sparse matrix win.
constexpr PetscInt largest = 24;

/// The rows of a sequential matrix in compressed form, for as long as the object lives.
class Sparsity {
public:
  explicit Sparsity(Mat matrix) : matrix_(matrix) {
    check(MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows_, &begin_, &columns_, &there_));
  }
  ~Sparsity() { MatRestoreRowIJ(matrix_, 0, PETSC_FALSE, PETSC_FALSE, &rows_, &begin_, &columns_, &there_); }
  Sparsity(const Sparsity&) = delete;
  Sparsity& operator=(const Sparsity&) = delete;

  PetscInt rows() const { return rows_; }
  std::span<const PetscInt> columns(PetscInt row) const {
    return {columns_ + begin_[row], static_cast<std::size_t>(begin_[row + 1] - begin_[row])};
  }

private:
  Mat matrix_;
  PetscInt rows_ = 0;
  const PetscInt *begin_ = nullptr, *columns_ = nullptr;
  PetscBool there_ = PETSC_FALSE;
};
} // namespace

bool DenseFactors::suit(Mat matrix) {
  PetscInt size = 0;
  PetscBool in_place = PETSC_FALSE, assembled = PETSC_FALSE;
  check(MatGetSize(matrix, &size, nullptr));
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(matrix), MATSEQAIJ, &in_place));
  check(MatAssembled(matrix, &assembled));
  return size <= largest && in_place && assembled;
}

DenseFactors::DenseFactors(Mat matrix) {
  const Sparsity sparsity(matrix);
  size_ = static_cast<std::size_t>(sparsity.rows());
  for (PetscInt row = 0; row < sparsity.rows(); ++row)
    for (const PetscInt column : sparsity.columns(row))
      offsets_.push_back(static_cast<std::size_t>(row) * size_ + static_cast<std::size_t>(column));
  entries_.resize(size_ * size_);
  scale_.resize(size_);
  order_.resize(size_);
}

DenseFactors::Outcome DenseFactors::factor(Mat matrix) {
  const PetscScalar* values = nullptr;
  std::fill(entries_.begin(), entries_.end(), 0.0);
  check(MatSeqAIJGetArrayRead(matrix, &values));
  for (std::size_t i = 0; i < offsets_.size(); ++i) entries_[offsets_[i]] = values[i];
  check(MatSeqAIJRestoreArrayRead(matrix, &values));
  if (const Outcome outcome = equilibrate(); outcome != Outcome::good) return outcome;

  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (std::size_t k = 0; k < size_; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < size_; ++i)
      if (std::abs(entry(i, k)) > std::abs(entry(pivot, k))) pivot = i;
    if (!(std::abs(entry(pivot, k)) > 0.0)) return Outcome::singular;
    if (pivot != k) swap_rows(pivot, k);
    entry(k, k) = 1.0 / entry(k, k);
    for (std::size_t i = k + 1; i < size_; ++i) {
      if (entry(i, k) == 0.0) continue;
      const double l = entry(i, k) *= entry(k, k);
      for (std::size_t j = k + 1; j < size_; ++j) entry(i, j) -= l * entry(k, j);
    }
  }
  return Outcome::good;
}

/// Divides each row by its largest entry.
DenseFactors::Outcome DenseFactors::equilibrate() {
  for (std::size_t i = 0; i < size_; ++i) {
    const std::span row(&entry(i, 0), size_);
    double most = 0.0;
    for (const double value : row) {
      if (!std::isfinite(value)) return Outcome::not_a_number;
      most = std::max(most, std::abs(value));
    }
    if (most == 0.0) return Outcome::singular;
    scale_[i] = 1.0 / most;
    for (double& value : row) value *= scale_[i];
  }
  return Outcome::good;
}

void DenseFactors::swap_rows(std::size_t a, std::size_t b) {
  std::swap_ranges(&entry(a, 0), &entry(a, 0) + size_, &entry(b, 0));
  std::swap(order_[a], order_[b]);
}

void DenseFactors::solve(std::span<const double> b, std::span<double> x) const {
  for (std::size_t i = 0; i < size_; ++i) {
    double sum = scale_[order_[i]] * b[order_[i]];
    for (std::size_t j = 0; j < i; ++j) sum -= entry(i, j) * x[j];
    x[i] = sum;
  }
  for (std::size_t i = size_; i-- > 0;) {
    double sum = x[i];
    for (std::size_t j = i + 1; j < size_; ++j) sum -= entry(i, j) * x[j];
    x[i] = sum * entry(i, i);
  }
}

} // namespace rhumb::bdf
