#pragma once
/// The exact solution of the heat equation on a grid (continuous in time) where it separates: constant coefficients,
/// zero on all sides, a start that is the product of one profile f over the directions. In each direction
///   v_j(t) = sum_m c_m sin(m pi j / N) exp(-kappa lambda_m t),  lambda_m = (4/h^2) sin^2(m pi / 2N),
/// and the solution is the product of these. It leaves the error in time alone to be seen.

#include <rhumb/grid/box.hpp>
#include <rhumb/grid/expression.hpp>

namespace rhumb::heat {

using grid::Expression;

class Modes {
public:
  Modes(const Expression& profile, const grid::BoxShape& shape, double diffusivity);

  /// Moves to time t.
  void at(double t);
  double value(const std::array<PetscInt, 3>& point) const;

private:
  double diffusivity_;
  std::vector<std::vector<double>> amplitudes_, decay_rates_, values_; ///< per direction
};

} // namespace rhumb::heat
