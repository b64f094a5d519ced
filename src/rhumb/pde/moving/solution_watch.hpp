#pragma once
/// What a run's solution has been so far: the integrals that it started with, its smallest values, and where it first
/// turned diffusion backwards.
///
/// A coefficient that depends on u, as in the porous medium equation f = u^p u_x, becomes negative with u. Then
/// df/du_x < 0, and what should flatten grows without bound: no mesh and no tolerance helps against that.

#include <rhumb/pde/moving/profile.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rhumb::moving {

/// A cell where a flux runs up the slope.
struct BackwardDiffusion {
  double component = 0.0;
  double t = 0.0, x = 0.0;
  double u = 0.0;          ///< the smaller of the values at the cell's nodes
  double derivative = 0.0; ///< df/du_x
};

class SolutionWatch {
public:
  explicit SolutionWatch(std::size_t components) : start_(components, 0.0), lowest_(components, 0.0) {}

  /// After every accepted step. `integrals` are those of the components over the domain.
  void step(const Profile& now, const std::vector<double>& integrals, const std::optional<BackwardDiffusion>& backward);

  const std::vector<double>& integrals_at_start() const { return start_; }
  const std::vector<double>& lowest() const { return lowest_; }
  bool has_backward_diffusion() const { return found_ != 0.0; }
  /// The cause in words, and the remedy. `name` is that of the component.
  std::string cause(const std::string& name) const;
  std::size_t backward_component() const { return static_cast<std::size_t>(backward_.component); }

  std::size_t saved_state_size() const { return 2 * start_.size() + 7; }
  std::vector<double> saved_state() const;
  void restore_state(std::span<const double> values);

private:
  double begun_ = 0.0, found_ = 0.0;
  std::vector<double> start_, lowest_;
  BackwardDiffusion backward_;
};

} // namespace rhumb::moving
