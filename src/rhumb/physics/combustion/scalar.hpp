#pragma once
/// The scalars of this room: plain numbers for residuals, duals for exact Jacobians.
///
/// What depends on temperature alone (heat capacities, rate coefficients, binary diffusion) is computed with one
/// direction and then spread over all: a mechanism has many such functions, and their derivatives are all multiples of
/// that of T.

#include <rhumb/core/dual.hpp>
#include <span>
#include <type_traits>
#include <vector>

namespace rhumb::combustion {

/// Directions that one pass of a Jacobian takes: the unknowns of a node, in pieces of this width.
inline constexpr int pass_width = 16;
using PassDual = core::Dual<pass_width>;

using core::value_of;

/// The plain number inside, to be changed.
inline double& value_in(double& a) {
  return a;
}
template <int N>
double& value_in(core::Dual<N>& a) {
  return a.value;
}

/// What comes of two scalars: a plain number only where both are.
template <class A, class B>
using Common = std::common_type_t<A, B>;

/// T as the only variable: a plain number stays one.
inline double as_single_variable(double T) {
  return T;
}
template <int N>
core::Dual<1> as_single_variable(const core::Dual<N>& T) {
  return core::Dual<1>::variable(T.value, 0);
}

/// f in the scalar of T, when it was computed in that of `as_single_variable(T)`: the chain rule.
inline double chain_to(double f, double) {
  return f;
}
template <int N>
core::Dual<N> chain_to(const core::Dual<1>& f, const core::Dual<N>& T) {
  return T.chain(f.value, f.derivatives[0]);
}

/// sum += factor x, in one loop over the derivatives. x is not the sum itself.
inline void add_multiple(double& sum, double factor, double x) {
  sum += factor * x;
}
template <int N>
void add_multiple(core::Dual<N>& sum, double factor, const core::Dual<N>& x) {
  sum.add(factor, x);
}

template <int N>
void add_multiple(core::Dual<N>& sum, const core::Dual<N>& x, double factor) {
  add_multiple(sum, factor, x);
}
template <int N>
void add_multiple(core::Dual<N>& sum, const core::Dual<N>& a, const core::Dual<N>& b) {
  sum.add(a.value, b);
  sum.add_derivatives(b.value, a);
}

/// sum += x f(T) with f in one direction; the derivative along T is kept apart in `along_T`, for `chain_along` to add once.
inline void add_product(double& sum, double& /*along_T*/, double x, double f) {
  sum += x * f;
}
template <int N>
void add_product(core::Dual<N>& sum, double& along_T, const core::Dual<N>& x, const core::Dual<1>& f) {
  add_multiple(sum, f.value, x);
  along_T += x.value * f.derivatives[0];
}
inline void chain_along(double&, double, double) {}
template <int N>
void chain_along(core::Dual<N>& sum, double along_T, const core::Dual<N>& T) {
  sum.add_derivatives(along_T, T);
}

} // namespace rhumb::combustion
