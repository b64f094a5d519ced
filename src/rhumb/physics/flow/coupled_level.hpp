#pragma once
/// One level of multigrid for the whole iteration matrix G = [A C; C^T 0]: the flow's equations on a coarser grid of the
/// same box, with a share of first-order upwinding, and Braess and Sarazin's smoother. One sweep, D = diag A:
///   u* = u + D^-1 (r_u - A u - C p) / omega
///   S phi = C^T u* - r_p,   S = C^T D^-1 C,   by sweeps of Gauss and Seidel from zero
///   u = u* - D^-1 C phi,    p += omega phi
/// (Braess and Sarazin 1997). Vectors have two parts, transported quantities and pressures.

#include <rhumb/physics/flow/equations.hpp>
#include <memory>
#include <span>

namespace rhumb::flow {

/// A vector of a level in its two parts.
struct SplitVec {
  core::VecHandle u, p;
};

class CoupledLevel {
public:
  CoupledLevel(const Case& flow_case, const Staggered& grid);
  CoupledLevel(const Case& flow_case, std::unique_ptr<Staggered> grid);

  const Staggered& grid() const { return grid_; }
  const Equations& equations() const { return equations_; }
  IS transported() const { return transported_; }
  IS pressures() const { return pressures_; }
  PetscInt cells() const;

  /// State about which the matrix is made; `set_up` takes it.
  Vec state() const { return state_; }
  void set_up(double t, double alpha);
  /// Also factors the matrix, for `solve`: of a level on one rank.
  void factor();

  SplitVec create() const;
  /// Sweeps on G x = r; from x = 0 where `initial` says so.
  enum class Initial : std::uint8_t { zero, given };
  void smooth(const SplitVec& r, const SplitVec& x, int sweeps, Initial initial);
  /// out = r - G x.
  void residual(const SplitVec& r, const SplitVec& x, const SplitVec& out);
  /// out = G x.
  void product(const SplitVec& x, const SplitVec& out);
  /// G x = r by factors.
  void solve(const SplitVec& r, const SplitVec& x);
  /// Takes the mean out of a right side's divergence, or a pressure, where the constant is free.
  void centre(Vec p) const;

private:
  void create_sets();
  void measure(std::span<const PetscInt> transported, std::span<const PetscInt> pressures);
  void create_blocks();
  void update_diagonal();
  void sweep(const SplitVec& r, const SplitVec& x, Initial initial);

  std::unique_ptr<Staggered> owned_grid_;
  const Staggered& grid_;
  Equations equations_;
  core::IsHandle transported_, pressures_;
  core::MatHandle matrix_, momentum_, gradient_, divergence_, schur_;
  core::VecHandle state_, volumes_, step_, inverse_diagonal_, ru_, work_, d_, phi_, whole_, solution_;
  core::PcHandle schur_sweeps_, factors_;
  double total_volume_ = 0.0, scale_ = 1.0;
  PetscInt held_ = -1; ///< pressure whose diagonal entry fixes the constant in the factors
};

} // namespace rhumb::flow
