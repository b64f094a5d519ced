#include <rhumb/dae/coloured_jacobian.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rhumb::dae {

using core::check;
using core::Readable;
using core::Writable;

namespace {

/// For Newton: of what a step changes y by, and of the tolerance, which its corrections exceed.
constexpr double part_of_step = 1e-2;
constexpr double part_of_tolerance = 0.1;

using ColoringHandle = core::Handle<MatColoring, MatColoringDestroy>;
using IsColoringHandle = core::Handle<ISColoring, ISColoringDestroy>;

bool is_parallel(Mat matrix) {
  PetscBool answer = PETSC_FALSE;
  check(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(matrix), MATMPIAIJ, &answer));
  return answer == PETSC_TRUE;
}

/// The two blocks of a parallel AIJ matrix and the global columns of the second; a sequential one is its own first
/// block.
struct Scratch {
  Mat diagonal = nullptr, offdiagonal = nullptr;
  const PetscInt* ghost_columns = nullptr;
};
Scratch parts_of(Mat matrix) {
  Scratch parts;
  if (is_parallel(matrix))
    check(MatMPIAIJGetSeqAIJ(matrix, &parts.diagonal, &parts.offdiagonal, &parts.ghost_columns));
  else
    parts.diagonal = matrix;
  return parts;
}

/// Calls visit(value position, row, column) for every stored entry of a sequential AIJ matrix.
template <class Visit>
void for_each_entry(Mat matrix, Visit&& visit) {
  PetscInt rows = 0;
  const PetscInt *begin = nullptr, *column = nullptr;
  PetscBool done = PETSC_FALSE;
  check(MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &begin, &column, &done));
  for (PetscInt i = 0; i < rows; ++i)
    for (PetscInt p = begin[i]; p < begin[i + 1]; ++p) visit(p, i, column[p]);
  check(MatRestoreRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &begin, &column, &done));
}

PetscInt columns_of(Mat matrix) {
  PetscInt n = 0;
  check(MatGetLocalSize(matrix, nullptr, &n));
  return n;
}

} // namespace

ColouredJacobian::ColouredJacobian(GuardedSystem& system, Mat matrix)
    : system_(system), increment_(system.system().create_vector()) {
  moved_ = core::same_layout(increment_);
  moved_dot_ = core::same_layout(increment_);
  moved_residual_ = core::same_layout(increment_);
  colour_columns(matrix);
  list_entries(matrix);
}

void ColouredJacobian::colour_columns(Mat matrix) {
  ColoringHandle coloring;
  check(MatColoringCreate(matrix, coloring.out()));
  check(MatColoringSetType(coloring, is_parallel(matrix) ? MATCOLORINGGREEDY : MATCOLORINGSL));
  check(MatColoringSetDistance(coloring, 2));
  IsColoringHandle colours;
  check(MatColoringApply(coloring, colours.out()));
  PetscInt size = 0, count = 0;
  const ISColoringValue* colour = nullptr;
  check(ISColoringGetColors(colours, &size, &count, &colour));
  colour_of_local_.assign(colour, colour + columns_of(matrix));
  colour_count_ = static_cast<int>(count);
}

