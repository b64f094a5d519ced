#pragma once
/// A symmetric sweep of Gauss and Seidel with the momentum block, from zero, on each rank's own unknowns: with A = L + D + U
///   u = (D + U)^-1 D (D + L)^-1 r.
/// It reads the rows of the whole iteration matrix, in which pressures that are zero do no harm, and so the block
/// need not be copied.

#include <petscmat.h>
#include <span>
#include <vector>

namespace rhumb::flow {

class VelocitySweep {
public:
  /// `rows`: own numbers of the momentum block's unknowns in the matrix, ascending. Both are borrowed.
  VelocitySweep(Mat matrix, std::span<const PetscInt> rows);

  void apply(Vec r, Vec u);
  void apply_transposed(Vec u, Vec r);

private:
  Mat matrix_;
  std::span<const PetscInt> rows_;
  std::vector<double> x_; ///< by own number in the matrix
};

} // namespace rhumb::flow
