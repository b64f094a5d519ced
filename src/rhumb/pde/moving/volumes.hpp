#pragma once
/// The PDE's rows with the contents q of the nodes' volumes (balance.hpp) as unknowns. Volumes move with their faces:
///
///   V u_t = q' - (A_+ w_+ - A_- w_-),   V u = q   or   V u = max(q, 0),
///
/// w = x' u being what a face sweeps over: u from the side that the face moves to, with a limited slope (van Leer), so
/// that no volume gives more than it has. Where the flux f runs against it, as at a front that the mesh follows, w may
/// come closer to x' times the mean of both sides, until f + w = 0: no further, and nothing leaks ahead of the front.
///
/// The sum of q changes by the fluxes through the ends alone, to rounding, for c = 1 and s = 0. With max(q, 0) no u is
/// negative: what errors in time take too much from an empty volume stays a debt of its content, which the PDE never
/// sees.

#include <rhumb/pde/moving/balance.hpp>

namespace rhumb::moving {

/// u_x at node k of the window, limited: zero at extrema and at the ends.
template <class S, int n, int W>
Values<S, n> limited_slope(const Window<S, n, W>& w, int k) {
  Values<S, n> slope{};
  if (!w.has(k - 1) || !w.has(k + 1)) return slope;
  const auto left = quotient(w(k - 1), w(k)), right = quotient(w(k), w(k + 1));
  for (std::size_t i = 0; i < slope.size(); ++i)
    if (core::value_of(left[i]) * core::value_of(right[i]) > 0.0)
      slope[i] = 2.0 * left[i] * right[i] / (left[i] + right[i]);
  return slope;
}

/// A w of the face between node k and node k + 1.
template <class Pde, class S, int n, int W>
Values<S, n> swept(const Pde& pde, const Window<S, n, W>& w, int k, double t, int m) {
  const auto at = middle(w(k), w(k + 1), t);
  const S speed = 0.5 * (w(k).x_rate + w(k + 1).x_rate), h = w(k + 1).x - w(k).x, face = area(at.x, m);
  const bool to_the_right = core::value_of(speed) > 0.0;
  const int side = to_the_right ? k + 1 : k;
  const auto slope = limited_slope(w, side);
  const Values<S, n> flux = pde.flux(at);
  Values<S, n> through;
  for (std::size_t i = 0; i < through.size(); ++i) {
    const S value = w(side).u[i] + (to_the_right ? -0.5 : 0.5) * h * slope[i];
    const S net = flux[i] + speed * value, missing = speed * (at.u[i] - value); // what the mean of both sides would add
    S added(0.0);
    if (core::value_of(net) * core::value_of(missing) < 0.0)
      added = std::abs(core::value_of(missing)) < std::abs(core::value_of(net)) ? missing : S(-net);
    through[i] = face * (speed * value + added);
  }
  return through;
}

/// V u - q = 0 (rows of u) and the PDE's rows F = 0 (rows of q) at the window's node, in units of the mean volume.
template <class Pde, class S, int n, int W>
std::array<Values<S, n>, 2> volume_rows(const Pde& pde, const Window<S, n, W>& w, double t, int m, double mean_volume,
                                        bool nonnegative) {
  static_assert(W >= 2, "the limited slope of a neighbour sees its neighbours");
  const Fluxes<S, n> through = fluxes(pde, w, t, m);
  const Values<S, n> right = w.at_right() ? Values<S, n>{} : swept(pde, w, 0, t, m),
                     left = w.at_left() ? Values<S, n>{} : swept(pde, w, -1, t, m);
  const S V = through.volume(), inverse = 1.0 / V;
  auto at = point_at(w(0), gradient(w), t);
  for (std::size_t k = 0; k < right.size(); ++k)
    at.ut[k] = (mean_volume * w(0).content_rate[k] - (right[k] - left[k])) * inverse;
  const Values<S, n> sum = pde.balance(at);
  std::array<Values<S, n>, 2> rows;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const bool debt = nonnegative && core::value_of(w(0).content[k]) < 0.0;
    S definition = V * w(0).u[k] * (1.0 / mean_volume);
    if (!debt) definition -= w(0).content[k];
    const S row = through.given[k] ? through.end_row[k] : S(V * (sum[k] - through.divergence[k]) * (1.0 / mean_volume));
    // The variable that a row determines stands in its place: an end's value, or the content by its rate.
    rows[0][k] = through.given[k] ? row : definition;
    rows[1][k] = through.given[k] ? definition : row;
  }
  return rows;
}

} // namespace rhumb::moving
