/// Nagumo's equation u_t = D lap u + k u (1 - u) (u - 1/4) on a square whose mesh follows the front: the same
/// from formulas: apps/mesh/moving_front.yaml.
///   build/apps/moving_front -n 30,30 -out out/moving_front

#include <rhumb/pde/moving_box/system.hpp>
#include <rhumb/run/run.hpp>

using namespace rhumb;
using namespace rhumb::moving_box;

struct Nagumo {
  static constexpr int directions = 2, components = 1;
  double D = 5e-3, k = 100.0;

  template <class S>
  Terms<S, 2, 1> terms(const Point<S, 2, 1>& at) const {
    return {.source = {at.ut[0] - k * at.u[0] * (1.0 - at.u[0]) * (at.u[0] - 0.25)},
            .flux = {{{D * at.grad[0][0], D * at.grad[0][1]}}}};
  }
  template <class S>
  S wave(const Array<S, 2>& x, double t) const { // along the square's diagonal
    using std::tanh;
    const S along = (x[0] + x[1] - 0.6) * std::sqrt(0.5) - 0.5 * std::sqrt(0.5 * k * D) * t;
    return 0.5 * (1.0 - tanh(0.5 * along * std::sqrt(0.5 * k / D)));
  }
  template <class S>
  Array<S, 1> initial(const Array<S, 2>& x) const {
    return {wave(x, 0.0)};
  }
  bool holds(int, const std::string&) const { return true; }
  template <class S>
  S value(int, const Array<S, 2>& x, double t) const {
    return wave(x, t);
  }
  Array<double, 1> exact(const Array<double, 2>& x, double t) const { return {wave(x, t)}; }
};

struct MovingFront : System<Nagumo> {
  MovingFront(MPI_Comm comm, const core::Options& options)
      : System(comm, options, {}, {.name = "moving_front", .fields = {{"u1"}}, .box = {.cells = {30, 30}}}) {}
};

int main(int argc, char** argv) {
  return run::run<MovingFront>(argc, argv);
}
