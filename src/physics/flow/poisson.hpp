#pragma once
/// The pressure Laplacian L = C^T C of the grid, and L^-1 as a fixed linear operator. It depends on neither the time
/// step nor the velocity: it is factored (or its multigrid is set up) once per grid and never again.
///
/// Where no side fixes the pressure, L^-1 means the solution with mean zero of what is left of the right side when its
/// mean is taken out.

#include "physics/flow/equations.hpp"

namespace rhumb::flow {

class Poisson {
public:
  /// `divergence` and `gradient` are the constant blocks of the iteration matrix; `volumes` of the cells, 0 where a
  /// cell is solid. Options under <prefix>poisson_: PETSc's own for KSP and PC.
  Poisson(Mat divergence, Mat gradient, Vec volumes, bool closed, const std::string& prefix);

  /// L phi = d. `d` is overwritten with the volume-weighted right side.
  void solve(Vec d, Vec phi) const;
  /// Takes out the mean over the fluid, where the constant is free.
  void centre(Vec p) const;

private:
  void choose_solver(const std::string& prefix);

  bool closed_;
  Vec volumes_;
  double total_ = 0.0;
  core::MatHandle matrix_;
  core::KspHandle solver_;
};

} // namespace rhumb::flow
