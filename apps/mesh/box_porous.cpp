#include "box_cases.hpp"
#include <rhumb/pde/moving_box/system.hpp>

namespace rhumb::mesh_cases {

using namespace moving_box;

namespace {
/// u_t = k div(u^m grad u) with Barenblatt's solution around the origin, a quarter of it on the unit square without flux
/// through the sides: with s = 1 + t, u^m = s^(-m/(m + 1)) (1 - r^2/R^2), R = R_0 s^(1/(2 (m + 1))) the front ahead of
/// which u is zero, and k = m R_0^2/(4 (m + 1)) .
struct Porous {
  static constexpr int directions = 2, components = 1;
  double m = 1.0, start = 0.3; ///< the exponent, R_0

  template <class S>
  Terms<S, 2, 1> terms(const Point<S, 2, 1>& at) const {
    using std::pow;
    const double k = m * start * start / (4.0 * (m + 1.0));
    // No diffusion where u is not positive; the power has no derivative there.
    const bool is_dry = !(core::value_of(at.u[0]) > 0.0);
    const S coefficient = is_dry ? S(0.0) : S(k * pow(at.u[0], m));
    Terms<S, 2, 1> f;
    f.source[0] = at.ut[0];
    f.flux[0] = {S(coefficient * at.grad[0][0]), S(coefficient * at.grad[0][1])};
    return f;
  }
  double solution(double square, double t) const {
    const double s = 1.0 + t, front = start * std::pow(s, 0.5 / (m + 1.0));
    return std::pow(s, -1.0 / (m + 1.0)) * std::pow(std::max(0.0, 1.0 - square / (front * front)), 1.0 / m);
  }
  template <class S>
  Array<S, 1> initial(const Array<S, 2>& x) const {
    using std::pow;
    const S below = 1.0 - (x[0] * x[0] + x[1] * x[1]) * (1.0 / (start * start));
    return {core::value_of(below) > 0.0 ? S(pow(below, 1.0 / m)) : S(0.0)};
  }
  Array<double, 1> exact(const Array<double, 2>& x, double t) const { return {solution(x[0] * x[0] + x[1] * x[1], t)}; }
};
} // namespace

std::unique_ptr<dae::Problem> box_porous(MPI_Comm comm, const core::Options& options, int) {
  Porous pde;
  pde.m = options.real("m", 1.0, {"exponent of u in its diffusion"}, core::Range::between(0.5, 10.0));
  Description about;
  about.name = "porous";
  about.fields = {{"u", "", "density"}};
  about.box.cells = {20, 20};
  about.t_end = 15.0;
  about.front_level = 1e-3;
  about.balance = Balance::nonnegative;
  return std::make_unique<System<Porous>>(comm, options, pde, about);
}

} // namespace rhumb::mesh_cases
