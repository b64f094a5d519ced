#pragma once
/// What KernelSystem finds out before the first step: initial values, first derivatives, and which entries are
/// algebraic.

#include <rhumb/pde/box/kernel_sweeps.hpp>

namespace rhumb::box {

template <class Derived, int F>
void KernelSystem<Derived, F>::fill_initial(double t, Vec y) const {
  const core::Writable values(y);
  for (PetscInt owned = 0; owned < box_.owned_nodes(); ++owned) {
    const auto start = detail::as_array<double, F>(derived().initial(point(owned, t)));
    std::copy(start.begin(), start.end(), values.begin() + owned * F);
  }
}

/// Called before the run only, so it is compiled once and not for vectors.
template <class Derived, int F>
void KernelSystem<Derived, F>::for_each_rate_derivative(double t, Vec y,
                                                        const std::function<void(PetscInt, const RateRows&)>& visit) {
  using S = core::Dual<F>;
  const core::Readable owned(y);
  sweep(t, y, owned.begin(), core::Need::values, [&]<int D>(const Segment<D>& segment, const Nodal& nodal) {
    const View<F, D> view(segment, nodal);
    const auto inverse_h = inverse_spacings<D>();
    const auto kernel = kernel_on(segment);
    std::array<S, static_cast<std::size_t>(F)> rate;
    for (int f = 0; f < F; ++f) rate[f] = S::variable(0.0, f);
    plain_loop(segment, t, [&](PetscInt i, const Point& p) {
      visit(p.index, detail::rows_at<S, F>(kernel.get(), load_constants<S>(view, i, inverse_h), rate, p));
    });
  });
}

/// y from `initial`; y' of each entry whose own equation holds it, from that equation alone: exact where dF/dy' is
/// diagonal and the boundary fits. The consistent start does the rest.
template <class Derived, int F>
void KernelSystem<Derived, F>::initial_values(double t, Vec y, Vec ydot) {
  fill_initial(t, y);
  const core::Writable rates(ydot);
  for_each_rate_derivative(t, y, [&](PetscInt owned, const RateRows& rows) {
    for (std::size_t f = 0; f < static_cast<std::size_t>(F); ++f) {
      const double derivative = rows[f].derivatives[f];
      rates[static_cast<std::size_t>(owned * F) + f] = derivative == 0.0 ? 0.0 : -rows[f].value / derivative;
    }
  });
}

template <class Derived, int F>
const std::vector<dae::Kind>& KernelSystem<Derived, F>::kinds() const {
  if (!kinds_.empty()) return kinds_;
  auto& self = const_cast<KernelSystem&>(*this); // sweeps fill halos, which no one sees from outside
  const auto y = create_vector();
  fill_initial(t_start(), y);
  std::vector<dae::Kind> found(static_cast<std::size_t>(box_.owned_nodes() * F));
  self.for_each_rate_derivative(t_start(), y, [&](PetscInt owned, const RateRows& rows) {
    for (std::size_t f = 0; f < static_cast<std::size_t>(F); ++f) {
      bool stands = false;
      for (const auto& row : rows) stands = stands || row.derivatives[f] != 0.0;
      const auto declared = fields_[f].kind;
      const bool algebraic = declared == dae::Kind::differential && !stands;
      found[static_cast<std::size_t>(owned * F) + f] = algebraic ? dae::Kind::index1 : declared;
    }
  });
  return kinds_ = std::move(found);
}

} // namespace rhumb::box
