#pragma once
/// Geometric multigrid for the pressure Laplacian on any partition in blocks, uniform or stretched, with obstacles and
/// any sides: cells are merged by width (cell_line.hpp), coarse operators are discretized anew, one V-cycle has a
/// red-black Gauss-Seidel sweep before and one, in reverse order, after each coarse correction. Symmetric, and the same
/// on any number of ranks.

#include <rhumb/physics/flow/equations.hpp>
#include <rhumb/physics/flow/level_transfer.hpp>
#include <span>

namespace rhumb::flow {

class PressureMultigrid {
public:
  explicit PressureMultigrid(const Equations& equations);

  /// Arrays over this rank's cells, x fastest, both: minus volume times div grad, and one V-cycle with it.
  void product(std::span<const double> x, std::span<double> out);
  void cycle(std::span<const double> rhs, std::span<double> x);

  std::size_t levels() const { return transfers_.size() + 1; }

private:
  void create_levels(OpenAreas areas);
  void invert_coarsest();
  void descend(std::size_t level);
  void solve_coarsest();
  LaplacianLevel& level(std::size_t number) { return number == 0 ? *finest_ : transfers_[number - 1]->coarse(); }

  MPI_Comm comm_;
  int dimension_;
  std::unique_ptr<LaplacianLevel> finest_;
  std::vector<std::unique_ptr<LevelTransfer>> transfers_;
  std::vector<std::size_t> coarsest_cells_; ///< indices in its array
  std::vector<double> coarsest_inverse_;    ///< dense, where this rank has its cells
};

} // namespace rhumb::flow
