#include "box_cases.hpp"
#include <rhumb/pde/moving_box/system.hpp>

/// Cases in the plane whose solution is known: a curved front, and a scalar that is turned around.

namespace rhumb::mesh_cases {

using namespace moving_box;

namespace {
/// u_t + u (u_x + u_y) = eps lap u + g with the front u = (1 - tanh((r - 0.3 - 0.7 t)/(4 eps)))/2 around the origin,
/// r^2 = x^2 + y^2, a quarter circle that ends in two corners; g makes it the solution.
struct Curved {
  static constexpr int directions = 2, components = 1;
  double eps = 5e-3;

  template <class S>
  static S radius(const Array<S, 2>& x) {
    using std::sqrt;
    return sqrt(x[0] * x[0] + x[1] * x[1] + 1e-12); // has a derivative in the corner
  }
  template <class S>
  S front(const Array<S, 2>& x, double t) const {
    using std::tanh;
    return 0.5 * (1.0 - tanh((radius(x) - 0.3 - 0.7 * t) / (4.0 * eps)));
  }
  template <class S>
  Terms<S, 2, 1> terms(const Point<S, 2, 1>& at) const {
    // With s = d/dr of the front: u_t = -0.7 s, u_x + u_y = s (x + y)/r, lap u = u_rr + s/r.
    const S r = radius(at.x), u = front(at.x, at.t);
    const S s = -0.5 / eps * u * (1.0 - u), second = -0.5 / eps * s * (1.0 - 2.0 * u);
    const S g = -0.7 * s + u * s * (at.x[0] + at.x[1]) / r - eps * (second + s / r);
    Terms<S, 2, 1> f;
    f.source[0] = at.ut[0] + at.u[0] * (at.grad[0][0] + at.grad[0][1]) - g;
    f.flux[0] = {S(eps * at.grad[0][0]), S(eps * at.grad[0][1])};
    return f;
  }
  template <class S>
  Array<S, 1> initial(const Array<S, 2>& x) const {
    return {front(x, 0.0)};
  }
  bool holds(int, const std::string&) const { return true; }
  template <class S>
  S value(int, const Array<S, 2>& x, double t) const {
    return front(x, t);
  }
  Array<double, 1> exact(const Array<double, 2>& x, double t) const { return {front(x, t)}; }
};

/// u_t + a . grad u = eps lap u, a = 2 pi (1/2 - y, x - 1/2): a hill that is turned around the square's middle and
/// spreads a little. u = s/(s + 4 eps t) exp(-|x - c(t)|^2/(s + 4 eps t)); its values are given on the sides.
struct Turning {
  static constexpr int directions = 2, components = 1;
  static constexpr double size = 0.01; // s, the square of the hill's width
  double eps = 1e-5;

  template <class S>
  Terms<S, 2, 1> terms(const Point<S, 2, 1>& at) const {
    constexpr double turn = 6.283185307179586;
    Terms<S, 2, 1> f;
    f.source[0] = at.ut[0] + turn * ((0.5 - at.x[1]) * at.grad[0][0] + (at.x[0] - 0.5) * at.grad[0][1]);
    f.flux[0] = {S(eps * at.grad[0][0]), S(eps * at.grad[0][1])};
    return f;
  }
  template <class S>
  S hill(const Array<S, 2>& x, double t) const {
    using std::exp;
    constexpr double turn = 6.283185307179586, radius = 0.25;
    const S dx = x[0] - 0.5 - radius * std::cos(turn * t), dy = x[1] - 0.5 - radius * std::sin(turn * t);
    const double spread = size + 4.0 * eps * t;
    return size / spread * exp(-(dx * dx + dy * dy) / spread);
  }
  template <class S>
  Array<S, 1> initial(const Array<S, 2>& x) const {
    return {hill(x, 0.0)};
  }
  bool holds(int, const std::string&) const { return true; }
  template <class S>
  S value(int, const Array<S, 2>& x, double t) const {
    return hill(x, t);
  }
  Array<double, 1> exact(const Array<double, 2>& x, double t) const { return {hill(x, t)}; }
};

Description square(const std::string& name) {
  Description about;
  about.name = name;
  about.fields = {{"u"}};
  about.box.cells = {40, 40};
  return about;
}
} // namespace

std::unique_ptr<dae::Problem> box_curved(MPI_Comm comm, const core::Options& options, int) {
  Curved pde;
  pde.eps = options.real("eps", 5e-3, {"viscosity"}, core::Range::positive());
  return std::make_unique<System<Curved>>(comm, options, pde, square("curved"));
}

std::unique_ptr<dae::Problem> box_turning(MPI_Comm comm, const core::Options& options, int) {
  Turning pde;
  pde.eps = options.real("eps", 1e-5, {"diffusion"}, core::Range::at_least(0.0));
  return std::make_unique<System<Turning>>(comm, options, pde, square("turning"));
}

} // namespace rhumb::mesh_cases
