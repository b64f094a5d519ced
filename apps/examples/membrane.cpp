/// A population that spreads and grows on any plane mesh and dies at its shores: u_t = D lap u + r u (1 - u), u = 0 on
/// all named boundaries. Run: membrane -mesh meshes/square.msh -order 2

#include <rhumb/pde/fem/weak_system.hpp>
#include <rhumb/run/run.hpp>

using namespace rhumb;

class Membrane : public fem::WeakSystem<Membrane, 2, 1> {
public:
  Membrane(MPI_Comm comm, const core::Options& options)
      : WeakSystem(grid::read_mesh(comm, options), {{"u", "", "population"}}, {fem::read_order(options)}),
        D_(options.real("D", 0.01, {"diffusivity", "m^2/s"}, core::Range::positive())),
        r_(options.real("r", 1.0, {"growth rate", "1/s"})) {
    for (const auto& shore : grid_mesh().boundaries()) hold(shore, 0, "0");
  }

  std::string name() const override { return "membrane"; }
  double t_end() const override { return 10.0; }

  double initial(int /*component*/, const fem::Position& x) const { return x[0] < 0.5 ? 0.5 : 0.1; }

  template <class S>
  fem::Terms<S, 2, 1> cell(const fem::State<S, 2, 1>& u, const fem::QuadraturePoint&) const {
    return {.source = {u.rate[0] - r_ * u.value[0] * (1.0 - u.value[0])},
            .flux = {{{D_ * u.gradient[0][0], D_ * u.gradient[0][1]}}}};
  }

private:
  double D_, r_;
};

int main(int argc, char** argv) {
  return run::run<Membrane>(argc, argv);
}
