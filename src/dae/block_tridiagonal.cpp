#include "dae/block_tridiagonal.hpp"

#include "core/arrays.hpp"
#include "core/check.hpp"
#include "core/guard.hpp"
#include "core/inline.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace rhumb::dae {

using core::check;

namespace {

constexpr const char* name = "block tridiagonal lu";

/// y -= a x.
void subtract(std::size_t n, double a, const double* RHUMB_RESTRICT x, double* RHUMB_RESTRICT y) {
  for (std::size_t j = 0; j < n; ++j) y[j] -= a * x[j];
}

/// y -= sum_k a_k x_k over the n rows x_k of length n; four at a time, so that y is loaded and stored less often.
void subtract_rows(std::size_t n, std::size_t stride, const double* RHUMB_RESTRICT a, const double* RHUMB_RESTRICT x,
                   double* RHUMB_RESTRICT y) {
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4, x += 4 * stride) {
    const double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
    for (std::size_t j = 0; j < n; ++j)
      y[j] -= (a0 * x[j] + a1 * x[stride + j]) + (a2 * x[2 * stride + j] + a3 * x[3 * stride + j]);
  }
  for (; k < n; ++k, x += stride) subtract(n, a[k], x, y);
}

void transpose(std::size_t n, std::size_t stride, double* A) {
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) std::swap(A[i * stride + j], A[j * stride + i]);
}

} // namespace

BlockTridiagonal::BlockTridiagonal(std::size_t nodes, std::size_t entries)
    : nodes_(nodes), entries_(entries), stride_(3 * entries), rows_(nodes * entries * stride_),
      swaps_(nodes * entries) {}

/// The rows of nodes between others are stored as they are given.
void BlockTridiagonal::take(std::span<const double> rows) {
  const double* from = rows.data();
  const auto take_end = [&](std::size_t i, Slot first, std::size_t blocks) {
    for (std::size_t row = 0; row < entries_; ++row, from += blocks * entries_)
      std::copy_n(from, blocks * entries_, block(i, first) + row * stride_);
  };
  if (nodes_ == 1) {
    take_end(0, own, 1);
    return;
  }
  take_end(0, own, 2);
  const std::size_t between = (nodes_ - 2) * entries_ * stride_;
  std::copy_n(from, between, block(1, left));
  from += between;
  take_end(nodes_ - 1, left, 2);
}

bool BlockTridiagonal::factor(std::span<const double> rows) {
  take(rows);
  for (std::size_t i = 0; i < nodes_; ++i) {
    if (i > 0) {
      double *L = block(i, left), *U = block(i - 1, right), *E = block(i, own);
      for (std::size_t row = 0; row < entries_; ++row)
        subtract_rows(entries_, stride_, L + row * stride_, U, E + row * stride_);
      transpose(entries_, stride_, L);
      transpose(entries_, stride_, U);
    }
    if (!factor_pivot(i)) return false;
    if (i + 1 < nodes_) divide(i);
  }
  return true;
}

/// E = P^-1 L D U with units on the diagonals of L and U, the largest entry of a column as its pivot.
bool BlockTridiagonal::factor_pivot(std::size_t i) {
  const std::size_t n = entries_;
  double* E = block(i, own);
  for (std::size_t k = 0; k < n; ++k) {
    double* row_k = E + k * stride_;
    std::size_t largest = k;
    for (std::size_t row = k + 1; row < n; ++row)
      if (std::abs(E[row * stride_ + k]) > std::abs(E[largest * stride_ + k])) largest = row;
    swaps_[i * n + k] = largest;
    if (largest != k) std::swap_ranges(row_k, row_k + n, E + largest * stride_);
    const double inverse = 1.0 / row_k[k];
    if (!std::isfinite(inverse) || inverse == 0.0) return false; // zero: of an infinite pivot
    row_k[k] = inverse;
    for (std::size_t row = k + 1; row < n; ++row) {
      double& factor = E[row * stride_ + k];
      if (factor == 0.0) continue;
      factor *= inverse;
      subtract(n - k - 1, factor, row_k + k + 1, E + row * stride_ + k + 1);
    }
    for (std::size_t j = k + 1; j < n; ++j) row_k[j] *= inverse;
  }
  return true;
}

