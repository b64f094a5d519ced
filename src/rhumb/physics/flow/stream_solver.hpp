#pragma once
/// An exact solve with G = [A C; C^T 0] in the plane, for steps so long that block factorizations fail. Velocities
/// without divergence are curls, u = Z psi; their test functions W = V Z (V: control volumes) do not see the pressure,
/// W^T C = 0. So
///   C^T u_0 = r_p:  u_0 = given values - C L^-1 (...),
///   (W^T A Z) psi = W^T (r_u - A u_0),   u = u_0 + Z psi,   L p = C^T (r_u - A u).
/// The matrix W^T A Z has a third of G's unknowns, no saddle point and the stencil of a biharmonic operator: its
/// factors cost a fraction of G's, and C^T u = r_p holds to rounding whatever they are.

#include <rhumb/physics/flow/poisson.hpp>
#include <rhumb/physics/flow/stream_nodes.hpp>
#include <string>

namespace rhumb::flow {

class StreamSolver {
public:
  /// Blocks of the iteration matrix; the momentum block changes from setup to setup, the others are constant.
  struct Blocks {
    Mat momentum, divergence, gradient;
  };
  /// Whether the grid is a plane that is small enough to factor.
  static bool fits(const Equations& equations);
  /// In sweeps back there is no multigrid instead, and each rank may hold the factors of larger planes.
  static bool fits_transposed(const Equations& equations);

  /// `transported`: own numbers of the rows of the momentum block, borrowed. Options under <prefix>fieldsplit_stream_.
  StreamSolver(const Equations& equations, std::span<const PetscInt> transported, const Blocks& blocks,
               const Poisson& poisson, const std::string& prefix);

  /// Takes the new momentum block.
  void setup();
  /// r_u, r_p (its entries of solid cells zero) to u, p. The pressure's constant is free; r_p is overwritten.
  void solve(Vec ru, Vec rp, Vec u, Vec p) const;
  /// The transpose of that map, u and p (of mean zero) to r_u and r_p; both are overwritten.
  void solve_transposed(Vec u, Vec p, Vec ru, Vec rp) const;

private:
  /// What a row of the momentum block is to psi: a face whose flow is free, a value given, or one of its own.
  enum class Role : std::uint8_t { curl, given, explicit_row };
  void assign_roles();
  void create_matrices();
  void create_curl();
  void create_solver(const std::string& prefix);

  const Equations& equations_;
  std::span<const PetscInt> transported_;
  Blocks blocks_;
  const Poisson& poisson_;
  std::vector<Role> roles_; ///< by row
  PetscInt owned_rows_ = 0; ///< with a role of their own
  core::MatHandle curl_, test_, product_, reduced_;
  core::VecHandle residual_, work_, diagonal_, rhs_, psi_;
  core::KspHandle solver_;
};

} // namespace rhumb::flow
