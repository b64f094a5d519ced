#pragma once
/// How KernelSystem calls a kernel: what it may leave out, and in which form its values come back.

#include <rhumb/core/inline.hpp>
#include <rhumb/pde/box/stencil.hpp>
#include <array>
#include <cstddef>
#include <type_traits>

namespace rhumb::box::detail {

template <class Values>
inline constexpr std::size_t array_size = 0;
template <class S, std::size_t n>
inline constexpr std::size_t array_size<std::array<S, n>> = n;

/// What a kernel returned, as an array of scalars: a kernel of one field may return its value bare, and any kernel plain
/// numbers.
template <class S, int F, class Values>
RHUMB_INLINE inline std::array<S, static_cast<std::size_t>(F)> as_array(const Values& values) {
  constexpr auto fields = static_cast<std::size_t>(F);
  constexpr bool silent = !std::is_same_v<S, double>; // one scalar's error is enough
  std::array<S, fields> out{};
  if constexpr (array_size<Values> == fields) {
    for (std::size_t f = 0; f < fields; ++f) out[f] = values[f];
  } else if constexpr (array_size<Values> > 0) {
    static_assert(silent || array_size<Values> == fields,
                  "equation() and boundary() return one value per field: the number of "
                  "values differs from the F of KernelSystem<Self, F>");
  } else if constexpr (F > 1) {
    static_assert(silent || F == 1,
                  "equation() and boundary() of several fields return a std::array with one value per field");
  } else {
    static_assert(std::is_convertible_v<Values, S>, "equation() and boundary() return a value in the scalar of u");
    out[0] = values;
  }
  return out;
}

/// A kernel kept by value, so that a loop's stores cannot be taken to change it; `get` as in std::reference_wrapper.
template <class Kernel>
struct HeldRow {
  Kernel kernel;
  RHUMB_INLINE const Kernel& get() const { return kernel; }
};
template <class Kernel>
HeldRow(Kernel) -> HeldRow<Kernel>;

/// The equations at a point: the boundary's kernel where the point lies on one and there is such a kernel.
template <class S, int F, class Kernel, class U, class Rate>
RHUMB_INLINE inline auto equation_at(const Kernel& kernel, const U& u, const Rate& rate, const Point& p) {
  return as_array<S, F>(kernel.equation(u, rate, p));
}
template <class S, int F, class Kernel, class U, class Rate>
RHUMB_INLINE inline auto boundary_at(const Kernel& kernel, const U& u, const Rate& rate, const Point& p) {
  if constexpr (requires { kernel.boundary(u, rate, p); })
    return as_array<S, F>(kernel.boundary(u, rate, p));
  else
    return as_array<S, F>(kernel.equation(u, rate, p));
}

/// Either, as the point says.
template <class S, int F, class Kernel, class U, class Rate>
auto rows_at(const Kernel& kernel, const U& u, const Rate& rate, const Point& p) {
  return p.sides != 0 ? boundary_at<S, F>(kernel, u, rate, p) : equation_at<S, F>(kernel, u, rate, p);
}

/// Whether the points on these sides are held at values: see KernelSystem.
template <class Kernel>
bool held(const Kernel& kernel, unsigned sides) {
  if constexpr (requires { kernel.held(sides); })
    return sides != 0 && kernel.held(sides);
  else
    return false;
}

} // namespace rhumb::box::detail
