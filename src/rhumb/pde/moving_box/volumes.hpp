#pragma once
/// The fields' rows with the contents q of the points' volumes as unknowns. A point's volume V is its share of the
/// simplices around it, bounded by planes through their middles; a_ij is the area vector of the plane between the corners
/// i and j of a simplex K, from i to j: a_ij = |K| (grad phi_j - grad phi_i)/(D + 1). With u_t = div f + s
///
///   q_i' = sum_K sum_j (f . a_ij + S_ij u_ij) + integral of s phi_i,   S_ij = x' . a_ij,   V_i u_i = q_i,
///
/// where S_ij u_ij is what the plane sweeps over: u from the side that it moves to, so that no volume gives more than it
/// has. Where the flux runs against it, as at a front that the mesh follows, it may come closer to the mean of both
/// sides, until f . a + S u = 0: no further, and nothing leaks ahead of the front. What one volume gains its neighbour
/// loses: the sum of q changes by s and the fluxes through the boundary alone, to rounding.

#include <rhumb/pde/moving_box/element.hpp>

namespace rhumb::moving_box {

/// What planes inside the simplex and sources take out of the volumes of its corners: rows to be added to q'.
template <class Pde, class S, int D, int C>
FieldRows<S, D, C> volume_rows(const Pde& pde, const Element<S, D, C>& e, const Shape<S, D>& shape,
                               const Array<Array<S, D>, C>& gradient, double t) {
  using Rule = SecondDegree<D>;
  FieldRows<S, D, C> rows{};
  Array<Array<S, D>, C> flux{}; // integrated
  const S weight = Rule::weight * shape.volume;
  for (std::size_t q = 0; q <= D; ++q) {
    Array<double, D + 1> barycentric;
    for (std::size_t a = 0; a <= D; ++a) barycentric[a] = Rule::coordinate(q, a);
    auto at = at_point(e, gradient, barycentric, t);
    at.ut = {};
    const Terms<S, D, C> f = pde.terms(at);
    for (std::size_t c = 0; c < C; ++c) {
      for (std::size_t a = 0; a <= D; ++a) rows[a][c] += weight * barycentric[a] * f.source[c];
      for (std::size_t d = 0; d < D; ++d) flux[c][d] += weight * f.flux[c][d];
    }
  }
  Array<S, D> speed{};
  for (std::size_t a = 0; a <= D; ++a)
    for (std::size_t d = 0; d < D; ++d) speed[d] += e.xdot[a][d] * (1.0 / (D + 1));
  for (std::size_t i = 0; i <= D; ++i)
    for (std::size_t j = i + 1; j <= D; ++j) {
      S swept = 0.0;
      Array<S, D> across; // a_ij / |K|
      for (std::size_t d = 0; d < D; ++d) {
        across[d] = (shape.gradient[j][d] - shape.gradient[i][d]) * (1.0 / (D + 1));
        swept += shape.volume * across[d] * speed[d];
      }
      for (std::size_t c = 0; c < C; ++c) {
        S gain = 0.0;
        for (std::size_t d = 0; d < D; ++d) gain += across[d] * flux[c][d];
        const S& from = core::value_of(swept) > 0.0 ? e.u[j][c] : e.u[i][c];
        gain += swept * from;
        const S missing = swept * (0.5 * (e.u[i][c] + e.u[j][c]) - from);
        if (core::value_of(gain) * core::value_of(missing) < 0.0)
          gain += std::abs(core::value_of(missing)) < std::abs(core::value_of(gain)) ? missing : S(-gain);
        rows[i][c] -= gain;
        rows[j][c] += gain;
      }
    }
  return rows;
}

} // namespace rhumb::moving_box
