#pragma once
/// Is a system's Jacobian right? It is compared with differences of F, once with the increments that a matrix by
/// differences has, which follow the tolerances, and once with increments that follow the largest value of each field:
/// the former are lost in rounding where a field is zero, the latter may be too large for strong nonlinearities. An
/// entry is wrong where it disagrees with both.

#include <rhumb/dae/weights.hpp>

namespace rhumb::bdf {

/// `given` is alpha dF/dy' + dF/dy at (t, y, ydot), `residual` is F there. Throws core::BadInput on all ranks, naming
/// the first wrong entry of a rank.
void check_jacobian(dae::GuardedSystem& system, const dae::Weights& weights, Mat given, double t, Vec y, Vec ydot,
                    double alpha, Vec residual);

} // namespace rhumb::bdf
