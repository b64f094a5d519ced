#include <rhumb/bdf/singular.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/dae/structure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::bdf {

using core::check;

namespace {

constexpr PetscInt largest_examined = 300; // rows; the matrix is then full on every rank
constexpr double negligible_pivot =
    1e-10;                              // in rows whose largest entry is 1; a matrix by differences has little better
constexpr double noticeable_part = 0.1; // of the largest entry of a null vector

/// The names of the fields of the chosen local entries of all ranks.
template <class Chosen>
std::string fields_where(const dae::GuardedSystem& system, PetscInt local_size, Chosen&& chosen) {
  const auto fields = system.system().fields();
  std::vector<int> found(fields.size(), 0);
  for (PetscInt i = 0; i < local_size; ++i)
    if (chosen(i)) found[system.system().field_of(i)] = 1;
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, found.data(), static_cast<int>(found.size()), MPI_INT, MPI_MAX, system.comm()));
  std::vector<std::string> names;
  for (std::size_t f = 0; f < found.size(); ++f)
    if (found[f]) names.push_back(fields[f].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// All rows on every rank.
std::vector<double> full_matrix(const dae::GuardedSystem& system, Mat matrix, std::size_t size) {
  std::vector<double> full(size * size, 0.0);
  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(matrix, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    check(MatGetRow(matrix, i, &count, &columns, &values));
    for (PetscInt p = 0; p < count; ++p)
      full[static_cast<std::size_t>(i) * size + static_cast<std::size_t>(columns[p])] = values[p];
    check(MatRestoreRow(matrix, i, &count, &columns, &values));
  }
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, full.data(), static_cast<int>(full.size()), MPI_DOUBLE, MPI_SUM, system.comm()));
  return full;
}

/// Columns, then rows are divided by their largest entries: with a short step differential variables have large ones,
/// and what the constraints say about the others would pass for rounding.
/// The columns' largest entries are returned.
std::vector<double> equilibrate(std::vector<double>& matrix, std::size_t size) {
  const auto divide = [&](std::size_t begin, std::size_t stride) {
    double largest = 0.0;
    for (std::size_t k = 0; k < size; ++k) largest = std::max(largest, std::abs(matrix[begin + k * stride]));
    if (largest == 0.0) return 1.0;
    for (std::size_t k = 0; k < size; ++k) matrix[begin + k * stride] /= largest;
    return largest;
  };
  std::vector<double> scale(size);
  for (std::size_t column = 0; column < size; ++column) scale[column] = divide(column, size);
  for (std::size_t row = 0; row < size; ++row) divide(row * size, 1);
  return scale;
}

/// Whether an entry stands in a null vector.
struct NullVectors {
  std::vector<bool> left, right;
};

void mark_noticeable(const std::vector<double>& vector, std::vector<bool>& entries) {
  double largest = 0.0;
  for (const double v : vector) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < vector.size(); ++i)
    if (std::abs(vector[i]) > noticeable_part * largest) entries[i] = true;
}