void ColouredJacobian::list_entries(Mat matrix) {
  const Scratch parts = parts_of(matrix);
  const auto colours = static_cast<std::size_t>(colour_count_);
  diagonal_.of_colour.resize(colours);
  for_each_entry(parts.diagonal, [&](PetscInt p, PetscInt i, PetscInt j) {
    const int colour = colour_of_local_[j];
    diagonal_.of_colour[colour].push_back({p, i, j});
  });
  if (!parts.offdiagonal) return;

  // Colours and increments of columns that other ranks own come through one scatter.
  const PetscInt ghosts = columns_of(parts.offdiagonal);
  check(VecCreateSeq(PETSC_COMM_SELF, ghosts, ghost_increment_.out()));
  core::IsHandle columns;
  check(ISCreateGeneral(PETSC_COMM_SELF, ghosts, parts.ghost_columns, PETSC_COPY_VALUES, columns.out()));
  check(VecScatterCreate(increment_, columns, ghost_increment_, nullptr, to_ghosts_.out()));
  {
    const Writable increments(increment_);
    for (std::size_t j = 0; j < increments.size(); ++j) increments[j] = colour_of_local_[j];
  }
  check(VecScatterBegin(to_ghosts_, increment_, ghost_increment_, INSERT_VALUES, SCATTER_FORWARD));
  check(VecScatterEnd(to_ghosts_, increment_, ghost_increment_, INSERT_VALUES, SCATTER_FORWARD));
  offdiagonal_.of_colour.resize(colours);
  const Readable ghost_colour(ghost_increment_);
  for_each_entry(parts.offdiagonal, [&](PetscInt p, PetscInt i, PetscInt j) {
    const auto colour = static_cast<std::size_t>(ghost_colour[j]);
    offdiagonal_.of_colour[colour].push_back({p, i, j});
  });
}

void ColouredJacobian::set_increments(Vec y, Vec ydot, double alpha, const Weights& weights, Increments increments) {
  const double root_u = std::sqrt(std::numeric_limits<double>::epsilon());
  const Readable value(y), rate(ydot);
  const Writable increment(increment_);
  weights.with_tolerances([&](auto rtol, auto atol) {
    for (std::size_t j = 0; j < value.size(); ++j) {
      const double change = alpha != 0.0 ? rate[j] / alpha : 0.0;
      const double weight = rtol(j) * std::abs(value[j]) + atol(j);
      const double smallest = root_u * std::max({std::abs(value[j]), std::abs(change), weight});
      const double size = increments == Increments::smallest
                              ? smallest
                              : std::max({smallest, part_of_step * std::abs(change), part_of_tolerance * weight});
      const double requested = std::copysign(size, change);
      const bool crosses_zero = std::signbit(value[j] + requested) != std::signbit(value[j]); // where domains of F end
      increment[j] = (value[j] + (crosses_zero ? -requested : requested)) - value[j];         // exactly representable
    }
  });
}

void ColouredJacobian::fill(const Block& block, int colour, std::span<const double> difference,
                            std::span<const double> increment, Mat part) const {
  PetscScalar* values = nullptr;
  check(MatSeqAIJGetArray(part, &values));
  for (const JacobianEntry& e : block.of_colour[colour]) values[e.value] = difference[e.row] / increment[e.column];
  check(MatSeqAIJRestoreArray(part, &values));
}

void ColouredJacobian::evaluate(double t, Vec y, Vec ydot, double alpha, Vec residual, const Weights& weights,
                                Mat matrix, Increments increments) {
  set_increments(y, ydot, alpha, weights, increments);
  const Scratch parts = parts_of(matrix);
  if (to_ghosts_) {
    check(VecScatterBegin(to_ghosts_, increment_, ghost_increment_, INSERT_VALUES, SCATTER_FORWARD));
    check(VecScatterEnd(to_ghosts_, increment_, ghost_increment_, INSERT_VALUES, SCATTER_FORWARD));
  }
  for (int colour = 0; colour < colour_count_; ++colour) {
    {
      const Readable value(y), rate(ydot), increment(increment_);
      const Writable moved(moved_), moved_dot(moved_dot_);
      for (std::size_t j = 0; j < value.size(); ++j) {
        const double step = colour_of_local_[j] == colour ? increment[j] : 0.0;
        moved[j] = value[j] + step;
        moved_dot[j] = rate[j] + alpha * step;
      }
    }
    ++system_.counts.residual_matrix;
    system_.residual(t, moved_, moved_dot_, moved_residual_);
    check(VecAXPY(moved_residual_, -1.0, residual));
    const Readable difference(moved_residual_), increment(increment_);
    fill(diagonal_, colour, difference.span(), increment.span(), parts.diagonal);
    if (parts.offdiagonal) {
      const Readable ghost(ghost_increment_);
      fill(offdiagonal_, colour, difference.span(), ghost.span(), parts.offdiagonal);
    }
  }
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
}

} // namespace rhumb::dae
