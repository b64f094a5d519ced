#pragma once
/// The preconditioner of the iteration matrix G = [A B; B^T 0] of a flow on a mesh, A = alpha M + N' + nu K: the block
/// factorization of preconditioner.hpp with the mass matrix in the middle. With D the diagonal of M and L = B^T D^-1 B,
///   u* = A^-1 r_u,   L phi = B^T u* - r_p,   u = u* - D^-1 B phi,   L p = B^T D^-1 (r_u - A u).
/// B^T u = r_p holds whatever A^-1 is. The pressure by least squares (BFBt) takes the place of pressure
/// convection-diffusion: it asks for no boundary conditions for operators on the pressure, and what D lacks of M
/// cancels. L depends on the mesh alone: it is factored once (or its multigrid is set up once).
///
/// Of A only the blocks of each component with itself are taken, and A^-1 is one sweep of incomplete factors.

#include <rhumb/core/handle.hpp>
#include <petscksp.h>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::flow {

class MeshPreconditioner {
public:
  struct Blocks {
    std::vector<core::IsHandle> velocities; ///< one per component
    core::IsHandle pressures;
    std::vector<core::VecHandle> mass; ///< D, by component
  };
  /// Makes `pc` a shell that holds a new object of this class.
  static void install(PC pc, Mat matrix, Blocks blocks);

  MeshPreconditioner(PC pc, Mat matrix, Blocks blocks);

  /// Takes the new matrix.
  void setup();
  void apply(Vec r, Vec z);
  void apply_transposed(Vec z, Vec r);

private:
  /// One component of the velocity.
  struct Component {
    IS unknowns = nullptr;
    core::MatHandle momentum, gradient, divergence; ///< A, B and B^T of this component
    core::PcHandle incomplete;
    core::VecHandle inverse_mass, r, u, w;
  };
  void create();
  Component create_component(std::size_t component) const;
  void create_pressure_solver();
  /// phi_ = L^-1 (sum of B^T v_c - d_), v_c = u or w.
  void solve_pressure(core::VecHandle Component::*v);

  Mat matrix_;
  Blocks blocks_;
  std::string prefix_;
  std::vector<Component> components_;
  core::MatHandle laplacian_;
  core::PcHandle pressure_;
  std::vector<std::pair<std::size_t, double>> alone_; ///< own pressures that are held, and their right sides
  core::VecHandle d_, phi_;
};

} // namespace rhumb::flow