/// Gauss-Jordan elimination of [A, I] with full pivoting: the rows of A that vanish have a left null vector in what I
/// has become, and the columns without a pivot have right ones above them.
NullVectors null_vectors(std::vector<double> matrix, std::size_t size) {
  const std::vector<double> scale = equilibrate(matrix, size);
  const auto a = [&](std::size_t row, std::size_t column) -> double& { return matrix[row * size + column]; };
  std::vector<double> steps(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) steps[i * size + i] = 1.0;
  std::vector<std::size_t> pivot_row(size, size); // of the column; `size`: none
  std::vector<bool> used(size, false);
  for (std::size_t rank = 0; rank < size; ++rank) {
    std::size_t row = size, column = size;
    double largest = negligible_pivot;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; !used[i] && j < size; ++j)
        if (pivot_row[j] == size && std::abs(a(i, j)) > largest) {
          largest = std::abs(a(i, j));
          row = i;
          column = j;
        }
    if (row == size) break;
    used[row] = true;
    pivot_row[column] = row;
    for (std::size_t i = 0; i < size; ++i) {
      const double factor = i == row ? 0.0 : a(i, column) / a(row, column);
      if (factor == 0.0) continue;
      for (std::size_t j = 0; j < size; ++j) {
        a(i, j) -= factor * a(row, j);
        steps[i * size + j] -= factor * steps[row * size + j];
      }
    }
  }
  NullVectors found{std::vector<bool>(size, false), std::vector<bool>(size, false)};
  for (std::size_t k = 0; k < size; ++k) {
    if (!used[k]) {
      const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(k * size);
      mark_noticeable({begin, begin + static_cast<std::ptrdiff_t>(size)}, found.left);
    }
    if (pivot_row[k] != size) continue;
    std::vector<double> right(size, 0.0);
    right[k] = 1.0;
    for (std::size_t j = 0; j < size; ++j)
      if (pivot_row[j] != size) right[j] = -a(pivot_row[j], k) / a(pivot_row[j], j);
    for (std::size_t j = 0; j < size; ++j) right[j] /= scale[j];
    mark_noticeable(right, found.right);
  }
  return found;
}

} // namespace

std::string SingularParts::in_words() const {
  if (!empty_rows.empty()) return fmt::format("the equations of field {} depend on nothing", empty_rows);
  std::string text;
  if (!dependent_rows.empty())
    text = fmt::format("the equations of field {} are not independent (a constraint is redundant) and leave field {} "
                       "undetermined",
                       dependent_rows, undetermined);
  if (!structure.empty()) text += (text.empty() ? "" : "; ") + ("structurally, " + structure);
  return text.empty() ? "no row is empty" : text;
}

SingularParts singular_parts(const dae::GuardedSystem& system, Mat matrix) {
  check(MatSetUnfactored(matrix)); // a row without entries has none in factors that have taken its place
  PetscInt first = 0, last = 0, size = 0;
  check(MatGetOwnershipRange(matrix, &first, &last));
  check(MatGetSize(matrix, &size, nullptr));
  SingularParts parts;
  parts.empty_rows = fields_where(system, last - first, [&](PetscInt i) {
    PetscInt count = 0;
    const PetscScalar* values = nullptr;
    check(MatGetRow(matrix, first + i, &count, nullptr, &values));
    const bool empty = std::all_of(values, values + count, [](double v) { return v == 0.0; });
    check(MatRestoreRow(matrix, first + i, &count, nullptr, &values));
    return empty;
  });
  if (!parts.empty_rows.empty()) return parts;
  parts.structure = dae::structural_singularity(system, matrix);
  if (size > largest_examined) return parts;
  const auto rows = static_cast<std::size_t>(size);
  const NullVectors null = null_vectors(full_matrix(system, matrix, rows), rows);
  const auto among = [&](const std::vector<bool>& entries) {
    return fields_where(system, last - first, [&](PetscInt i) { return entries[first + i]; });
  };
  parts.dependent_rows = among(null.left);
  parts.undetermined = among(null.right);
  return parts;
}

std::string unset_rows(dae::GuardedSystem& system, double t, Vec y, Vec ydot) {
  constexpr double marks[] = {1.2345e-67, -7.6543e+21}; // that no equation has by chance, twice
  const core::VecHandle residual = core::same_layout(y);
  std::vector<bool> kept;
  for (const double mark : marks) {
    check(VecSet(residual, mark));
    system.residual(t, y, ydot, residual);
    const core::Readable r(residual);
    kept.resize(r.size(), true);
    for (std::size_t i = 0; i < r.size(); ++i) kept[i] = kept[i] && r[i] == mark;
  }
  if (!system.all_well()) return {};
  return fields_where(system, static_cast<PetscInt>(kept.size()), [&](PetscInt i) { return kept[i]; });
}

} // namespace rhumb::bdf
