#pragma once
/// One direction of a cell-centred grid, its coarsening by width, and linear interpolation from the coarse cells. Two
/// neighbours are merged only where their sum stays below a limit that doubles from level to level: stretched grids
/// coarsen where cells are thin, and any number of cells will do.

#include <array>
#include <petscsys.h>
#include <vector>

namespace rhumb::flow {

struct CellLine {
  std::vector<double> width;
  bool periodic = false;
  std::array<bool, 2> open{}; ///< whether the unknown is zero on the lower, the upper end; else no flux passes it

  PetscInt cells() const { return static_cast<PetscInt>(width.size()); }
  /// From centre i - 1 to centre i, for i = 0 .. cells; at an end that is not periodic: from the centre to the end.
  double distance(PetscInt i) const;
};

/// A line, the coarser one made of it, and how they belong together.
struct CoarsenedLine {
  /// Interpolation to a fine cell: inside * value(parent) + beside * value(parent + side).
  struct Weight {
    PetscInt parent = 0;
    PetscInt side = 0; ///< -1, 0, 1; beyond the ends of a periodic line the index wraps
    double inside = 1.0, beside = 0.0;
  };
  CellLine line;
  std::vector<PetscInt> first; ///< fine cell with which each coarse cell begins
  std::vector<Weight> weights; ///< by fine cell
};

/// Merges two neighbours where the sum of their widths is at most `limit`.
CoarsenedLine coarsen(const CellLine& fine, double limit);

} // namespace rhumb::flow
