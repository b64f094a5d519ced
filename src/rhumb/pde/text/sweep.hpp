#pragma once
/// One evaluation at all points of a BoxSystem.

#include <rhumb/core/agreement.hpp>
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
      : uniforms(system.uniforms(t)), halo_(system.halo_dm_), parallel_(core::size_of(system.box_.comm()) > 1) {
    uniforms.alpha = alpha;
    inputs.neighbour = system.neighbours();
    inputs.values = with_halo(y, system.local_values_, values_, &system.values_with_halo_);
    if (v != nullptr) inputs.direction = with_halo(v, system.local_direction_, direction_);
    if (ydot != nullptr) take_rates(system, ydot);
    if (system.in_equations_.empty()) return;
    reductions_ = system.reduce(*this, system.in_equations_);
    uniforms.reductions = reductions_;
    if (v != nullptr) reductions_along_ = system.reduce_along(*this);
    uniforms.reductions_along = reductions_along_;
  }

  Uniforms uniforms;
  Inputs inputs;

private:
  void take_rates(BoxSystem& system, Vec ydot) {
    const auto needs = [](const Group& group) {
      return group.equations.residual.needs_neighbours_rates() || group.equations.mass_product.needs_neighbours_rates();
    };
    if (std::ranges::any_of(system.groups_, needs)) inputs.rates = with_halo(ydot, system.local_rates_, rates_);
    owned_rates_.emplace(ydot);
    inputs.owned_rates = owned_rates_->begin();
  }

  /// On one rank what was copied last is not copied again: all products of one linear solve share a state. On several
  /// ranks the copy is collective and is always made.
  const double* with_halo(Vec global, Vec local, std::optional<core::Readable>& array,
                          core::VecVersion* last = nullptr) {
    const auto now = core::contents_of(global);
    const bool known = last != nullptr && *last == now;
    if (!known || parallel_) core::check(DMGlobalToLocal(halo_, global, INSERT_VALUES, local));
    if (last != nullptr) *last = now;
    return array.emplace(local).begin();
  }
  DM halo_;
  bool parallel_;
  std::vector<double> reductions_, reductions_along_;
  std::optional<core::Readable> values_, rates_, direction_, owned_rates_;
};

} // namespace rhumb::text
