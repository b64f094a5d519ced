#pragma once
/// Between a level of coupled multigrid and the next coarser one: corrections come up by linear interpolation, zero at
/// walls; residuals of momentum go down by the adjoint of interpolation that is linear along the component and constant
/// across it, those of continuity summed over the children of a cell, both weighted with control volumes; the state goes
/// down as means of fluxes over the fine faces on a coarse one. A coarse level that is not worth the messages lives on
/// every rank; its right side is then summed over the ranks.

#include <rhumb/physics/flow/cell_blocks.hpp>
#include <rhumb/physics/flow/cell_line.hpp>
#include <rhumb/physics/flow/coupled_level.hpp>

namespace rhumb::flow {

class CoupledTransfer {
public:
  /// Makes the coarser level, of lines merged up to widths of `limit`.
  CoupledTransfer(const Case& flow_case, const CoupledLevel& fine, double limit);

  /// Whether any line of the level could be merged so.
  static bool merges(const CoupledLevel& fine, double limit);

  CoupledLevel& coarse() { return *coarse_; }
  void restrict_state();
  void restrict_residual(const SplitVec& fine, const SplitVec& coarse) const;
  /// Adds to the fine one.
  void prolongate(const SplitVec& coarse, const SplitVec& fine) const;

private:
  /// Of one direction: up to two coarse positions and their weights.
  struct Stencil {
    std::array<PetscInt, 2> at{};
    std::array<double, 2> weight{};
  };
  enum class Order : std::uint8_t { linear, constant };
  enum class Rows : std::uint8_t { interpolation, restriction, state };
  void create_coarse(const Case& flow_case);
  Stencil along_faces(int direction, PetscInt face) const;
  Stencil across(int direction, PetscInt cell, Order order, int field) const;
  Stencil stencil(int direction, const Index& cell, int field, Rows rows) const;
  core::MatHandle create_matrix(Rows rows) const;
  template <class Emit>
  void for_each_entry(Rows rows, Emit&& emit) const;
  template <class Emit>
  void entries_of_row(Rows rows, int field, const Index& cell, Emit&& emit) const;
  MPI_Comm comm() const;
  core::IsHandle rows_of(IS unknowns) const;
  void weight_restriction(Mat matrix) const;
  void weight_state();
  void sum_over_ranks(Vec coarse) const;
  void down(Mat matrix, Vec fine, Vec coarse) const;
  void up(Mat matrix, Vec coarse, Vec fine) const;

  const CoupledLevel& fine_;
  std::array<CoarsenedLine, 3> closed_lines_, open_lines_; ///< interpolation to a flat end, to zero at the end
  std::unique_ptr<CoupledLevel> coarse_;
  bool gathered_ = false; ///< the coarse level is on every rank
  core::MatHandle velocity_up_, pressure_up_, velocity_down_, pressure_down_, state_down_;
};

} // namespace rhumb::flow
