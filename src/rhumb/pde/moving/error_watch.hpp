#pragma once
/// Looks at a run from step to step and says whether its mesh and its tolerance can give the error that is wanted.
///
/// In space: the largest h^2 |u_xx| / 8 of a cell, the error of linear interpolation.
/// In time: a step leaves about `typical` of the tolerance w. Where the solution changes by I = mean |u_t| in a unit of
/// time, that is a shift by w / I in time, which later, where the solution is faster, is an error of I w / I_then: what
/// a slow start does to an ignition and to the place of a front. Shifts add up as independent numbers do. Steps that
/// are shorter than the tolerance asks for leave nothing.

#include <rhumb/pde/moving/profile.hpp>
#include <span>
#include <string>
#include <vector>

namespace rhumb::moving {

class ErrorWatch {
public:
  struct Asked {
    double error = 0.01; ///< of u, in units of its scales
    double rtol = 1e-6, atol = 1e-6;
    std::vector<double> scales = {}; ///< of the components
    double monitor_alpha = 0.0;      ///< of a mesh that moves by a monitor; 0: of another
  };
  explicit ErrorWatch(Asked asked) : asked_(std::move(asked)) {}

  /// Before the first step.
  void set_tolerances(double rtol, double atol) {
    asked_.rtol = rtol;
    asked_.atol = atol;
  }

  /// After every accepted step. `rates` has u' along the nodes' paths in u and x' in x.
  void step(double t, const Profile& now, const Profile& rates);

  double in_space() const { return now_.space; }
  double in_time() const { return now_.time; }
  /// What to change, in words; empty where both errors are below the wanted one. `cells` are the most that were in use.
  std::string advice(double cells) const;

  /// For checkpoints.
  static constexpr std::size_t saved_state_size = 8;
  std::vector<double> saved_state() const;
  void restore_state(std::span<const double> values);

private:
  Asked asked_;
  struct State {
    double t = 0.0;                     ///< of the last step
    double begun = 0.0;                 ///< 1 after the first call
    double space = 0.0, space_at = 0.0; ///< the largest error in space and its time
    double time = 0.0;
    double errors = 0.0, shifts = 0.0; ///< sums of squares
    double width = 0.0;                ///< of the worst cell, in units of the mean cell's
  } now_;
};

} // namespace rhumb::moving
