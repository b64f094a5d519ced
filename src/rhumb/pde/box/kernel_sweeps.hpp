#pragma once
/// The loops of KernelSystem.

#include <rhumb/core/vector_loop.hpp>
#include <rhumb/pde/box/kernel_calls.hpp>
#include <rhumb/pde/box/kernel_system.hpp>

namespace rhumb::box {

template <class Derived, int F>
Point KernelSystem<Derived, F>::point(PetscInt owned, double t) const {
  const auto ijk = box_.point(owned);
  const auto x = box_.position(ijk);
  return {x[0], x[1], x[2], t, box_.sides(ijk), owned};
}

template <class Derived, int F>
template <int D>
auto KernelSystem<Derived, F>::kernel_on(const Segment<D>& segment) const {
  if constexpr (requires { derived().on(segment); })
    return detail::HeldRow{derived().on(segment)};
  else
    return std::cref(derived());
}

template <class Derived, int F>
template <int D>
Spacings<D> KernelSystem<Derived, F>::inverse_spacings() const {
  Spacings<D> inverse{};
  for (int d = 0; d < D; ++d) inverse[d] = box_.inverse_spacing(static_cast<std::size_t>(d));
  return inverse;
}

/// evaluate(i, point, equation) for the points of a segment, `equation` being the kernel to call. The loop over inner
/// points has no branch, and works on a copy of `evaluate` that its stores cannot be taken to change.
template <class Derived, int F>
template <int D, class Evaluate>
RHUMB_INLINE inline void KernelSystem<Derived, F>::loop(const Segment<D>& segment, double t,
                                                        const Evaluate& evaluate) const {
  const double h = box_.spacing(0), x = segment.corner[0], y = segment.corner[1], z = segment.corner[2];
  const PetscInt first = segment.first, length = segment.length;
  if (segment.sides != 0) {
    const auto on_side = [](const auto& kernel, const auto& u, const auto& rate, const Point& p) RHUMB_INLINE_LAMBDA {
      return detail::boundary_at<typename std::decay_t<decltype(u)>::Scalar, F>(kernel, u, rate, p);
    };
    const Evaluate apart = evaluate; // else the other loop's would have to lie in memory as well
    for (PetscInt i = 0; i < length; ++i)
      apart(i, Point{x + static_cast<double>(i) * h, y, z, t, segment.sides, first + i}, on_side);
    return;
  }
  const auto inside = [](const auto& kernel, const auto& u, const auto& rate, const Point& p) RHUMB_INLINE_LAMBDA {
    return detail::equation_at<typename std::decay_t<decltype(u)>::Scalar, F>(kernel, u, rate, p);
  };
  core::vector_loop(length, [=, body = evaluate](PetscInt i) RHUMB_INLINE_LAMBDA {
    body(i, Point{x + static_cast<double>(i) * h, y, z, t, 0, first + i}, inside);
  });
}

template <class Derived, int F>
template <int D, class Evaluate>
void KernelSystem<Derived, F>::plain_loop(const Segment<D>& segment, double t, const Evaluate& evaluate) const {
  const double h = box_.spacing(0);
  const auto [x, y, z] = segment.corner;
  for (PetscInt i = 0; i < segment.length; ++i)
    evaluate(i, Point{x + static_cast<double>(i) * h, y, z, t, segment.sides, segment.first + i});
}

/// Tables that were made for this very state serve again: all products of one linear solve share them.
template <class Derived, int F>
void KernelSystem<Derived, F>::prepare_once(double t, Vec y, const Nodal& nodal, core::Need need) {
  const Prepared now{core::contents_of(y), t, need};
  if (prepared_ && prepared_->serves(now)) return;
  prepared_.reset();
  static_cast<Derived&>(*this).prepare(t, nodal, need);
  prepared_ = now;
}

template <class Derived, int F>
template <class Visit>
void KernelSystem<Derived, F>::sweep(double t, Vec y, const double* owned, core::Need need, Visit&& visit) {
  const Nodal nodal{owned, halo_.data()};
  const auto visit_part = [&](Part part) {
    switch (box_.shape().dimension()) {
    case 1:
      box_.for_each_segment<1>(part, [&](const Segment<1>& s) { visit(s, nodal); });
      break;
    case 2:
      box_.for_each_segment<2>(part, [&](const Segment<2>& s) { visit(s, nodal); });
      break;
    default:
      box_.for_each_segment<3>(part, [&](const Segment<3>& s) { visit(s, nodal); });
    }
  };
  halo_.begin(y);
  if constexpr (requires(Derived & d) { d.prepare(t, nodal, need); }) {
    halo_.end(y);
    prepare_once(t, y, nodal, need);
    visit_part(Part::inner);
  } else {
    (void)need;
    visit_part(Part::inner);
    halo_.end(y);
  }
  if (box_.has_halo()) visit_part(Part::outer);
}

template <class Derived, int F>
void KernelSystem<Derived, F>::residual(double t, Vec y, Vec ydot, Vec residual) {
  const core::Readable owned(y), rates(ydot);
  const core::Writable out(residual);
  sweep(t, y, owned.begin(), core::Need::values, [&]<int D>(const Segment<D>& segment, const Nodal& nodal) {
    const auto kernel = kernel_on(segment);
    const double *owned_row = owned.begin() + segment.first * F, *rate_row = rates.begin() + segment.first * F;
    double* out_row = out.begin() + segment.first * F;
    if constexpr (requires { kernel.get().held_value(Point{}); })
      if (detail::held(kernel.get(), segment.sides)) {
        for (PetscInt i = 0; i < segment.length; ++i)
          out_row[i] = owned_row[i] - kernel.get().held_value({.sides = segment.sides, .index = segment.first + i});
        return;
      }
    const View<F, D> view(segment, nodal);
    const auto inverse_h = inverse_spacings<D>();
    loop(segment, t, [=](PetscInt i, const Point& p, auto equation) RHUMB_INLINE_LAMBDA {
      Values rate;
      for (int f = 0; f < F; ++f) rate[f] = rate_row[i * F + f];
      const auto result = equation(kernel.get(), load(view, i, inverse_h), rate, p);
      for (int f = 0; f < F; ++f) out_row[i * F + f] = result[f];
    });
  });
}

template <class Derived, int F>
void KernelSystem<Derived, F>::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  std::exception_ptr failure; // assembling is collective: a rank that failed takes part and fails afterwards
  try {
    fill_jacobian(t, y, ydot, alpha, jacobian);
  } catch (...) {
    failure = std::current_exception();
  }
  core::check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  core::check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
  if (failure) std::rethrow_exception(failure);
}

