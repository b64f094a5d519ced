#pragma once
/// The pressure Laplacian L = C^T C of the grid, and L^-1 as a fixed linear operator. It depends on neither the time
/// step nor the velocity: it is factored (or its multigrid is set up) once per grid and never again.
///
/// Where no side fixes the pressure, L has the constant in its null space; right sides then have mean zero, since what
/// flows in flows out, and L^-1 d is the solution up to a constant, which `centre` takes out at the end.

#include <rhumb/physics/flow/equations.hpp>
#include <rhumb/physics/flow/pressure_multigrid.hpp>
#include <rhumb/physics/flow/separable.hpp>
#include <memory>

namespace rhumb::flow {

class Poisson {
public:
  /// `divergence` and `gradient` are the constant blocks of the iteration matrix.
  struct Blocks {
    Mat divergence, gradient;
  };
  /// How L^-1 is applied: by eigenvectors of each direction, by factors, by conjugate gradients with multigrid, or by
  /// what -<prefix>fieldsplit_pressure_pc_type says.
  enum class Method : std::uint8_t { diagonalization, factors, multigrid, options };
  static Method method(const Equations& equations, const std::string& prefix);

  /// `volumes` of the cells, 0 where a cell is solid. Options under <prefix>fieldsplit_pressure_: PETSc's own for KSP
  /// and PC.
  Poisson(const Equations& equations, const Blocks& blocks, Vec volumes, const std::string& prefix);

  /// L phi = d. `d` is overwritten with minus the volume-weighted right side.
  void solve(Vec d, Vec phi) const;
  /// L^T d = phi; phi is overwritten.
  void solve_transposed(Vec phi, Vec d) const;
  /// Takes out the mean over the fluid, where the constant is free.
  void centre(Vec p) const;
  void centre_transposed(Vec p) const;

private:
  void assemble(const Blocks& blocks);
  void factor_matrix(MPI_Comm comm);
  void use_multigrid(const Equations& equations);
  void iterate();
  void solve_symmetric(Vec d, Vec phi) const;
  void remove_sum(Vec d) const;

  bool closed_;
  Vec volumes_;
  double total_ = 0.0;
  core::MatHandle matrix_;
  core::KspHandle solver_;
  std::unique_ptr<SeparableLaplacian> separable_;
  std::unique_ptr<PressureMultigrid> multigrid_;
};

} // namespace rhumb::flow
