#pragma once
/// The scalars of this room: plain numbers for residuals, duals for exact Jacobians.
///
/// What depends on temperature alone (heat capacities, rate coefficients, binary diffusion) is computed with one
/// direction and then spread over all: a mechanism has many such functions, and their derivatives are all multiples of
/// the slope of T.

#include "core/dual.hpp"
#include <concepts>

namespace rhumb::combustion {

/// Directions that one pass of a Jacobian takes: the unknowns of a node, in pieces of this width.
inline constexpr int pass_width = 16;
using Slopes = core::Dual<pass_width>;

using core::value_of;

/// T as the only variable: a plain number stays one.
inline double alone(double T) {
  return T;
}
template <int N>
core::Dual<1> alone(const core::Dual<N>& T) {
  return core::Dual<1>::variable(T.value, 0);
}

/// f(T), computed from `alone(T)`, with the slopes of T.
inline double spread(double f, double) {
  return f;
}
template <int N>
core::Dual<N> spread(const core::Dual<1>& f, const core::Dual<N>& T) {
  return T.chain(f.value, f.slope[0]);
}

} // namespace rhumb::combustion
