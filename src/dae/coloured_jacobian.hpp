#pragma once
/// The iteration matrix alpha dF/dy' + dF/dy by differences of the residual, all columns of one colour at once
/// (BCP (5.2.16); Curtis, Powell and Reid). The sparsity is the system's; the colouring is found once.

#include "dae/guarded_system.hpp"
#include "dae/weights.hpp"

namespace rhumb::dae {

class ColouredJacobian {
public:
  /// `matrix` has the sparsity; it must be an AIJ matrix and outlive this object.
  ColouredJacobian(GuardedSystem& system, Mat matrix);

  /// Number of residual evaluations for one matrix.
  int colours() const { return colour_count_; }

  /// Fills `matrix` at (t, y, y'), where `residual` holds F(t, y, y'). Increments follow BCP (5.2.17) with 1/alpha for
  /// h:
  ///   delta_j = sign(h y'_j) max(|y_j|, |h y'_j|, w_j) sqrt(u),  w_j = rtol |y_j| + atol,
  /// so that the matrix depends on the point alone.
  void evaluate(double t, Vec y, Vec ydot, double alpha, Vec residual, const Weights& weights, Mat matrix);

private:
  /// One stored entry: where its value lives, which row's difference, which column's increment.
  struct Entry {
    PetscInt value, row, column;
  };
  struct Block {
    std::vector<std::vector<Entry>> of_colour;
  };

  void colour_columns(Mat matrix);
  void list_entries(Mat matrix);
  void set_increments(Vec y, Vec ydot, double alpha, const Weights& weights);
  void fill(const Block& block, int colour, std::span<const double> difference, std::span<const double> increment,
            Mat part) const;

  GuardedSystem& system_;
  int colour_count_ = 0;
  std::vector<int> colour_of_local_; ///< column owned here -> colour
  Block diagonal_, offdiagonal_;
  core::VecHandle increment_, ghost_increment_, moved_, moved_dot_, moved_residual_;
  core::ScatterHandle to_ghosts_;
};

} // namespace rhumb::dae
