#pragma once
/// The grids of multigrid on a box, of any number of cells. A direction with n cells gets n/2 or, where n is odd, the
/// even one of (n - 1)/2 and (n + 1)/2: one cell of the coarse grid is then three or one wide instead of two, and the
/// difference fades on the grids below. Coarse points are points of the finer grid, so that a rank's coarse points are
/// among its fine ones. Directions with wider cells than the narrowest wait until the others are as wide.

#include <rhumb/grid/box.hpp>

namespace rhumb::box {

using namespace grid;

/// One direction of a grid.
struct GridLine {
  std::vector<PetscInt> points; ///< as numbers of points of the finest grid, ascending
  PetscInt finest_cells = 0;    ///< the length of the line in these numbers
  bool periodic = false;

  PetscInt cells() const { return static_cast<PetscInt>(points.size()) - (periodic ? 0 : 1); }
  PetscInt nodes() const { return static_cast<PetscInt>(points.size()); }
};

struct GridLevel {
  std::vector<GridLine> lines;                ///< per direction
  std::vector<std::vector<PetscInt>> fine_of; ///< per direction: numbers of its points among those of the finer grid

  PetscInt nodes() const;
};

/// From the finest grid to the coarsest: until there are at most `few` points, or no direction can be made coarser with
/// a point of every rank left. `first_nodes` are the first points of the ranks' parts, per direction.
std::vector<GridLevel> coarsen(const BoxShape& shape, const std::vector<std::vector<PetscInt>>& first_nodes,
                               PetscInt few);

/// The same for a box that is distributed.
std::vector<GridLevel> coarsen(const Box& box, PetscInt few);

/// A point of a fine line between two of the coarse one: `weight` belongs to the upper.
struct Between {
  PetscInt lower = 0, upper = 0;
  double weight = 0.0;
};

/// For the point with this number on the fine line. On a periodic line `upper` may be nodes(), which is point 0 again.
Between between(const GridLine& fine, const GridLine& coarse, PetscInt point);

} // namespace rhumb::box
