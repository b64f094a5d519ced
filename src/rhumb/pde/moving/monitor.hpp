#pragma once
/// Monitors: a positive number per cell that says how much of the mesh the cell deserves, and its smoothing in space.
///
///   arc        sqrt( alpha + mean_k (L u_x,k / s_k)^2 )
///   curvature  ( alpha + mean_k (L^2 u_xx,k / s_k)^2 )^(1/4)
///   own        the PDE's `monitor`, at the middle of the cell
///
/// L is the domain's length and s_k the size of a component: alpha means the same on every domain and in every unit.
/// With a `mean` floor (Beckett and Mackenzie) the monitor is its mean over the domain plus its density, so that about
/// half the nodes go where the solution varies, whatever its size. The integral is an unknown of the DAE.
/// Smoothing: Mt_c^2 = sum_{|k|<=p} M_{c+k}^2 g^|k| / sum g^|k|, g = gamma / (1 + gamma) (Huang, Ren and Russell).

#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving/balance.hpp>
#include <fmt/format.h>

namespace rhumb::moving {

struct Monitor {
  enum class Kind : std::uint8_t { arc, curvature, user };
  enum class Floor : std::uint8_t { constant, mean };
  Kind kind = Kind::arc;
  Floor floor = Floor::constant;
  double alpha = 1.0;         ///< the floor: 1 for arc length
  std::vector<double> scales; ///< s_k
  double length = 1.0;        ///< L
  int smoothing = 4;          ///< p
  double gamma = 2.0;
};

/// How many neighbours on each side the smoothed monitors of the two cells of a node need.
inline int width(const Monitor& monitor) {
  return monitor.smoothing + 1 + (monitor.kind == Monitor::Kind::curvature ? 1 : 0);
}

/// Mean square of a vector of components, each over its scale.
template <class S, std::size_t n>
S mean_square(const std::array<S, n>& values, const std::vector<double>& scales) {
  S sum(0.0);
  for (std::size_t k = 0; k < n; ++k) sum += values[k] * values[k] * (1.0 / (scales[k] * scales[k]));
  return sum * (1.0 / static_cast<double>(n));
}

/// u_xx at node k of the window; at the ends of the domain that of the next node.
template <class S, int n, int W>
std::array<S, static_cast<std::size_t>(n)> second_derivative(const Window<S, n, W>& w, int k) {
  if (!w.has(k - 1)) ++k;
  if (!w.has(k + 1)) --k;
  const auto &a = w(k - 1), &b = w(k), &c = w(k + 1);
  const S left = 1.0 / (b.x - a.x), right = 1.0 / (c.x - b.x), whole = 2.0 / (c.x - a.x);
  std::array<S, static_cast<std::size_t>(n)> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = whole * ((c.u[i] - b.u[i]) * right - (b.u[i] - a.u[i]) * left);
  return out;
}

/// The square of the solution's share in the monitor of the cell between node k and node k + 1.
template <class S, int n, int W>
S roughness(const Window<S, n, W>& w, int k, const Monitor& monitor) {
  const double square = monitor.length * monitor.length;
  if (monitor.kind == Monitor::Kind::arc) return square * mean_square(middle(w(k), w(k + 1), 0.0).ux, monitor.scales);
  const auto a = second_derivative(w, k), b = second_derivative(w, k + 1);
  std::array<S, static_cast<std::size_t>(n)> mean;
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = 0.5 * (a[i] + b[i]);
  return square * square * mean_square(mean, monitor.scales);
}

/// M without the mean floor: the density whose integral the floor is.
template <class Pde, class S, int n, int W>
S density(const Pde& pde, const Window<S, n, W>& w, int k, double t, const Monitor& monitor) {
  using std::sqrt;
  if (monitor.kind == Monitor::Kind::user) {
    if constexpr (requires { pde.monitor(middle(w(k), w(k + 1), t)); }) {
      const auto at = middle(w(k), w(k + 1), t);
      const S value = pde.monitor(at);
      if (!(core::value_of(value) > 0.0))
        throw core::Recoverable(fmt::format("the monitor is {:g} at x = {:g}: it must be positive",
                                            core::value_of(value), core::value_of(at.x)));
      return value;
    } else {
      return S(1.0);
    }
  }
  const S root = sqrt(monitor.alpha + roughness(w, k, monitor));
  return monitor.kind == Monitor::Kind::arc ? root : S(sqrt(root));
}

/// M of the cell between node k and node k + 1, before smoothing.
template <class Pde, class S, int n, int W>
S cell_monitor(const Pde& pde, const Window<S, n, W>& w, int k, double t, const Monitor& monitor, double length) {
  const S value = density(pde, w, k, t, monitor);
  return monitor.floor == Monitor::Floor::mean ? S(value + w(0).whole * (1.0 / length)) : value;
}

/// Mt of the cells left and right of the window's node.
template <class Pde, class S, int n, int W>
std::array<S, 2> smooth_monitors(const Pde& pde, const Window<S, n, W>& w, double t, const Monitor& monitor,
                                 double length) {
  using std::sqrt;
  const double g = monitor.gamma / (1.0 + monitor.gamma);
  std::array<S, 2> sum{S(0.0), S(0.0)};
  std::array<double, 2> weight{0.0, 0.0};
  for (int cell = -1 - monitor.smoothing; cell <= monitor.smoothing; ++cell) {
    if (!w.has_cell(cell)) continue;
    const S M = cell_monitor(pde, w, cell, t, monitor, length);
    const S square = M * M;
    for (const int side : {0, 1}) {
      const int distance = std::abs(cell - (side - 1));
      if (distance > monitor.smoothing) continue;
      const double share = std::pow(g, distance);
      sum[static_cast<std::size_t>(side)] += share * square;
      weight[static_cast<std::size_t>(side)] += share;
    }
  }
  return {S(sqrt(sum[0] * (1.0 / weight[0]))), S(sqrt(sum[1] * (1.0 / weight[1])))};
}

} // namespace rhumb::moving
