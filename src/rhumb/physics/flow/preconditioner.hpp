#pragma once
/// The preconditioner of the iteration matrix G = [A C; C^T 0], A = alpha I + N' + K: the full block factorization of G
/// with A^-1 by sweeps (or, for longer steps, incomplete factors), and with A C ~ C A_p (pressure convection-diffusion), A_p = alpha I + N_p + nu L:
///   u* = A^-1 r_u,   d = C^T u* - r_p,   L phi = d,   u = u* - C phi,   p = A_p phi.
/// One approximate solve with A, one exact solve with the pressure Laplacian L = C^T C, no inner iteration: a fixed
/// linear operator. And C^T u = r_p holds whatever A^-1 is: Krylov's corrections to a divergence-free prediction are
/// divergence-free to rounding, however loosely the linear system is solved.
///
/// Both approximations lose where alpha is small against the rates at which the flow crosses cells. There an exact solve
/// takes over on small planes (stream_solver.hpp), else a cycle of multigrid for velocity and pressure together
/// (coupled_multigrid.hpp), whose divergence the last three steps above make exact.

#include <rhumb/physics/flow/coupled_multigrid.hpp>
#include <rhumb/physics/flow/stream_solver.hpp>
#include <rhumb/physics/flow/velocity_sweep.hpp>
#include <memory>
#include <optional>

namespace rhumb::flow {

/// Where the matrix was made last.
struct Linearization {
  double t = 0.0;
  double alpha = 1.0;
  core::VecHandle y;
};

class BlockPreconditioner {
public:
  /// Makes `pc` a shell that holds a new object of this class.
  static void install(PC pc, Mat matrix, Equations& equations, const Linearization& point);

  BlockPreconditioner(PC pc, Mat matrix, Equations& equations, const Linearization& point);

  /// Takes the new matrix, and the state and alpha it was made for.
  void setup();
  void apply(Vec r, Vec z);
  /// The transpose, step by step backwards; with steps so long that multigrid takes over, that of the blocks or of the
  /// exact solve instead.
  void apply_transposed(Vec z, Vec r);

  /// Cells that the flow crosses in the time 1/alpha, at most.
  double cells_crossed() const;

private:
  enum class Method : std::uint8_t { blocks, stream, coupled };
  void number_unknowns();
  void create_blocks();
  void take_momentum();
  void set_up_stream();
  void create_momentum_factors();
  void set_up_factors();
  void set_up_momentum(double cells);
  void index_pressures();
  template <class Emit>
  void sweep_convection(const double* y, Emit&& emit) const;
  void create_pressure_convection();
  void update_pressure_convection();
  void split(Vec r);
  Method choose(double cells) const;
  void set_up_coupled();
  void factorize();
  void cycle();
  void project();
  void join(Vec r, Vec z);
  // Transposed, in preconditioner_transposed.cpp.
  Method prepare_transposed();
  void split_transposed(Vec z);
  void project_transposed();
  void join_transposed(Vec z, Vec r);

  Mat matrix_;
  Equations& equations_;
  const Linearization& point_;
  double alpha_ = 1.0; ///< of the matrix in use: the point may have moved on since
  std::string prefix_;
  std::vector<PetscInt> transported_, pressures_; ///< own numbers of the unknowns of the two blocks
  core::IsHandle transported_set_, pressure_set_;
  core::MatHandle momentum_, gradient_, divergence_, convection_;
  core::VecHandle ru_, u_, d_, phi_, p_, volumes_;
  std::optional<VelocitySweep> sweep_;      ///< for short steps
  core::PcHandle momentum_factors_;         ///< for longer ones, of a copy of the momentum block
  bool sweeps_ = false;                     ///< with the present matrix
  std::optional<Method> method_transposed_; ///< with the present matrix, once it was asked for
  std::unique_ptr<Poisson> poisson_;
  std::unique_ptr<StreamSolver> stream_;
  std::unique_ptr<CoupledMultigrid> coupled_;
  SplitVec coupled_right_, coupled_solution_;
  /// Cells crossed beyond which the exact solve, or multigrid, is cheaper; measured on the cavity.
  double stream_from_ = 30.0, coupled_from_ = 30.0;
  Method method_ = Method::blocks;       ///< with the present matrix
  std::vector<PetscInt> pressure_index_; ///< by place
  SweepAssembly convection_assembly_;
};

} // namespace rhumb::flow
