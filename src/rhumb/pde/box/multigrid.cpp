#include <rhumb/pde/box/multigrid.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/pde/box/point_jacobi.hpp>
#include <algorithm>
#include <array>
#include <petscdmda.h>
#include <petscksp.h>
#include <vector>

namespace rhumb::box {

using core::check;

namespace {

/// Boxes are halved down to this many cells in their smallest direction, ...
constexpr PetscInt fewest_cells = 4;
/// ... not below this many points of a rank in any direction, ...
constexpr PetscInt min_nodes_per_rank = 2;
/// ... and not further once there are at most so many points in all. The coarsest grid is factored on every rank, which
/// takes less time than two ranks need to wait for each other on the grids below.
constexpr PetscInt few_coarse_points = 300;
/// With more points than this on the coarsest grid its factors are not worth it.
constexpr PetscInt most_coarse_points = 5000;
/// Point smoothers stop working when spacings differ by more than this.
constexpr double largest_anisotropy = 3.0;

bool isotropic(const BoxShape& shape) {
  double smallest = shape.spacing(0), largest = smallest;
  for (int d = 1; d < shape.dimension(); ++d) {
    smallest = std::min(smallest, shape.spacing(d));
    largest = std::max(largest, shape.spacing(d));
  }
  return largest <= largest_anisotropy * smallest;
}

PetscInt coarse_points(const BoxShape& shape, int levels) {
  PetscInt points = 1;
  for (int d = 0; d < shape.dimension(); ++d) points *= (shape.cells[d] >> (levels - 1)) + 1;
  return points;
}

/// 1 at entries that are algebraic, else 0.
core::VecHandle flags_of(DM dm, std::span<const dae::Kind> kinds) {
  core::VecHandle flags;
  check(DMCreateGlobalVector(dm, flags.out()));
  const core::Writable values(flags);
  for (std::size_t i = 0; i < kinds.size(); ++i) values[i] = kinds[i] == dae::Kind::differential ? 0.0 : 1.0;
  return flags;
}

core::VecHandle inject(DM coarse, DM fine, Vec fine_flags) {
  core::MatHandle injection;
  check(DMCreateInjection(coarse, fine, injection.out()));
  core::VecHandle flags;
  check(DMCreateGlobalVector(coarse, flags.out()));
  check(MatRestrict(injection, fine_flags, flags));
  return flags;
}

/// The DMDA's interpolation as a plain matrix, without what ties algebraic entries to others: of the rows and columns
/// of algebraic entries only the weight 1 between coinciding points is kept.
core::MatHandle interpolation(DM coarse, DM fine, Vec coarse_flags, Vec fine_flags) {
  core::MatHandle given, plain;
  PetscInt fields = 1;
  check(DMCreateInterpolation(coarse, fine, given.out(), nullptr));
  check(MatConvert(given, MATAIJ, MAT_INITIAL_MATRIX, plain.out()));
  check(VecGetBlockSize(fine_flags, &fields));
  check(MatSetBlockSizes(plain, fields, fields)); // which the coarse matrix takes over
  // Off-diagonal weights are at most 1/2, so: w becomes 0 unless both ends are differential or w is 1.
  core::VecHandle rows = core::same_layout(fine_flags), columns = core::same_layout(coarse_flags);
  core::MatHandle kept;
  check(MatDuplicate(plain, MAT_COPY_VALUES, kept.out()));
  check(VecSet(rows, 1.0));
  check(VecAXPY(rows, -1.0, fine_flags));
  check(VecSet(columns, 1.0));
  check(VecAXPY(columns, -1.0, coarse_flags));
  check(MatDiagonalScale(kept, rows, columns)); // differential to differential
  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(plain, &first, &last));
  const core::Readable fine_values(fine_flags);
  for (PetscInt row = first; row < last; ++row) {
    if (fine_values[row - first] == 0.0) continue;
    PetscInt count = 0;
    const PetscInt* column_indices = nullptr;
    const PetscScalar* weights = nullptr;
    check(MatGetRow(plain, row, &count, &column_indices, &weights));
    std::vector<std::pair<PetscInt, double>> whole;
    for (PetscInt i = 0; i < count; ++i)
      if (weights[i] > 0.75) whole.emplace_back(column_indices[i], weights[i]);
    check(MatRestoreRow(plain, row, &count, &column_indices, &weights));
    for (const auto& [column, weight] : whole) check(MatSetValue(kept, row, column, weight, INSERT_VALUES));
  }
  check(MatAssemblyBegin(kept, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(kept, MAT_FINAL_ASSEMBLY));
  return kept;
}

/// One step of damped Jacobi before and after each coarse correction, by point: linear and fixed, as left
/// preconditioning of GMRES wants, and the same on any number of ranks, so that steps are, too. The damping is the one
/// that smooths the Laplacian's 2 d + 1 points best. SOR and more steps cost more in the end; docs/guide/heat.md has the
/// figures.
void set_smoothers(PC preconditioner, int levels, int dimension) {
  const double damping = 2.0 * dimension / (2.0 * dimension + 1.0);
  for (int level = 1; level < levels; ++level) {
    KSP smoother = nullptr;
    PC points = nullptr;
    check(PCMGGetSmoother(preconditioner, level, &smoother));
    check(KSPSetType(smoother, KSPRICHARDSON));
    check(KSPSetNormType(smoother, KSP_NORM_NONE));
    check(KSPSetTolerances(smoother, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 1));
    check(KSPGetPC(smoother, &points));
    set_point_jacobi(points, damping);
  }
}

void set_grids(PC preconditioner, const Box& box, int levels, std::span<const dae::Kind> kinds) {
  check(PCSetType(preconditioner, PCMG));
  check(PCMGSetLevels(preconditioner, levels, nullptr));
  check(PCMGSetGalerkin(preconditioner, PC_MG_GALERKIN_BOTH));
  core::DmHandle fine;
  check(PetscObjectReference(reinterpret_cast<PetscObject>(box.dm())));
  fine = core::DmHandle(box.dm());
  core::VecHandle fine_flags = flags_of(fine, kinds);
  for (int level = levels - 1; level > 0; --level) {
    core::DmHandle coarse;
    check(DMCoarsen(fine, box.comm(), coarse.out()));
    core::VecHandle coarse_flags = inject(coarse, fine, fine_flags);
    const auto weights = interpolation(coarse, fine, coarse_flags, fine_flags);
    check(PCMGSetInterpolation(preconditioner, level, weights));
    fine = std::move(coarse);
    fine_flags = std::move(coarse_flags);
  }
  set_smoothers(preconditioner, levels, box.shape().dimension());
}

/// Whether as many entries are algebraic as a whole field has: then it is not only that values are held on sides.
bool has_algebraic_field(const Box& box, std::span<const dae::Kind> kinds) {
  std::array<long, 2> counts{std::ranges::count_if(kinds, [](dae::Kind k) { return k != dae::Kind::differential; }),
                             static_cast<long>(kinds.size())};
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, counts.data(), 2, MPI_LONG, MPI_SUM, box.comm()));
  return counts[0] * box.fields() >= counts[1];
}