template <class Derived, int F>
void KernelSystem<Derived, F>::fill_jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  const core::Readable owned(y), rates(ydot);
  sweep(t, y, owned.begin(), core::Need::derivatives, [&]<int D>(const Segment<D>& segment, const Nodal& nodal) {
    const View<F, D> view(segment, nodal);
    const auto inverse_h = inverse_spacings<D>();
    const auto kernel = kernel_on(segment);
    const double* rate_row = rates.begin() + segment.first * F;
    plain_loop(segment, t, [&](PetscInt i, const Point& p) {
      // u' = alpha u + beta in the corrector, so u' is a variable of the point's own slot with slope alpha.
      using S = RowDual<F, D>;
      std::array<S, static_cast<std::size_t>(F)> rate;
      for (int f = 0; f < F; ++f) rate[f] = S::variable(rate_row[i * F + f], f, alpha);
      const auto u = load_variables(view, i, inverse_h);
      set_rows<D>(segment, i, detail::rows_at<S, F>(kernel.get(), u, rate, p), jacobian);
    });
  });
}

template <class Derived, int F>
template <int D>
void KernelSystem<Derived, F>::set_rows(const Segment<D>& segment, PetscInt i, const std::array<RowDual<F, D>, F>& rows,
                                        Mat jacobian) const {
  const auto node = [&](const NeighbourRow& ijk) {
    return ijk.in_halo ? box_.halo_nodes()[ijk.index + i] : box_.first_node() + ijk.index + i;
  };
  constexpr auto width = static_cast<std::size_t>(slots<D> * F);
  std::array<PetscInt, slots<D>> nodes;
  nodes[0] = box_.first_node() + segment.first + i;
  for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d) {
    nodes[1 + 2 * d] = node(segment.minus[d]);
    nodes[2 + 2 * d] = node(segment.plus[d]);
  }
  std::array<PetscInt, width> columns;
  std::array<PetscInt, static_cast<std::size_t>(F)> row_indices;
  std::array<double, width* static_cast<std::size_t>(F)> values;
  for (std::size_t f = 0; f < static_cast<std::size_t>(F); ++f) {
    row_indices[f] = nodes[0] * F + static_cast<PetscInt>(f);
    std::copy(rows[f].derivatives.begin(), rows[f].derivatives.end(),
              values.begin() + static_cast<std::ptrdiff_t>(f * width));
  }
  for (std::size_t slot = 0; slot < nodes.size(); ++slot)
    for (std::size_t f = 0; f < static_cast<std::size_t>(F); ++f)
      columns[slot * F + f] = nodes[slot] * F + static_cast<PetscInt>(f);
  // At a mirror both neighbours are one point: its entry is the sum. PETSc passes over negative columns.
  for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d)
    if (const std::size_t low = (1 + 2 * d) * F, high = (2 + 2 * d) * F; nodes[1 + 2 * d] == nodes[2 + 2 * d])
      for (std::size_t f = 0; f < static_cast<std::size_t>(F); ++f) {
        for (std::size_t r = 0; r < static_cast<std::size_t>(F); ++r)
          values[r * width + low + f] += values[r * width + high + f];
        columns[high + f] = -1;
      }
  core::check(MatSetValues(jacobian, F, row_indices.data(), static_cast<PetscInt>(width), columns.data(), values.data(),
                           INSERT_VALUES));
}

