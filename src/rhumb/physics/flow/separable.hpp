#pragma once
/// L^-1 of a box without obstacles by diagonalization in each direction (Lynch, Rice and Thomas): L is a sum of
/// operators of one direction each, so that with their eigenvectors Q_d and eigenvalues lambda_d
///   L^-1 = (Q_x Q_y Q_z) (lambda_x + lambda_y + lambda_z)^-1 (Q_x Q_y Q_z)^T
/// after scaling by the roots of the widths, which makes each operator symmetric. Exact to rounding on uniform and
/// stretched grids alike; 4 n flops per unknown and direction. Ranks hold slabs of the last direction; for the
/// transform along it they exchange them for slabs of the one before.

#include <rhumb/physics/flow/staggered.hpp>
#include <span>

namespace rhumb::flow {

/// Whether each end of a direction lets the pressure through (its value is zero there) or not (its slope is).
using OpenEnds = std::array<std::array<bool, 2>, 3>;

class SeparableLaplacian {
public:
  /// Whether this grid is cut in a way that the solver can use.
  static bool fits(const Staggered& grid);

  SeparableLaplacian(const Staggered& grid, const OpenEnds& open);

  /// L phi = d over this rank's cells, x fastest. A constant that L does not see is left out of phi.
  void solve(std::span<const double> d, std::span<double> phi);

private:
  struct Direction {
    PetscInt n = 1;
    std::vector<double> modes, transposed; ///< Q by rows, and its transpose
    std::vector<double> values;            ///< eigenvalues
    std::vector<double> root;              ///< of the widths
  };
  enum class Sense : std::uint8_t { forward, backward };

  static Direction diagonalize(const StaggeredLine& line, const std::array<bool, 2>& open);
  void along_rows(const Direction& x, Sense sense);
  void along_columns(const Direction& direction, Sense sense, PetscInt blocks, PetscInt stride);
  void exchange(Sense sense);
  void divide();

  MPI_Comm comm_;
  std::array<Direction, 3> directions_;
  Index count_{};                     ///< own cells
  std::vector<PetscInt> slab_, part_; ///< where each rank's cells of the last, of the middle direction begin
  int rank_ = 0, ranks_ = 1;
  std::vector<double> from_, to_; ///< work: source and result of a transform
  std::vector<int> send_counts_, send_starts_, receive_counts_, receive_starts_;
};

} // namespace rhumb::flow
