#include "box_cases.hpp"
#include <rhumb/pde/moving_box/system.hpp>

namespace rhumb::mesh_cases {

using namespace moving_box;

namespace {
/// A flame in a channel: theta_t = lap theta + w, Y_t = lap Y / Le - w,
///   w = beta^2/(2 Le) Y exp(-beta (1 - theta)/(1 - alpha (1 - theta))).
/// It is lit at the side `left`, where all is burnt, and loses heat to the sides `blocks`, d theta/dn = -loss theta;
/// through others nothing flows.
struct Flame {
  static constexpr int directions = 2, components = 2;
  double Le = 1.0, alpha = 0.8, beta = 10.0, loss = 0.1, start = 7.5;

  template <class S>
  Terms<S, 2, 2> terms(const Point<S, 2, 2>& at) const {
    using std::exp;
    const S rest = 1.0 - at.u[0];
    const S w = beta * beta / (2.0 * Le) * at.u[1] * exp(-beta * rest / (1.0 - alpha * rest));
    Terms<S, 2, 2> f;
    f.source = {at.ut[0] - w, at.ut[1] + w};
    f.flux[0] = at.grad[0];
    f.flux[1] = {S(at.grad[1][0] / Le), S(at.grad[1][1] / Le)};
    return f;
  }
  template <class S>
  Array<S, 2> initial(const Array<S, 2>& x) const {
    using std::exp;
    if (core::value_of(x[0]) <= start) return {S(1.0), S(0.0)};
    return {S(exp(start - x[0])), S(1.0 - exp(Le * (start - x[0])))};
  }
  bool holds(int, const std::string& side) const { return side == "left"; }
  template <class S>
  S value(int component, const Array<S, 2>&, double) const {
    return S(component == 0 ? 1.0 : 0.0);
  }
  template <class S>
  Array<S, 2> outflow(const Point<S, 2, 2>& at, const std::string& side) const {
    return {side == "blocks" ? S(loss * at.u[0]) : S(0.0), S(0.0)};
  }
};
} // namespace

std::unique_ptr<dae::Problem> box_flame(MPI_Comm comm, const core::Options& options, int) {
  Flame pde;
  pde.Le = options.real("Le", 1.0, {"Lewis number"}, core::Range::positive());
  pde.alpha = options.real("alpha", 0.8, {"expansion of the gas by the flame"}, {0.0, 0.99});
  pde.beta = options.real("beta", 10.0, {"activation energy"}, core::Range::positive());
  pde.loss = options.real("loss", 0.1, {"loss of heat to the sides named blocks"}, core::Range::at_least(0.0));
  Description about;
  about.name = "flame";
  about.fields = {{"theta", "", "temperature"}, {"Y", "", "fuel"}};
  about.box.cells = {60, 16};
  about.box.upper = {60.0, 16.0, 1.0};
  about.t_end = 60.0;
  about.rtol = about.atol = 1e-4;
  about.tau = 0.1;
  about.monitor_alpha = 0.2; // more draws cells over the corners of the blocks
  return std::make_unique<System<Flame>>(comm, options, pde, about);
}

} // namespace rhumb::mesh_cases
