#pragma once
/// Multigrid for the whole iteration matrix, for steps so long that block factorizations fail: levels of merged cells
/// (cell_line.hpp), Braess and Sarazin's smoother (coupled_level.hpp), and a K-cycle (Notay and Vassilevski 2008): each
/// coarse problem is solved by at most two steps of a minimal residual method that the next level preconditions, the
/// coarsest by factors. The steps make it a little less than linear; GMRES around it has not been seen to mind.

#include <rhumb/physics/flow/coupled_transfer.hpp>

namespace rhumb::flow {

class CoupledMultigrid {
public:
  explicit CoupledMultigrid(const Equations& equations);

  /// Takes the state and alpha of a new matrix.
  void set_up(double t, Vec y, double alpha);
  /// One cycle: r to x.
  void cycle(const SplitVec& r, const SplitVec& x) { descend(0, r, x); }
  CoupledLevel& finest() { return *finest_; }
  std::size_t levels() const { return transfers_.size() + 1; }

private:
  /// Vectors of a level that its cycle needs, and those of the minimal residual steps around it.
  struct Workspace {
    SplitVec rest, r, x, direction, image, second_direction, second_image;
  };
  void create_levels(const Case& flow_case);
  CoupledLevel& level(std::size_t number) { return number == 0 ? *finest_ : transfers_[number - 1]->coarse(); }
  void descend(std::size_t number, const SplitVec& r, const SplitVec& x);
  void minimize(std::size_t number);

  std::unique_ptr<CoupledLevel> finest_;
  std::vector<std::unique_ptr<CoupledTransfer>> transfers_;
  std::vector<Workspace> work_;
};

} // namespace rhumb::flow
