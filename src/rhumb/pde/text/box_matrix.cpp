/// The matrix of a BoxSystem and its preconditioner.

#include <rhumb/core/agreement.hpp>
#include <rhumb/pde/box/multigrid.hpp>
#include <rhumb/pde/text/overlapping_blocks.hpp>
#include <rhumb/pde/text/sweep.hpp>
#include <algorithm>
#include <functional>
#include <set>

namespace rhumb::text {

using core::check;

namespace {
/// Systems in planes and in space up to this size are factored: further, incomplete factors cost less.
constexpr PetscInt largest_factored = 5000;
/// With constraints of index 2 there is no diagonal that incomplete factors could use.
constexpr PetscInt largest_factored_index2 = 200000;

bool has(const Model& model, dae::Kind kind) {
  return std::ranges::find(model.fields, kind, &FieldInfo::kind) != model.fields.end();
}

bool is_factored(const Model& model, PetscInt size) {
  return model.dimension == 1 || size <= (has(model, dae::Kind::index2) ? largest_factored_index2 : largest_factored);
}

/// All fields of each neighbour in all rows, unless these are more than twice the entries.
std::vector<MatrixEntry> whole_blocks(const std::vector<MatrixEntry>& entries, std::size_t fields) {
  std::set<std::uint8_t> neighbours;
  for (const auto& entry : entries) neighbours.insert(entry.offset);
  if (fields * fields * neighbours.size() > 2 * entries.size()) return entries;
  std::vector<MatrixEntry> all;
  for (std::size_t row = 0; row < fields; ++row)
    for (const std::uint8_t offset : neighbours)
      for (std::size_t column = 0; column < fields; ++column) all.push_back({row, column, offset});
  return all;
}

} // namespace

/// visit(row, column, entry) with PETSc's indices, for these entries of a point in their order.
template <class Visit>
void BoxSystem::for_each_entry(const std::vector<MatrixEntry>& entries, const Line& line, PetscInt i,
                               Visit&& visit) const {
  const auto step = neighbours();
  const PetscInt fields = box_.fields(), local = line.local + i * line.local_step;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const MatrixEntry& entry = entries[k];
    const PetscInt away =
        (entry.offset % 3 - 1) * step[0] + (entry.offset / 3 % 3 - 1) * step[1] + (entry.offset / 9 - 1) * step[2];
    visit(columns_[local] * fields + static_cast<PetscInt>(entry.row),
          columns_[local + away] * fields + static_cast<PetscInt>(entry.column), k);
  }
}

/// Where incomplete factors precondition, zeros fill the blocks of neighbours: of rows as sparse as dt(phi) = lap(mu),
/// 0 = mu - f(phi) + lap(phi), the same level of fill keeps too little and takes half as many iterations more.
core::MatHandle BoxSystem::create_matrix() const {
  const auto model = create_vector();
  PetscInt first = 0, last = 0, size = 0;
  check(VecGetOwnershipRange(model, &first, &last));
  check(VecGetSize(model, &size));
  const auto local = static_cast<std::size_t>(last - first);
  const bool whole = has(case_.model, dae::Kind::index1) && !is_factored(case_.model, size);
  const auto for_each = [&](const std::function<void(PetscInt, PetscInt)>& visit) {
    for (const auto& group : groups_) {
      const auto& entries = group.equations.entries;
      const auto kept = whole ? whole_blocks(entries, case_.model.fields.size()) : entries;
      for (const auto& line : group.points.lines)
        for (PetscInt i = 0; i < line.count; ++i)
          for_each_entry(kept, line, i, [&](PetscInt row, PetscInt column, std::size_t) { visit(row, column); });
    }
  };
  std::vector<PetscInt> inside(local), outside(local);
  for_each(
      [&](PetscInt row, PetscInt column) { ++(column >= first && column < last ? inside : outside)[row - first]; });
  core::MatHandle matrix;
  check(MatCreate(box_.comm(), matrix.out()));
  check(MatSetSizes(matrix, last - first, last - first, size, size));
  check(MatSetBlockSize(matrix, box_.fields()));
  check(MatSetType(matrix, MATAIJ));
  for (std::size_t i = 0; i < local; ++i) { // in small periodic boxes neighbours coincide
    inside[i] = std::min(inside[i], last - first);
    outside[i] = std::min(outside[i], size - (last - first));
  }
  check(MatSeqAIJSetPreallocation(matrix, 0, inside.data()));
  check(MatMPIAIJSetPreallocation(matrix, 0, inside.data(), 0, outside.data()));
  for_each([&](PetscInt row, PetscInt column) { check(MatSetValue(matrix, row, column, 0.0, ADD_VALUES)); });
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  check(MatSetOption(matrix, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  return matrix;
}

void BoxSystem::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  Sweep sweep(*this, t, alpha, y, ydot);
  check(MatZeroEntries(jacobian));
  fill_matrix(sweep, jacobian);
  check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
}

void BoxSystem::fill_matrix(Sweep& sweep, Mat matrix) {
  std::vector<PetscInt> columns;
  for (auto& group : groups_) {
    const auto& entries = group.equations.entries;
    const std::size_t count = entries.size();
    group.equations.jacobian.begin(sweep.uniforms);
    columns.resize(count);
    for (const auto& line : group.points.lines) {
      results_.resize(count * static_cast<std::size_t>(line.count));
      group.equations.jacobian.run(sweep.inputs, line, {results_.data(), static_cast<PetscInt>(count)});
      for (PetscInt i = 0; i < line.count; ++i) {
        PetscInt point = 0;
        for_each_entry(entries, line, i, [&](PetscInt row, PetscInt column, std::size_t k) {
          columns[k] = column;
          point = row / box_.fields();
        });
        for (std::size_t k = 0, end = 0; k < count; k = end) { // the entries of a row stand together
          while (end < count && entries[end].row == entries[k].row) ++end;
          const PetscInt row = point * box_.fields() + static_cast<PetscInt>(entries[k].row);
          check(MatSetValues(matrix, 1, &row, static_cast<PetscInt>(end - k), &columns[k],
                             &results_[static_cast<std::size_t>(i) * count + k], ADD_VALUES));
        }
      }
    }
  }
}

/// LU where it is cheap: on lines, for small systems and, having nothing better, for index 2. Multigrid where all fields
/// are differential. With algebraic fields (which stand for higher derivatives, say) point smoothers fail: overlapping
/// blocks with one level of fill; docs/guide/pde.md has the figures.
void BoxSystem::configure(PC preconditioner, Mat matrix) const {
  PetscInt size = 0;
  check(MatGetSize(matrix, &size, nullptr));
  const bool index2 = has(case_.model, dae::Kind::index2), parallel = core::size_of(box_.comm()) > 1;
  const bool factored = is_factored(case_.model, size);
  if (factored && in_equations_.empty()) {
    check(PCSetType(preconditioner, PCLU));
    if (parallel || case_.model.dimension > 1)
      check(PCFactorSetMatSolverType(preconditioner, parallel ? MATSOLVERMUMPS : MATSOLVERUMFPACK));
  } else if (!factored && !has(case_.model, dae::Kind::index1) && !index2) {
    box::configure_multigrid(preconditioner, matrix, box_, kinds_);
  } else { // also where factors are not all: integrals are not in the matrix, and GMRES has to correct that
    use_overlapping_blocks(preconditioner, factored ? "lu" : "ilu");
  }
}

} // namespace rhumb::text