/// Incomplete factors with one level of fill, on every rank those of its own block. The grids leave algebraic fields to
/// the smoother, which is not enough: Cahn and Hilliard's equation takes 253 iterations with this, 665 with multigrid.
void set_incomplete_factors(PC preconditioner) {
  check(PCSetType(preconditioner, PCILU));
  check(PCFactorSetLevels(preconditioner, 1));
}

} // namespace

int multigrid_levels(const Box& box) {
  auto cells = box.shape().cells;
  PetscInt fewest_here = box.count()[0];
  for (int d = 1; d < box.shape().dimension(); ++d) fewest_here = std::min(fewest_here, box.count()[d]);
  PetscInt fewest = 0;
  core::check_mpi(MPI_Allreduce(&fewest_here, &fewest, 1, MPIU_INT, MPI_MIN, box.comm()));
  int levels = 1;
  const auto halves = [](PetscInt n) { return n % 2 == 0 && n / 2 >= fewest_cells; };
  while (coarse_points(box.shape(), levels) > few_coarse_points && std::all_of(cells.begin(), cells.end(), halves) &&
         fewest / 2 >= min_nodes_per_rank) {
    for (auto& n : cells) n /= 2;
    fewest /= 2;
    ++levels;
  }
  return levels;
}

void configure_multigrid(PC preconditioner, Mat matrix, const Box& box, std::span<const dae::Kind> kinds) {
  PetscInt size = 0;
  check(MatGetSize(matrix, &size, nullptr));
  const int levels = multigrid_levels(box);
  if (size <= dae::small_system || coarse_points(box.shape(), 1) <= few_coarse_points) {
    check(PCSetType(preconditioner, PCLU));
  } else if (has_algebraic_field(box, kinds)) {
    set_incomplete_factors(preconditioner);
  } else if (levels > 1 && coarse_points(box.shape(), levels) <= most_coarse_points && isotropic(box.shape())) {
    set_grids(preconditioner, box, levels, kinds);
  } else {
    check(PCSetType(preconditioner, PCHYPRE));
    check(PCHYPRESetType(preconditioner, "boomeramg"));
  }
}

} // namespace rhumb::box
