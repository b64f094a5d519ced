#pragma once
/// The preconditioner of the iteration matrix G = [A B; B^T 0] of a flow on a mesh, A = alpha M + N' + nu K: the block
/// factorization of preconditioner.hpp with the mass matrix in the middle. With D the diagonal of M and L = B^T D^-1 B,
///   u* = A^-1 r_u,   L phi = B^T u* - r_p,   u = u* - D^-1 B phi,   L p = B^T D^-1 (r_u - A u).
/// B^T u = r_p holds whatever A^-1 is. The pressure by least squares (BFBt) takes the place of pressure
/// convection-diffusion: it asks for no boundary conditions for operators on the pressure, and what D lacks of M
/// cancels. L depends on the mesh alone: it is factored once (or its multigrid is set up once).
///
/// A^-1 is one sweep of ILU(1); where a step crosses many cells, in the plane, it is a factorization.

#include "core/handle.hpp"
#include <petscksp.h>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::flow {

/// What the preconditioner is told with each matrix.
struct MeshStep {
  double cells_crossed = 0.0; ///< by the flow in the time 1/alpha, at most
};

class MeshPreconditioner {
public:
  struct Blocks {
    core::IsHandle velocities, pressures;
    core::VecHandle mass; ///< D, with the layout of the velocities
    bool plane = true;
  };
  /// Makes `pc` a shell that holds a new object of this class.
  static void install(PC pc, Mat matrix, Blocks blocks, const MeshStep& step);

  MeshPreconditioner(PC pc, Mat matrix, Blocks blocks, const MeshStep& step);

  /// Takes the new matrix.
  void setup();
  void apply(Vec r, Vec z);

private:
  void create();
  void create_pressure_solver();
  core::PcHandle momentum_solver(bool exact) const;

  Mat matrix_;
  Blocks blocks_;
  const MeshStep& step_;
  std::string prefix_;
  double long_step_ = 20.0; ///< cells crossed beyond which A is factored; measured on the cylinder
  core::MatHandle momentum_, gradient_, divergence_, laplacian_;
  core::PcHandle incomplete_, exact_, pressure_;
  PC momentum_now_ = nullptr;
  std::vector<std::pair<std::size_t, double>> alone_; ///< own pressures that are held, and their right sides
  core::VecHandle ru_, u_, w_, d_, phi_, inverse_mass_;
};

} // namespace rhumb::flow
