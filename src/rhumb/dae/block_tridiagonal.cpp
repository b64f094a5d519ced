#include <rhumb/dae/block_tridiagonal.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/guard.hpp>
#include <rhumb/core/inline.hpp>
#include <rhumb/core/vector_loop.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace rhumb::dae {

using core::check;

namespace {

constexpr const char* name = "block tridiagonal lu";

/// Calls body(n), for common sizes with n as a constant: short loops of known length are worth twice as much.
template <std::size_t largest = 16, class Body>
auto with_size(std::size_t n, const Body& body) {
  if constexpr (largest == 1)
    return core::with_vectors([&] { return body(n); });
  else if (n == largest)
    return core::with_vectors([&] { return body(std::integral_constant<std::size_t, largest>()); });
  else
    return with_size<largest - 1>(n, body);
}

// In all of these N is the type of a block's size n, and the rows of a block are 3 n apart.

/// y -= a x, from the entry `first` on.
template <class N>
void subtract(N n, double a, const double* RHUMB_RESTRICT x, double* RHUMB_RESTRICT y, std::size_t first = 0) {
  for (std::size_t j = first; j < n; ++j) y[j] -= a * x[j];
}

/// y -= sum_k a_k x_k over the rows x_k of a block; four at a time, so that y is loaded and stored less often.
template <class N>
void subtract_rows(N n, const double* RHUMB_RESTRICT a, const double* RHUMB_RESTRICT x, double* RHUMB_RESTRICT y) {
  const std::size_t stride = 3 * n, fours = n / 4 * 4;
  for (std::size_t k = 0; k < fours; k += 4, x += 4 * stride) {
    const double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
    for (std::size_t j = 0; j < n; ++j)
      y[j] -= (a0 * x[j] + a1 * x[stride + j]) + (a2 * x[2 * stride + j] + a3 * x[3 * stride + j]);
  }
  for (std::size_t k = fours; k < n; ++k, x += stride) subtract(n, a[k], x, y);
}

template <class N>
void transpose(N n, double* A) {
  const std::size_t stride = 3 * n;
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) std::swap(A[i * stride + j], A[j * stride + i]);
}

/// E = P^-1 L D U with units on the diagonals of L and U, the largest entry of a column as its pivot.
template <class N>
bool factor_block(N n, double* E, std::size_t* swaps) {
  const std::size_t stride = 3 * n;
  for (std::size_t k = 0; k < n; ++k) {
    double* row_k = E + k * stride;
    std::size_t largest = k;
    for (std::size_t row = k + 1; row < n; ++row)
      if (std::abs(E[row * stride + k]) > std::abs(E[largest * stride + k])) largest = row;
    swaps[k] = largest;
    if (largest != k) std::swap_ranges(row_k, row_k + n, E + largest * stride);
    const double inverse = 1.0 / row_k[k];
    if (!std::isfinite(inverse) || inverse == 0.0) return false; // zero: of an infinite pivot
    row_k[k] = inverse;
    for (std::size_t row = k + 1; row < n; ++row) {
      double& factor = E[row * stride + k];
      if (factor == 0.0) continue;
      factor *= inverse;
      subtract(n, factor, row_k, E + row * stride, k + 1);
    }
    for (std::size_t j = k + 1; j < n; ++j) row_k[j] *= inverse;
  }
  return true;
}

/// R becomes U = E^-1 R.
template <class N>
void divide(N n, const double* E, const std::size_t* swaps, double* R) {
  const std::size_t stride = 3 * n;
  for (std::size_t k = 0; k < n; ++k)
    if (swaps[k] != k) std::swap_ranges(R + k * stride, R + k * stride + n, R + swaps[k] * stride);
  const auto eliminate = [&](std::size_t row, std::size_t k) {
    if (const double factor = E[row * stride + k]; factor != 0.0) subtract(n, factor, R + k * stride, R + row * stride);
  };
  for (std::size_t row = 1; row < n; ++row)
    for (std::size_t k = 0; k < row; ++k) eliminate(row, k);
  for (std::size_t row = n; row-- > 0;) {
    for (std::size_t j = 0; j < n; ++j) R[row * stride + j] *= E[row * stride + row];
    for (std::size_t k = row + 1; k < n; ++k) eliminate(row, k);
  }
}

/// x becomes E^-1 x.
template <class N>
void solve_block(N n, const double* RHUMB_RESTRICT E, const std::size_t* swaps, double* RHUMB_RESTRICT x) {
  const std::size_t stride = 3 * n;
  for (std::size_t k = 0; k < n; ++k)
    if (swaps[k] != k) std::swap(x[k], x[swaps[k]]);
  for (std::size_t row = 1; row < n; ++row) {
    double sum = x[row];
    for (std::size_t k = 0; k < row; ++k) sum -= E[row * stride + k] * x[k];
    x[row] = sum;
  }
  for (std::size_t k = 0; k < n; ++k) x[k] *= E[k * stride + k];
  for (std::size_t row = n; row-- > 0;) {
    double sum = x[row];
    for (std::size_t k = n; --k > row;) sum -= E[row * stride + k] * x[k]; // what was found last comes last
    x[row] = sum;
  }
}

} // namespace

BlockTridiagonal::BlockTridiagonal(std::size_t nodes, std::size_t entries)
    : nodes_(nodes), entries_(entries), stride_(3 * entries), rows_(nodes * entries * stride_),
      swaps_(nodes * entries) {}

/// The rows of nodes between others are stored as they are given.
const double* BlockTridiagonal::take(std::size_t i, const double* rows) {
  const Slot first = i > 0 ? left : diagonal;
  const std::size_t blocks = (i > 0 ? 2 : 1) + (i + 1 < nodes_ ? 1 : 0);
  if (blocks == 3) {
    std::copy_n(rows, entries_ * stride_, block(i, left));
    return rows + entries_ * stride_;
  }
  for (std::size_t row = 0; row < entries_; ++row, rows += blocks * entries_)
    std::copy_n(rows, blocks * entries_, block(i, first) + row * stride_);
  return rows;
}

bool BlockTridiagonal::factor(std::span<const double> rows) {
  const double* given = rows.data();
  return with_size(entries_, [&](auto n) {
    for (std::size_t i = 0; i < nodes_; ++i) {
      given = take(i, given);
      double* E = block(i, diagonal);
      if (i > 0) {
        double *L = block(i, left), *U = block(i - 1, right);
        for (std::size_t row = 0; row < n; ++row) subtract_rows(n, L + row * stride_, U, E + row * stride_);
        transpose(n, L);
        transpose(n, U);
      }
      if (!factor_block(n, E, swaps_.data() + i * n)) return false;
      if (i + 1 < nodes_) divide(n, E, swaps_.data() + i * n, block(i, right));
    }
    return true;
  });
}

void BlockTridiagonal::solve(std::span<const double> b, std::span<double> x) const {
  if (x.data() != b.data()) std::ranges::copy(b, x.begin());
  with_size(entries_, [&](auto n) {
    for (std::size_t i = 0; i < nodes_; ++i) {
      double* here = x.data() + i * n;
      if (i > 0) subtract_rows(n, here - n, block(i, left), here);
      solve_block(n, block(i, diagonal), swaps_.data() + i * n, here);
    }
    for (std::size_t i = nodes_ - 1; i-- > 0;) {
      double* here = x.data() + i * n;
      subtract_rows(n, here + n, block(i, right), here);
    }
  });
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
  const char* shell_name = nullptr;
  check(PCShellGetName(preconditioner, &shell_name));
  return shell_name && std::string_view(shell_name) == name;
}

} // namespace rhumb::dae
