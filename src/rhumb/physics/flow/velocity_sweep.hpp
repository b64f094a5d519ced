#pragma once
/// A symmetric sweep of Gauss and Seidel with the momentum block, from zero. On each rank the block is A = L + D + U for its
/// own unknowns and O for those of others, which the backward half knows from the forward half of their ranks:
///   u = (D + U)^-1 (D - O) (D + L)^-1 r.
/// It reads the rows of the whole iteration matrix, in which pressures that are zero do no harm, and so the block
/// need not be copied.

#include <rhumb/core/handle.hpp>
#include <petscmat.h>
#include <span>

namespace rhumb::flow {

class VelocitySweep {
public:
  /// `rows`: own numbers of the momentum block's unknowns in the matrix, ascending. Both are borrowed.
  VelocitySweep(Mat matrix, std::span<const PetscInt> rows);

  void apply(Vec r, Vec u);
  void apply_transposed(Vec u, Vec r);

private:
  void couple(Mat others, const PetscInt* columns);

  Mat matrix_;
  std::span<const PetscInt> rows_;
  core::VecHandle x_;         ///< of the whole matrix's layout
  core::VecHandle of_others_; ///< where there are any: their entries of x that rows of this rank have
  core::ScatterHandle exchange_;
};

} // namespace rhumb::flow
