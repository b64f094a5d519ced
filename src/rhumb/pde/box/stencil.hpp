#pragma once
/// What a kernel sees of the fields around a point, in any scalar: the point and its 2 D nearest neighbours.
///
/// Three ways to load it make three uses of one kernel: plain numbers (the residual), duals with one direction per
/// entry of the stencil (a row of the Jacobian), duals with one direction along a vector (the matrix-free product).

#include <rhumb/core/dual_in_std.hpp>
#include <rhumb/grid/box.hpp>
#include <array>

namespace rhumb::box {

using namespace grid;

/// Where and when a kernel is called.
struct Point {
  double x = 0.0, y = 0.0, z = 0.0;
  double t = 0.0;
  unsigned sides = 0; ///< bits of the sides it lies on
  PetscInt index = 0; ///< its number among this rank's points, for tables
  bool on(Side side) const { return (sides & bit(side)) != 0; }
};

/// Never called: a call that the compiler does not remove is an error with this text.
[[noreturn, gnu::error("this field index is not below the number of fields, the F of KernelSystem<Self, F>")]] void
field_index_out_of_range();

/// The index of a field in arrays; one that is known at compile time is checked there.
template <int F>
RHUMB_INLINE inline std::size_t field_index(int f) {
  if (__builtin_constant_p(f) && (f < 0 || f >= F)) field_index_out_of_range();
  return static_cast<std::size_t>(f);
}

/// F fields of scalar S at a point and its neighbours in D directions.
template <class S, int F, int D>
struct Stencil {
  using Scalar = S;
  using Values = std::array<S, static_cast<std::size_t>(F)>;
  static constexpr int directions = D;

  Values centre;
  std::array<Values, static_cast<std::size_t>(D)> minus, plus;
  std::array<double, static_cast<std::size_t>(D)> inverse_h; ///< 1 / spacing

  /// Field f at the point itself.
  RHUMB_INLINE const S& operator[](int f) const { return centre[field_index<F>(f)]; }
};

/// Second difference of field f in one direction: (u_- - 2 u + u_+) / h^2.
template <class S, int F, int D>
RHUMB_INLINE inline S second_difference(const Stencil<S, F, D>& u, int direction, int f = 0) {
  const auto d = static_cast<std::size_t>(direction), i = field_index<F>(f);
  return (u.minus[d][i] - 2.0 * u.centre[i] + u.plus[d][i]) * (u.inverse_h[d] * u.inverse_h[d]);
}

/// Sum of the second differences of field f.
template <class S, int F, int D>
RHUMB_INLINE inline S laplacian(const Stencil<S, F, D>& u, int f = 0) {
  S sum = second_difference(u, 0, f);
  for (int d = 1; d < D; ++d) sum += second_difference(u, d, f);
  return sum;
}

/// Central first difference of field f: (u_+ - u_-) / 2h. Zero on the sides across `direction`, where u is mirrored.
template <class S, int F, int D>
RHUMB_INLINE inline S gradient(const Stencil<S, F, D>& u, int direction, int f = 0) {
  const auto d = static_cast<std::size_t>(direction), i = field_index<F>(f);
  return (u.plus[d][i] - u.minus[d][i]) * (0.5 * u.inverse_h[d]);
}

/// Values at a rank's own points and at its halo.
struct Nodal {
  const double* owned = nullptr;
  const double* halo = nullptr;
};

/// The rows of numbers that a segment's stencils read: entry i F + f is field f at point i.
template <int F, int D>
struct View {
  const double* centre;
  std::array<const double*, static_cast<std::size_t>(D)> minus, plus;

  RHUMB_INLINE View(const Segment<D>& segment, const Nodal& nodal) : centre(nodal.owned + segment.first * F) {
    const auto row = [&](const NeighbourRow& neighbour) {
      return (neighbour.in_halo ? nodal.halo : nodal.owned) + neighbour.index * F;
    };
    for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d) {
      minus[d] = row(segment.minus[d]);
      plus[d] = row(segment.plus[d]);
    }
  }
};

template <int D>
using Spacings = std::array<double, static_cast<std::size_t>(D)>;

/// The slots of a stencil: 0 the point, 1 + 2d its lower neighbour in direction d, 2 + 2d its upper one.
template <int D>
inline constexpr int slots = 2 * D + 1;

/// One direction for each entry of the stencil.
template <int F, int D>
using RowDual = core::Dual<F * slots<D>>;

/// Applies make(view row, slot, field) to every entry of the stencil at point i.
template <class S, int F, int D, class Make>
RHUMB_INLINE inline Stencil<S, F, D> make_stencil(const View<F, D>& view, const Spacings<D>& inverse_h, Make&& make) {
  Stencil<S, F, D> u;
  u.inverse_h = inverse_h;
  for (int f = 0; f < F; ++f) {
    const auto n = static_cast<std::size_t>(f);
    u.centre[n] = make(view.centre, 0, f);
    for (int d = 0; d < D; ++d) {
      const auto e = static_cast<std::size_t>(d);
      u.minus[e][n] = make(view.minus[e], 1 + 2 * d, f);
      u.plus[e][n] = make(view.plus[e], 2 + 2 * d, f);
    }
  }
  return u;
}

/// Plain numbers.
template <int F, int D>
RHUMB_INLINE inline Stencil<double, F, D> load(const View<F, D>& view, PetscInt i, const Spacings<D>& inverse_h) {
  return make_stencil<double>(view, inverse_h,
                              [i](const double* row, int, int f) RHUMB_INLINE_LAMBDA { return row[i * F + f]; });
}

/// Numbers without slope in a scalar that has slopes.
template <class S, int F, int D>
RHUMB_INLINE inline Stencil<S, F, D> load_constants(const View<F, D>& view, PetscInt i, const Spacings<D>& inverse_h) {
  return make_stencil<S>(view, inverse_h,
                         [i](const double* row, int, int f) RHUMB_INLINE_LAMBDA { return S(row[i * F + f]); });
}

/// Each entry a variable of its own, direction slot F + f.
template <int F, int D>
RHUMB_INLINE inline Stencil<RowDual<F, D>, F, D> load_variables(const View<F, D>& view, PetscInt i,
                                                                const Spacings<D>& inverse_h) {
  using S = RowDual<F, D>;
  return make_stencil<S>(view, inverse_h, [i](const double* row, int slot, int f) RHUMB_INLINE_LAMBDA {
    return S::variable(row[i * F + f], slot * F + f);
  });
}

/// Values of one vector, slopes along another.
template <int F, int D>
RHUMB_INLINE inline Stencil<core::Dual<1>, F, D> load_along(const View<F, D>& view, const View<F, D>& along, PetscInt i,
                                                            const Spacings<D>& inverse_h) {
  const auto value = load(view, i, inverse_h), tangent = load(along, i, inverse_h);
  Stencil<core::Dual<1>, F, D> u;
  u.inverse_h = inverse_h;
  const auto join = [](double v, double s) RHUMB_INLINE_LAMBDA { return core::Dual<1>::variable(v, 0, s); };
  for (std::size_t f = 0; f < static_cast<std::size_t>(F); ++f) {
    u.centre[f] = join(value.centre[f], tangent.centre[f]);
    for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d) {
      u.minus[d][f] = join(value.minus[d][f], tangent.minus[d][f]);
      u.plus[d][f] = join(value.plus[d][f], tangent.plus[d][f]);
    }
  }
  return u;
}

} // namespace rhumb::box
