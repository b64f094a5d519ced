#pragma once
/// The PDE's rows at a node, on control volumes that end half way between nodes: with A = x^m on the faces, V the
/// integral of x^m over the volume, and b = c u_t - s (`balance`),
///
///   [ V_- ((1 - theta) b_i + theta b_{i-1}) + V_+ ((1 - theta) b_i + theta b_{i+1}) ] / V = (A_+ f_+ - A_- f_-) / V ,
///
/// V_- and V_+ being the volume's parts in the two cells. At a node that moves u_t = u' - u_x x' (BCP (6.5.6a)), with
/// u_x the difference quotient of the cell. theta = 0 lumps b at the node; theta = 1/6 is of order four for diffusion
/// on uniform meshes (Numerov); all are of order two on meshes whose cells vary smoothly, and for any theta the sum of
/// V u changes by the fluxes through the ends alone when c = 1, s = 0, m = 0.
///
/// At an end with a flux the volume is half a cell and the flux is -p/q.

#include <rhumb/pde/moving/pde.hpp>
#include <rhumb/pde/moving/window.hpp>

namespace rhumb::moving {

template <class S, int n>
using Values = std::array<S, static_cast<std::size_t>(n)>;

/// x^m.
template <class S>
S area(const S& x, int m) {
  return m == 0 ? S(1.0) : m == 1 ? x : S(x * x);
}

/// Integral of x^m from a to b.
template <class S>
S volume(const S& a, const S& b, int m) {
  if (m == 0) return b - a;
  if (m == 1) return 0.5 * (b - a) * (a + b);
  return (b - a) * (a * a + a * b + b * b) / 3.0;
}

/// The point in the middle of a cell.
template <class S, int n>
Point<S, n> middle(const Node<S, n>& a, const Node<S, n>& b, double t) {
  Point<S, n> at;
  at.x = 0.5 * (a.x + b.x);
  at.t = t;
  const S inverse = 1.0 / (b.x - a.x);
  for (std::size_t k = 0; k < at.u.size(); ++k) {
    at.u[k] = 0.5 * (a.u[k] + b.u[k]);
    at.ux[k] = (b.u[k] - a.u[k]) * inverse;
  }
  return at;
}

/// A node as a point, with the slope that some cell beside it has.
template <class S, int n>
Point<S, n> point_at(const Node<S, n>& node, const Values<S, n>& ux, double t) {
  Point<S, n> at;
  at.x = node.x;
  at.t = t;
  at.u = node.u;
  at.ux = ux;
  for (std::size_t k = 0; k < ux.size(); ++k) at.ut[k] = node.u_rate[k] - ux[k] * node.x_rate;
  return at;
}

/// u_x between two nodes.
template <class S, int n>
Values<S, n> quotient(const Node<S, n>& a, const Node<S, n>& b) {
  const S inverse = 1.0 / (b.x - a.x);
  Values<S, n> ux;
  for (std::size_t k = 0; k < ux.size(); ++k) ux[k] = (b.u[k] - a.u[k]) * inverse;
  return ux;
}

/// u_x at the window's node: between its neighbours, or of the only cell at an end.
template <class S, int n, int W>
Values<S, n> gradient(const Window<S, n, W>& w) {
  return quotient(w.at_left() ? w(0) : w(-1), w.at_right() ? w(0) : w(1));
}

/// (A_+ f_+ - A_- f_-) / V, and which rows belong to an end's p = 0 instead.
template <class S, int n>
struct Fluxes {
  Values<S, n> divergence{};
  std::array<bool, static_cast<std::size_t>(n)> given{};
  Values<S, n> end_row{};
  S left_volume{}, right_volume{}; ///< V_-, V_+

  S volume() const { return left_volume + right_volume; }

  /// The flux through an end is -p/q; q = 0 makes the row p = 0.
  Values<S, n> through(const End<S, n>& end) {
    Values<S, n> flux{};
    for (std::size_t k = 0; k < flux.size(); ++k) {
      given[k] = end.q[k] == 0.0;
      if (given[k])
        end_row[k] = end.p[k];
      else
        flux[k] = -end.p[k] / end.q[k];
    }
    return flux;
  }
};

template <class Pde, class S, int n, int W>
Fluxes<S, n> fluxes(const Pde& pde, const Window<S, n, W>& w, double t, int m) {
  Fluxes<S, n> out;
  const auto& here = w(0);
  const S from = w.at_left() ? here.x : S(0.5 * (w(-1).x + here.x));
  const S to = w.at_right() ? here.x : S(0.5 * (here.x + w(1).x));
  out.left_volume = volume(from, here.x, m);
  out.right_volume = volume(here.x, to, m);
  const auto end = [&] { return point_at(here, gradient(w), t); };
  const Values<S, n> left = w.at_left() ? out.through(pde.left(end())) : pde.flux(middle(w(-1), here, t));
  const Values<S, n> right = w.at_right() ? out.through(pde.right(end())) : pde.flux(middle(here, w(1), t));
  const S inverse = 1.0 / out.volume(), left_area = area(from, m), right_area = area(to, m);
  for (std::size_t k = 0; k < left.size(); ++k)
    out.divergence[k] = (right_area * right[k] - left_area * left[k]) * inverse;
  return out;
}

/// The PDE's rows F = 0 at the window's node.
template <class Pde, class S, int n, int W>
Values<S, n> pde_rows(const Pde& pde, const Window<S, n, W>& w, double t, int m, double theta) {
  const Fluxes<S, n> through = fluxes(pde, w, t, m);
  Values<S, n> sum{};
  for (const int side : {-1, 1}) {
    if (!w.has(side)) continue;
    const auto ux = side < 0 ? quotient(w(-1), w(0)) : quotient(w(0), w(1));
    Values<S, n> share = pde.balance(point_at(w(0), ux, t));
    if (theta > 0.0) {
      const Values<S, n> beside = pde.balance(point_at(w(side), ux, t));
      for (std::size_t k = 0; k < share.size(); ++k) share[k] += theta * (beside[k] - share[k]);
    }
    const S& part = side < 0 ? through.left_volume : through.right_volume;
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += part * share[k];
  }
  const S inverse = 1.0 / through.volume();
  Values<S, n> rows;
  for (std::size_t k = 0; k < rows.size(); ++k)
    rows[k] = through.given[k] ? through.end_row[k] : S(sum[k] * inverse - through.divergence[k]);
  return rows;
}

/// u_t of a PDE that is explicit in it, c diagonal: what `balance` and the fluxes leave for it.
template <class Pde, class S, int n, int W>
Values<S, n> explicit_rate(const Pde& pde, const Window<S, n, W>& w, const Fluxes<S, n>& through, double t) {
  auto at = point_at(w(0), gradient(w), t);
  at.ut = {};
  const Values<S, n> without = pde.balance(at);
  at.ut.fill(S(1.0));
  const Values<S, n> with = pde.balance(at);
  Values<S, n> rate;
  for (std::size_t k = 0; k < rate.size(); ++k) rate[k] = (through.divergence[k] - without[k]) / (with[k] - without[k]);
  return rate;
}

} // namespace rhumb::moving
