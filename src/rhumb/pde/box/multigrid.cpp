#include <rhumb/pde/box/multigrid.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/pde/box/coarsening.hpp>
#include <rhumb/pde/box/point_jacobi.hpp>
#include <algorithm>
#include <array>
#include <petscdmda.h>
#include <petscksp.h>
#include <vector>

namespace rhumb::box {

using core::check;

namespace {

/// Grids are coarsened until one has at most so many points. It is factored on every rank, which takes less time than two
/// ranks would wait for each other on still coarser grids.
constexpr PetscInt coarsening_goal = 300;
/// A coarsest grid with more points than this is too expensive to factor on every rank: hypre then.
constexpr PetscInt max_coarsest_points = 5000;

/// A level that is distributed as the box is.
struct DistributedLevel {
  core::DmHandle dm;
  core::VecHandle algebraic; ///< 1 at entries that are algebraic, else 0
};

DistributedLevel finest_grid(const Box& box, std::span<const dae::Kind> kinds) {
  check(PetscObjectReference(reinterpret_cast<PetscObject>(box.dm())));
  DistributedLevel grid{core::DmHandle(box.dm()), {}};
  check(DMCreateGlobalVector(grid.dm, grid.algebraic.out()));
  const core::Writable values(grid.algebraic);
  for (std::size_t i = 0; i < kinds.size(); ++i) values[i] = kinds[i] == dae::Kind::differential ? 0.0 : 1.0;
  return grid;
}

using Corner = std::array<PetscInt, 3>;

/// The rank's part of a DMDA, with or without the points around it.
struct PointRange {
  Corner first{0, 0, 0}, count{1, 1, 1};
  PetscInt index(PetscInt i, PetscInt j, PetscInt k) const {
    return (i - first[0]) + count[0] * ((j - first[1]) + count[1] * (k - first[2]));
  }
};

PointRange owned(DM dm) {
  PointRange r;
  check(DMDAGetCorners(dm, &r.first[0], &r.first[1], &r.first[2], &r.count[0], &r.count[1], &r.count[2]));
  return r;
}

PointRange with_ghosts(DM dm) {
  PointRange r;
  check(DMDAGetGhostCorners(dm, &r.first[0], &r.first[1], &r.first[2], &r.count[0], &r.count[1], &r.count[2]));
  return r;
}

/// Calls body(i, j, k) for the points of the range, i fastest.
template <class Body>
void for_each_point(const PointRange& r, Body&& body) {
  for (PetscInt k = r.first[2]; k < r.first[2] + r.count[2]; ++k)
    for (PetscInt j = r.first[1]; j < r.first[1] + r.count[1]; ++j)
      for (PetscInt i = r.first[0]; i < r.first[0] + r.count[0]; ++i) body(i, j, k);
}

/// How many of the chosen points lie in each part of a direction.
std::vector<PetscInt> counts_in_parts(const PetscInt* fine_counts, PetscInt parts,
                                      const std::vector<PetscInt>& chosen) {
  std::vector<PetscInt> counts;
  PetscInt end = 0;
  auto at = chosen.begin();
  for (PetscInt part = 0; part < parts; ++part) {
    end += fine_counts[part];
    const auto next = std::lower_bound(at, chosen.end(), end);
    counts.push_back(static_cast<PetscInt>(next - at));
    at = next;
  }
  return counts;
}

/// A DMDA of the level's points, each on the rank that has it on the finer grid.
core::DmHandle coarse_dm(DM fine, const GridLevel& level) {
  std::array<const PetscInt*, 3> fine_counts{};
  std::array<PetscInt, 3> parts{1, 1, 1}, nodes{1, 1, 1};
  std::array<DMBoundaryType, 3> ends{};
  std::array<std::vector<PetscInt>, 3> counts{{{1}, {1}, {1}}};
  PetscInt dimension = 1, fields = 1;
  check(DMDAGetInfo(fine, &dimension, nullptr, nullptr, nullptr, &parts[0], &parts[1], &parts[2], &fields, nullptr,
                    &ends[0], &ends[1], &ends[2], nullptr));
  check(DMDAGetOwnershipRanges(fine, &fine_counts[0], &fine_counts[1], &fine_counts[2]));
  for (std::size_t d = 0; d < level.lines.size(); ++d) {
    nodes[d] = level.lines[d].nodes();
    counts[d] = counts_in_parts(fine_counts[d], parts[d], level.fine_of[d]);
  }
  core::DmHandle dm;
  check(DMDACreate(PetscObjectComm(reinterpret_cast<PetscObject>(fine)), dm.out()));
  check(DMSetDimension(dm, dimension));
  check(DMDASetSizes(dm, nodes[0], nodes[1], nodes[2]));
  check(DMDASetNumProcs(dm, parts[0], parts[1], parts[2]));
  check(DMDASetBoundaryType(dm, ends[0], ends[1], ends[2]));
  check(DMDASetDof(dm, fields));
  check(DMDASetStencilType(dm, DMDA_STENCIL_BOX));
  check(DMDASetStencilWidth(dm, 1));
  check(DMDASetOwnershipRanges(dm, counts[0].data(), counts[1].data(), counts[2].data()));
  check(DMSetUp(dm));
  return dm;
}

DistributedLevel coarse_grid(const DistributedLevel& fine, const GridLevel& level) {
  DistributedLevel grid{coarse_dm(fine.dm, level), {}};
  check(DMCreateGlobalVector(grid.dm, grid.algebraic.out()));
  PetscInt fields = 1;
  check(VecGetBlockSize(grid.algebraic, &fields));
  const core::Readable from(fine.algebraic);
  const core::Writable to(grid.algebraic);
  const PointRange coarse = owned(grid.dm), finer = owned(fine.dm);
  const auto fine_of = [&](std::size_t d, PetscInt i) {
    return d < level.fine_of.size() ? level.fine_of[d][static_cast<std::size_t>(i)] : 0;
  };
  for_each_point(coarse, [&](PetscInt i, PetscInt j, PetscInt k) {
    const PetscInt at = finer.index(fine_of(0, i), fine_of(1, j), fine_of(2, k)), here = coarse.index(i, j, k);
    for (PetscInt f = 0; f < fields; ++f) to[here * fields + f] = from[at * fields + f];
  });
  return grid;
}

/// The points of the coarse grid around one of the fine grid, with the weights of linear interpolation.
struct Corners {
  std::array<Corner, 8> points{};
  std::array<double, 8> weights{};
  std::size_t count = 0;
};

Corners corners_of(const GridLevel& fine, const GridLevel& coarse, const Corner& point) {
  Corners out;
  out.points[0] = {0, 0, 0};
  out.weights[0] = 1.0;
  out.count = 1;
  for (std::size_t d = 0; d < fine.lines.size(); ++d) {
    const Between at = between(fine.lines[d], coarse.lines[d], point[d]);
    for (std::size_t c = 0, before = out.count; c < before; ++c) {
      out.points[c][d] = at.lower;
      if (at.weight == 0.0) continue;
      out.points[out.count] = out.points[c];
      out.points[out.count][d] = at.upper;
      out.weights[out.count++] = at.weight * out.weights[c];
      out.weights[c] *= 1.0 - at.weight;
    }
  }
  return out;
}

core::MatHandle empty_interpolation(const DistributedLevel& coarse, const DistributedLevel& fine,
                                    std::size_t dimension) {
  PetscInt rows = 0, columns = 0, fields = 1;
  check(VecGetLocalSize(fine.algebraic, &rows));
  check(VecGetLocalSize(coarse.algebraic, &columns));
  check(VecGetBlockSize(fine.algebraic, &fields));
  core::MatHandle matrix;
  const PetscInt most = PetscInt{1} << dimension;
  check(MatCreateAIJ(PetscObjectComm(reinterpret_cast<PetscObject>(fine.dm.get())), rows, columns, PETSC_DETERMINE,
                     PETSC_DETERMINE, most, nullptr, most, nullptr, matrix.out()));
  check(MatSetBlockSizes(matrix, fields, fields)); // which the coarse matrix takes over
  return matrix;
}

/// Linear interpolation between points, without what ties algebraic entries to others: of the rows and columns of
/// algebraic entries only the weight 1 between coinciding points is kept.
core::MatHandle interpolation(const DistributedLevel& coarse, const DistributedLevel& fine,
                              const GridLevel& coarse_level, const GridLevel& fine_level) {
  core::MatHandle matrix = empty_interpolation(coarse, fine, fine_level.lines.size());
  PetscInt fields = 1, row = 0;
  check(MatGetBlockSize(matrix, &fields));
  check(MatGetOwnershipRange(matrix, &row, nullptr));
  ISLocalToGlobalMapping numbering = nullptr;
  const PetscInt* columns = nullptr;
  check(DMGetLocalToGlobalMapping(coarse.dm, &numbering));
  check(ISLocalToGlobalMappingGetIndices(numbering, &columns));
  core::VecHandle coarse_algebraic;
  check(DMCreateLocalVector(coarse.dm, coarse_algebraic.out()));
  check(DMGlobalToLocal(coarse.dm, coarse.algebraic, INSERT_VALUES, coarse_algebraic));
  const core::Readable algebraic_column(coarse_algebraic), algebraic_row(fine.algebraic);
  const PointRange ghosts = with_ghosts(coarse.dm);
  std::size_t entry = 0;
  for_each_point(owned(fine.dm), [&](PetscInt i, PetscInt j, PetscInt k) {
    const Corners around = corners_of(fine_level, coarse_level, {i, j, k});
    for (PetscInt f = 0; f < fields; ++f, ++row, ++entry)
      for (std::size_t c = 0; c < around.count; ++c) {
        const auto& [x, y, z] = around.points[c];
        const PetscInt column = ghosts.index(x, y, z) * fields + f;
        const bool tied = algebraic_row[entry] != 0.0 || algebraic_column[column] != 0.0;
        if (around.count == 1 || !tied)
          check(MatSetValue(matrix, row, columns[column], around.weights[c], INSERT_VALUES));
      }
  });
  check(ISLocalToGlobalMappingRestoreIndices(numbering, &columns));
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return matrix;
}

/// One step of damped Jacobi before and after each coarse correction, by point: linear and fixed, as left
/// preconditioning of GMRES wants, and the same on any number of ranks, so that steps are, too. The damping is the one
/// that smooths the Laplacian's 2 d + 1 points best, d being the directions that are coarser on the next grid. SOR and
/// more steps cost more in the end; docs/guide/heat.md has the figures.
void set_smoother(PC preconditioner, int level, int directions) {
  KSP smoother = nullptr;
  PC points = nullptr;
  check(PCMGGetSmoother(preconditioner, level, &smoother));
  check(KSPSetType(smoother, KSPRICHARDSON));
  check(KSPSetNormType(smoother, KSP_NORM_NONE));
  check(KSPSetTolerances(smoother, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 1));
  check(KSPGetPC(smoother, &points));
  set_point_jacobi(points, 2.0 * directions / (2.0 * directions + 1.0));
}

int coarsened_directions(const GridLevel& fine, const GridLevel& coarse) {
  int count = 0;
  for (std::size_t d = 0; d < fine.lines.size(); ++d) count += coarse.lines[d].nodes() < fine.lines[d].nodes() ? 1 : 0;
  return count;
}

void set_grids(PC preconditioner, const Box& box, const std::vector<GridLevel>& levels,
               std::span<const dae::Kind> kinds) {
  const auto count = static_cast<int>(levels.size());
  check(PCSetType(preconditioner, PCMG));
  check(PCMGSetLevels(preconditioner, count, nullptr));
  check(PCMGSetGalerkin(preconditioner, PC_MG_GALERKIN_BOTH));
  DistributedLevel fine = finest_grid(box, kinds);
  for (std::size_t below = 1; below < levels.size(); ++below) {
    DistributedLevel coarse = coarse_grid(fine, levels[below]);
    const auto weights = interpolation(coarse, fine, levels[below], levels[below - 1]);
    const int level = count - static_cast<int>(below);
    check(PCMGSetInterpolation(preconditioner, level, weights));
    set_smoother(preconditioner, level, coarsened_directions(levels[below - 1], levels[below]));
    fine = std::move(coarse);
  }
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

void configure_multigrid(PC preconditioner, Mat matrix, const Box& box, std::span<const dae::Kind> kinds) {
  PetscInt size = 0;
  check(MatGetSize(matrix, &size, nullptr));
  const std::vector<GridLevel> levels = coarsen(box, coarsening_goal);
  if (size <= dae::small_system || levels.front().nodes() <= coarsening_goal) {
    check(PCSetType(preconditioner, PCLU));
  } else if (has_algebraic_field(box, kinds)) {
    set_incomplete_factors(preconditioner);
  } else if (levels.size() > 1 && levels.back().nodes() <= max_coarsest_points) {
    set_grids(preconditioner, box, levels, kinds);
  } else {
    check(PCSetType(preconditioner, PCHYPRE));
    check(PCHYPRESetType(preconditioner, "boomeramg"));
  }
}

} // namespace rhumb::box
