#pragma once
/// The PDE's rows at a node, on control volumes that end half way between nodes: with A = x^m on the faces and
/// V = integral of x^m over the volume,
///
///   c (u' - u_x x') = (A_+ f_+ - A_- f_-) / V + s ,
///
/// since u_t = u' - u_x x' at a node that moves (BCP (6.5.6a)). At an end with a flux the volume is half a cell and the
/// flux is -p/q; second order on meshes whose cells vary smoothly.

#include "physics/movingmesh/pde.hpp"
#include "physics/movingmesh/window.hpp"

namespace rhumb::movingmesh {

/// How u_x x' is differenced.
enum class Transport : std::uint8_t {
  nodal,        ///< u_x of the node times its velocity
  conservative, ///< faces sweep over u: (A_+ (u_+ - u) x'_+ + A_- (u - u_-) x'_-) / V; the sum of V u changes by fluxes
                ///< only
};

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

/// u_x at the node in the middle of a window: between the neighbours, or of the only cell at an end.
template <class S, int n, int W>
std::array<S, static_cast<std::size_t>(n)> gradient(const Window<S, n, W>& w) {
  const auto& a = w.at_left() ? w(0) : w(-1);
  const auto& b = w.at_right() ? w(0) : w(1);
  const S inverse = 1.0 / (b.x - a.x);
  std::array<S, static_cast<std::size_t>(n)> ux;
  for (std::size_t k = 0; k < ux.size(); ++k) ux[k] = (b.u[k] - a.u[k]) * inverse;
  return ux;
}

/// What the rows of a node are made of.
template <class S, int n>
struct Terms {
  Point<S, n> at;                                          ///< the node; ut is not set
  std::array<S, static_cast<std::size_t>(n)> swept{};      ///< u_x x'
  std::array<S, static_cast<std::size_t>(n)> divergence{}; ///< x^-m d/dx(x^m f)
  std::array<bool, static_cast<std::size_t>(n)> given{};   ///< the row is an end's p = 0 ...
  std::array<S, static_cast<std::size_t>(n)> end_row{};    ///< ... with this p
};

template <class Pde, class S, int n, int W>
Terms<S, n> terms(const Pde& pde, const Window<S, n, W>& w, double t, int m, Transport transport) {
  Terms<S, n> out;
  const auto& here = w(0);
  out.at.x = here.x;
  out.at.t = t;
  out.at.u = here.u;
  out.at.ux = gradient(w);
  const S from = w.at_left() ? here.x : S(0.5 * (w(-1).x + here.x));
  const S to = w.at_right() ? here.x : S(0.5 * (here.x + w(1).x));
  const S left_area = area(from, m), right_area = area(to, m), inverse = 1.0 / volume(from, to, m);
  // What enters through the two faces; at an end f = -p/q.
  std::array<S, static_cast<std::size_t>(n)> left_flux{}, right_flux{};
  const auto end_flux = [&](const End<S, n>& end, auto& flux) {
    for (std::size_t k = 0; k < flux.size(); ++k)
      if (end.q[k] == 0.0) {
        out.given[k] = true;
        out.end_row[k] = end.p[k];
      } else {
        flux[k] = -end.p[k] / end.q[k];
      }
  };
  if (w.at_left())
    end_flux(pde.left(out.at), left_flux);
  else
    left_flux = pde.flux(middle(w(-1), here, t));
  if (w.at_right())
    end_flux(pde.right(out.at), right_flux);
  else
    right_flux = pde.flux(middle(here, w(1), t));
  for (std::size_t k = 0; k < left_flux.size(); ++k)
    out.divergence[k] = (right_area * right_flux[k] - left_area * left_flux[k]) * inverse;
  if (w.at_end()) return out;
  for (std::size_t k = 0; k < left_flux.size(); ++k)
    out.swept[k] = transport == Transport::nodal
                       ? S(out.at.ux[k] * here.x_rate)
                       : S(0.25 * inverse *
                           (right_area * (w(1).u[k] - here.u[k]) * (here.x_rate + w(1).x_rate) +
                            left_area * (here.u[k] - w(-1).u[k]) * (w(-1).x_rate + here.x_rate)));
  return out;
}

/// The rows F = 0 of the PDE for u_t = u' - swept.
template <class Pde, class S, int n>
std::array<S, static_cast<std::size_t>(n)> pde_rows(const Pde& pde, Terms<S, n> terms,
                                                    const std::array<S, static_cast<std::size_t>(n)>& u_rate) {
  for (std::size_t k = 0; k < u_rate.size(); ++k) terms.at.ut[k] = u_rate[k] - terms.swept[k];
  std::array<S, static_cast<std::size_t>(n)> rows = pde.balance(terms.at);
  for (std::size_t k = 0; k < rows.size(); ++k)
    rows[k] = terms.given[k] ? terms.end_row[k] : S(rows[k] - terms.divergence[k]);
  return rows;
}

/// u_t of a PDE that is explicit in it, c diagonal: what `balance` and the fluxes leave for it.
template <class Pde, class S, int n>
std::array<S, static_cast<std::size_t>(n)> explicit_rate(const Pde& pde, Terms<S, n> terms) {
  terms.at.ut = {};
  const std::array<S, static_cast<std::size_t>(n)> without = pde.balance(terms.at);
  terms.at.ut.fill(S(1.0));
  const std::array<S, static_cast<std::size_t>(n)> with = pde.balance(terms.at);
  std::array<S, static_cast<std::size_t>(n)> rate;
  for (std::size_t k = 0; k < rate.size(); ++k) rate[k] = (terms.divergence[k] - without[k]) / (with[k] - without[k]);
  return rate;
}

} // namespace rhumb::movingmesh
