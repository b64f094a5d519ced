#pragma once
/// One evaluation at all points of a BoxSystem.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/pde/text/box_system.hpp>
#include <algorithm>
#include <optional>

namespace rhumb::text {

/// Halos are filled when it is made; arrays are given back when it ends.
class BoxSystem::Sweep {
public:
  Sweep(BoxSystem& system, double t, double alpha, Vec y, Vec ydot, Vec v = nullptr)
      : uniforms(system.uniforms(t)), halo_(system.halo_dm_) {
    uniforms.alpha = alpha;
    inputs.neighbour = system.neighbours();
    inputs.values = with_halo(y, system.local_values_, values_, &system.values_with_halo_);
    if (v != nullptr) inputs.direction = with_halo(v, system.local_direction_, direction_);
    if (ydot == nullptr) return;
    const auto needs = [](const Group& group) {
      return group.equations.residual.needs_neighbours_rates() || group.equations.mass_product.needs_neighbours_rates();
    };
    if (std::ranges::any_of(system.groups_, needs)) inputs.rates = with_halo(ydot, system.local_rates_, rates_);
    owned_rates_.emplace(ydot);
    inputs.owned_rates = owned_rates_->begin();
  }

  Uniforms uniforms;
  Inputs inputs;

private:
  /// What was scattered last is not scattered again: all products of one linear solve share a state.
  const double* with_halo(Vec global, Vec local, std::optional<core::Readable>& array, core::Contents* last = nullptr) {
    const auto now = core::contents_of(global);
    if (last == nullptr || *last != now) core::check(DMGlobalToLocal(halo_, global, INSERT_VALUES, local));
    if (last != nullptr) *last = now;
    return array.emplace(local).begin();
  }
  DM halo_;
  std::optional<core::Readable> values_, rates_, direction_, owned_rates_;
};

} // namespace rhumb::text
