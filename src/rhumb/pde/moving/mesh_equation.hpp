#pragma once
/// The equations that move the mesh, one row per inner node.
///
///   rate    min over x' of sum_k w_k u'_k^2 + alpha x'^2 + lambda sum ((x'_{i+1} - x'_i) / (x_{i+1} - x_i))^2, in the
///           three formulations of BCP (6.5.7)-(6.5.9); the last term keeps neighbours apart
///   mmpde4  tau (M x'_xi)_xi = -(M x_xi)_xi      (Huang, Ren and Russell, SIAM J. Numer. Anal. 31 (1994) 709)
///   mmpde5  tau x' = (M x_xi)_xi
///   mmpde6  tau x'_xixi = -(M x_xi)_xi
///   dorfi   (nt_{i-1} + tau nt'_{i-1}) / M_{i-1} = (nt_i + tau nt'_i) / M_i, nt = n - kappa (kappa + 1) d^2 n,
///           n_i = 1 / (x_{i+1} - x_i) (Dorfi and Drury): neighbouring cells differ by at most (kappa + 1) / kappa

#include <rhumb/pde/moving/monitor.hpp>
#include <algorithm>

namespace rhumb::moving {

enum class Equation : std::uint8_t { fixed, rate, mmpde4, mmpde5, mmpde6, dorfi };

/// What the PDE's rows balance (balance.hpp): u at points that move, or contents of volumes that move.
enum class Balance : std::uint8_t { points, volumes, nonnegative };

struct MeshRule {
  Equation equation = Equation::mmpde6;
  Balance balance = Balance::points;
  double theta = 1.0 / 6.0; ///< balance.hpp
  Monitor monitor;
  double tau = 1e-5;   ///< time in which the mesh follows
  double kappa = 2.0;  ///< dorfi
  int rate_case = 1;   ///< rate: 1, 2 or 3
  double alpha = 1.0;  ///< rate: weight of x'^2
  double lambda = 0.2; ///< rate: weight of the penalty
  PetscInt cells = 0;
  double length = 1.0;       ///< b - a
  int symmetry = 0;          ///< m
  double whole_volume = 1.0; ///< integral of x^m from a to b
  double mean_volume() const { return whole_volume / static_cast<double>(cells); }
};

/// How many neighbours on each side the rule's row needs.
inline int width(const MeshRule& rule) {
  switch (rule.equation) {
  case Equation::fixed:
  case Equation::rate:
    return 1;
  case Equation::dorfi:
    return rule.monitor.kind == Monitor::Kind::curvature ? 3 : 2;
  default:
    return width(rule.monitor);
  }
}

inline bool is_mmpde(Equation equation) {
  return equation == Equation::mmpde4 || equation == Equation::mmpde5 || equation == Equation::mmpde6;
}

/// Whether alpha, arc length or curvature decide where nodes go.
inline bool is_monitored(const MeshRule& rule) {
  return rule.equation != Equation::fixed && rule.equation != Equation::rate &&
         rule.monitor.kind != Monitor::Kind::user && rule.monitor.floor == Monitor::Floor::constant;
}

/// The row of mmpde4, 5 and 6 from the smoothed monitors of the two cells.
template <class S, int n, int W>
S mmpde_row(const Window<S, n, W>& w, const S& left, const S& right, const MeshRule& rule) {
  const S E = right * (w(1).x - w(0).x) - left * (w(0).x - w(-1).x);
  const S rate_right = w(1).x_rate - w(0).x_rate, rate_left = w(0).x_rate - w(-1).x_rate;
  switch (rule.equation) {
  case Equation::mmpde4:
    return rule.tau * (right * rate_right - left * rate_left) + E;
  case Equation::mmpde5: {
    const auto N = static_cast<double>(rule.cells);
    return rule.tau * w(0).x_rate - N * N * E;
  }
  default:
    return rule.tau * (rate_right - rate_left) + E;
  }
}

/// n and n' of the cell between node k and node k + 1; outside the mesh those of the last cell.
template <class S, int n, int W>
std::array<S, 2> concentration(const Window<S, n, W>& w, int k) {
  if (!w.has_cell(k)) k += k < 0 ? 1 : -1;
  const S density = 1.0 / (w(k + 1).x - w(k).x);
  return {density, S(-density * density * (w(k + 1).x_rate - w(k).x_rate))};
}

template <class Pde, class S, int n, int W>
S dorfi_row(const Pde& pde, const Window<S, n, W>& w, double t, const MeshRule& rule) {
  const double stiffness = rule.kappa * (rule.kappa + 1.0);
  const auto side = [&](int k) {
    const auto left = concentration(w, k - 1), here = concentration(w, k), right = concentration(w, k + 1);
    S sum(0.0);
    for (const std::size_t i : {0, 1})
      sum += (i == 0 ? 1.0 : rule.tau) * (here[i] - stiffness * (left[i] - 2.0 * here[i] + right[i]));
    return S(sum / cell_monitor(pde, w, k, t, rule.monitor, rule.length));
  };
  return (side(-1) - side(0)) * (rule.length / static_cast<double>(rule.cells));
}

/// The penalty's part: lambda ( (x'_i - x'_{i-1}) / h_-^2 - (x'_{i+1} - x'_i) / h_+^2 ).
template <class S, int n, int W>
S penalty(const Window<S, n, W>& w, double lambda) {
  const S left = w(0).x - w(-1).x, right = w(1).x - w(0).x;
  return lambda * ((w(0).x_rate - w(-1).x_rate) / (left * left) - (w(1).x_rate - w(0).x_rate) / (right * right));
}

/// x' of Cases 2 and 3: -(sum w u_x f + penalty) / (alpha + sum w u_x^2), f the explicit u_t.
template <class Pde, class S, int n, int W>
S explicit_velocity(const Window<S, n, W>& w, const Values<S, n>& f, const MeshRule& rule) {
  const auto ux = gradient(w);
  S pull = penalty(w, rule.lambda), weight(rule.alpha);
  for (std::size_t k = 0; k < ux.size(); ++k) {
    const double scale = rule.monitor.scales[k];
    const S gradient = ux[k] * (1.0 / (scale * scale));
    pull += gradient * f[k];
    weight += gradient * ux[k];
  }
  return -pull / weight;
}

/// BCP (6.5.6b) with weights and penalty: the mesh row of Case 1.
template <class S, int n, int W>
S minimal_rate_row(const Window<S, n, W>& w, const MeshRule& rule) {
  const auto ux = gradient(w);
  S row = rule.alpha * w(0).x_rate + penalty(w, rule.lambda);
  for (std::size_t k = 0; k < ux.size(); ++k) {
    const double scale = rule.monitor.scales[k];
    row += ux[k] * w(0).u_rate[k] * (1.0 / (scale * scale));
  }
  return row;
}

/// The PDE's rows at an inner node of a moving mesh; they see the next nodes alone.
template <class Pde, class S, int n, int W>
Values<S, n> solution_rows(const Pde& pde, const Window<S, n, W>& w, double t, int m, const MeshRule& rule) {
  if (rule.equation != Equation::rate || rule.rate_case == 1) return pde_rows(pde, w, t, m, rule.theta);
  if (rule.rate_case == 2) return pde_rows(pde, w, t, m, 0.0);
  const auto f = explicit_rate(pde, w, fluxes(pde, w, t, m), t);
  const S velocity = explicit_velocity<Pde>(w, f, rule);
  const auto ux = gradient(w);
  Values<S, n> rows;
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = w(0).u_rate[k] - f[k] - ux[k] * velocity;
  return rows;
}

/// The mesh's row at an inner node.
template <class Pde, class S, int n, int W>
S mesh_row(const Pde& pde, const Window<S, n, W>& w, double t, int m, const MeshRule& rule) {
  if (rule.equation == Equation::dorfi) return dorfi_row(pde, w, t, rule);
  if (is_mmpde(rule.equation)) {
    const auto [left, right] = smooth_monitors(pde, w, t, rule.monitor, rule.length);
    return mmpde_row(w, left, right, rule);
  }
  if (rule.rate_case == 1) return minimal_rate_row(w, rule);
  const auto f = explicit_rate(pde, w, fluxes(pde, w, t, m), t);
  return w(0).x_rate - explicit_velocity<Pde>(w, f, rule);
}

} // namespace rhumb::moving