/// R becomes U = E^-1 R.
void BlockTridiagonal::divide(std::size_t i) {
  const std::size_t n = entries_;
  const double* E = block(i, own);
  double* R = block(i, right);
  for (std::size_t k = 0; k < n; ++k)
    if (const std::size_t other = swaps_[i * n + k]; other != k)
      std::swap_ranges(R + k * stride_, R + k * stride_ + n, R + other * stride_);
  const auto eliminate = [&](std::size_t row, std::size_t k) {
    if (const double factor = E[row * stride_ + k]; factor != 0.0)
      subtract(n, factor, R + k * stride_, R + row * stride_);
  };
  for (std::size_t row = 1; row < n; ++row)
    for (std::size_t k = 0; k < row; ++k) eliminate(row, k);
  for (std::size_t row = n; row-- > 0;) {
    for (std::size_t j = 0; j < n; ++j) R[row * stride_ + j] *= E[row * stride_ + row];
    for (std::size_t k = row + 1; k < n; ++k) eliminate(row, k);
  }
}

void BlockTridiagonal::solve_pivot(std::size_t i, double* RHUMB_RESTRICT x) const {
  const std::size_t n = entries_;
  const double* RHUMB_RESTRICT E = block(i, own);
  for (std::size_t k = 0; k < n; ++k)
    if (const std::size_t other = swaps_[i * n + k]; other != k) std::swap(x[k], x[other]);
  for (std::size_t row = 1; row < n; ++row) {
    double sum = x[row];
    for (std::size_t k = 0; k < row; ++k) sum -= E[row * stride_ + k] * x[k];
    x[row] = sum;
  }
  for (std::size_t k = 0; k < n; ++k) x[k] *= E[k * stride_ + k];
  for (std::size_t row = n; row-- > 0;) {
    double sum = x[row];
    for (std::size_t k = n; --k > row;) sum -= E[row * stride_ + k] * x[k]; // what was found last comes last
    x[row] = sum;
  }
}

void BlockTridiagonal::solve(std::span<const double> b, std::span<double> x) const {
  const std::size_t n = entries_;
  if (x.data() != b.data()) std::ranges::copy(b, x.begin());
  for (std::size_t i = 0; i < nodes_; ++i) {
    double* here = x.data() + i * n;
    if (i > 0) subtract_rows(n, stride_, here - n, block(i, left), here);
    solve_pivot(i, here);
  }
  for (std::size_t i = nodes_ - 1; i-- > 0;) {
    double* here = x.data() + i * n;
    subtract_rows(n, stride_, here + n, block(i, right), here);
  }
}

namespace {

BlockTridiagonal& solver_of(PC pc) {
  void* context = nullptr;
  check(PCShellGetContext(pc, &context));
  return *static_cast<BlockTridiagonal*>(context);
}

void set_up(PC pc) {
  Mat matrix = nullptr;
  const PetscScalar* values = nullptr;
  auto& solver = solver_of(pc);
  check(PCGetOperators(pc, nullptr, &matrix));
  check(MatSeqAIJGetArrayRead(matrix, &values));
  const bool good = solver.factor({values, solver.stored_entries()});
  check(MatSeqAIJRestoreArrayRead(matrix, &values));
  check(PCSetFailedReason(pc, good ? PC_NOERROR : PC_FACTOR_NUMERIC_ZEROPIVOT));
}

} // namespace

void factor_as_block_tridiagonal(PC preconditioner, Mat matrix, PetscInt entries) {
  PetscInt rows = 0;
  MatInfo stored{};
  check(MatGetSize(matrix, &rows, nullptr));
  check(MatGetInfo(matrix, MAT_LOCAL, &stored));
  auto solver =
      std::make_unique<BlockTridiagonal>(static_cast<std::size_t>(rows / entries), static_cast<std::size_t>(entries));
  if (stored.nz_used != static_cast<double>(solver->stored_entries()))
    throw std::logic_error("the matrix is not made of full blocks");
  check(PCSetType(preconditioner, PCSHELL));
  check(PCShellSetName(preconditioner, name));
  check(PCShellSetContext(preconditioner, solver.get()));
  check(PCShellSetSetUp(preconditioner, [](PC pc) -> PetscErrorCode { return core::guard([&] { set_up(pc); }); }));
  check(PCShellSetApply(preconditioner, [](PC pc, Vec b, Vec x) -> PetscErrorCode {
    return core::guard([&] {
      const core::Readable from(b);
      const core::Writable to(x);
      solver_of(pc).solve(from.span(), to.span());
    });
  }));
  check(PCShellSetDestroy(preconditioner, [](PC pc) -> PetscErrorCode {
    return core::guard([&] { const std::unique_ptr<BlockTridiagonal> last(&solver_of(pc)); });
  }));
  solver.release(); // the shell owns it now
}

bool is_block_tridiagonal(PC preconditioner) {
  PetscBool shell = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(preconditioner), PCSHELL, &shell));
  if (shell != PETSC_TRUE) return false;
  const char* own = nullptr;
  check(PCShellGetName(preconditioner, &own));
  return own && std::string_view(own) == name;
}

} // namespace rhumb::dae
