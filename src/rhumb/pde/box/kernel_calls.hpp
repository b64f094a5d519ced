#pragma once
/// How KernelSystem calls a kernel: what it may leave out, and in which form its values come back.

#include <rhumb/core/inline.hpp>
#include <rhumb/pde/box/stencil.hpp>
#include <array>
#include <cstddef>

namespace rhumb::box::detail {

/// What a kernel returned, as an array: a kernel of one field may return its value bare.
template <class S, int F>
RHUMB_INLINE inline std::array<S, static_cast<std::size_t>(F)>
as_array(const std::array<S, static_cast<std::size_t>(F)>& values) {
  return values;
}
template <class S, int F>
requires(F == 1) RHUMB_INLINE inline std::array<S, 1> as_array(const S& value) {
  return {value};
}

/// A kernel kept by value, so that a loop's stores cannot be taken to change it; `get` as in std::reference_wrapper.
template <class Kernel>
struct Held {
  Kernel kernel;
  RHUMB_INLINE const Kernel& get() const { return kernel; }
};
template <class Kernel>
Held(Kernel) -> Held<Kernel>;

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

/// Whether the points on these sides are held at values: see KernelSystem.
template <class Kernel>
bool held(const Kernel& kernel, unsigned sides) {
  if constexpr (requires { kernel.held(sides); })
    return sides != 0 && kernel.held(sides);
  else
    return false;
}

} // namespace rhumb::box::detail
