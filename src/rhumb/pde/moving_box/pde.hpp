#pragma once
/// PDEs in two or three directions on a box whose grid points move. The user writes a class that is generic in the
/// scalar; the residual and the exact Jacobian come from it:
///
///   struct Burgers {
///     static constexpr int directions = 2, components = 1;
///     template <class S> Terms<S, 2, 1> terms(const Point<S, 2, 1>& at) const {
///       return {.source = {at.ut[0] + at.u[0] * (at.grad[0][0] + at.grad[0][1])},
///               .flux = {{{eps * at.grad[0][0], eps * at.grad[0][1]}}}};
///     }
///     template <class S> Array<S, 1> initial(const Array<S, 2>& x) const { return {...}; }
///   };
///
/// For all test functions v of component c:
///   integral of (source[c] v + flux[c] . grad v) over the box + integral of outflow[c] v over its sides = 0,
/// so u_t = div(k grad u) is source = u_t, flux = k grad u. Optional members (a side is a name: left, right, bottom, top,
/// back, front of a box, a physical group of a Gmsh file):
///   bool holds(int component, const std::string& side)                      the component's values are given there,
///   template <class S> S value(int component, const Array<S, D>& x, double t)            these values, or by side:
///   template <class S> S value(int component, const Array<S, D>& x, double t, const std::string& side);
///   template <class S> Array<S, C> outflow(const Point<S, D, C>& at, const std::string& side)    default: 0;
///   Array<double, C> exact(const Array<double, D>& x, double t)             the solution, for the errors;
///   template <class S> S monitor(const Point<S, D, C>& at)                  for -monitor own, positive.

#include <rhumb/core/dual.hpp>
#include <rhumb/dae/system.hpp>
#include <rhumb/grid/box.hpp>
#include <array>
#include <limits>
#include <string>
#include <vector>

namespace rhumb::moving_box {

template <class T, int N>
using Array = std::array<T, static_cast<std::size_t>(N)>;

/// Where a PDE's functions are evaluated.
template <class S, int D, int C>
struct Point {
  Array<S, D> x{};
  double t = 0.0;
  Array<S, C> u{}, ut{}; ///< ut: the derivative at a fixed position, u' - x' . grad u
  Array<Array<S, D>, C> grad{};
};

/// What is integrated against test functions and their gradients.
template <class S, int D, int C>
struct Terms {
  Array<S, C> source{};
  Array<Array<S, D>, C> flux{};
};

/// Which diagonal cuts a cell: from its lower left corner upwards, from its lower right corner, or in turn.
enum class Diagonal : std::uint8_t { rising, falling, alternating };

/// What the fields' rows balance: u at moving points, or contents of moving volumes, conserved to rounding; the third
/// keeps every u at or above zero (volumes.hpp). Contents need source = u_t + (what holds no u_t).
enum class Balance : std::uint8_t { points, volumes, nonnegative };

/// What a run needs to know of a PDE beside its functions.
struct Description {
  std::string name;
  std::vector<dae::Field> fields; ///< one per component
  grid::BoxShape box;             ///< unless given
  double t_end = 1.0;
  double rtol = 1e-5;
  double atol = 1e-5;
  double tau = 1e-2;                     ///< time in which the mesh follows, unless given
  double monitor_alpha = 10.0;           ///< unless given
  double monitor_smoothing = 8.0;        ///< unless given
  std::string monitor = "arc";           ///< unless given
  Diagonal diagonal = Diagonal::falling; ///< unless given
  Balance balance = Balance::points;     ///< unless given
  double stop_above = std::numeric_limits<double>::infinity();
  double front_level = 0.5;             ///< the front is where the first component has this value
  std::vector<double> front_times = {}; ///< times at which its position on the box's diagonal is reported
};

} // namespace rhumb::moving_box
