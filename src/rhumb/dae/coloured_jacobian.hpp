#pragma once
/// The iteration matrix alpha dF/dy' + dF/dy by differences of the residual, all columns of one colour at once
/// (BCP (5.2.16); Curtis, Powell and Reid). The sparsity is the system's; the colouring is found once.

#include <rhumb/dae/guarded_system.hpp>
#include <rhumb/dae/weights.hpp>
#include <cstdint>

namespace rhumb::dae {

class ColouredJacobian {
public:
  /// `matrix` has the sparsity; it must be an AIJ matrix and outlive this object.
  ColouredJacobian(GuardedSystem& system, Mat matrix);

  /// Number of residual evaluations for one matrix.
  int colours() const { return colour_count_; }

  enum class Increments : std::uint8_t { for_newton, smallest };
  /// Fills `matrix` at (t, y, y'), where `residual` holds F(t, y, y'). BCP (5.2.17) has the increments
  ///   delta_j = sign(h y'_j) max(|y_j|, |h y'_j|, w_j) sqrt(u),  w_j = rtol |y_j| + atol,
  /// here with 1/alpha for h, so that the matrix depends on the point alone. For Newton they are at least
  /// |h y'_j| / 100 and w_j / 10: less rounding matters more than less curvature. Where w^T F is linear for some w
  /// (what the species of a reaction conserve), every difference says so whatever its increment, but for rounding; and
  /// what Newton then loses of w^T y no later step gives back. Where y_j + delta_j would lose its sign, delta_j has
  /// that of y_j.
  void evaluate(double t, Vec y, Vec ydot, double alpha, Vec residual, const Weights& weights, Mat matrix,
                Increments increments = Increments::for_newton);

private:
  /// One stored entry: where its value lives, which row's difference, which column's increment.
  struct JacobianEntry {
    PetscInt value, row, column;
  };
  struct Block {
    std::vector<std::vector<JacobianEntry>> of_colour;
  };

  void colour_columns(Mat matrix);
  void list_entries(Mat matrix);
  void set_increments(Vec y, Vec ydot, double alpha, const Weights& weights, Increments increments);
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
