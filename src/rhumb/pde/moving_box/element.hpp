#pragma once
/// One simplex with fields and positions at its corners, generic in the scalar: the PDE's weak form with linear
/// functions, and the monitor.

#include <rhumb/pde/moving_box/rules.hpp>
#include <rhumb/pde/moving_box/settings.hpp>

namespace rhumb::moving_box {

template <class S, int D, int C>
struct Element {
  Array<Array<S, C>, D + 1> u, udot;
  Array<Array<S, D>, D + 1> x, xdot;
};

/// Volume and gradients of the linear functions that are one at a corner and zero at the others.
template <class S, int D>
struct Shape {
  S volume;
  Array<Array<S, D>, D + 1> gradient;

  explicit Shape(const Array<Array<S, D>, D + 1>& x) {
    Array<Array<S, D>, D> e; // edges from the first corner
    for (std::size_t a = 0; a < D; ++a)
      for (std::size_t d = 0; d < D; ++d) e[a][d] = x[a + 1][d] - x[0][d];
    if constexpr (D == 2) {
      gradient[1] = {e[1][1], -e[1][0]};
      gradient[2] = {-e[0][1], e[0][0]};
    } else {
      for (std::size_t a = 0; a < 3; ++a) gradient[a + 1] = cross(e[(a + 1) % 3], e[(a + 2) % 3]);
    }
    S determinant = 0.0;
    for (std::size_t d = 0; d < D; ++d) determinant += e[0][d] * gradient[1][d];
    volume = determinant / (D == 2 ? 2.0 : 6.0);
    const S inverse = 1.0 / determinant;
    gradient[0] = {};
    for (std::size_t a = 1; a <= D; ++a)
      for (std::size_t d = 0; d < D; ++d) {
        gradient[a][d] *= inverse;
        gradient[0][d] -= gradient[a][d];
      }
  }

  static Array<S, 3> cross(const Array<S, 3>& a, const Array<S, 3>& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
};

/// The solution at a point with these barycentric coordinates.
template <class S, int D, int C>
Point<S, D, C> at_point(const Element<S, D, C>& e, const Array<Array<S, D>, C>& gradient,
                        const Array<double, D + 1>& barycentric, double t) {
  Point<S, D, C> at;
  at.t = t;
  at.grad = gradient;
  Array<S, D> speed{};
  for (std::size_t a = 0; a <= D; ++a)
    for (std::size_t d = 0; d < D; ++d) {
      at.x[d] += barycentric[a] * e.x[a][d];
      speed[d] += barycentric[a] * e.xdot[a][d];
    }
  for (std::size_t c = 0; c < C; ++c) {
    for (std::size_t a = 0; a <= D; ++a) {
      at.u[c] += barycentric[a] * e.u[a][c];
      at.ut[c] += barycentric[a] * e.udot[a][c];
    }
    for (std::size_t d = 0; d < D; ++d) at.ut[c] -= speed[d] * gradient[c][d];
  }
  return at;
}

template <class S, int D, int C>
Array<Array<S, D>, C> gradient_of(const Element<S, D, C>& e, const Shape<S, D>& shape) {
  Array<Array<S, D>, C> gradient{};
  for (std::size_t c = 0; c < C; ++c)
    for (std::size_t a = 0; a <= D; ++a)
      for (std::size_t d = 0; d < D; ++d) gradient[c][d] += e.u[a][c] * shape.gradient[a][d];
  return gradient;
}

/// Rows of the fields at the corners.
template <class S, int D, int C>
using FieldRows = Array<Array<S, C>, D + 1>;

/// Integral of (source v + flux . grad v) for the functions of the corners.
template <class Pde, class S, int D, int C>
FieldRows<S, D, C> cell_rows(const Pde& pde, const Element<S, D, C>& e, const Shape<S, D>& shape,
                             const Array<Array<S, D>, C>& gradient, double t) {
  using Rule = SecondDegree<D>;
  FieldRows<S, D, C> rows{};
  const S weight = Rule::weight * shape.volume;
  for (std::size_t q = 0; q <= D; ++q) {
    Array<double, D + 1> barycentric;
    for (std::size_t a = 0; a <= D; ++a) barycentric[a] = Rule::coordinate(q, a);
    const Terms<S, D, C> f = pde.terms(at_point(e, gradient, barycentric, t));
    for (std::size_t a = 0; a <= D; ++a)
      for (std::size_t c = 0; c < C; ++c) {
        S sum = barycentric[a] * f.source[c];
        for (std::size_t d = 0; d < D; ++d) sum += f.flux[c][d] * shape.gradient[a][d];
        rows[a][c] += weight * sum;
      }
  }
  return rows;
}

/// Integral of outflow v over the face opposite to a corner. The face's area is D times the volume times the length of
/// that corner's gradient.
template <class Pde, class S, int D, int C>
FieldRows<S, D, C> facet_rows(const Pde& pde, const Element<S, D, C>& e, const Shape<S, D>& shape,
                              const Array<Array<S, D>, C>& gradient, double t, int opposite, const std::string& side) {
  using std::sqrt;
  using Rule = SecondDegree<D - 1>;
  FieldRows<S, D, C> rows{};
  const auto o = static_cast<std::size_t>(opposite);
  S square = 0.0;
  for (std::size_t d = 0; d < D; ++d) square += shape.gradient[o][d] * shape.gradient[o][d];
  const S weight = Rule::weight * D * shape.volume * sqrt(square);
  for (std::size_t q = 0; q < D; ++q) {
    Array<double, D + 1> barycentric{};
    for (std::size_t a = 0, b = 0; a <= D; ++a)
      if (a != o) barycentric[a] = Rule::coordinate(q, b++);
    const Array<S, C> out = pde.outflow(at_point(e, gradient, barycentric, t), side);
    for (std::size_t a = 0; a <= D; ++a)
      for (std::size_t c = 0; c < C; ++c) rows[a][c] += weight * barycentric[a] * out[c];
  }
  return rows;
}

/// Mean square of the components' gradients, in units of their scales.
template <class S, int D, int C>
S gradient_square(const Array<Array<S, D>, C>& gradient, const std::vector<double>& scales) {
  S sum = 0.0;
  for (std::size_t c = 0; c < C; ++c)
    for (std::size_t d = 0; d < D; ++d) sum += gradient[c][d] * gradient[c][d] / (C * scales[c] * scales[c]);
  return sum;
}

/// What the monitor needs to know of the whole box.
struct MonitorScale {
  double length = 1.0;        ///< of the box
  double mean_gradient = 1.0; ///< over the box; for Kind::gradient
};

template <class Pde, class S, int D, int C>
S monitor_of(const Pde& pde, const Monitor& monitor, const MonitorScale& scale, const Element<S, D, C>& e,
             const Array<Array<S, D>, C>& gradient, double t) {
  using std::sqrt;
  if constexpr (requires(const Point<S, D, C>& at) { pde.monitor(at); })
    if (monitor.kind == Monitor::Kind::owned) {
      Array<double, D + 1> middle;
      middle.fill(1.0 / (D + 1));
      return pde.monitor(at_point(e, gradient, middle, t));
    }
  const S square = gradient_square<S, D, C>(gradient, monitor.scales);
  if (monitor.kind == Monitor::Kind::arc) return sqrt(1.0 + monitor.alpha * scale.length * scale.length * square);
  // |grad u|, rounded where it is a small part of its mean: it has a derivative everywhere.
  constexpr double rounding = 1e-2;
  const double mean = scale.mean_gradient;
  return 1.0 + monitor.alpha * sqrt(rounding * rounding + square / (mean * mean));
}

} // namespace rhumb::moving_box
