#include <rhumb/dae/dense_algebra.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <petscsys.h>
// after PETSc itself
#include <petscblaslapack.h>
#include <stdexcept>

namespace rhumb::dae {

namespace {
PetscBLASInt blas(std::size_t size) {
  return static_cast<PetscBLASInt>(size);
}
DenseMatrix multiply(const char* transpose, const DenseMatrix& a, const DenseMatrix& b, std::size_t rows,
                     std::size_t inner) {
  DenseMatrix out(rows, b.columns);
  if (out.entries.empty() || inner == 0) return out;
  const PetscBLASInt m = blas(rows), n = blas(b.columns), k = blas(inner), lda = blas(a.rows), ldb = blas(b.rows);
  const double one = 1.0, zero = 0.0;
  BLASgemm_(transpose, "N", &m, &n, &k, &one, a.entries.data(), &lda, b.entries.data(), &ldb, &zero, out.entries.data(),
            &m);
  return out;
}
} // namespace

DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b) {
  return multiply("N", a, b, a.rows, a.columns);
}

DenseMatrix transposed_product(const DenseMatrix& a, const DenseMatrix& b) {
  return multiply("T", a, b, a.columns, a.rows);
}

DenseMatrix block(const DenseMatrix& a, std::size_t first, std::size_t last, std::size_t left, std::size_t right) {
  DenseMatrix out(last - first, right - left);
  for (std::size_t j = left; j < right; ++j)
    for (std::size_t i = first; i < last; ++i) out(i - first, j - left) = a(i, j);
  return out;
}

std::size_t SingularValues::rank(double tolerance) const {
  return static_cast<std::size_t>(std::ranges::count_if(values, [&](double v) { return v > tolerance; }));
}

SingularValues singular_values(DenseMatrix a) {
  SingularValues out{DenseMatrix(a.rows, a.rows), DenseMatrix(a.columns, a.columns),
                     std::vector<double>(std::min(a.rows, a.columns))};
  if (out.values.empty()) {
    for (std::size_t i = 0; i < a.rows; ++i) out.left(i, i) = 1.0;
    for (std::size_t j = 0; j < a.columns; ++j) out.right(j, j) = 1.0;
    return out;
  }
  DenseMatrix right_transposed(a.columns, a.columns);
  const PetscBLASInt m = blas(a.rows), n = blas(a.columns);
  const PetscBLASInt work_size = 8 * (m + n) + 8 * std::min(m, n);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  PetscBLASInt info = 0;
  LAPACKgesvd_("A", "A", &m, &n, a.entries.data(), &m, out.values.data(), out.left.entries.data(), &m,
               right_transposed.entries.data(), &n, work.data(), &work_size, &info);
  if (info != 0) throw std::runtime_error(fmt::format("singular values: LAPACK's gesvd gives {}", info));
  for (std::size_t j = 0; j < a.columns; ++j)
    for (std::size_t i = 0; i < a.columns; ++i) out.right(i, j) = right_transposed(j, i);
  return out;
}

std::optional<DenseMatrix> inverted(DenseMatrix a) {
  if (a.entries.empty()) return a;
  const DenseMatrix given = a;
  const PetscBLASInt n = blas(a.rows);
  std::vector<PetscBLASInt> pivots(a.rows);
  std::vector<double> work(a.rows);
  PetscBLASInt info = 0;
  LAPACKgetrf_(&n, &n, a.entries.data(), &n, pivots.data(), &info);
  if (info != 0) return std::nullopt;
  LAPACKgetri_(&n, a.entries.data(), &n, pivots.data(), work.data(), &n, &info);
  if (info != 0) return std::nullopt;
  DenseMatrix residual = product(given, a); // 2 I - G X
  for (double& entry : residual.entries) entry = -entry;
  for (std::size_t i = 0; i < a.rows; ++i) residual(i, i) += 2.0;
  return product(a, residual);
}

} // namespace rhumb::dae
