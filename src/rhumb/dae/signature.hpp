#pragma once
/// The structural index of F(t, y, y') = 0 from the patterns of dF/dy and dF/dy': how often each equation must be
/// differentiated (Pantelides 1988; the same numbers as the canonical offsets of Pryce's signature method, 2001), and
/// how (A/h + J)^-1 grows with 1/h for matrices of this pattern with general values (BCP 7.4). For particular values
/// the true index may be higher: BCP has x' + y' + x + y = cos t, x' + y' + x + 2 y = t, of structural index 0 and
/// index 1. Pure: no vectors, no MPI.

#include <rhumb/dae/matching.hpp>

namespace rhumb::dae {

/// Where y and y' stand in the equations.
struct Signature {
  Pattern all;                ///< y_j or y'_j stands in equation i
  std::vector<char> has_rate; ///< of each entry of `all`: y'_j stands in equation i
  int size() const { return all.rows; }
  std::vector<char> rate_columns() const; ///< variables whose y' stands somewhere
};
Signature signature_of(const Pattern& values, const Pattern& rates);

/// sigma_ij <= d_j - c_i for every entry, with equality on the matching; sigma is 1 where y'_j stands in equation i, 0
/// where only y_j does.
struct Offsets {
  std::vector<int> equation;    ///< c: how often equation i is differentiated
  std::vector<int> variable;    ///< d: the highest derivative of y_j that then appears
  std::vector<int> equation_of; ///< the equation that is matched with variable j
};

/// Of a system whose pattern is structurally nonsingular; anything else has none and is an error of the caller.
Offsets offsets(const Signature& signature);

/// The power of 1/h in each variable's entry of (A/h + J)^-1 r for a general r: -1 for the variable of an ODE, k - 1 for
/// an algebraic variable of index k, and more than -1 for differential variables that constraints of index 3 rule.
std::vector<int> growth(const Signature& signature, const Offsets& offsets);

/// The index that the pencil has for general values: one more than the largest growth of any variable (Murota). The
/// number of differentiations, max c_i, may be larger: what they give need not be needed.
int structural_index(const Signature& signature, const Offsets& offsets);

} // namespace rhumb::dae