/// Slopes of F where u' has the slope ydot_rate v and u those that `loader(segment, nodal)(i)` gives; of_held v where u
/// is held.
template <class Derived, int F>
template <class Loader>
void KernelSystem<Derived, F>::sweep_along(double t, Vec y, Vec ydot, double ydot_rate, double of_held, Vec v,
                                           Vec product, Loader&& loader) {
  const core::Readable owned(y), rates(ydot), along(v);
  const core::Writable out(product);
  sweep(t, y, owned.begin(), core::Need::derivatives, [&]<int D>(const Segment<D>& segment, const Nodal& nodal) {
    const auto kernel = kernel_on(segment);
    if (detail::held(kernel.get(), segment.sides)) {
      for (PetscInt i = segment.first * F; i < (segment.first + segment.length) * F; ++i)
        out.begin()[i] = of_held * along.begin()[i];
      return;
    }
    const auto load_u = loader(segment, nodal, inverse_spacings<D>());
    const double *rate_row = rates.begin() + segment.first * F, *along_row = along.begin() + segment.first * F;
    double* out_row = out.begin() + segment.first * F;
    loop(segment, t, [=](PetscInt i, const Point& p, auto equation) RHUMB_INLINE_LAMBDA {
      std::array<core::Dual<1>, static_cast<std::size_t>(F)> rate;
      for (int f = 0; f < F; ++f)
        rate[f] = core::Dual<1>::variable(rate_row[i * F + f], 0, ydot_rate * along_row[i * F + f]);
      const auto result = equation(kernel.get(), load_u(i), rate, p);
      for (int f = 0; f < F; ++f) out_row[i * F + f] = result[f].derivatives[0];
    });
  });
}

template <class Derived, int F>
void KernelSystem<Derived, F>::product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) {
  if (!halo_along_) halo_along_.emplace(box_);
  halo_along_->update(v);
  const core::Readable along(v);
  const Nodal direction{along.begin(), halo_along_->data()};
  sweep_along(t, y, ydot, alpha, 1.0, v, product,
              [&]<int D>(const Segment<D>& segment, const Nodal& nodal, const Spacings<D>& inverse_h) {
                return [value = View<F, D>(segment, nodal), derivative = View<F, D>(segment, direction), inverse_h](
                           PetscInt i) RHUMB_INLINE_LAMBDA { return load_along(value, derivative, i, inverse_h); };
              });
}

template <class Derived, int F>
void KernelSystem<Derived, F>::mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) {
  sweep_along(t, y, ydot, 1.0, 0.0, v, product,
              []<int D>(const Segment<D>& segment, const Nodal& nodal, const Spacings<D>& inverse_h) {
                return [value = View<F, D>(segment, nodal), inverse_h](PetscInt i)
                           RHUMB_INLINE_LAMBDA { return load_constants<core::Dual<1>>(value, i, inverse_h); };
              });
}

} // namespace rhumb::box
