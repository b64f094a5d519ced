#include "box_cases.hpp"
#include <rhumb/pde/moving_box/system.hpp>

namespace rhumb::mesh_cases {

using namespace moving_box;

namespace {
/// u_t + u (u_x + u_y [+ u_z]) = eps lap u with the front u = 1/(1 + exp((x + y [+ z] - D t/2 - 1/4)/(2 eps))).
template <int D>
struct Burgers {
  static constexpr int directions = D, components = 1;
  double eps = 5e-3;

  template <class S>
  Terms<S, D, 1> terms(const Point<S, D, 1>& at) const {
    Terms<S, D, 1> f;
    f.source[0] = at.ut[0];
    for (std::size_t d = 0; d < D; ++d) {
      f.source[0] += at.u[0] * at.grad[0][d];
      f.flux[0][d] = eps * at.grad[0][d];
    }
    return f;
  }
  template <class S>
  S front(const Array<S, D>& x, double t) const {
    using std::tanh; // exp would overflow far behind the front
    S along = -0.5 * D * t - 0.25;
    for (const S& coordinate : x) along += coordinate;
    return 0.5 * (1.0 - tanh(along / (4.0 * eps)));
  }
  template <class S>
  Array<S, 1> initial(const Array<S, D>& x) const {
    return {front(x, 0.0)};
  }
  bool holds(int, const std::string&) const { return true; }
  template <class S>
  S value(int, const Array<S, D>& x, double t) const {
    return front(x, t);
  }
  Array<double, 1> exact(const Array<double, D>& x, double t) const { return {front(x, t)}; }
};

template <int D>
std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options) {
  Description about;
  about.name = "burgers";
  about.fields = {{"u", "", "velocity"}};
  about.box.cells = D == 2 ? std::vector<PetscInt>{40, 40} : std::vector<PetscInt>{20, 20, 20};
  Burgers<D> pde;
  pde.eps = options.real("eps", D == 2 ? 5e-3 : 2e-2, {"viscosity"}, core::Range::positive());
  return std::make_unique<System<Burgers<D>>>(comm, options, pde, about);
}
} // namespace

std::unique_ptr<dae::Problem> box_burgers(MPI_Comm comm, const core::Options& options, int dimension) {
  return dimension == 2 ? make<2>(comm, options) : make<3>(comm, options);
}

} // namespace rhumb::mesh_cases
