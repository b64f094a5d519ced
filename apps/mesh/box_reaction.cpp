#include "box_cases.hpp"
#include <rhumb/pde/moving_box/system.hpp>

namespace rhumb::mesh_cases {

using namespace moving_box;

namespace {
/// T_t = lap T + D (1 + alpha - T) exp(-delta/T), D = R e^delta/(alpha delta): BCP's problem on the unit square, no flux
/// at x = 0 and y = 0, T = 1 on the other sides.
struct Reaction {
  static constexpr int directions = 2, components = 1;
  double alpha = 1.0, delta = 20.0, R = 5.0;

  template <class S>
  Terms<S, 2, 1> terms(const Point<S, 2, 1>& at) const {
    using std::exp;
    Terms<S, 2, 1> f;
    const double D = R / (alpha * delta); // e^delta stands in the exponent
    f.source[0] = at.ut[0] - D * (1.0 + alpha - at.u[0]) * exp(delta - delta / at.u[0]);
    f.flux[0] = at.grad[0];
    return f;
  }
  template <class S>
  Array<S, 1> initial(const Array<S, 2>&) const {
    return {S(1.0)};
  }
  bool holds(int, const std::string& side) const { return side == "right" || side == "top"; }
  template <class S>
  S value(int, const Array<S, 2>&, double) const {
    return S(1.0);
  }
};
} // namespace

std::unique_ptr<dae::Problem> box_reaction(MPI_Comm comm, const core::Options& options, int) {
  Reaction pde;
  pde.alpha = options.real("alpha", 1.0, {"heat of the reaction"}, core::Range::positive());
  pde.delta = options.real("delta", 20.0, {"activation energy"}, core::Range::positive());
  Description about;
  about.name = "reaction";
  about.fields = {{"T", "", "temperature"}};
  about.box.cells = {39, 39};
  about.front_level = 1.0 + 0.5 * pde.alpha;
  about.t_end = 0.3;
  about.front_times = {0.29, 0.293, 0.296, 0.3};
  about.rtol = about.atol = 1e-6;
  about.tau = 1e-4;
  return std::make_unique<System<Reaction>>(comm, options, pde, about);
}

} // namespace rhumb::mesh_cases
