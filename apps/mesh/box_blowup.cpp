#include "box_cases.hpp"
#include <rhumb/pde/moving_box/system.hpp>

namespace rhumb::mesh_cases {

using namespace moving_box;

namespace {
/// u_t = lap u + u^2, or lap u + growth e^u, u = 0 on the sides of the unit square, from amplitude sin(pi x) sin(pi y):
/// what is large enough becomes infinite in one point in a finite time.
struct Blowup {
  static constexpr int directions = 2, components = 1;
  double amplitude = 100.0, growth = 1.0;
  bool exponential = false;

  template <class S>
  Terms<S, 2, 1> terms(const Point<S, 2, 1>& at) const {
    using std::exp;
    Terms<S, 2, 1> f;
    f.source[0] = at.ut[0] - growth * (exponential ? S(exp(at.u[0])) : S(at.u[0] * at.u[0]));
    f.flux[0] = at.grad[0];
    return f;
  }
  template <class S>
  Array<S, 1> initial(const Array<S, 2>& x) const {
    using std::sin;
    constexpr double pi = 3.14159265358979323846;
    return {amplitude * sin(pi * x[0]) * sin(pi * x[1])};
  }
  bool holds(int, const std::string&) const { return true; }
  template <class S>
  S value(int, const Array<S, 2>&, double) const {
    return S(0.0);
  }
  /// Where u is large in proportion: the peak, as narrow as 1/sqrt(u), and what it leaves behind get equal shares.
  template <class S>
  S monitor(const Point<S, 2, 1>& at) const {
    using std::exp;
    using std::sqrt;
    return exponential ? S(1.0 + exp(at.u[0])) : S(sqrt(1.0 + at.u[0] * at.u[0]));
  }
};
} // namespace

std::unique_ptr<dae::Problem> box_blowup(MPI_Comm comm, const core::Options& options, int) {
  Blowup pde;
  pde.exponential = options.choice("growth_law", "square", {"square", "exponential"},
                                   {"what makes u grow: u^2 or e^u"}) == "exponential";
  pde.amplitude = options.real("amplitude", pde.exponential ? 0.0 : 100.0, {"height of the initial values"});
  pde.growth = options.real("growth", pde.exponential ? 10.0 : 1.0, {"factor of u^2 or e^u"}, core::Range::positive());
  Description about;
  about.name = "blowup";
  about.fields = {{"u"}};
  about.box.cells = {40, 40};
  about.monitor = "own";
  about.monitor_smoothing = 1.0;
  about.tau = 1e-6;
  about.stop_above = pde.exponential ? 15.0 : 1e6;
  return std::make_unique<System<Blowup>>(comm, options, pde, about);
}

} // namespace rhumb::mesh_cases
