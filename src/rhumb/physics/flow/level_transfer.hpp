#pragma once
/// Interpolation from a level to the finer one and its transpose, and the coarser level itself. Linear in each
/// direction; the weight of a coarse cell without fluid goes to the cell that contains the fine one. The coarse cells
/// that a rank's fine cells read are its patch: it comes from whichever ranks have them.

#include <rhumb/physics/flow/laplacian_level.hpp>
#include <memory>

namespace rhumb::flow {

class LevelTransfer {
public:
  /// Makes the coarser level, of lines coarsened up to widths of `limit`, on as many ranks as it is worth.
  LevelTransfer(MPI_Comm comm, LaplacianLevel& fine, const OpenAreas& fine_areas, double limit);

  LaplacianLevel& coarse() { return *coarse_; }
  /// Open areas of the coarse level, which the next one is made of.
  OpenAreas take_areas() { return std::move(coarse_areas_); }

  /// Right side of the coarse level from the residual of the fine one.
  void restrict_residual();
  /// Adds the coarse level's x to the fine one's.
  void prolongate();

private:
  /// Interpolation to one position of a direction: indices in the patch, and weights.
  struct Stencil {
    PetscInt parent, beside;
    double inside, outside;
  };
  /// A fine cell whose stencil has coarse cells without fluid: their weight is the parent's.
  struct Redirected {
    std::size_t fine, parent;
    double weight;
  };
  Partition coarse_partition() const;
  void create_patch(MPI_Comm comm, const Partition& partition);
  void sum_areas(const OpenAreas& fine, std::size_t coarse_size);
  /// For each coarse cell the sum of a fine array over its children of which `wanted(cell)` is true.
  template <class Wanted>
  std::vector<double> sum_over_children(const std::vector<double>& fine, std::size_t coarse_size, Wanted&& wanted);
  void redirect_weights();
  template <class Body>
  void for_each_patch_row(PetscInt j, PetscInt k, Body&& body) const;
  void interpolate(std::vector<double>& fine);

  LaplacianLevel& fine_;
  std::array<CoarsenedLine, 3> lines_;
  std::unique_ptr<LaplacianLevel> coarse_;
  OpenAreas coarse_areas_;
  std::array<std::vector<Stencil>, 3> stencils_; ///< by position in the fine block; indices times the patch's stride
  std::vector<double> patch_, row_;
  std::vector<Redirected> redirected_;
  std::unique_ptr<CellExchange> exchange_;
};

} // namespace rhumb::flow
