#pragma once
/// Systems of PDEs in one dimension in the form that pdepe made known,
///
///   c(x,t,u,u_x) u_t = x^-m d/dx( x^m f(x,t,u,u_x) ) + s(x,t,u,u_x),   a < x < b,   m = 0, 1, 2,
///   p(x,t,u) + q(x,t) f(x,t,u,u_x) = 0   at x = a and x = b,
///
/// for n components. The user writes a class that is generic in the scalar (from it come the residual and the exact
/// Jacobian):
///
///   struct Fisher {
///     static constexpr int components = 1;
///     auto flux(const auto& at) const { return std::array{at.ux[0]}; }  // f
///     auto balance(const auto& at) const { return std::array{at.ut[0] - at.u[0] * (1.0 - at.u[0])}; }  // c u_t - s
///     auto left(const auto& at) const { return fixed_value(at, {1.0}); }
///     auto right(const auto& at) const { return no_flux(at); }
///     std::array<double, 1> initial(double x) const { return {std::exp(-x)}; }
///   };
///
/// `balance` is c u_t - s. A row that holds no u_t is algebraic (c = 0), a row may hold the u_t of several components,
/// and it need not be linear in them: the equations stay implicit, BCP (6.5.5). The same class runs on a fixed mesh or
/// on a moving one.
///
/// Where q = 0 the end's row is p = 0, algebraic; q must be zero always or never. For m > 0 and a = 0 the flux through
/// the left end is zero by symmetry, and rows with q != 0 there are not looked at.
///
/// Optional members: `exact(x, t)` gives the solution (where `knows_solution()`, if there is one, says so),
/// `monitor(at)` a monitor of the user's own (pde/moving/monitor.hpp).

#include <rhumb/core/dual.hpp>
#include <rhumb/dae/system.hpp>
#include <rhumb/dae/weights.hpp>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace rhumb::moving {

/// Where a PDE's functions are evaluated.
template <class S, int n>
struct Point {
  using Scalar = S;
  using Values = std::array<S, static_cast<std::size_t>(n)>;
  S x{};
  double t = 0.0;
  Values u{}, ux{}, ut{}; ///< u_t at a fixed place; zero where a flux is asked for
};

/// p and q of p + q f = 0 at an end.
template <class S, int n>
struct End {
  std::array<S, static_cast<std::size_t>(n)> p{};
  std::array<double, static_cast<std::size_t>(n)> q{};
};

/// u = value at an end.
template <class S, int n>
End<S, n> fixed_value(const Point<S, n>& at, const std::array<double, static_cast<std::size_t>(n)>& value) {
  End<S, n> end;
  for (std::size_t k = 0; k < value.size(); ++k) end.p[k] = at.u[k] - value[k];
  return end;
}

/// f = 0 at an end.
template <class S, int n>
End<S, n> no_flux(const Point<S, n>&) {
  End<S, n> end;
  end.q.fill(1.0);
  return end;
}

/// What a run needs to know of a PDE beside its functions.
struct Description {
  std::string name;
  std::vector<dae::Field> fields; ///< one per component
  double lower = 0.0;             ///< a
  double upper = 1.0;             ///< b
  int symmetry = 0;               ///< m
  double t_end = 1.0;
  int front_component = 0;
  double front_level = 0.5;                       ///< the front is where the component has this value
  std::vector<double> front_times = {};           ///< where the user names no output times
  std::optional<double> ignition_level = nullopt; ///< the first component at the left end rises through it: ignition
  double rtol = 1e-6;
  double atol_of_rtol = 0.5; ///< atol unless given, as a multiple of rtol: half the size of u
  long cells = 40;
  double tau = 1e-3;              ///< time in which the mesh follows, unless given: far below the solution's own
  double theta = 1.0 / 6.0;       ///< balance.hpp, unless given; 0 keeps solutions positive that must be
  double monitor_alpha = 1.0;     ///< unless given
  std::vector<double> sizes = {}; ///< of the components in the monitor, unless given; empty: those of initial values
  std::string monitor = "arc";    ///< unless given
  static constexpr std::nullopt_t nullopt = std::nullopt;
};

} // namespace rhumb::moving
